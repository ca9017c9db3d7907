//! Random small Promela programs: globals, both kinds of channels, `atomic`, `d_step`, `else`, `run`.

use prequel::families::rng::Rng;
use std::fmt::Write as _;

/// The program of a seed; the same one every time.
pub fn program(seed: u64) -> String {
    let mut writer = Writer { rng: Rng::new(seed), out: String::new(), labels: 0, depth: 0 };
    writer.whole();
    writer.out
}

struct Writer {
    rng: Rng,
    out: String,
    labels: usize,
    depth: usize,
}

impl Writer {
    fn below(&mut self, n: usize) -> usize {
        self.rng.below(n)
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn whole(&mut self) {
        self.out += "byte g; bit b; byte a[2];\nchan q = [1] of { byte, bit };\nchan r = [0] of { byte };\n";
        self.out += "proctype C(byte n) {\n  byte l;\n";
        self.statements(2, false);
        self.out += "}\n";
        let count = 1 + self.below(2);
        for process in 0..count {
            let _ = writeln!(self.out, "active proctype P{process}() {{\n  byte l; byte n;");
            let length = 2 + self.below(3);
            self.statements(length, true);
            self.out += "}\n";
        }
        self.out += "active proctype Q() { byte l; byte n;\n  end: do :: r?l :: q?l,_ :: r?1 -> g = 2 od }\n";
    }

    fn expression(&mut self) -> String {
        match self.below(8) {
            0 => self.below(3).to_string(),
            1 => "g".into(),
            2 => "b".into(),
            3 => "l".into(),
            4 => "a[g & 1]".into(),
            5 => "len(q)".into(),
            6 => "(g + l) & 3".into(),
            _ => "1 - b".into(),
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.expression(), self.expression());
        let op = self.pick(&["==", "!=", "<", ">="]);
        format!("{a} {op} {b}")
    }

    fn target(&mut self) -> &'static str {
        self.pick(&["g", "b", "l", "a[0]", "a[b]"])
    }

    /// A statement that may block.
    fn guard(&mut self, channels: bool) -> String {
        match self.below(if channels { 7 } else { 2 }) {
            0 => format!("({})", self.condition()),
            1 => "true".into(),
            2 => format!("q!{},{}", self.expression(), self.expression()),
            3 => "q?l,b".into(),
            4 => format!("r!{}", self.expression()),
            5 => "r?l".into(),
            _ => "q?eval(g),_".into(),
        }
    }

    fn assignment(&mut self) -> String {
        let value = self.expression();
        let target = self.target();
        format!("{target} = ({value}) & 3")
    }

    fn statements(&mut self, count: usize, may_run: bool) {
        for _ in 0..count {
            self.statement(may_run);
        }
    }

    fn statement(&mut self, may_run: bool) {
        self.depth += 1;
        let deep = self.depth > 3;
        match self.below(if deep { 4 } else { 12 }) {
            0 | 1 => {
                let text = self.assignment();
                let _ = writeln!(self.out, "  {text};");
            }
            2 => {
                let text = self.guard(true);
                let _ = writeln!(self.out, "  {text};");
            }
            3 => {
                let (condition, how) = (self.condition(), self.below(4));
                let text = if how == 0 { format!("assert({condition})") } else { "skip".into() };
                let _ = writeln!(self.out, "  {text};");
            }
            4 | 5 => {
                self.out += "  if\n";
                self.options(may_run, "");
                self.out += "  fi;\n";
            }
            6 => {
                self.out += "  do\n";
                self.options(may_run, "break");
                self.out += "  od;\n";
            }
            7 | 8 => {
                self.out += "  atomic {\n";
                let guard = self.guard(true);
                let _ = writeln!(self.out, "  {guard};");
                let count = 1 + self.below(3);
                self.statements(count, may_run);
                self.out += "  };\n";
            }
            9 => {
                self.out += "  d_step {\n";
                let guard = self.guard(false);
                let _ = writeln!(self.out, "  {guard};");
                for _ in 0..1 + self.below(3) {
                    let text = self.assignment();
                    if self.below(3) == 0 {
                        let (condition, other) = (self.condition(), self.assignment());
                        let _ = writeln!(self.out, "  if :: {condition} -> {text} :: else -> {other} fi; skip;");
                    } else {
                        let _ = writeln!(self.out, "  {text};");
                    }
                }
                self.out += "  };\n";
            }
            10 => {
                self.labels += 1;
                let (label, condition) = (self.labels, self.condition());
                let _ = writeln!(self.out, "  if :: {condition} -> goto L{label} :: else -> skip fi;");
                self.statement(may_run);
                let name = self.pick(&["skip", "g = 0"]);
                let _ = writeln!(self.out, "  L{label}: {name};");
            }
            _ if may_run => {
                let value = self.expression();
                let _ = writeln!(self.out, "  if :: _nr_pr < 5 -> run C({value}) :: else -> skip fi;");
            }
            _ => {
                let text = self.assignment();
                let _ = writeln!(self.out, "  {{ {text} }} unless {{ g == 3 -> b = 1 }};");
            }
        }
        self.depth -= 1;
    }

    fn options(&mut self, may_run: bool, last: &str) {
        let with_else = self.below(2) == 0;
        for _ in 0..1 + self.below(2) {
            let guard = self.guard(!with_else);
            let _ = writeln!(self.out, "  :: {guard} ->");
            self.statement(may_run);
        }
        if !last.is_empty() {
            let condition = self.condition();
            let _ = writeln!(self.out, "  :: {condition} -> {last}");
        }
        if with_else {
            self.out += "  :: else -> ";
            let text = if last.is_empty() { self.assignment() } else { last.into() };
            let _ = writeln!(self.out, "{text}");
        }
    }
}
