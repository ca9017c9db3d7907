//! Random DVE models: a few processes over bytes, arrays and channels, some with committed states, assertions and a look at each other.

use prequel::model::rng::Rng;
use std::fmt::Write as _;

/// The model of a seed; the same one every time.
pub fn random_dve(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let processes = rng.between(2, 3);
    let commits = rng.chance(30);
    let mut writer = Writer { processes, states: 3, sync_only: rng.chance(30), rng };
    let mut out = String::from("byte g = 1, h;\nint wide = -1;\nbyte end[2] = {1, 2};\nconst byte two = 2;\n");
    out += "channel {byte} c;\nchannel bare;\nchannel {byte, int} q[2];\n";
    for process in 0..processes {
        let _ = write!(
            out,
            "process p{process} {{\n  byte x = {process}, y;\n  byte a[2] = {{{process}, 1}};\n  state s0, s1, s2;\n  init s0;\n"
        );
        if commits && writer.rng.chance(50) {
            let _ = writeln!(out, "  commit s{};", writer.rng.between(1, 2));
        }
        if writer.rng.chance(50) {
            let (state, condition) = (writer.rng.below(3), writer.condition(process));
            let _ = writeln!(out, "  assert s{state}: {condition} or {};", writer.condition(process));
        }
        let transitions: Vec<String> = (0..writer.rng.between(3, 6)).map(|_| writer.transition(process)).collect();
        let _ = write!(out, "  trans\n    {};\n}}\n", transitions.join(",\n    "));
    }
    out + "system async;\n"
}

struct Writer {
    rng: Rng,
    processes: usize,
    states: usize,
    /// Senders by rendezvous have effects that nobody notices.
    sync_only: bool,
}

impl Writer {
    fn transition(&mut self, process: usize) -> String {
        let (from, to) = (self.rng.below(self.states), self.rng.below(self.states));
        let mut parts = String::new();
        if self.rng.chance(50) {
            let _ = write!(parts, " guard {};", self.condition(process));
        }
        let mut late = false;
        if self.rng.chance(60) {
            let sync = match self.rng.below(6) {
                0 => format!("c!{}", self.sure(process)),
                1 => format!("c?{}", self.target(process)),
                2 => "bare!".into(),
                3 => "bare?".into(),
                4 => format!("q!{{{}, {}}}", self.value(process), self.value(process)),
                _ => format!("q?{{{}, wide}}", self.target(process)),
            };
            late = sync.starts_with("c!") || sync == "bare!";
            let _ = write!(parts, " sync {sync};");
        }
        if self.rng.chance(70) {
            let effects: Vec<String> =
                (0..self.rng.between(1, 2)).map(|_| self.effect(process, late && self.sync_only)).collect();
            let _ = write!(parts, " effect {};", effects.join(", "));
        }
        format!("s{from} -> s{to} {{{parts} }}")
    }

    fn effect(&mut self, process: usize, own: bool) -> String {
        if own {
            let target = *self.rng.pick(&["y", "a[1]"]);
            return format!("{target} = (y + {}) % 3", self.rng.below(3));
        }
        let (target, value) = (self.target(process), self.value(process));
        format!("{target} = ({value}) % 4")
    }

    fn target(&mut self, _process: usize) -> String {
        (*self.rng.pick(&["g", "h", "x", "y", "a[0]", "a[1]", "a[x % 2]", "end[1]"])).to_owned()
    }

    fn value(&mut self, process: usize) -> String {
        let other = self.other(process);
        match self.rng.below(8) {
            0 => self.rng.below(4).to_string(),
            1 => "g + 1".into(),
            2 => "x + two".into(),
            3 => "h".into(),
            4 => "a[y % 2]".into(),
            5 => "end[g % 2]".into(),
            6 if process > 0 || self.rng.chance(5) => format!("p{other}->x"),
            // An index may be outside of its array, which is a fault.
            _ => "a[x % 3] - wide".into(),
        }
    }

    /// A value that there is always: in Promela guards and messages are computed also where nobody is there to meet.
    fn sure(&mut self, process: usize) -> String {
        self.value(process).replace("x % 3", "x % 2")
    }

    fn condition(&mut self, process: usize) -> String {
        let other = self.other(process);
        match self.rng.below(6) {
            0 => format!("{} < {}", self.sure(process), self.rng.between(1, 4)),
            1 => format!("{} == {}", self.sure(process), self.rng.below(3)),
            2 if process > 0 => format!("not p{other}.s{}", self.rng.below(3)),
            3 if process > 0 => format!("p{other}.s{} or g > 0", self.rng.below(3)),
            4 => "g > 1 imply h == 0".into(),
            _ => "x != h and y < 3".into(),
        }
    }

    /// Another process, most often one that comes before.
    fn other(&mut self, process: usize) -> usize {
        if process > 0 && self.rng.chance(95) {
            return self.rng.below(process);
        }
        (process + self.rng.between(1, self.processes - 1)) % self.processes
    }
}
