//! Known errors of SPIN 6.5.2 that change what it says of assertions, end states and claims, and which models they touch.
//!
//! Each is described with a model that shows it in `docs/spin-errors.md`. What is said of a model here errs on one side: a model
//! that might be touched is taken for one that is.

use super::residual::storage::{Stored, loses, most_head};
use super::tools::Options;
use prequel_formats::promela::syntax::{Declaration, Model, Unit, Visibility};
use prequel_program::residual::{Rules, facts, tells_too_much};
use prequel_program::{
    Action, Expression, Node, Pattern, Place, Proctype, Program, Receive, Setup, State, Then, Unary, ValueType,
};

/// What is done about an error.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Remedy {
    /// SPIN searches without partial-order reduction.
    NoReduction,
    /// What SPIN says is not passed on, unless it is a run that our program has too: our own search decides.
    OwnSearch,
}

/// An error of SPIN.
#[derive(Debug)]
pub struct KnownError {
    /// As in `docs/spin-errors.md`.
    pub name: &'static str,
    /// On what SPIN errs, for a sentence.
    pub on: &'static str,
    /// What is done.
    pub remedy: Remedy,
    /// Whether a model may be touched.
    exposed: fn(&Model, &Program) -> bool,
    /// Whether a text that we do not read may be.
    suspected: fn(&str) -> bool,
}

/// All of them.
pub static KNOWN: [KnownError; 12] = [
    KnownError {
        name: "remote-variable",
        on: "variables of other processes with partial-order reduction",
        remedy: Remedy::NoReduction,
        exposed: |_, program| mentions(program, |e| matches!(e, Expression::RemoteCell(..))),
        suspected: |_| true,
    },
    KnownError {
        name: "process-number",
        on: "numbers of processes that come and go with partial-order reduction",
        remedy: Remedy::NoReduction,
        exposed: |_, program| numbers_vary(program) && numbers_show(program),
        suspected: |_| true,
    },
    KnownError {
        name: "process-count",
        on: "_nr_pr with partial-order reduction",
        remedy: Remedy::NoReduction,
        exposed: |_, program| mentions(program, |e| matches!(e, Expression::ProcessCount)),
        suspected: |_| true,
    },
    KnownError {
        name: "exclusive-channel",
        on: "channels that are said to be one process's alone (`xr`, `xs`) with partial-order reduction",
        remedy: Remedy::NoReduction,
        exposed: tells_too_much,
        suspected: |text| has_word(text, "xr") || has_word(text, "xs"),
    },
    KnownError {
        name: "narrowing-receive",
        on: "receives into variables that do not hold every value of the field",
        remedy: Remedy::OwnSearch,
        exposed: |_, program| any_step(program, |action| matches!(action, Action::Receive(r) if narrows(program, r))),
        suspected: |text| text.contains('?'),
    },
    KnownError {
        name: "receive-into-operand",
        on: "receives that change what they read",
        remedy: Remedy::OwnSearch,
        exposed: |_, program| any_step(program, |action| matches!(action, Action::Receive(r) if reads_stored(r))),
        suspected: |text| text.contains('?'),
    },
    KnownError {
        name: "assignment-to-index",
        on: "assignments that change their own index",
        remedy: Remedy::OwnSearch,
        exposed: |_, program| any_step(program, |action| target(action).is_some_and(changes_own_index)),
        suspected: nests_indices,
    },
    KnownError {
        name: "hidden-variable",
        on: "hidden variables that are read",
        remedy: Remedy::OwnSearch,
        exposed: |model, program| declares(model, Visibility::Hidden, |name| is_read(program, name)),
        suspected: |text| has_word(text, "hidden"),
    },
    KnownError {
        name: "local-variable",
        on: "global variables that are declared local",
        remedy: Remedy::OwnSearch,
        exposed: |model, program| declares(model, Visibility::Local, |name| is_shared(program, name)),
        suspected: |text| has_word(text, "local"),
    },
    KnownError {
        name: "wide-bit-fields",
        on: "bit-fields of a process that do not fit into 32 bits together",
        remedy: Remedy::OwnSearch,
        exposed: loses_bit_fields,
        suspected: |text| has_word(text, "unsigned"),
    },
    KnownError {
        name: "merged-priorities",
        on: "priorities in a model with `atomic`",
        remedy: Remedy::OwnSearch,
        exposed: |_, program| {
            let states = program.proctypes.iter().flat_map(|proctype| &proctype.states);
            program.priorities && states.flat_map(|state| &state.transitions).any(|transition| transition.atomic)
        },
        suspected: |text| text.contains("priority") && has_word(text, "atomic"),
    },
    KnownError {
        name: "timeout-in-claim",
        on: "timeout in a claim",
        remedy: Remedy::OwnSearch,
        exposed: |_, program| {
            let claim = program.claim.map(|claim| &program.proctypes[claim as usize]);
            claim.is_some_and(|claim| has(claim, |e| matches!(e, Expression::Timeout)))
        },
        suspected: |text| has_word(text, "timeout") && (has_word(text, "never") || has_word(text, "ltl")),
    },
];

/// Whether the last bits of some process may be no part of SPIN's states.
fn loses_bit_fields(model: &Model, program: &Program) -> bool {
    if !model.sources.texts().any(|text| has_word(text, "unsigned")) {
        return false;
    }
    let Some(facts) = facts(model, program, Rules::default()) else { return true };
    let most = most_head(model, program);
    facts.locals.iter().any(|locals| {
        let stored = locals.iter().filter_map(|local| Stored::of(local.declaration, local.number, local.cells.len()));
        loses(most, &stored.collect::<Vec<_>>())
    })
}

/// The version of SPIN that has them, and the page that describes them.
pub const VERSION: &str = "6.5.2";
/// Where they are described.
pub const PAGE: &str = "docs/spin-errors.md";

/// What is known against SPIN's word on a model.
#[derive(Clone, Debug, Default)]
pub struct Doubts(Vec<&'static KnownError>);

impl Doubts {
    /// Of a model, which means this program.
    pub fn of(model: &Model, program: &Program) -> Self {
        Self(KNOWN.iter().filter(|error| (error.exposed)(model, program)).collect())
    }

    /// Of a text that only SPIN reads, from what it looks like behind the preprocessor: whatever its words could mean.
    pub fn of_words(text: &str) -> Self {
        Self(KNOWN.iter().filter(|error| (error.suspected)(text)).collect())
    }

    /// Whether SPIN may reduce.
    pub fn allow_reduction(&self) -> bool {
        !self.0.iter().any(|error| error.remedy == Remedy::NoReduction)
    }

    /// How SPIN searches where it was to search so.
    pub fn bound(&self, options: Options) -> Options {
        Options { reduce: options.reduce && self.allow_reduction(), ..options }
    }

    /// Whether SPIN's word counts, at least without reduction.
    pub fn allow_spin(&self) -> bool {
        !self.0.iter().any(|error| error.remedy == Remedy::OwnSearch)
    }

    /// What they are called.
    pub fn names(&self) -> Vec<&'static str> {
        self.0.iter().map(|error| error.name).collect()
    }

    /// As in `SPIN 6.5.2 errs on timeout in a claim`: the gravest ones.
    pub fn reason(&self) -> Option<String> {
        let gravest = self.0.iter().map(|error| error.remedy).max()?;
        let on: Vec<&str> = self.0.iter().filter(|error| error.remedy == gravest).map(|error| error.on).collect();
        Some(format!("SPIN {VERSION} errs on {} ({PAGE})", on.join(" and on ")))
    }
}

/// Looks at what a proctype does, inside of indivisible sequences too.
fn actions<'p>(proctype: &'p Proctype, look: &mut impl FnMut(&'p Action)) {
    fn inside<'p>(action: &'p Action, look: &mut impl FnMut(&'p Action)) {
        look(action);
        let Action::Steps(steps) = action else { return };
        for node in &steps.nodes {
            if let Node::Do(action, ..) = node {
                inside(action, look);
            }
        }
    }
    for transition in proctype.states.iter().flat_map(|state| &state.transitions) {
        inside(&transition.action, look);
        for then in &transition.then {
            if let Then::Do { action, .. } = then {
                inside(action, look);
            }
        }
    }
}

/// Whether some step is such. A `d_step` is none of these: SPIN keeps the whole state before it and need not undo its statements.
fn any_step(program: &Program, is: impl Fn(&Action) -> bool) -> bool {
    let transitions = program.proctypes.iter().flat_map(|p| &p.states).flat_map(|state| &state.transitions);
    transitions.into_iter().any(|transition| is(&transition.action))
}

/// Looks at every expression of a proctype.
fn expressions(proctype: &Proctype, look: &mut impl FnMut(&Expression)) {
    proctype.provided.iter().for_each(|value| value.visit(look));
    for setup in &proctype.prologue {
        if let Setup::Value(_, value) = setup {
            value.visit(look);
        }
    }
    actions(proctype, &mut |action| {
        target(action).iter().for_each(|place| place.indices.iter().for_each(|index| index.at.visit(look)));
        match action {
            Action::Condition(value) | Action::Assign(_, value) | Action::Assert(value) => value.visit(look),
            Action::Print(values) => values.iter().for_each(|value| value.visit(look)),
            Action::Send(send) => {
                let parts = send.guard.iter().chain([&send.channel]).chain(&send.arguments);
                parts.for_each(|value| value.visit(look));
            }
            Action::Receive(receive) => receive.visit(look),
            Action::Run(run) => run.arguments.iter().for_each(|value| value.visit(look)),
            Action::SetPriority(pair) => [&pair.0, &pair.1].into_iter().for_each(|value| value.visit(look)),
            Action::Skip | Action::Else | Action::End | Action::Steps(_) => {}
        }
    });
}

/// Whether a proctype has such an expression.
fn has(proctype: &Proctype, is: impl Fn(&Expression) -> bool) -> bool {
    let mut found = false;
    expressions(proctype, &mut |value| found |= is(value));
    found
}

/// Whether any proctype has such an expression.
fn mentions(program: &Program, is: impl Fn(&Expression) -> bool + Copy) -> bool {
    program.proctypes.iter().any(|proctype| has(proctype, is))
}

/// What an action sets, other than by receiving.
fn target(action: &Action) -> Option<&Place> {
    match action {
        Action::Assign(place, _) => place.as_ref(),
        Action::Run(run) => run.into.as_ref(),
        _ => None,
    }
}

/// Whether processes that are there at the same time need not always have the same numbers: one is started after another may have
/// ended. Not so where all that are started are started before anything else happens.
fn numbers_vary(program: &Program) -> bool {
    let starts = |proctype: &Proctype| {
        let mut found = false;
        actions(proctype, &mut |action| found |= matches!(action, Action::Run(_)));
        found
    };
    let starters: Vec<u32> =
        (0..).zip(&program.proctypes).filter(|(_, p)| starts(p)).map(|(number, _)| number).collect();
    match (&*starters, &*program.active) {
        ([], _) => false,
        ([starter], [only]) if starter == only => !starts_at_once(&program.proctypes[*starter as usize]),
        _ => true,
    }
}

/// Whether a process starts others only in an `atomic` at its beginning, in which it is never blocked.
fn starts_at_once(proctype: &Proctype) -> bool {
    let (mut first, mut later) = (vec![false; proctype.states.len()], vec![false; proctype.states.len()]);
    let mut open = vec![(0, true)];
    while let Some((at, at_first)) = open.pop() {
        let seen = if at_first { &mut first } else { &mut later };
        if std::mem::replace(&mut seen[at as usize], true) {
            continue;
        }
        let state = &proctype.states[at as usize];
        let stays = at_first && never_blocks(state);
        open.extend(state.transitions.iter().filter_map(|t| Some((t.target?, stays && t.atomic))));
    }
    let starts = |state: &State| {
        state.transitions.iter().any(|transition| matches!(transition.action, Action::Run(_) | Action::Steps(_)))
    };
    !proctype.states.iter().zip(later).any(|(state, later)| later && starts(state))
}

/// Whether a process can always go on here.
fn never_blocks(state: &State) -> bool {
    state.transitions.iter().any(|transition| match &transition.action {
        Action::Skip | Action::Else | Action::Assign(..) | Action::Assert(_) | Action::Print(_) => true,
        Action::Run(_) | Action::SetPriority(_) => true,
        Action::Condition(value) => matches!(value, Expression::Number(n) if *n != 0),
        Action::Send(_) | Action::Receive(_) | Action::End | Action::Steps(_) => false,
    })
}

/// Whether the number of a process can be told.
fn numbers_show(program: &Program) -> bool {
    let told = |e: &Expression| {
        use Expression::{At, Enabled, Pid, Priority, RemoteCell};
        matches!(e, Pid | At(..) | RemoteCell(..) | Enabled(_) | Priority(_))
    };
    let mut kept = false;
    for proctype in &program.proctypes {
        actions(proctype, &mut |action| kept |= matches!(action, Action::Run(run) if run.into.is_some()));
    }
    kept || program.last.is_some() || mentions(program, told)
}

/// Whether a receive may store less than it takes. SPIN puts back what is in the variable when it undoes the receive.
fn narrows(program: &Program, receive: &Receive) -> bool {
    let narrow = |(field, pattern): (usize, &Pattern)| match pattern {
        Pattern::Store(place) => {
            let (low, high) = sent(program, receive, field);
            let (lowest, highest) = range(place.ty);
            low < lowest || high > highest
        }
        Pattern::Match(_) | Pattern::Ignore => false,
    };
    !receive.keep && receive.patterns.iter().enumerate().any(narrow)
}

/// Values that a field of a message may have, of those that a receive may take.
fn sent(program: &Program, receive: &Receive, field: usize) -> (i64, i64) {
    let fits = |fields: usize| fields == receive.patterns.len();
    let kinds = program.channel_types.iter().filter(|kind| fits(kind.fields.len()));
    let kept = kinds.map(|kind| range(kind.fields[field]));
    let held = kept.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0, 0));
    // What is sent becomes what the field holds, where it does not hold all of it.
    let mut all: Option<(i64, i64)> = None;
    for proctype in &program.proctypes {
        actions(proctype, &mut |action| {
            if let Action::Send(send) = action
                && fits(send.arguments.len())
            {
                let value = values(&send.arguments[field], program, proctype);
                let value = if value.0 < held.0 || value.1 > held.1 { held } else { value };
                let known = all.unwrap_or(value);
                all = Some((known.0.min(value.0), known.1.max(value.1)));
            }
        });
    }
    all.unwrap_or((0, 0))
}

/// The values of a type.
fn range(ty: ValueType) -> (i64, i64) {
    match ty {
        ValueType::Unsigned(bits) => (0, (1_i64 << bits) - 1),
        ValueType::Name(_) | ValueType::Channel => (0, 255),
        ValueType::Short => (i64::from(i16::MIN), i64::from(i16::MAX)),
        ValueType::Int => (i64::from(i32::MIN), i64::from(i32::MAX)),
    }
}

/// Values that an expression may have.
fn values(value: &Expression, program: &Program, proctype: &Proctype) -> (i64, i64) {
    match value {
        Expression::Number(n) => (i64::from(*n), i64::from(*n)),
        Expression::Global(cell) => range(program.globals[*cell as usize].ty),
        Expression::Local(cell) => range(proctype.cells[*cell as usize].ty),
        Expression::Element(place) | Expression::RemoteCell(_, place) => range(place.ty),
        Expression::Binary(op, _) if op.is_condition() => (0, 1),
        Expression::Unary(Unary::Not, _) | Expression::Probe(..) | Expression::Poll(_) | Expression::Timeout => (0, 1),
        Expression::At(..) | Expression::Enabled(_) | Expression::NonProgress => (0, 1),
        Expression::Pid | Expression::ProcessCount | Expression::Priority(_) => range(ValueType::Unsigned(8)),
        Expression::Conditional(parts) => {
            let (a, b) = (values(&parts.1, program, proctype), values(&parts.2, program, proctype));
            (a.0.min(b.0), a.1.max(b.1))
        }
        Expression::Binary(..) | Expression::Unary(..) | Expression::Length(_) => range(ValueType::Int),
    }
}

/// Whether a receive reads what it stores: its channel, what it matches or an index of where it stores. When SPIN undoes it, it
/// reads them after they were changed.
fn reads_stored(receive: &Receive) -> bool {
    let stored =
        || receive.patterns.iter().filter_map(|pattern| if let Pattern::Store(p) = pattern { Some(p) } else { None });
    let read = |value: &Expression| stored().any(|place| reads(value, place));
    read(&receive.channel)
        || receive.patterns.iter().any(|pattern| match pattern {
            Pattern::Match(value) => read(value),
            Pattern::Store(place) => place.indices.iter().any(|index| read(&index.at)),
            Pattern::Ignore => false,
        })
}

/// Whether what is set is part of the index that says where.
fn changes_own_index(place: &Place) -> bool {
    place.indices.iter().any(|index| reads(&index.at, place))
}

/// Whether an expression may read a place of the same process.
fn reads(value: &Expression, place: &Place) -> bool {
    let cells = extent(place);
    let mut found = false;
    value.visit(&mut |value| {
        found |= match value {
            Expression::Global(cell) => !place.local && cells.contains(cell),
            Expression::Local(cell) => place.local && cells.contains(cell),
            Expression::Element(other) => {
                let others = extent(other);
                other.local == place.local && others.start < cells.end && cells.start < others.end
            }
            _ => false,
        };
    });
    found
}

/// The cells that a place may mean.
fn extent(place: &Place) -> std::ops::Range<u32> {
    let beyond: u32 = place.indices.iter().map(|index| (index.length.max(1) - 1) * index.stride).sum();
    place.offset..place.offset + beyond + 1
}

/// Whether a global variable is declared so and is also this.
fn declares(model: &Model, visibility: Visibility, is: impl Fn(&str) -> bool) -> bool {
    let declared = model.units.iter().filter_map(|unit| match unit {
        Unit::Declaration(declaration) if declaration.visibility == Some(visibility) => Some(declaration),
        _ => None,
    });
    declared.flat_map(|Declaration { variables, .. }| variables).any(|variable| is(&variable.name.text))
}

/// Whether a global cell belongs to a variable.
fn belongs(program: &Program, cell: u32, name: &str) -> bool {
    let cell = program.globals[cell as usize].name.split(['[', '.']).next();
    cell == Some(name)
}

/// Whether anybody reads a global variable.
fn is_read(program: &Program, name: &str) -> bool {
    mentions(program, |value| reads_global(program, value, name))
}

fn reads_global(program: &Program, value: &Expression, name: &str) -> bool {
    match value {
        Expression::Global(cell) => belongs(program, *cell, name),
        Expression::Element(place) => !place.local && belongs(program, place.offset, name),
        _ => false,
    }
}

/// Whether more than one process may use a global variable.
fn is_shared(program: &Program, name: &str) -> bool {
    let writes = |action: &Action| {
        let stored = |place: &Place| !place.local && belongs(program, place.offset, name);
        let received = |pattern: &Pattern| matches!(pattern, Pattern::Store(place) if stored(place));
        target(action).is_some_and(stored)
            || matches!(action, Action::Receive(receive) if receive.patterns.iter().any(received))
    };
    let uses = |proctype: &Proctype| {
        let mut found = has(proctype, |value| reads_global(program, value, name));
        actions(proctype, &mut |action| found |= writes(action));
        found
    };
    let instances = |number: u32| {
        let mut count = program.active.iter().filter(|active| **active == number).count();
        for proctype in &program.proctypes {
            // One that is started may be started again.
            actions(proctype, &mut |action| {
                count += 2 * usize::from(matches!(action, Action::Run(run) if run.proctype == number))
            });
        }
        count
    };
    let using = (0..).zip(&program.proctypes).filter(|(_, proctype)| uses(proctype));
    using.map(|(number, _)| instances(number).max(1)).sum::<usize>() > 1
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|other| other == word)
}

/// Whether an index holds another one.
fn nests_indices(text: &str) -> bool {
    let mut depth = 0;
    text.chars().any(|c| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        depth > 1
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use prequel_formats::promela;
    use prequel_program::{Claim, compile};
    use std::path::Path;

    fn names(text: &str) -> Vec<&'static str> {
        let (model, _) = promela::read("m.pml", text.as_bytes(), Path::new(""), &[]).expect("a model that is read");
        let (program, _) = compile(&model, Claim::Never).expect("a model that means something");
        Doubts::of(&model, &program).names()
    }

    #[test]
    fn a_model_is_touched_by_what_it_uses() {
        let narrow = "narrowing-receive";
        let into = "receive-into-operand";
        let cases: [(&str, &[&str]); 23] = [
            ("byte g; active proctype p() { g = 1; assert(g == 1) }", &[]),
            ("active proctype p() { byte x; x = 1 } active proctype q() { p:x == 1 }", &["remote-variable"]),
            ("active proctype p() { here: skip } active proctype q() { p@here }", &[]),
            ("active [2] proctype p() { assert(_pid < 2) }", &[]),
            ("proctype p() { _pid == 1 } init { run p(); run p() }", &["process-number"]),
            ("proctype p() { _pid == 1 } init { atomic { run p(); run p() } }", &[]),
            (
                "proctype p() { _pid == 1 } init { byte i; atomic { do :: i < 3 -> run p(); i++ :: else -> break od } }",
                &[],
            ),
            ("byte g; proctype p() { _pid == 1 } init { atomic { run p(); g == 1; run p() } }", &["process-number"]),
            ("proctype p() { _pid == 1 } init { again: atomic { run p() }; goto again }", &["process-number"]),
            ("proctype p() { skip } init { run p(); run p() }", &[]),
            ("proctype p() { skip } init { byte n; run p(); n = run p() }", &["process-number"]),
            ("active proctype p() { _nr_pr == 1 }", &["process-count"]),
            ("chan q = [1] of { byte }; active proctype p() { bit x; q!2; q?x }", &[narrow]),
            ("chan q = [1] of { byte }; active proctype p() { bit x; q!1; q!x; q!(x == 1); q?x }", &[]),
            ("chan q = [1] of { byte }; active proctype p() { bit x; q!2; q?<x>; d_step { q?x } }", &[]),
            ("chan q = [1] of { bit }; active proctype p() { bit x; byte y; q!2; q?x; q?y }", &[]),
            ("chan q[2] = [1] of { byte }; active proctype p() { byte i; q[i]!1; q[i]?i }", &[into]),
            ("chan q = [1] of { byte, byte }; active proctype p() { byte y; q!1,2; q?eval(y),y }", &[into]),
            ("chan q = [1] of { byte, byte }; byte a[3]; active proctype p() { byte i; q!1,2; q?i,a[i] }", &[into]),
            ("typedef T { byte x }; T t[2]; active proctype p() { t[t[0].x].x = 1 }", &["assignment-to-index"]),
            ("hidden byte h; byte g; active proctype p() { h = 1; g = h }", &["hidden-variable"]),
            ("hidden byte h; local byte g; active proctype p() { h = 1; g = 2 }", &[]),
            ("local byte g; active [2] proctype p() { g = 2 }", &["local-variable"]),
        ];
        for (text, expected) in cases {
            assert_eq!(names(text), expected, "{text}");
        }
    }

    #[test]
    fn words_are_suspected_of_a_text_that_nobody_reads() {
        let all = Doubts::of_words("c_code { x; } active proctype p() { q?x }");
        assert!(!all.allow_spin() && !all.allow_reduction());
        let none = Doubts::of_words("c_code { x; } active proctype p() { a[1] = 2; localised = 1 }");
        assert!(none.allow_spin() && !none.allow_reduction());
        assert!(!Doubts::of_words("hidden byte h;").allow_spin());
        assert!(!Doubts::of_words("a[b[1]] = 2").allow_spin());
    }

    #[test]
    fn what_is_done_is_said() {
        let doubts = Doubts(KNOWN.iter().collect());
        let why = doubts.reason().expect("a reason");
        assert!(why.starts_with("SPIN 6.5.2 errs on receives") && why.ends_with("(docs/spin-errors.md)"), "{why}");
        assert_eq!(Doubts::default().reason(), None);
    }
}
