//! Random small Promela programs: variables of every type, both kinds of channels with all their operations, `atomic`,
//! `d_step`, `else`, `timeout`, `run`, `unless`, `provided`, jumps, end labels, remote references, records, never claims.

use prequel::families::rng::Rng;
use std::fmt::Write as _;

/// A program, and whether it is to be checked with its claim.
pub struct Random {
    pub text: String,
    #[allow(dead_code)] // not every test looks at claims
    pub claim: bool,
}

/// The program of a seed; the same one every time.
pub fn program(seed: u64) -> Random {
    let mut writer =
        Writer { rng: Rng::new(seed), out: String::new(), labels: 0, depth: 0, special: Special::default() };
    let claim = writer.whole();
    Random { text: writer.out, claim }
}

/// Rare things; a program has a few of them at most, so that the others are not always in their shadow.
#[derive(Default)]
struct Special {
    /// Sends and receives on a rendezvous channel.
    rendezvous: bool,
    timeout: bool,
    unless: bool,
    remote_label: bool,
    remote_variable: bool,
    /// Wide types, which make many states.
    wide: bool,
}

struct Writer {
    rng: Rng,
    out: String,
    labels: usize,
    depth: usize,
    special: Special,
}

impl Writer {
    fn below(&mut self, n: usize) -> usize {
        self.rng.below(n)
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "  {text}");
    }

    fn whole(&mut self) -> bool {
        self.special = Special {
            rendezvous: self.rng.chance(60),
            timeout: self.rng.chance(25),
            unless: self.rng.chance(25),
            remote_label: self.rng.chance(20),
            remote_variable: self.rng.chance(15),
            wide: self.rng.chance(40),
        };
        let claim = self.rng.chance(15);
        self.out += "mtype = { red, blue };\ntypedef T { byte x; bit y[2] };\n";
        self.out += "byte g; bit b; byte a[2]; mtype m = red; T t;\nshort s; int i; unsigned u : 3; bool f;\n";
        self.out += "chan q = [1] of { byte, bit };\nchan p = [2] of { mtype, byte };\nchan r = [0] of { byte };\n";
        self.out += "active proctype Q() { byte l; byte n; short k; mtype w;\n";
        let head = self.pick(&["  end: do\n", "  do\n"]);
        self.out += head;
        self.out += "  :: r?l\n  :: q?l,_\n  :: p?w,l ->\nhere: m = w\n  :: r?1 -> g = 2\n";
        if self.special.timeout {
            self.out += "  :: timeout -> g = 0; b = 0\n";
        }
        self.out += "  od }\n";
        self.out += "proctype C(byte n; chan c) {\n  byte l; short k;\n";
        self.statements(2, false);
        if self.rng.chance(50) {
            self.line("c!n,1;");
        }
        self.out += "}\n";
        let count = 1 + self.below(2);
        for process in 0..count {
            let provided = if self.rng.chance(8) { " provided (g != 2)" } else { "" };
            let _ =
                writeln!(self.out, "active proctype P{process}(){provided} {{\n  byte l; byte n; short k; chan c = q;");
            let length = 2 + self.below(3);
            self.statements(length, true);
            self.out += "}\n";
        }
        if claim {
            self.claim();
        }
        claim
    }

    fn claim(&mut self) {
        let condition = |writer: &mut Self| match writer.below(5) {
            0 => "Q@here".to_owned(),
            1 => format!("g == {}", writer.below(4)),
            2 => "b == 1 && a[0] > 1".into(),
            3 => "len(q) == 1".into(),
            _ => "m == blue".into(),
        };
        let (first, second) = (condition(self), condition(self));
        let claim = match self.below(3) {
            0 => format!("never {{ do :: {first} -> break :: else od }}\n"),
            1 => format!("never {{ do :: true :: {first} && !({second}) -> break od }}\n"),
            _ => format!("never {{\nT0: if :: {first} -> goto T1 :: true -> goto T0 fi;\nT1: {second} -> skip }}\n"),
        };
        self.out += &claim;
    }

    fn expression(&mut self) -> String {
        match self.below(if self.special.wide { 15 } else { 11 }) {
            0 => self.below(3).to_string(),
            1 => "g".into(),
            2 => "b".into(),
            3 => "l".into(),
            4 => "a[g & 1]".into(),
            5 => "len(q)".into(),
            6 => "(g + l) & 3".into(),
            7 => "t.x".into(),
            8 => "t.y[b]".into(),
            9 => "(b -> l : g)".into(),
            10 => "1 - b".into(),
            11 => "s".into(),
            12 => "i".into(),
            13 => "k".into(),
            _ => "u".into(),
        }
    }

    fn condition(&mut self) -> String {
        if self.special.remote_label && self.rng.chance(15) {
            return "Q@here".into();
        }
        if self.special.remote_variable && self.rng.chance(15) {
            return "Q:l > 0".into();
        }
        match self.below(14) {
            0 => "nempty(q)".into(),
            1 => "nfull(p)".into(),
            2 => "p?[red,_]".into(),
            3 => "q?[eval(g),_]".into(),
            4 => "m == red".into(),
            5 => "_nr_pr > 3".into(),
            6 => "_pid == 1".into(),
            _ => {
                let (a, b) = (self.expression(), self.expression());
                let op = self.pick(&["==", "!=", "<", ">="]);
                format!("{a} {op} {b}")
            }
        }
    }

    /// A statement that may block.
    fn guard(&mut self, channels: bool) -> String {
        let kinds = if self.special.rendezvous { 13 } else { 10 };
        match self.below(if channels { kinds } else { 2 }) {
            0 => format!("({})", self.condition()),
            1 => "true".into(),
            2 => format!("q!{},{}", self.expression(), self.expression()),
            3 => "q?l,b".into(),
            4 => "q?eval(g),_".into(),
            5 => format!("p{}{},{}", self.pick(&["!", "!!"]), self.pick(&["red", "blue", "m"]), self.expression()),
            6 => format!("p{}{}", self.pick(&["?", "??"]), self.pick(&["blue,l", "red(g)", "m,eval(l)", "_,l"])),
            7 => self.pick(&["p?<m,l>", "p??<red,l>", "q?<_,b>"]).into(),
            8 => format!("q!!{},b", self.expression()),
            9 => "q??1,b".into(),
            10 | 11 => format!("r!{}", self.expression()),
            _ => self.pick(&["r?l", "r?eval(b)"]).into(),
        }
    }

    fn assignment(&mut self) -> String {
        let value = self.expression();
        if self.special.wide && self.rng.chance(40) {
            // What the type keeps of the value is what is compared.
            return match self.below(6) {
                0 => format!("s = {value} * 16384"),
                1 => format!("i = 0 - ({value})"),
                2 => format!("u = {value} + 5"),
                3 => format!("f = {value}"),
                4 => "k = k ^ 1".into(),
                _ => format!("g = 254 + ({value})"),
            };
        }
        let target = self.pick(&["g", "b", "l", "a[0]", "a[b]", "t.x", "t.y[1]", "n"]);
        match self.below(12) {
            0 => "m = red".into(),
            1 => "m = (b -> red : blue)".into(),
            2 => "b++".into(),
            3 => "f = !f".into(),
            _ => format!("{target} = ({value}) & 3"),
        }
    }

    fn statements(&mut self, count: usize, may_run: bool) {
        for _ in 0..count {
            self.statement(may_run);
        }
    }

    fn statement(&mut self, may_run: bool) {
        self.depth += 1;
        let deep = self.depth > 3;
        match self.below(if deep { 4 } else { 16 }) {
            0 | 1 => {
                let text = self.assignment();
                self.line(&format!("{text};"));
            }
            2 => {
                let text = self.guard(true);
                self.line(&format!("{text};"));
            }
            3 => {
                let (condition, how) = (self.condition(), self.below(6));
                self.line(&match how {
                    0 => format!("assert({condition});"),
                    1 => "printf(\"%d\\n\", g);".into(),
                    _ => "skip;".into(),
                });
            }
            4 | 5 => {
                self.line("if");
                self.options(may_run, "");
                self.line("fi;");
            }
            6 => {
                self.line("do");
                self.options(may_run, "break");
                self.line("od;");
            }
            7..=9 => {
                self.line("atomic {");
                let guard = self.guard(true);
                self.line(&format!("{guard};"));
                let count = 1 + self.below(3);
                self.statements(count, may_run);
                self.line("};");
            }
            10 => self.d_step(),
            11 => {
                self.labels += 1;
                let (label, condition) = (self.labels, self.condition());
                self.line(&format!("if :: {condition} -> goto L{label} :: else -> skip fi;"));
                self.statement(may_run);
                let name = self.pick(&["skip", "g = 0"]);
                self.line(&format!("L{label}: {name};"));
            }
            12 => {
                self.labels += 1;
                let (label, guard) = (self.labels, self.guard(true));
                let name = self.pick(&["end", "progress", "M"]);
                self.line(&format!("{name}{label}: {guard};"));
            }
            13 if self.special.unless => self.unless(),
            14 => {
                let text = self.assignment();
                let how = self.below(2);
                self.line(&match how {
                    0 => format!("select(l : 0 .. 2); {text};"),
                    _ => format!("for (n : 0 .. 1) {{ {text} }};"),
                });
            }
            _ if may_run => {
                let value = self.expression();
                let run = self.pick(&["run C", "l = run C"]);
                self.line(&format!("if :: _nr_pr < 5 -> {run}({value}, q) :: else -> skip fi;"));
            }
            _ => {
                let text = self.assignment();
                self.line(&format!("{text};"));
            }
        }
        self.depth -= 1;
    }

    fn unless(&mut self) {
        let (first, second) = (self.guard(true), self.assignment());
        let escape = match self.below(4) {
            0 => "r?1".to_owned(),
            1 => "g == 3".into(),
            2 => self.guard(false),
            _ => "q?l,b".into(),
        };
        let last = self.assignment();
        self.line(&format!("{{ {first}; {second} }} unless {{ {escape} -> {last} }};"));
    }

    fn d_step(&mut self) {
        self.line("d_step {");
        let guard = match self.below(4) {
            0 => "q?l,b".into(),
            _ => self.guard(false),
        };
        self.line(&format!("{guard};"));
        for _ in 0..1 + self.below(3) {
            let text = self.assignment();
            if self.below(3) == 0 {
                let (condition, other) = (self.condition(), self.assignment());
                self.line(&format!("if :: {condition} -> {text} :: else -> {other} fi; skip;"));
            } else {
                self.line(&format!("{text};"));
            }
        }
        self.line("};");
    }

    fn options(&mut self, may_run: bool, last: &str) {
        let with_else = self.below(2) == 0;
        for _ in 0..1 + self.below(2) {
            let guard = self.guard(!with_else);
            self.line(&format!(":: {guard} ->"));
            self.statement(may_run);
        }
        if !last.is_empty() {
            let condition = self.condition();
            self.line(&format!(":: {condition} -> {last}"));
        }
        if with_else {
            let text = if last.is_empty() { self.assignment() } else { last.into() };
            self.line(&format!(":: else -> {text}"));
        }
    }
}
