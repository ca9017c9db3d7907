//! Random small Promela programs: variables of every type, both kinds of channels with all their operations, channels of a
//! process and channels in messages, `atomic`, `d_step`, `else`, `timeout`, `run`, `unless`, `provided`, priorities, jumps, end
//! labels, remote references, process numbers, `xr` and `xs`, records, inlines, never claims, formulas, traces.

pub mod shrink;
pub mod structured;

use prequel::model::rng::Rng;
use std::fmt::Write as _;

/// A program, and whether it is to be checked with its claim.
pub struct Random {
    pub text: String,
    #[allow(dead_code)] // not every test looks at claims
    pub claim: bool,
}

/// The program of a seed; the same one every time.
#[allow(dead_code)] // some tests want the wide ones only
pub fn program(seed: u64) -> Random {
    let mut writer = Writer::new(seed);
    let claim = writer.whole();
    Random { text: writer.out, claim }
}

/// The same with what only few programs have: every construct that could be anybody's mistake. Most of them are very small.
#[allow(dead_code)] // not every test wants these
pub fn wide(seed: u64) -> Random {
    let mut writer = Writer::new(seed);
    let claim = writer.wide();
    Random { text: writer.out, claim }
}

/// Likewise, but processes share less: there are several of each variable and channel, and every process takes its choice.
#[allow(dead_code)] // not every test wants these
pub fn apart(seed: u64) -> Random {
    let mut writer = Writer::new(seed);
    writer.apart = true;
    let claim = writer.wide();
    Random { text: writer.out, claim }
}

/// Variables and channels of which there are several where processes share less.
const SHARED: [&str; 13] = ["g", "b", "a", "m", "t", "s", "i", "u", "f", "q", "p", "r", "v"];
/// How the others of them are called.
const COPIES: [&str; 3] = ["", "0", "1"];

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
    /// Receives into variables that do not hold every value of the field.
    narrow: bool,
    /// Receives that use a variable twice.
    alias: bool,
    /// Channels that a process makes, and channels in messages.
    passed: bool,
    /// `xr` and `xs`, right or wrong.
    exclusive: bool,
    priorities: bool,
    /// Numbers of processes that come and go.
    numbers: bool,
    inline: bool,
    /// What few programs have may be there, and much is asserted.
    rare: bool,
    /// Processes start others.
    runs: bool,
    /// In a process that has channels of its own.
    inside: bool,
    /// The process to which remote references go, with a label `here` and a variable `l`.
    remote: &'static str,
}

struct Writer {
    rng: Rng,
    out: String,
    labels: usize,
    depth: usize,
    /// Processes share less.
    apart: bool,
    special: Special,
}

impl Writer {
    fn new(seed: u64) -> Self {
        Self { rng: Rng::new(seed), out: String::new(), labels: 0, depth: 0, apart: false, special: Special::default() }
    }

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
            remote: "Q",
            ..Special::default()
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

    /// A program with rare constructs; whether it has a claim.
    fn wide(&mut self) -> bool {
        let small = self.rng.chance(75);
        let served = !small || self.rng.chance(25);
        let mut rare = |percent| self.rng.chance(percent);
        self.special = Special {
            rendezvous: rare(50),
            timeout: rare(20),
            unless: rare(15),
            remote_label: rare(12),
            remote_variable: rare(12),
            wide: rare(20),
            narrow: rare(12),
            alias: rare(6),
            passed: rare(15),
            exclusive: rare(12),
            priorities: rare(4),
            numbers: rare(20),
            inline: rare(20),
            rare: true,
            runs: rare(35),
            inside: false,
            remote: if served { "Q" } else { "P0" },
        };
        let (claim, formula, trace, init) = (rare(12), rare(6), rare(5), rare(25));
        self.globals();
        if served {
            self.server();
        }
        let start = self.out.len();
        self.out += "proctype C(byte n; chan c) {\n  byte l;\n  short k;\n  bit o;\n";
        let length = 1 + self.below(2);
        self.statements(length, false);
        let last = self.pick(&["c!n,1;", "c?n,_;", "g = n;", "g = n;"]);
        self.line(last);
        self.out += "}\n";
        self.choose_copies(start);
        if init {
            let start = self.out.len();
            self.init();
            self.choose_copies(start);
        }
        let count = if small { 2 } else { 1 + self.below(3) } + if self.apart { self.below(2) } else { 0 };
        for process in 0..count {
            let start = self.out.len();
            self.process(process, small);
            self.choose_copies(start);
        }
        let claim = claim && !formula && !trace;
        if claim {
            self.claim();
        }
        if formula {
            let condition =
                self.pick(&["g < 3", "len(q) == 1 || b == 0", "m == red", "a[0] != 2", "len(p) < 2", "g <= 2"]);
            let _ = writeln!(self.out, "ltl {{ []({condition}) }}");
        } else if trace {
            let body = self.pick(&["do :: q!_,1 :: q?_,_ od", "do :: q?_,_ od", "q!1,_; q!2,_", "do :: p!red,_ od"]);
            let kind = self.pick(&["trace", "notrace"]);
            let _ = writeln!(self.out, "{kind} {{ {body} }}");
        }
        claim || formula
    }

    fn globals(&mut self) {
        self.out += "mtype = { red, blue };\ntypedef T { byte x; bit y[2] };\n";
        for variable in [
            "byte g",
            "bit b",
            "byte a[2]",
            "mtype m = red",
            "T t",
            "short s",
            "int i",
            "unsigned u : 3",
            "bool f",
            "byte made",
        ] {
            self.declare("", variable);
        }
        // Priorities and rendezvous do not go together.
        let last = if self.special.priorities { "r = [1] of { byte }" } else { "r = [0] of { byte }" };
        for channel in ["q = [1] of { byte, bit }", "p = [2] of { mtype, byte }", last] {
            self.declare("chan ", channel);
        }
        if self.special.passed {
            self.out += "chan h = [1] of { chan };\n";
            self.declare("chan ", "v[2] = [1] of { byte }");
        }
        if self.special.inline {
            self.out += "inline set(x, e) {\n  x = e;\n  l = x\n}\n";
        }
    }

    /// Declares a variable, and the others of it.
    fn declare(&mut self, kind: &str, variable: &str) {
        for copy in &COPIES[..if self.apart { COPIES.len() } else { 1 }] {
            let renamed = rename(variable, |word| SHARED.contains(&word).then_some(*copy));
            if copy.is_empty() || renamed != variable {
                let _ = writeln!(self.out, "{kind}{renamed};");
            }
        }
    }

    /// Has the text from here on use one of each variable.
    fn choose_copies(&mut self, start: usize) {
        if self.apart {
            let copies: Vec<&str> = SHARED.iter().map(|_| COPIES[self.rng.below(COPIES.len())]).collect();
            let chosen = |word: &str| SHARED.iter().position(|shared| *shared == word).map(|at| copies[at]);
            let text = rename(&self.out[start..], chosen);
            self.out.truncate(start);
            self.out += &text;
        }
    }

    /// A process that takes whatever comes.
    fn server(&mut self) {
        self.out += "active proctype Q() {\n  byte l;\n  mtype w;\n";
        let head = self.pick(&["  end: do\n", "  do\n"]);
        self.out += head;
        self.out += "  :: r?l\n  :: q?l,_\n  :: p?w,l ->\nhere: m = w\n";
        if self.rng.chance(50) {
            self.out += "  :: r?1 -> g = 2\n";
        }
        if self.special.timeout {
            self.out += "  :: timeout -> g = 0; b = 0\n";
        }
        self.out += "  od }\n";
    }

    fn init(&mut self) {
        self.out += "init {\n  byte l;\n";
        for _ in 0..1 + self.below(2) {
            let value = self.below(3);
            let run = match self.below(4) {
                0 => format!("atomic {{ run C({value}, q); run C(0, q) }};"),
                1 => format!("l = run C({value}, q);"),
                2 if self.special.priorities => format!("run C({value}, q) priority 3;"),
                _ => format!("run C({value}, q);"),
            };
            self.line(&run);
        }
        if self.special.numbers {
            let end = self.pick(&["_nr_pr == 1;", "assert(_nr_pr > 1);", "g = l;", "g = _nr_pr & 3;"]);
            self.line(end);
        }
        self.out += "}\n";
    }

    fn process(&mut self, number: usize, small: bool) {
        let provided = match self.below(24) {
            0 => " provided (g != 2)",
            1 if self.special.numbers => " provided (_pid != 1 || b == 0)",
            _ => "",
        };
        let copies = if self.special.numbers && self.rng.chance(25) { " [2]" } else { "" };
        let priority = if self.special.priorities { self.pick(&[" priority 2", "", " priority 1"]) } else { "" };
        let _ = writeln!(self.out, "active{copies} proctype P{number}(){priority}{provided} {{");
        for variable in ["byte l", "byte n", "short k", "bit o", "chan c = q"] {
            self.line(&format!("{variable};"));
        }
        if self.special.passed {
            self.line("chan d = [1] of { byte, bit };");
            self.special.inside = true;
        }
        if self.special.exclusive {
            let promise = self.pick(&["xr q;", "xs q;", "xs p;", "xr p;", "xr r;", "xs r;"]);
            self.line(promise);
        }
        if self.rng.chance(60) {
            let first = self.pick(&["q!1,b;", "q!2,1;", "p!red,2;", "p!blue,g;", "g = 1;", "b = 1;"]);
            self.line(first);
        }
        let length = if small { 1 + self.below(3) } else { 2 + self.below(4) };
        self.statements(length, true);
        if self.special.remote == "P0" && number == 0 {
            let last = self.assignment();
            let _ = writeln!(self.out, "here: {last};");
        }
        let condition = self.condition();
        match self.below(8) {
            0 => self.line("end: false;"),
            1 => self.line("end: q?l,_;"),
            2 => self.line("false;"),
            3..6 => self.line(&format!("assert({condition});")),
            _ => {}
        }
        self.special.inside = false;
        self.out += "}\n";
    }

    /// A receive that may lose a part of what it takes.
    fn narrowing(&mut self) -> String {
        let (first, second) = (self.pick(&["o", "b", "f", "u"]), self.pick(&["_", "1", "eval(b)", "l"]));
        match self.below(6) {
            0 => format!("q?<{first},{second}>"),
            1 => format!("q??{first},{second}"),
            2 => format!("p?m,{first}"),
            3 => format!("p??red,{first}"),
            4 if self.special.rendezvous => format!("r?{first}"),
            _ => format!("q?{first},{second}"),
        }
    }

    /// What is done with channels that travel.
    fn passing(&mut self) -> String {
        let value = self.expression();
        match self.below(9) {
            0 => "h!q".into(),
            1 => "h!d".into(),
            2 => "h?c".into(),
            3 => format!("c!{value},1"),
            4 => "c?l,_".into(),
            5 => format!("v[b]!{value}"),
            6 => "v[0]?l".into(),
            7 => format!("d!{value},b"),
            _ => "d?l,b".into(),
        }
    }

    fn claim(&mut self) {
        let condition = |writer: &mut Self| match writer.below(5) {
            0 => format!("{}@here", writer.special.remote),
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
        let remote = self.special.remote;
        if self.special.remote_label && self.rng.chance(15) {
            return format!("{remote}@here");
        }
        if self.special.remote_variable && self.rng.chance(15) {
            return format!("{remote}:l > 0");
        }
        if self.special.numbers && self.rng.chance(25) {
            let numbers = ["_pid < 3", "_nr_pr < 3", "_nr_pr == 2", "_pid == l", "_nr_pr != g", "_pid == 2"];
            return self.pick(&numbers).into();
        }
        if self.special.priorities && self.rng.chance(20) {
            return self.pick(&["_priority > 1", "get_priority(_pid) == 1"]).into();
        }
        match self.below(14) {
            0 => "nempty(q)".into(),
            1 => "nfull(p)".into(),
            2 => "p?[red,_]".into(),
            3 => "q?[eval(g),_]".into(),
            4 => "m == red".into(),
            5 if !self.special.rare || self.special.numbers => "_nr_pr > 3".into(),
            6 if !self.special.rare || self.special.numbers => "_pid == 1".into(),
            _ => {
                let (a, b) = (self.expression(), self.expression());
                let op = self.pick(&["==", "!=", "<", ">="]);
                format!("{a} {op} {b}")
            }
        }
    }

    /// A statement that may block.
    fn guard(&mut self, channels: bool) -> String {
        if self.special.narrow && channels && self.rng.chance(25) {
            return self.narrowing();
        }
        if self.special.alias && self.special.passed && channels && self.rng.chance(20) {
            return "v[l & 1]?l".into();
        }
        if self.special.alias && channels && self.rng.chance(20) {
            return self.pick(&["q?l,a[l & 1]", "p?m,a[m & 1]", "q?eval(l),l", "p??m,a[b]", "q?l,t.y[l & 1]"]).into();
        }
        if self.special.passed && self.special.inside && channels && self.rng.chance(30) {
            return self.passing();
        }
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
        if self.special.inline && self.rng.chance(15) {
            return format!("set(g, ({value}) & 3)");
        }
        if self.special.priorities && self.rng.chance(15) {
            return self.pick(&["set_priority(_pid, 2)", "set_priority(0, 5)", "_priority = 3"]).into();
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
                    2..5 if self.special.rare => format!("assert({condition});"),
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
            _ if may_run && self.special.rare => {
                let value = self.expression();
                let run = self.pick(&["run C", "run C", "l = run C"]);
                let text = match self.special.runs {
                    true => format!("if :: made < 2 -> made++; {run}({value}, q) :: else -> skip fi;"),
                    false => format!("assert({value} != 2);"),
                };
                self.line(&text);
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
        // SPIN takes no remote references there.
        let remote = (self.special.remote_label, self.special.remote_variable);
        if self.special.rare {
            (self.special.remote_label, self.special.remote_variable) = (false, false);
        }
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
        (self.special.remote_label, self.special.remote_variable) = remote;
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

/// A text with something added to some of its words.
fn rename<'c>(text: &str, more: impl Fn(&str) -> Option<&'c str>) -> String {
    let mut renamed = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len()).max(first.len_utf8());
        let (word, behind) = rest.split_at(end);
        renamed += word;
        renamed += more(word).unwrap_or_default();
        rest = behind;
    }
    renamed
}
