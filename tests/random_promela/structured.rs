//! Random programs for reductions of single processes: much happens inside a process (locals of every type, loops over them, steps
//! that nobody sees), little between them, and every question has both answers often enough. Each comes with formulas.

use prequel::model::rng::Rng;
use std::fmt::Write as _;

/// The program of a seed; the same one every time. It has one statement a line, and its formulas at the end.
pub fn structured(seed: u64) -> String {
    let mut writer = Writer::new(seed);
    writer.globals();
    writer.processes();
    writer.formulas();
    writer.out
}

/// What a program has that not every program has; a few each, so that the others are not always in their shadow.
struct Features {
    timeout: bool,
    unless: bool,
    provided: bool,
    rendezvous: bool,
    /// A channel with two fields, sorted sends, random receives, polls.
    queue: bool,
    /// A channel of a process's own.
    own_channel: bool,
    /// Processes that are started, with arguments; one of them may be a channel.
    runs: bool,
    /// Several instances of a process.
    copies: bool,
    remote_label: bool,
    remote_variable: bool,
    macros: bool,
    inline: bool,
    /// Locals in records and arrays.
    compound: bool,
    /// Values that a type does not hold.
    wide: bool,
    accept: bool,
    progress: bool,
    /// `_pid` and `_nr_pr`.
    numbers: bool,
    asserts: bool,
    /// No process comes to its end.
    endless: bool,
    /// Much is done in one go.
    atomics: bool,
    /// A d_step may come to a standstill, which is a fault.
    blocks: bool,
    /// How many states, of 100, are where a process may wait for ever.
    ends: usize,
}

/// What a process has of its own.
#[derive(Clone, Default)]
struct Locals {
    /// Variables that hold 0, 1 and 2.
    small: Vec<&'static str>,
    /// Variables of one bit.
    bits: Vec<&'static str>,
    /// A channel with one field.
    channel: Option<&'static str>,
    /// It has an array `w`, and `i` to go over it.
    array: bool,
}

impl Locals {
    fn all(&self) -> Vec<&'static str> {
        [&self.small[..], &self.bits[..]].concat()
    }
}

/// How a process is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// Anything goes.
    Nothing,
    /// No step may lose control for good: fewer loops.
    Atomic,
    /// Nothing that blocks, jumps or talks to others.
    Step,
}

struct Writer {
    rng: Rng,
    out: String,
    has: Features,
    locals: Locals,
    /// The process that is written; the first one is `P0`.
    process: usize,
    /// Labels of it so far, and labels that jumps may go to.
    labels: usize,
    targets: Vec<String>,
    depth: usize,
}

const GLOBALS: [&str; 2] = ["g0", "g1"];

impl Writer {
    fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed ^ 0x7265_7369_6475_616c);
        let mut has = |percent| rng.chance(percent);
        let (rendezvous, remote_label, remote_variable) = (has(50), has(20), has(10));
        let has = Features {
            timeout: has(12),
            unless: has(10),
            provided: has(8),
            rendezvous,
            queue: has(30),
            own_channel: has(12),
            runs: has(30),
            copies: has(12),
            remote_label,
            remote_variable,
            macros: has(12),
            inline: has(15),
            compound: has(30),
            wide: has(12),
            accept: has(20),
            progress: has(85),
            numbers: has(12),
            asserts: has(80),
            endless: has(30),
            atomics: has(35),
            blocks: has(12),
            ends: if has(22) { 90 } else { 5 },
        };
        let locals = Locals::default();
        Self { rng, out: String::new(), has, locals, process: 0, labels: 0, targets: vec![], depth: 0 }
    }

    fn below(&mut self, n: usize) -> usize {
        self.rng.below(n)
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.rng.chance(percent)
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "  {text}");
    }

    fn globals(&mut self) {
        if self.has.macros {
            self.out += "#define NEXT(v) ((v + 1) % 3)\n#define BUSY (g0 == 1)\n";
        }
        if self.has.compound {
            self.out += "typedef T {\n  byte u;\n  bit v\n};\n";
        }
        let first = self.pick(&["byte g0;", "byte g0 = 1;", "short g0;", "int g0;"]);
        let _ = writeln!(self.out, "{first}\nbyte g1;\nbit b0;");
        self.out += "byte a[2];\n";
        if self.has.runs {
            self.out += "bit made;\n";
        }
        self.out += "chan q0 = [1] of { byte };\n";
        if self.has.rendezvous {
            self.out += "chan r0 = [0] of { byte };\n";
        }
        if self.has.queue {
            self.out += "chan q2 = [2] of { byte, bit };\n";
        }
        if self.has.inline {
            self.out += "inline step(to, what) {\n  to = what;\n  b0 = 1 - b0\n}\n";
        }
    }

    fn processes(&mut self) {
        let count = if self.has.runs { 1 + self.below(2) } else { 2 + usize::from(self.chance(20)) };
        for process in 0..count {
            self.process = process;
            let copies = if self.has.copies && process + 1 == count && process > 0 { " [2]" } else { "" };
            let provided = if self.has.provided && process > 0 {
                self.pick(&[" provided (g1 != 2)", " provided (b0 == 0)", " provided (g0 < 2)"])
            } else {
                ""
            };
            let _ = writeln!(self.out, "active{copies} proctype P{process}(){provided} {{");
            self.declare();
            self.body();
            self.out += "}\n";
        }
        if self.has.runs {
            self.process = count;
            let channel = self.chance(60);
            let parameters = if channel { "byte n; chan c" } else { "byte n" };
            let _ = writeln!(self.out, "proctype W({parameters}) {{");
            self.declare();
            self.locals.small.push("n");
            self.locals.channel = channel.then_some("c");
            self.body();
            self.out += "}\n";
            self.init(channel);
        }
    }

    /// Starts what is not active by itself.
    fn init(&mut self, channel: bool) {
        self.out += "init {\n";
        let mut channels = vec!["q0"];
        if self.has.rendezvous {
            channels.push("r0");
        }
        if channel && self.has.own_channel {
            self.line("chan d = [1] of { byte };");
            channels.push("d");
        }
        let together = self.chance(50);
        if together {
            self.line("atomic {");
        }
        for _ in 0..1 + usize::from(self.chance(25)) {
            let (value, to) = (self.below(3), self.pick(&channels));
            self.line(&if channel { format!("run W({value}, {to});") } else { format!("run W({value});") });
        }
        if together {
            self.line("skip");
            self.line("};");
        }
        if self.chance(40) {
            let text = self.pick(&["made = 1;", "b0 = 1;", "(g0 == 2);", "end: (g1 == 1);", "q0!1;"]);
            self.line(text);
        }
        if self.has.numbers {
            let text = self.pick(&["(_nr_pr == 1);", "(_nr_pr == 2); g1 = 2;", "end: (_nr_pr < 2); g0 = 1;"]);
            self.line(text);
        }
        if self.has.endless {
            self.line("end9: false");
        }
        self.out += "}\n";
    }

    /// Locals of every type.
    fn declare(&mut self) {
        self.locals = Locals { small: vec!["x"], ..Locals::default() };
        (self.labels, self.targets, self.depth) = (0, vec![], 0);
        let first = self.pick(&["byte x;", "byte x;", "byte x = 1;", "short x;", "int x;"]);
        self.line(first);
        if self.chance(65) {
            let text = self.pick(&["bit y;", "bool y;", "bit y = 1;"]);
            self.line(text);
            self.locals.bits.push("y");
        }
        if self.chance(15) {
            let text = self.pick(&["short z;", "int z;", "unsigned z : 2;"]);
            self.line(text);
            self.locals.small.push("z");
        }
        if self.has.compound && self.chance(60) {
            if self.chance(50) {
                self.line("T s;");
                self.locals.small.push("s.u");
                self.locals.bits.push("s.v");
            } else {
                self.line("byte w[2];");
                self.line("byte i;");
                self.locals.small.extend(["w[0]", "w[1]"]);
                self.locals.array = true;
            }
        }
        if self.has.own_channel && self.chance(60) {
            self.line("chan d = [1] of { byte };");
            self.locals.channel = Some("d");
        }
    }

    fn body(&mut self) {
        if self.chance(50) { self.machine() } else { self.structure() }
    }

    /// A process as states with jumps between them: what nobody would write, and what has most ways to go.
    fn machine(&mut self) {
        let states = 2 + self.below(4);
        self.targets = (0..states).map(|state| format!("L{state}")).collect();
        self.labels = states;
        for state in 0..states {
            let marks = self.marks(state);
            let _ = writeln!(self.out, "{marks}L{state}: if");
            let (options, mut io) = (1 + self.below(3), false);
            for option in 0..options {
                // Where every state can block, little happens.
                let free = if state == 0 { 70 } else { 25 };
                let text = if option == 0 && self.chance(free) { self.simple(Inside::Nothing) } else { self.option() };
                io |= looks_at_channel(&text) || text.contains("timeout");
                let target = self.below(states);
                self.line(&format!(":: {text}; goto L{target}"));
            }
            if state + 1 == states && !self.has.endless && self.chance(50) {
                // An end.
                let text = self.guard(Inside::Nothing);
                io |= looks_at_channel(&text);
                self.line(&format!(":: {text}"));
            }
            if !io && self.chance(35) {
                let target = self.below(states);
                self.line(&format!(":: else; goto L{target}"));
            }
            self.line("fi;");
        }
    }

    /// The option of a state: one step, several, or a block.
    fn option(&mut self) -> String {
        match self.below(100) {
            0..55 => self.first(Inside::Nothing),
            55..63 => format!("{}; {}", self.first(Inside::Nothing), self.simple(Inside::Nothing)),
            63..75 => format!("d_step {{ {}; {} }}", self.first(Inside::Step), self.simple(Inside::Step)),
            75..82 => {
                // A value that nobody else should see.
                let (global, local) = (self.pick(&GLOBALS), self.local_assignment("1"));
                let block = self.pick(&["atomic", "atomic", "d_step"]);
                format!("{block} {{ {global} = 2; {local}; {global} = {} }}", self.below(2))
            }
            82..94 => {
                let mut text = format!("atomic {{ {}", self.first(Inside::Atomic));
                for _ in 0..1 + self.below(2) {
                    let next = if self.chance(45) { self.guard(Inside::Atomic) } else { self.simple(Inside::Atomic) };
                    let _ = write!(text, "; {next}");
                }
                text + " }"
            }
            94..97 if self.has.timeout => "timeout".into(),
            _ if self.has.unless => {
                let (first, second) = (self.first(Inside::Nothing), self.simple(Inside::Nothing));
                let (escape, last) = (self.condition(), self.simple(Inside::Nothing));
                format!("true; {{ {first}; {second} }} unless {{ ({escape}); {last} }}")
            }
            _ => self.first(Inside::Nothing),
        }
    }

    /// Labels of a state that somebody may ask about.
    fn marks(&mut self, state: usize) -> String {
        let mut marks = String::new();
        if self.chance(self.has.ends) {
            let _ = write!(marks, "end{state}: ");
        }
        if self.has.progress && self.chance(40) {
            let _ = write!(marks, "progress{state}: ");
        }
        if self.has.accept && self.chance(20) {
            let _ = write!(marks, "accept{state}: ");
        }
        marks
    }

    /// A process of nested statements.
    fn structure(&mut self) {
        let loops = self.has.endless || self.chance(50);
        if self.chance(50) {
            let text = self.simple(Inside::Nothing);
            self.line(&format!("{text};"));
        }
        if loops {
            let marks = self.marks(0);
            let _ = writeln!(self.out, "{marks}L0: do");
            self.targets.push("L0".into());
            self.labels = self.labels.max(1);
            let leaves = !self.has.endless && self.chance(50);
            self.options(Inside::Nothing, leaves);
            self.line("od;");
        } else {
            self.labels = self.labels.max(1);
            let text = self.simple(Inside::Nothing);
            let _ = writeln!(self.out, "L0: {text};");
        }
        if self.has.endless || loops && self.chance(60) {
            return;
        }
        let after = 1 + self.below(3);
        self.statements(after, Inside::Nothing);
    }

    fn statements(&mut self, count: usize, inside: Inside) {
        for _ in 0..count {
            self.statement(inside);
        }
    }

    fn statement(&mut self, inside: Inside) {
        self.depth += 1;
        let kinds = if self.depth > 2 { 45 } else { 100 };
        let often = self.has.atomics && inside == Inside::Nothing && self.depth <= 2 && self.chance(30);
        let kind = if often { 70 + self.below(17) } else { self.below(kinds) };
        match kind {
            0..30 => {
                let text = self.simple(inside);
                self.line(&format!("{text};"));
            }
            30..35 if inside == Inside::Step && self.has.blocks => {
                let text = self.guard(inside);
                self.line(&format!("{text};"));
            }
            30..45 if inside != Inside::Step => {
                let text = self.first(inside);
                if inside == Inside::Nothing && self.chance(35) {
                    self.labels += 1;
                    let label = self.labels;
                    let marks = self.marks(label);
                    let _ = writeln!(self.out, "{marks}L{label}: {text};");
                } else {
                    self.line(&format!("{text};"));
                }
            }
            45..62 => {
                self.line("if");
                self.options(inside, false);
                self.line("fi;");
            }
            62..70 if inside == Inside::Nothing => {
                self.line("do");
                self.options(inside, true);
                self.line("od;");
            }
            70..80 if inside == Inside::Nothing => {
                self.line("atomic {");
                let text = self.first(Inside::Atomic);
                self.line(&format!("{text};"));
                let count = 1 + self.below(2);
                self.statements(count, Inside::Atomic);
                self.line("};");
            }
            80..87 if inside != Inside::Step => {
                // Nothing may jump right to a d_step, the end of a loop neither.
                self.line("skip;");
                self.line("d_step {");
                let remote = self.without_remote();
                let text = self.first(Inside::Step);
                self.line(&format!("{text};"));
                let count = 1 + self.below(2);
                self.statements(count, Inside::Step);
                (self.has.remote_label, self.has.remote_variable) = remote;
                self.line("skip");
                self.line("};");
            }
            87..91 if self.locals.array => {
                let text = self.simple(Inside::Step);
                self.line("for (i : 0 .. 1) {");
                let array = self.pick(&["w[i] = (w[i] + 1) % 3", "w[i] = x % 3", "a[i] = w[i]", "w[i] = a[1 - i]"]);
                self.line(&format!("{array};"));
                self.line(&text);
                self.line("};");
            }
            91..95 if self.has.unless && inside == Inside::Nothing => {
                self.line("{");
                let text = self.first(Inside::Nothing);
                self.line(&format!("{text};"));
                let text = self.simple(Inside::Nothing);
                self.line(&text);
                let (escape, last) = (self.condition(), self.simple(Inside::Nothing));
                self.line(&format!("}} unless {{ ({escape}); {last} }};"));
            }
            95.. if inside == Inside::Nothing && !self.targets.is_empty() && self.chance(60) => {
                let (condition, target) = (self.beside_else(), self.below(self.targets.len()));
                let target = self.targets[target].clone();
                self.line(&format!("if :: {condition} -> goto {target} :: else fi;"));
            }
            _ => {
                let text = self.simple(inside);
                self.line(&format!("{text};"));
            }
        }
        self.depth -= 1;
    }

    /// Options of a choice or loop; the last one leaves the loop.
    fn options(&mut self, inside: Inside, leaves: bool) {
        let with_else = inside == Inside::Step || self.chance(35);
        for _ in 0..1 + self.below(3) {
            let text = if with_else { self.beside_else() } else { self.first(inside) };
            self.line(&format!(":: {text} ->"));
            let count = 1 + usize::from(self.chance(30));
            self.statements(count, inside);
        }
        if self.has.timeout && inside == Inside::Nothing && !with_else && self.chance(40) {
            self.line(":: timeout ->");
            let text = self.simple(inside);
            self.line(&format!("{text};"));
        }
        if with_else {
            let text = if leaves { "break".into() } else { self.simple(inside) };
            self.line(&format!(":: else -> {text}"));
        } else if leaves {
            let text = self.guard(inside);
            self.line(&format!(":: {text} -> break"));
        }
    }

    /// A guard that `else` may stand beside: SPIN takes none that looks at a channel.
    fn beside_else(&mut self) -> String {
        loop {
            let condition = self.condition();
            if !looks_at_channel(&condition) {
                return format!("({condition})");
            }
        }
    }

    /// SPIN takes no remote references in a d_step.
    fn without_remote(&mut self) -> (bool, bool) {
        let remote = (self.has.remote_label, self.has.remote_variable);
        (self.has.remote_label, self.has.remote_variable) = (false, false);
        remote
    }

    fn local(&mut self) -> &'static str {
        let all = self.locals.all();
        all[self.below(all.len())]
    }

    fn condition(&mut self) -> String {
        let (local, global, value) = (self.local(), self.pick(&GLOBALS), self.below(3));
        if self.process > 0 && self.has.remote_label && self.chance(20) {
            return self.pick(&["P0@L0", "!P0@L0", "P0[0]@L0", "P0@L0 && b0 == 1"]).into();
        }
        if self.process > 0 && self.has.remote_variable && self.chance(20) {
            return self.pick(&["P0:x == 1", "P0:x != g1", "P0[0]:x < 2"]).into();
        }
        if self.has.numbers && self.chance(20) {
            return self.pick(&["_nr_pr > 2", "_pid == 1", "_nr_pr == 2", "_pid == g0", "_nr_pr != 3"]).into();
        }
        if self.has.macros && self.chance(20) {
            return self.pick(&["BUSY", "!BUSY", "NEXT(g1) == 1"]).into();
        }
        if self.locals.array && self.chance(20) {
            return self
                .pick(&["w[x % 2] == a[0]", "i < 2 && w[i] == 1", "i >= 2 || a[i] == 0", "w[g1 & 1] != 2"])
                .into();
        }
        match self.below(20) {
            0..6 => format!("{global} == {value}"),
            6..8 => format!("{global} != {local}"),
            8..12 => format!("{local} == {value}"),
            12..14 => format!("{local} < {} && {global} == {value}", 1 + value % 2),
            14 => format!("{local} == {value} || {global} == {}", value % 2),
            15 => format!("{local} > {global}"),
            16 => self.pick(&["len(q0) == 0", "empty(q0)", "nfull(q0)", "full(q0)", "nempty(q0)"]).into(),
            17 if self.has.queue => {
                self.pick(&["q2?[1,_]", "q2??[0,1]", "len(q2) == 1", "q2?[eval(x),_]", "q0?[1]"]).into()
            }
            18 => "a[g0 & 1] == 0".into(),
            _ => "b0 == 1".into(),
        }
    }

    /// A value of 0, 1 or 2, or now and then another one.
    fn value(&mut self) -> String {
        let (local, global, value) = (self.local(), self.pick(&GLOBALS), self.below(3));
        match self.below(20) {
            0..6 => value.to_string(),
            6..10 => local.into(),
            10..12 => format!("({local} + 1) % 3"),
            12..14 => global.into(),
            14 => format!("({global} + {local}) % 3"),
            15 => "a[b0]".into(),
            16 if self.has.macros => "NEXT(g0)".into(),
            17 if self.has.numbers => "_pid % 3".into(),
            18 => format!("(b0 -> {local} : {value})"),
            _ => "1 - b0".into(),
        }
    }

    /// A statement that may be anything: where blocks and options begin.
    fn first(&mut self, inside: Inside) -> String {
        if self.chance(55) { self.guard(inside) } else { self.simple(inside) }
    }

    /// A statement that may block.
    fn guard(&mut self, inside: Inside) -> String {
        if inside != Inside::Step && self.chance(45) {
            return self.message();
        }
        let remote = (self.has.remote_label, self.has.remote_variable);
        if inside == Inside::Step {
            self.without_remote();
        }
        let condition = self.condition();
        (self.has.remote_label, self.has.remote_variable) = remote;
        format!("({condition})")
    }

    /// A send or receive.
    fn message(&mut self) -> String {
        let mut channels = vec!["q0", "q0"];
        if self.has.rendezvous {
            channels.extend(["r0"; 3]);
        }
        if self.has.queue {
            channels.extend(["q2"; 2]);
        }
        channels.extend(self.locals.channel.map(|channel| [channel; 2]).into_iter().flatten());
        let channel = self.pick(&channels);
        // Somebody should be there who takes what this one sends.
        let sender = (self.process + usize::from(channel == "q0")).is_multiple_of(2);
        let sends = self.chance(if sender { 75 } else { 25 });
        let small = {
            let at = self.below(self.locals.small.len());
            self.locals.small[at]
        };
        if channel == "q2" {
            let bit = self.locals.bits.first().copied().unwrap_or("b0");
            if sends {
                let (how, value) = (self.pick(&["!", "!", "!!"]), self.value());
                return format!("q2{how}{value},{}", self.pick(&["0", "1", bit]));
            }
            let first = self.pick(&[small, small, "0", "1", "_", "g0", "eval(x)"]);
            let second = self.pick(&[bit, "_", "1", "eval(b0)", "0"]);
            let how = self.pick(&["?", "?", "?", "??"]);
            return match self.below(8) {
                0 => format!("q2{how}<{first},{second}>"),
                _ => format!("q2{how}{first},{second}"),
            };
        }
        if sends {
            return format!("{channel}!{}", self.value());
        }
        let fixed = format!("eval({})", self.local());
        let what = self.pick(&[small, small, small, small, "0", "1", "_", "g1", &fixed]);
        if what == small && self.chance(40) {
            let target = self.pick(&GLOBALS);
            return format!("{channel}?{small}; {target} = {small} % 3");
        }
        format!("{channel}?{what}")
    }

    /// A statement that does not block, but for asserts that fail.
    fn simple(&mut self, inside: Inside) -> String {
        let value = self.value();
        if self.has.asserts && self.chance(30) {
            let (local, global) = (self.local(), self.pick(&GLOBALS));
            let (one, two) = (self.below(3), self.below(3));
            return match self.below(8) {
                0 => format!("assert({local} < 3)"),
                2 => format!("assert({global} != {one})"),
                4 => format!("assert({global} != 2)"),
                3 => format!("assert({local} != {two})"),
                1 => format!("assert({global} != {one} || a[{}] < 2)", two % 2),
                _ => format!("assert({global} != {one} || {local} != {two})"),
            };
        }
        if self.has.inline && inside != Inside::Step && self.chance(12) {
            // SPIN's reader of inlines trips over conditional expressions.
            let value = if value.contains("->") { "1".into() } else { value };
            return format!("step({}, {value})", self.pick(&["g0", "x", "g1"]));
        }
        if self.has.runs && self.process == 0 && inside == Inside::Nothing && self.chance(6) {
            return "if :: (made == 0) -> made = 1 :: else -> skip fi".into();
        }
        match self.below(40) {
            0..18 => self.local_assignment(&value),
            18..34 => {
                let target = self.pick(&["g0", "g0", "g1", "g1", "b0", "a[0]", "a[b0]", "a[g1 & 1]"]);
                match self.below(5) {
                    0 if target.starts_with('g') => format!("{target} = ({target} + 1) % 3"),
                    1 => format!("{target} = {}", self.below(3)),
                    _ if target.contains("[g1") && value.contains("a[") => format!("{target} = 1"),
                    _ => format!("{target} = {value}"),
                }
            }
            34 => "skip".into(),
            35 if inside != Inside::Step => "printf(\"%d\\n\", x)".into(),
            _ => self.local_assignment(&value),
        }
    }

    fn local_assignment(&mut self, value: &str) -> String {
        if self.has.wide && self.chance(30) {
            // What the type keeps of the value is what counts.
            return self
                .pick(&["x = (x + 255) % 3", "x = 258 - x", "x--", "x = x + 254", "g0 = x", "x = x * 2"])
                .into();
        }
        let local = self.local();
        match self.below(8) {
            0 | 1 => format!("{local} = {}", self.below(3)),
            2 if self.locals.bits.contains(&local) => format!("{local} = 1 - {local}"),
            2 | 3 => format!("{local} = ({local} + 1) % 3"),
            4 if self.locals.array => "w[x % 2] = (w[1 - x % 2] + 1) % 3".into(),
            5 if self.locals.bits.contains(&local) => format!("{local} = !{local}"),
            5 => format!("{local} = (({local} < 2) -> {local} + 1 : 0)"),
            _ => format!("{local} = {value}"),
        }
    }

    /// Formulas over globals and labels, none with `X`; none where processes have accept labels, which SPIN takes for the formula's.
    fn formulas(&mut self) {
        let count = if self.has.accept { 0 } else { 3 };
        for number in 0..count {
            let [a, b, c] = [(); 3].map(|()| self.atom());
            let formula = match self.below(11) {
                0 => format!("[] ({a} -> <> {b})"),
                1 => format!("[] <> {a}"),
                2 => format!("<> [] {a}"),
                3 => format!("{a} U {b}"),
                4 => format!("[] ({a} -> ({b} U {c}))"),
                5 => format!("<> {a}"),
                6 => format!("<> ({a} && <> {b})"),
                7 => format!("(<> {a}) -> ([] <> {b})"),
                8 => format!("[] ({a} || {b})"),
                9 => format!("([] <> {a}) -> ([] <> {b})"),
                _ => format!("[] (!{a} || !{b} || {c})"),
            };
            let _ = writeln!(self.out, "ltl f{number} {{ {formula} }}");
        }
    }

    fn atom(&mut self) -> String {
        let (first, second) = (self.below(3), self.below(3));
        if self.has.remote_label && self.chance(45) {
            return "(P0@L0)".into();
        }
        if self.has.remote_variable && self.chance(30) {
            return "(P0:x == 1)".into();
        }
        match self.below(8) {
            0 | 1 => format!("(g0 == {first})"),
            2 | 3 => format!("(g1 == {second})"),
            4 => "(g0 == g1)".into(),
            5 => "(g0 < g1)".into(),
            6 => "(b0 == 1)".into(),
            _ => "(len(q0) == 1)".into(),
        }
    }
}

/// Whether a statement looks at a channel, or talks to one.
fn looks_at_channel(text: &str) -> bool {
    ["q0", "q2", "r0", "c!", "c?", "d!", "d?"].iter().any(|channel| text.contains(channel))
}
