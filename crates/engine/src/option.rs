//! What can be switched in an engine by `--engine-option NAME=VALUE`: one declaration for each option, from which the list and the way in
//! which it is set follow.

/// Something that can be switched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EngineOption {
    /// Its name.
    pub name: &'static str,
    /// What it can be: names with `|` between them, or `N` for a number.
    pub values: &'static str,
    /// What it is unless it is set.
    pub default: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
}

/// An option of an engine whose options are an `O`, and what each of its values does.
pub struct Declared<O: 'static> {
    option: EngineOption,
    set: Set<O>,
}

enum Set<O: 'static> {
    Switch(fn(&mut O, bool)),
    Number(fn(&mut O, u64)),
    /// One for each value, in the order in which they are listed.
    Choice(&'static [fn(&mut O)]),
}

impl<O> Declared<O> {
    /// Something that is `on` or `off`.
    pub const fn switch(name: &'static str, default: bool, about: &'static str, set: fn(&mut O, bool)) -> Self {
        let default = if default { "on" } else { "off" };
        Self { option: EngineOption { name, values: "on|off", default, about }, set: Set::Switch(set) }
    }

    /// A whole number.
    pub const fn number(name: &'static str, default: &'static str, about: &'static str, set: fn(&mut O, u64)) -> Self {
        Self { option: EngineOption { name, values: "N", default, about }, set: Set::Number(set) }
    }

    /// One of some names, with `|` between them; `each` says what they do, in the same order.
    pub const fn choice(
        name: &'static str,
        values: &'static str,
        default: &'static str,
        about: &'static str,
        each: &'static [fn(&mut O)],
    ) -> Self {
        Self { option: EngineOption { name, values, default, about }, set: Set::Choice(each) }
    }
}

/// The options as `prequel engines` lists them.
pub fn list<O>(declared: &[Declared<O>]) -> Vec<EngineOption> {
    declared.iter().map(|declared| declared.option).collect()
}

/// Sets one option by its name; says what is wrong with the value, if anything.
pub fn set<O>(declared: &[Declared<O>], options: &mut O, name: &str, value: &str) -> Result<(), String> {
    let found = declared.iter().find(|declared| declared.option.name == name);
    let Declared { option, set } = found.ok_or_else(|| format!("there is no option `{name}`"))?;
    let named = || option.values.split('|').position(|other| other == value);
    let unknown = || format!("`{value}` is neither {}", option.values.replace('|', " nor "));
    match set {
        Set::Switch(set) => set(options, named().ok_or_else(unknown)? == 0),
        Set::Number(set) => set(options, value.parse().map_err(|_| format!("`{value}` is no number"))?),
        Set::Choice(each) => each[named().ok_or_else(unknown)?](options),
    }
    Ok(())
}

/// Every option of a list can be set to its default, and to each of its values, of which no two do the same; nothing else can be set.
#[cfg(test)]
pub fn check_list<O>(declared: &[Declared<O>], usual: impl Fn() -> O)
where
    O: PartialEq + std::fmt::Debug,
{
    for EngineOption { name, values, default, .. } in list(declared) {
        let set_to = |value: &str| {
            let mut options = usual();
            set(declared, &mut options, name, value).unwrap();
            options
        };
        assert_eq!(set_to(default), usual(), "{name}");
        let values: Vec<&str> = if values == "N" { vec![default, "7"] } else { values.split('|').collect() };
        assert!(values.contains(&default), "{name}");
        for (at, value) in values.iter().enumerate() {
            for other in &values[..at] {
                assert_ne!(set_to(value), set_to(other), "{name}: {value} and {other}");
            }
        }
        assert!(set(declared, &mut usual(), name, "perhaps").is_err(), "{name}");
    }
    assert!(set(declared, &mut usual(), "speed", "on").is_err());
}
