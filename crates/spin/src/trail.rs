//! Trail files: the steps to a violation, by process and by SPIN's number of the transition.

use std::fmt;

/// A trail.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Trail {
    /// SPIN's number of the claim that runs beside the processes; it is process 0 then.
    pub claim: Option<usize>,
    /// Whether a step may stand for several statements.
    pub merged: bool,
    /// Process, the claim counted, and transition.
    pub steps: Vec<(usize, u32)>,
    /// The step that a cycle starts with.
    pub cycle: Option<usize>,
}

impl Trail {
    /// Reads a trail file; fails with the line that is none of one.
    pub fn read(text: &str) -> Result<Trail, String> {
        let mut trail = Trail::default();
        for line in text.lines() {
            let fields: Vec<i64> = line.trim().split(':').filter_map(|field| field.parse().ok()).collect();
            let unsigned = |value: i64| u32::try_from(value).map_err(|_| line.to_owned());
            match fields[..] {
                [-1, _, _] => trail.cycle = Some(trail.steps.len()),
                [-2, claim, _] => trail.claim = Some(unsigned(claim)? as usize),
                [-4, _, _] => trail.merged = true,
                // How the search was permuted.
                [-8..=-5, _, _] => {}
                [(0..), process, id] => trail.steps.push((unsigned(process)? as usize, unsigned(id)?)),
                _ => return Err(line.to_owned()),
            }
        }
        Ok(trail)
    }
}

impl Trail {
    /// Without the steps of the claim: those of the processes count from 0 then.
    pub fn without_claim(&self) -> Trail {
        let Some(_) = self.claim else { return self.clone() };
        let process = |&(process, id): &(usize, u32)| Some((process.checked_sub(1)?, id));
        let cycle = self.cycle.map(|cycle| self.steps[..cycle].iter().filter_map(process).count());
        Trail { claim: None, merged: self.merged, steps: self.steps.iter().filter_map(process).collect(), cycle }
    }
}

impl fmt::Display for Trail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(claim) = self.claim {
            writeln!(f, "-2:{claim}:-2")?;
        }
        if self.merged {
            writeln!(f, "-4:-4:-4")?;
        }
        for (number, (process, id)) in self.steps.iter().enumerate() {
            if self.cycle == Some(number) {
                writeln!(f, "-1:-1:-1")?;
            }
            writeln!(f, "{}:{process}:{id}", number + 1)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trail_is_read_and_written() {
        let text = "-2:2:-2\n-4:-4:-4\n1:0:16\n-1:-1:-1\n2:1:0\n";
        let trail = Trail::read(text).unwrap();
        let expected = Trail { claim: Some(2), merged: true, steps: vec![(0, 16), (1, 0)], cycle: Some(1) };
        assert_eq!((trail.to_string().as_str(), trail), (text, expected));
        let alone = Trail { claim: None, merged: true, steps: vec![(0, 0)], cycle: Some(0) };
        assert_eq!(Trail::read(text).map(|trail| trail.without_claim()), Ok(alone));
        assert_eq!(Trail::read("1:0:4\n2:-1:7\n"), Err("2:-1:7".into()));
        assert!(Trail::read("lost\n").is_err() && Trail::read("1:2\n").is_err());
    }
}
