//! Numbers with units: times, amounts of memory, counts.

use std::time::Duration;

/// Splits `30s` into its number and its unit.
fn split(text: &str) -> Result<(f64, &str), String> {
    let at = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..at].parse().map_err(|_| format!("`{text}` does not start with a number"))?;
    Ok((number, &text[at..]))
}

/// `30s`, `5m`, `250ms`.
pub fn time(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text)?;
    let seconds = match unit {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(format!("unknown unit `{unit}`: use ms, s, m or h")),
    };
    Duration::try_from_secs_f64(number * seconds).map_err(|e| e.to_string())
}

/// `4G`, `512MiB`.
pub fn bytes(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text)?;
    let shift = match unit.trim_end_matches("iB").trim_end_matches('B') {
        "" => 0,
        "k" | "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return Err(format!("unknown unit `{unit}`: use K, M, G or T")),
    };
    Ok((number * (1u64 << shift) as f64) as u64)
}

/// `10M`, `500k`.
pub fn count(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text)?;
    let factor = match unit {
        "" => 1.0,
        "k" | "K" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        _ => return Err(format!("unknown unit `{unit}`: use k, M or G")),
    };
    Ok((number * factor) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_understood() {
        assert_eq!(time("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(time("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(bytes("4G"), Ok(4 << 30));
        assert_eq!(bytes("512MiB"), Ok(512 << 20));
        assert_eq!(count("10M"), Ok(10_000_000));
        assert!(time("s").is_err() && time("3 parsecs").is_err() && bytes("1Q").is_err() && count("").is_err());
    }
}
