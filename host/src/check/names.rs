//! Names that mean more than one thing: squeezed into a command they are another skill's, or somebody keeps them. Equal
//! names are the library's own finding.

use std::collections::BTreeMap;

use super::{Look, finding::Draft, rule::Rule};

/// Commands that agents have built in: a skill of that name can't be called by it.
const COMMANDS: [&str; 26] = [
    "agents",
    "clear",
    "compact",
    "config",
    "context",
    "cost",
    "doctor",
    "exit",
    "export",
    "help",
    "hooks",
    "init",
    "login",
    "logout",
    "mcp",
    "memory",
    "model",
    "permissions",
    "plan",
    "quit",
    "resume",
    "review",
    "skills",
    "status",
    "tools",
    "usage",
];

/// Names that Windows keeps for devices.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];

/// What is wrong with the names of live skills.
pub(super) fn judge(looks: &[Look<'_>], found: &mut Vec<Draft>) {
    let mut squeezed_names: BTreeMap<String, Vec<&Look<'_>>> = BTreeMap::new();
    for look in looks.iter().filter(|look| look.skill.is_live()) {
        let name = look.name();
        let squeezed = squeezed(name);
        if let Some(cause) = reserved(&squeezed) {
            found.push(
                Draft::new(look.row, Rule::ReservedName, look.line_of("name"), &cause)
                    .field("name"),
            );
        }
        if !squeezed.is_empty() {
            squeezed_names.entry(squeezed).or_default().push(look);
        }
    }
    for (command, looks) in &squeezed_names {
        // Skills of one name in several categories are told apart by these; only names that differ surprise anybody.
        let Some(first) = looks.first() else { continue };
        let Some(second) = looks.iter().find(|look| look.name() != first.name()) else { continue };
        for look in looks {
            let other = if look.name() == first.name() { second } else { first };
            let cause = format!("as a command it is `/{command}`, and so is `{}`", other.name());
            let draft = Draft::new(look.row, Rule::CommandClash, look.line_of("name"), &cause);
            found.push(draft.field("name"));
        }
    }
}

/// A name as agents make a command of it: lower case, letters and digits with single hyphens between them.
fn squeezed(name: &str) -> String {
    use unicode_normalization::UnicodeNormalization as _;
    let plain: String = name.nfkc().flat_map(char::to_lowercase).collect();
    let parts = plain.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("-")
}

fn reserved(name: &str) -> Option<String> {
    if COMMANDS.contains(&name) {
        return Some(format!("`/{name}` is a command of agents themselves"));
    }
    let numbered = |device: &str| {
        name.strip_prefix(device).is_some_and(|rest| matches!(rest.as_bytes(), [b'1'..=b'9']))
    };
    (DEVICES.contains(&name) || numbered("com") || numbered("lpt"))
        .then(|| format!("Windows can't make a folder `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_squeezed_as_commands_are() {
        for (name, command) in [
            ("__lessons", "lessons"),
            ("Lessons", "lessons"),
            ("a_b.c", "a-b-c"),
            ("cafe\u{301}", "café"),
            ("ＡＢ", "ab"),
            ("---", ""),
        ] {
            assert_eq!(squeezed(name), command, "{name}");
        }
    }

    #[test]
    fn names_that_others_keep_are_known() {
        for (name, kept) in [
            ("plan", true),
            ("planning", false),
            ("con", true),
            ("com7", true),
            ("com10", false),
            ("comfy", false),
        ] {
            assert_eq!(reserved(name).is_some(), kept, "{name}");
        }
    }
}
