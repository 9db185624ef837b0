//! The components that come with the host.

use crate::decision::Slot;

/// A component that is part of the program.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// Its name, as `policy show` takes it.
    pub name: &'static str,
    /// The slot that it decides in; the first of a slot is its default.
    pub slot: Slot,
    /// The component.
    pub bytes: &'static [u8],
}

macro_rules! builtin {
    ($name:literal, $slot:ident) => {
        Builtin {
            name: $name,
            slot: Slot::$slot,
            bytes: include_bytes!(concat!("../../../policies/dist/", $name, ".wasm")),
        }
    };
}

/// All of them. They are built from `policies/` and committed beside a manifest of their sources.
pub const BUILTINS: [Builtin; 10] = [
    builtin!("demotion-toolset", Demotion),
    builtin!("budget-ladder", Budget),
    builtin!("budget-progressive", Budget),
    builtin!("budget-claude-code", Budget),
    builtin!("budget-codex", Budget),
    builtin!("budget-openclaw", Budget),
    builtin!("budget-hermes", Budget),
    builtin!("provenance-declared", Provenance),
    builtin!("provenance-open", Provenance),
    builtin!("provenance-strict", Provenance),
];

impl Builtin {
    /// The default of a slot, if it has one yet.
    #[must_use]
    pub fn of_slot(slot: Slot) -> Option<Builtin> {
        BUILTINS.into_iter().find(|builtin| builtin.slot == slot)
    }

    /// The policy of that name.
    #[must_use]
    pub fn named(name: &str) -> Option<Builtin> {
        let name = name.strip_prefix("builtin:").unwrap_or(name);
        BUILTINS.into_iter().find(|builtin| builtin.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::BUILTINS;
    use crate::policy::inspect::{Code, digest, inspect, read};

    #[test]
    fn what_is_trusted_would_pass_the_check() {
        for builtin in BUILTINS {
            assert_eq!(
                read(builtin.bytes, digest(builtin.bytes), Code::Trusted),
                inspect(builtin.bytes),
                "{}",
                builtin.name
            );
        }
    }
}
