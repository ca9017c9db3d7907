//! A control group (version 2) of its own for a run, where the system lets us have one.
//!
//! Needed are a mounted `cgroup2` and the memory controller handed down to the group that we are in. Wherever something is
//! missing there is none, and the run is limited in other ways.

use std::fs;
use std::path::{Path, PathBuf};

/// A group that this process is in until it leaves.
#[derive(Debug)]
pub struct Cgroup {
    home: PathBuf,
    own: PathBuf,
}

impl Cgroup {
    /// Makes a group with a limit of memory and moves this process into it.
    pub fn enter(memory: u64) -> Option<Cgroup> {
        let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        Self::below(&home(&mounts, &groups)?, memory)
    }

    fn below(home: &Path, memory: u64) -> Option<Cgroup> {
        let controllers = fs::read_to_string(home.join("cgroup.subtree_control")).ok()?;
        if !controllers.split_ascii_whitespace().any(|controller| controller == "memory") {
            return None;
        }
        let own = home.join(format!("prequel-{}", std::process::id()));
        fs::create_dir(&own).ok()?;
        let group = Cgroup { home: home.to_owned(), own };
        let write = |file: &str, text: String| fs::write(group.own.join(file), text).is_ok();
        // Swap would make a limit of memory none; some kernels have no such file.
        write("memory.swap.max", "0".into());
        if write("memory.max", memory.to_string()) && write("cgroup.procs", std::process::id().to_string()) {
            return Some(group);
        }
        group.leave();
        None
    }

    /// Peak memory of all processes together, in bytes.
    pub fn peak(&self) -> Option<u64> {
        fs::read_to_string(self.own.join("memory.peak")).ok()?.trim().parse().ok()
    }

    /// Whether a process was killed for want of memory.
    pub fn ran_out(&self) -> bool {
        let events = fs::read_to_string(self.own.join("memory.events")).unwrap_or_default();
        events.lines().any(|line| line.strip_prefix("oom_kill ").is_some_and(|count| count.trim() != "0"))
    }

    /// Moves this process back and removes the group. All others must be gone.
    pub fn leave(self) {
        let _ = fs::write(self.home.join("cgroup.procs"), std::process::id().to_string());
        let _ = fs::remove_dir(&self.own);
    }
}

/// The folder of the group that this process is in.
fn home(mounts: &str, groups: &str) -> Option<PathBuf> {
    let mount =
        mounts.lines().map(|line| line.split(' ').collect::<Vec<_>>()).find(|f| f.get(2) == Some(&"cgroup2"))?;
    let group = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    Some(Path::new(mount.get(1)?).join(group.trim_start_matches('/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_group_is_found_where_it_is_mounted() {
        let mounts = "proc /proc proc rw 0 0\ncgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n";
        assert_eq!(home(mounts, "0::/user.slice/a.scope\n"), Some("/sys/fs/cgroup/user.slice/a.scope".into()));
        assert_eq!(home("proc /proc proc rw 0 0\n", "0::/\n"), None);
        assert_eq!(home(mounts, "4:memory:/\n"), None);
    }

    #[test]
    fn without_the_memory_controller_there_is_none() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Cgroup::below(folder.path(), 1 << 20).is_none());
        fs::write(folder.path().join("cgroup.subtree_control"), "cpu pids\n").unwrap();
        assert!(Cgroup::below(folder.path(), 1 << 20).is_none());
    }

    /// A folder of plain files in the place of the system's.
    #[test]
    fn limits_and_figures_are_where_the_system_has_them() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("cgroup.subtree_control"), "cpu memory\n").unwrap();
        let group = Cgroup::below(folder.path(), 5 << 20).expect("a group");
        let own = group.own.clone();
        assert_eq!(fs::read_to_string(own.join("memory.max")).unwrap(), (5 << 20).to_string());
        fs::write(own.join("memory.peak"), "12345\n").unwrap();
        fs::write(own.join("memory.events"), "low 0\noom 2\noom_kill 1\n").unwrap();
        assert_eq!((group.peak(), group.ran_out()), (Some(12_345), true));
        group.leave();
        assert_eq!(fs::read_to_string(folder.path().join("cgroup.procs")).unwrap(), std::process::id().to_string());
    }
}
