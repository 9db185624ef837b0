//! Headers whose demands shut everybody out. It knows what is demanded, and no session.

use super::{finding::Draft, page::Page, rule::Rule};
use crate::skill::{Gates, Skill};

/// What is wrong with a skill's gates.
pub(super) fn judge(row: usize, skill: &Skill, page: &Page, found: &mut Vec<Draft>) {
    let gates = &skill.facts.gates;
    let line = |key: &str| {
        let field = page.header.field(key).or_else(|| page.header.field("metadata"));
        field.map_or(1, |field| field.line)
    };
    for (needs, instead, needed, stood_for) in [
        (
            "requires_toolsets",
            "fallback_for_toolsets",
            &gates.requires_toolsets,
            &gates.fallback_for_toolsets,
        ),
        ("requires_tools", "fallback_for_tools", &gates.requires_tools, &gates.fallback_for_tools),
    ] {
        if let Some(both) = needed.iter().find(|word| stood_for.contains(word)) {
            let cause =
                format!("`{needs}` demands `{both}`, and `{instead}` demands that it is not there");
            found.push(Draft::new(row, Rule::NeverShown, line(needs), &cause).field(needs));
        }
    }
    let field = page.header.field("user-invocable");
    let barred = field.and_then(|field| field.text.as_ref());
    if gates.manual
        && let (Some(field), Some(word)) = (field, barred)
        && matches!(word.as_str().to_lowercase().as_str(), "false" | "no" | "off")
    {
        let cause =
            "`disable-model-invocation` keeps it from the model, and `user-invocable` from people";
        found.push(Draft::new(row, Rule::NeverShown, field.line, cause).field("user-invocable"));
    }
    if !gates.platforms.is_empty()
        && !gates.platforms.iter().any(|word| Gates::knows_platform(word))
    {
        let cause = format!("{} is no platform", list(&gates.platforms));
        found.push(
            Draft::new(row, Rule::UnknownPlatform, line("platforms"), &cause).field("platforms"),
        );
    }
    let unknown: Vec<String> =
        gates.environments.iter().filter(|word| !Gates::knows_environment(word)).cloned().collect();
    if !unknown.is_empty() {
        let cause = format!("nobody knows {}, so the field demands nothing", list(&unknown));
        found.push(
            Draft::new(row, Rule::UnknownEnvironment, line("environments"), &cause)
                .field("environments"),
        );
    }
}

fn list(words: &[String]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        library::parse,
        skill::{OneLine, Place, Standing},
    };

    #[test]
    fn demands_that_exclude_each_other_are_found_and_others_are_left_alone() {
        for (header, found) in [
            ("platforms: [macos, linux]\n", vec![]),
            ("platforms: [plan9, linux]\n", vec![]),
            ("platforms: [plan9, beos]\n", vec![(Rule::UnknownPlatform, 3)]),
            ("platforms: [darwin]\n", vec![]),
            ("environments: [docker]\n", vec![]),
            ("environments: [docker, moon]\n", vec![(Rule::UnknownEnvironment, 3)]),
            (
                "license: MIT\ndisable-model-invocation: true\nuser-invocable: false\n",
                vec![(Rule::NeverShown, 5)],
            ),
            ("disable-model-invocation: true\n", vec![]),
            ("user-invocable: false\n", vec![]),
            (
                "metadata:\n  hermes:\n    requires_tools: [a, b]\n    fallback_for_tools: [b]\n",
                vec![(Rule::NeverShown, 3)],
            ),
            ("requires_toolsets: web\nfallback_for_toolsets: web\n", vec![(Rule::NeverShown, 3)]),
            ("requires_toolsets: web\nfallback_for_tools: web\n", vec![]),
        ] {
            let file = format!("---\nname: x\n{header}---\nbody\n");
            let place = Place {
                root: 0,
                folder: "x".to_owned(),
                file: "SKILL.md".to_owned(),
                linked_to: None,
            };
            let (name, category) = (OneLine::new("x"), OneLine::new("general"));
            let facts = parse(file.as_bytes());
            let skill = Skill { facts, name, place, category, standing: Standing::Live };
            let mut drafts = Vec::new();
            judge(0, &skill, &Page::of(file.as_bytes()), &mut drafts);
            let rules: Vec<_> = drafts.iter().map(|draft| (draft.rule, draft.line)).collect();
            assert_eq!(rules, found, "{header}");
        }
    }
}
