//! The states and transitions of each proctype as SPIN numbers them, which only SPIN knows: read from `pan -d`, and laid beside
//! the automata of our own program, which has the same states and offers the same transitions in the same order.

use prequel_program::{Action, Expression, Proctype, Program, Transition};

/// A transition as SPIN numbers it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// Its state.
    pub from: u32,
    /// The next state; 0 where the process ends.
    pub to: u32,
    /// What a trail calls it.
    pub id: u32,
}

/// What a table is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A proctype of this name, or `:init:`.
    Process(String),
    /// The `never` claim or formula of this name.
    Claim(String),
    /// `trace` or `notrace`.
    Other,
}

/// All transitions of a proctype, those of the first state first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    /// Whose.
    pub kind: Kind,
    /// In the order in which they are tried.
    pub rows: Vec<Row>,
}

/// Stands for a transition that cannot be taken and that SPIN does not number.
const NO_ROW: u32 = u32::MAX;

/// Reads what `pan -d` prints: the tables of all proctypes, in the order of SPIN's numbers for them.
pub fn read(text: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    for line in text.lines() {
        let kind = match line.split_once(' ') {
            _ if line.starts_with('\t') => None,
            None if line == "init" => Some(Kind::Process(":init:".into())),
            Some(("proctype", name)) => Some(Kind::Process(name.trim().into())),
            Some(("claim", name)) => Some(Kind::Claim(name.trim().into())),
            Some(("trace" | "notrace", "assertion")) => Some(Kind::Other),
            _ => None,
        };
        if let Some(kind) = kind {
            tables.push(Table { kind, rows: Vec::new() });
        } else if let (Some(table), Some(row)) = (tables.last_mut(), row(line)) {
            table.rows.push(row);
        }
    }
    tables
}

/// `state   7 -(tr  12)-> state   2  [id   0 tp   2] [----L] m.pml:7 => ((x<3))`
fn row(line: &str) -> Option<Row> {
    let (from, rest) = line.strip_prefix("\tstate")?.split_once(" -(tr")?;
    let (to, rest) = rest.split_once(")-> state")?.1.split_once("[id")?;
    let id = rest.trim_start().split([' ', ']']).next()?;
    Some(Row { from: from.trim().parse().ok()?, to: to.trim().parse().ok()?, id: id.parse().ok()? })
}

/// SPIN's numbers for one proctype of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Numbered {
    /// Its number among the proctypes.
    pub proctype: usize,
    /// Of each state.
    pub states: Vec<u32>,
    /// Of each transition of each state.
    pub transitions: Vec<Vec<u32>>,
}

/// SPIN's numbers for the proctypes of a program, each where its automaton is the one that SPIN has. `claim` is what SPIN calls
/// the claim of the program.
pub fn number(program: &Program, tables: &[Table], claim: Option<&str>) -> Vec<Result<Numbered, String>> {
    let of = |(number, proctype): (usize, &Proctype)| {
        let is_claim = program.claim == Some(number as u32);
        let fits = |table: &Table| match &table.kind {
            Kind::Process(name) => !is_claim && **name == *proctype.name,
            Kind::Claim(name) => is_claim && claim == Some(name),
            Kind::Other => false,
        };
        let at = tables.iter().position(fits).ok_or_else(|| format!("SPIN has no table of `{}`", proctype.name))?;
        align(proctype, &tables[at].rows, at).map_err(|state| {
            format!("SPIN's table of `{}` is another one than ours in its state {state}", proctype.name)
        })
    };
    program.proctypes.iter().enumerate().map(of).collect()
}

/// Walks through both automata side by side; fails with SPIN's number of a state that differs.
fn align(proctype: &Proctype, rows: &[Row], number: usize) -> Result<Numbered, u32> {
    let count = proctype.states.len();
    let mut states = vec![None; count];
    let mut transitions = vec![Vec::new(); count];
    let first = rows.first().ok_or(0u32)?.from;
    states[0] = Some(first);
    let mut open = vec![0];
    while let Some(state) = open.pop() {
        let from = states[state].expect("it was numbered when it was put there");
        let own = &proctype.states[state].transitions;
        // An option that is `false` for ever has no row; a statement on its own has one.
        let all = rows.iter().filter(|row| row.from == from).count() == own.len();
        let never = |transition: &Transition| transition.action == Action::Condition(Expression::Number(0));
        let mut theirs = rows.iter().filter(|row| row.from == from);
        for transition in own {
            if !all && never(transition) {
                transitions[state].push(NO_ROW);
                continue;
            }
            let row = theirs.next().ok_or(from)?;
            transitions[state].push(row.id);
            match transition.target.map(|target| target as usize) {
                None if row.to == 0 => {}
                Some(target) if states[target] == Some(row.to) => {}
                Some(target) if states[target].is_none() && row.to != 0 => {
                    states[target] = Some(row.to);
                    open.push(target);
                }
                _ => return Err(from),
            }
        }
        if theirs.next().is_some() {
            return Err(from);
        }
    }
    // What can be reached has a number now.
    let states = states.into_iter().map(|state| state.unwrap_or(0)).collect();
    Ok(Numbered { proctype: number, states, transitions })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
proctype A
\tstate   7 -(tr  12)-> state   2  [id   0 tp   2] [----L] m.pml:7 => ((x<3))
\tstate   7 -(tr   2)-> state   0  [id   4 tp   2] [----L] m.pml:7 => else
\tstate   2 -(tr  22)-> state   7  [id  30 tp 2,3 org  31] [----G] m.pml:13 => printf('state 1 -(tr 2)-> state 3 [id 4]\\\\n')
init
\tstate   1 -(tr   6)-> state   0  [id  36 tp 3500] [--e-G] m.pml:18 => -end-
claim p1
\tstate   6 -(tr   3)-> state   6  [id  46 tp   2] [A---G] m.pml:3 => (!((g<5)))

Transition Type: A=atomic; D=d_step; L=local; G=global
pan: elapsed time 1.72e+07 seconds
";

    #[test]
    fn tables_have_names_and_rows() {
        let row = |from, to, id| Row { from, to, id };
        let tables = read(TEXT);
        assert_eq!(tables.len(), 3);
        assert_eq!(tables[0].kind, Kind::Process("A".into()));
        assert_eq!(tables[0].rows, [row(7, 2, 0), row(7, 0, 4), row(2, 7, 30)]);
        assert_eq!((&tables[1].kind, &*tables[1].rows), (&Kind::Process(":init:".into()), &[row(1, 0, 36)][..]));
        assert_eq!((&tables[2].kind, &*tables[2].rows), (&Kind::Claim("p1".into()), &[row(6, 6, 46)][..]));
    }
}
