//! What can be switched in an engine by `--engine-option NAME=VALUE`, and values as they are written there.

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

/// `on` or `off`.
pub fn switch(value: &str) -> Result<bool, String> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(format!("`{value}` is neither on nor off")),
    }
}

/// A whole number.
pub fn number(value: &str) -> Result<u64, String> {
    value.parse().map_err(|_| format!("`{value}` is no number"))
}

/// Every option of a list can be set to its default, and to something else that differs; nothing else can be set.
#[cfg(test)]
pub fn check_list<O>(options: &[EngineOption], set: impl Fn(&mut O, &str, &str) -> Result<(), String>)
where
    O: Default + PartialEq + std::fmt::Debug,
{
    for option in options {
        let name = option.name;
        let mut changed = O::default();
        set(&mut changed, name, option.default).unwrap();
        assert_eq!(changed, O::default(), "{name}");
        let other = match option.values {
            "N" => "7",
            values => values.split('|').find(|&value| value != option.default).expect("another value"),
        };
        set(&mut changed, name, other).unwrap();
        assert_ne!(changed, O::default(), "{name}");
        set(&mut changed, name, option.default).unwrap();
        assert_eq!(changed, O::default(), "{name}");
        assert!(set(&mut changed, name, "perhaps").is_err(), "{name}");
    }
    assert!(set(&mut O::default(), "speed", "on").is_err());
}
