//! Where and with what runs are measured.

use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// What all runs of one command share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Provenance {
    /// The commit of the folder of the suite; empty if it is not under version control.
    pub commit: String,
    /// Whether files were changed since.
    pub dirty: bool,
    /// The machine's name.
    pub host: String,
    /// Its processor.
    pub processor: String,
    /// How many cores it has.
    pub cores: usize,
    /// How much memory, in bytes.
    pub memory: u64,
    /// Its system.
    pub kernel: String,
    /// What this program was compiled with.
    pub compiler: String,
}

impl Provenance {
    /// Looks around.
    pub fn of(folder: &Path) -> Self {
        let git = |arguments: &[&str]| {
            let output = Command::new("git").arg("-C").arg(folder).args(arguments).output().ok()?;
            output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        };
        let file = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
        let field = |text: &str, name: &str| {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
            line.split_once(':').map_or(String::new(), |(_, value)| value.trim().to_owned())
        };
        let memory = field(&file("/proc/meminfo"), "MemTotal");
        Self {
            commit: git(&["rev-parse", "HEAD"]).unwrap_or_default(),
            dirty: git(&["status", "--porcelain"]).is_some_and(|changes| !changes.is_empty()),
            host: file("/proc/sys/kernel/hostname").trim().to_owned(),
            processor: field(&file("/proc/cpuinfo"), "model name"),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory: memory.split(' ').next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or(0) << 10,
            kernel: file("/proc/sys/kernel/osrelease").trim().to_owned(),
            compiler: env!("PREQUEL_RUSTC").to_owned(),
        }
    }
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// A moment as `2026-11-16T12:34:56Z`.
pub fn date(seconds: u64) -> String {
    let (days, rest) = ((seconds / 86_400) as i64, seconds % 86_400);
    // Days are counted from the first of March of a year that begins an era of 400 years.
    let shifted = days + 719_468;
    let (era, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march = (5 * day_of_year + 2) / 153;
    let (day, month) = (day_of_year - (153 * march + 2) / 5 + 1, if march < 10 { march + 3 } else { march - 9 });
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(date(0), "1970-01-01T00:00:00Z");
        assert_eq!(date(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(date(1_794_832_496), "2026-11-16T12:34:56Z");
    }

    #[test]
    fn a_folder_without_version_control_has_no_commit() {
        let folder = tempfile::tempdir().unwrap();
        let found = Provenance::of(folder.path());
        assert!(found.commit.is_empty() && !found.dirty && found.cores > 0 && found.memory > 0, "{found:?}");
        assert!(found.compiler.starts_with("rustc"));
    }
}
