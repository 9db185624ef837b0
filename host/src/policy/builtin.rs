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
    /// Its SHA-256, in hexadecimal.
    pub digest: &'static str,
}

macro_rules! builtin {
    ($name:literal, $slot:ident) => {
        Builtin {
            name: $name,
            slot: Slot::$slot,
            bytes: include_bytes!(concat!("../../../policies/dist/", $name, ".wasm")),
            digest: digest_of(concat!("name = \"", $name, "\"")),
        }
    };
}

/// All of them. They are built from `policies/` and committed beside a manifest of their sources. One
/// static, so that each has one place in the program and is known by it.
pub static BUILTINS: [Builtin; 14] = [
    builtin!("demotion-toolset", Demotion),
    builtin!("budget-ladder", Budget),
    builtin!("budget-progressive", Budget),
    builtin!("budget-claude-code", Budget),
    builtin!("budget-codex", Budget),
    builtin!("budget-openclaw", Budget),
    builtin!("budget-hermes", Budget),
    builtin!("curator-inactivity", Curator),
    builtin!("curator-outcome", Curator),
    builtin!("curator-decay", Curator),
    builtin!("curator-negative", Curator),
    builtin!("provenance-declared", Provenance),
    builtin!("provenance-open", Provenance),
    builtin!("provenance-strict", Provenance),
];

/// What they were built from and what came of it.
const MANIFEST: &str = include_str!("../../../policies/dist/manifest.toml");

/// The digest that the manifest has for a component: reckoning it anew takes a good part of the time of loading one.
const fn digest_of(entry: &str) -> &'static str {
    after(after(MANIFEST, entry), "sha256 = \"").split_at(64).0
}

/// What stands behind the first place where a text has another. Where there is none, this doesn't compile.
const fn after(text: &'static str, what: &str) -> &'static str {
    let mut rest = text;
    while !begins(rest, what) {
        rest = rest.split_at(1).1;
    }
    rest.split_at(what.len()).1
}

/// `starts_with`, which is not `const`.
const fn begins(text: &str, with: &str) -> bool {
    let (mut text, mut with) = (text.as_bytes(), with.as_bytes());
    while let [wanted, others @ ..] = with {
        match text {
            [first, rest @ ..] if *first == *wanted => (text, with) = (rest, others),
            _ => return false,
        }
    }
    true
}

impl Builtin {
    /// The one that has these very bytes: not others like them, but those that are part of the program.
    pub(super) fn of_bytes(bytes: &[u8]) -> Option<Builtin> {
        BUILTINS.into_iter().find(|builtin| std::ptr::eq(builtin.bytes, bytes))
    }

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
    use super::{BUILTINS, Builtin};
    use crate::policy::inspect::{Code, digest, inspect, read};

    #[test]
    fn each_has_the_digest_of_its_bytes_and_no_copy_has_it_by_its_place() {
        for builtin in BUILTINS {
            assert_eq!(builtin.digest, digest(builtin.bytes), "{}", builtin.name);
            let found = Builtin::of_bytes(builtin.bytes).map(|found| found.name);
            assert_eq!(found, Some(builtin.name));
            let copy = builtin.bytes.to_vec();
            assert!(Builtin::of_bytes(&copy).is_none());
        }
    }

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
