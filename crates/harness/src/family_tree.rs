//! The processes that descend from this one, as the system tells under `/proc`.

use std::fs;

/// A process.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Member {
    /// Its number.
    pub pid: i32,
    /// Resident bytes.
    pub resident: u64,
    /// Seconds of CPU time that it and the children it has waited for have used.
    pub cpu: f64,
}

/// Ticks of the clock in which `/proc` counts CPU time: 100 a second on every Linux.
const TICKS: f64 = 100.0;
/// Bytes of a page.
const PAGE: u64 = 4096;

/// All descendants, this process itself not counted.
pub fn members() -> Vec<Member> {
    let mut found = Vec::new();
    let mut open = children(std::process::id() as i32);
    while let Some(pid) = open.pop() {
        open.extend(children(pid));
        found.extend(member(pid));
    }
    found
}

fn children(pid: i32) -> Vec<i32> {
    let Ok(tasks) = fs::read_dir(format!("/proc/{pid}/task")) else { return Vec::new() };
    let of = |task: fs::DirEntry| fs::read_to_string(task.path().join("children")).unwrap_or_default();
    let lists = tasks.filter_map(|task| task.ok()).map(of);
    lists
        .flat_map(|list| list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

fn member(pid: i32) -> Option<Member> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // After the name, which may hold anything: the state is the first of these.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let number = |at: usize| fields.get(at).and_then(|field| field.parse::<u64>().ok());
    let ticks: u64 = (11..15).filter_map(number).sum();
    Some(Member { pid, resident: number(21)? * PAGE, cpu: ticks as f64 / TICKS })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_and_their_children_are_seen() {
        let mut shell = std::process::Command::new("sh").args(["-c", "sleep 30 & wait"]).spawn().unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        let mut seen = Vec::new();
        while seen.len() < 2 && std::time::Instant::now() < deadline {
            let own = shell.id() as i32;
            let all: Vec<i32> = members().iter().map(|member| member.pid).collect();
            let below = children(own);
            seen = all.into_iter().filter(|pid| *pid == own || below.contains(pid)).collect();
        }
        assert_eq!(seen.len(), 2, "the shell and what it started");
        for pid in seen {
            let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGKILL);
        }
        shell.wait().unwrap();
    }
}
