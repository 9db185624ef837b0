//! An index is the same, whoever keeps lines from one to the next.

use std::sync::Arc;

use proptest::prelude::*;

use super::{NOW, library, skill};
use crate::{
    index::{AGENTS, Inputs, Lines, Programs},
    library::Library,
    skill::{OneLine, Skill},
    system::MemorySystem,
};

/// What happens between two indexes.
#[derive(Clone, Debug)]
enum Change {
    /// A skill says something else, and maybe calls a program.
    Says { at: usize, text: String, calls: bool },
    /// Skills come, many at once.
    Come(usize),
    /// One goes.
    Goes(usize),
    /// Short forms have another length.
    Short(usize),
    /// Programs can be looked for, or nothing is known of them.
    Path(&'static str),
    /// Another agent's index is made.
    Agent,
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        4 => (0..9_usize, "[a-z]{1,9}( [a-z]{1,9}){0,30}", any::<bool>())
            .prop_map(|(at, text, calls)| Change::Says { at, text, calls }),
        1 => (1..99_usize).prop_map(Change::Come),
        1 => (0..9_usize).prop_map(Change::Goes),
        1 => prop::sample::select(vec![10, 20, 120]).prop_map(Change::Short),
        1 => prop::sample::select(vec!["/bin", ""]).prop_map(Change::Path),
        1 => Just(Change::Agent),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn kept_lines_are_those_that_would_be_written_now(
        changes in prop::collection::vec(change(), 1..40),
    ) {
        let system = MemorySystem::new();
        system.set_variable("PATH", "/bin");
        let mut now: Library = library(vec![skill("a", "first", "Does it. Use when it is to be done.")], &[]);
        let mut inputs = Inputs { now: NOW, short: 20, ..Inputs::default() };
        let lines = Lines::default();
        for (number, change) in changes.into_iter().enumerate() {
            let mut agent = None;
            match change {
                Change::Says { at, text, calls } => {
                    let at = at % now.skills.len().max(1);
                    if let Some(skill) = now.skills.get_mut(at) {
                        let mut other = Skill::clone(skill);
                        other.facts.description = OneLine::some(&text);
                        other.facts.gates.commands = calls.then(|| "tar".to_owned()).into_iter().collect();
                        *skill = Arc::new(other);
                    }
                }
                Change::Come(count) => now.skills.extend((0..count).map(|it| {
                    Arc::new(skill("b", &format!("s{number}-{it}"), &format!("Does {it} of them, and more.")))
                })),
                Change::Goes(at) => {
                    if at < now.skills.len() {
                        now.skills.remove(at);
                    }
                }
                Change::Short(short) => inputs.short = short,
                Change::Path(path) => system.set_variable("PATH", path),
                Change::Agent => agent = AGENTS.first(),
            }
            inputs.agent = agent;
            let made = |lines| inputs.gather(&now, &Programs::new(&system), lines);
            prop_assert_eq!(made(Some(&lines)), made(None));
        }
    }
}
