//! What the user chose of single skills holds, whoever decides and whatever the limit.

use std::sync::OnceLock;

use proptest::prelude::*;

use super::{NOW, library, printed::told, skill};
use crate::{
    decision::{Form, Slot},
    index::{CharMeter, Frame, InCharge, Inputs, Kept, Made, Policies, Programs},
    laws::Law,
    library::Library,
    policy::{Builtin, Engine, LoadError, Loaded, Source},
    skill::{Choice, SkillId, UsageRecord},
    system::MemorySystem,
};

const CHOICES: [Choice; 5] =
    [Choice::Auto, Choice::Full, Choice::Name, Choice::Manual, Choice::Off];

fn kept(row: usize, choice: Choice) -> Option<Kept> {
    let id = SkillId::from_random(row as u64 + 1);
    Some(Kept {
        id,
        usage: UsageRecord::default(),
        held: false,
        put_back: false,
        choice,
        stale: None,
        previous: None,
    })
}

/// The rule that decides by default, in its sandbox.
fn ladder() -> &'static (Engine, Loaded) {
    static LADDER: OnceLock<(Engine, Loaded)> = OnceLock::new();
    LADDER.get_or_init(|| {
        let engine = Engine::new(None, None).unwrap();
        let rule = Builtin::of_slot(Slot::Budget).unwrap();
        let source = Source::Builtin(rule.name);
        let loaded = Loaded::load(&engine, source, rule.bytes, Some(Slot::Budget), &[]).unwrap();
        (engine, loaded)
    })
}

/// An index by the default rule, or by the baseline; nothing below what one line costs.
fn make(library: &Library, choices: &[Choice], limit: u32, by_rule: bool) -> Option<Made> {
    let (engine, rule) = ladder();
    let error = LoadError::OtherSlot { wanted: Slot::Budget, found: Vec::new() };
    let failed = || InCharge::Failed { name: "gone".to_owned(), error: &error };
    let budget = if by_rule { InCharge::Policy(rule) } else { failed() };
    let policies = Policies { engine, demotion: vec![failed()], budget };
    let kept = choices.iter().enumerate().map(|(row, choice)| kept(row, *choice)).collect();
    let inputs = Inputs { now: NOW, short: 20, limit, kept, ..Inputs::default() };
    inputs.make(library, &CharMeter, &policies, &Programs::new(&MemorySystem::new())).ok()
}

fn books(texts: &[(usize, String)]) -> Library {
    let skills = texts.iter().enumerate().map(|(row, (category, text))| {
        skill(["art", "books", "code"][*category], &format!("skill-{row}"), text)
    });
    library(skills.collect(), &[])
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_was_chosen_is_shown_so_and_the_block_stays_whole(
        texts in prop::collection::vec((0..3_usize, "[A-Za-z,. ]{0,90}"), 1..16),
        numbers in prop::collection::vec(0..5_usize, 16),
        limit in prop_oneof![0..2_500_u32, Just(100_000)],
        by_rule in any::<bool>(),
    ) {
        let library = books(&texts);
        let choices: Vec<Choice> =
            numbers.iter().take(texts.len()).map(|number| CHOICES[*number]).collect();
        let Some(made) = make(&library, &choices, limit, by_rule) else { return Ok(()) };
        let decided = &made.decided;
        prop_assert!(decided.block.cost <= u64::from(limit));
        prop_assert!(!by_rule || !decided.notes.iter().any(|note| note.slot == Slot::Budget && note.fallback.is_some()));
        prop_assert_eq!(told(&decided.block.text), made.candidates.entries.len());
        let without: Vec<usize> = decided
            .bites
            .iter()
            .filter(|bite| bite.law == Law::WithinLimit && bite.about.as_str() == "your choices")
            .flat_map(|bite| bite.rows.iter().map(|row| *row as usize))
            .collect();
        for (row, entry) in made.candidates.entries.iter().enumerate() {
            let form = decided.forms.row(row).unwrap().choice;
            match entry.choice {
                Choice::Full if decided.fit.frame != Frame::Count => {
                    prop_assert!(form == Form::Full || without.contains(&row), "{}", entry.name);
                }
                Choice::Name => prop_assert!(form >= Form::Name),
                _ => {}
            }
        }
        prop_assert!(limit < 100_000 || without.is_empty());
        for hidden in &made.candidates.hidden {
            let code = hidden.shut.first().unwrap().code;
            prop_assert_eq!(code, choices[hidden.skill].word());
        }
        let seen = choices.iter().filter(|it| !matches!(it, Choice::Manual | Choice::Off)).count();
        prop_assert_eq!(seen, made.candidates.entries.len());
    }
}

#[test]
fn what_is_wanted_in_full_comes_before_the_names_of_others() {
    let texts: Vec<(usize, String)> = (0..12)
        .map(|row| (row % 3, "Use when it rains and nobody can go out. ".repeat(3)))
        .collect();
    let library = books(&texts);
    let mut choices = vec![Choice::Auto; 12];
    choices[7] = Choice::Full;
    let short_of_all = make(&library, &choices, 420, true).unwrap();
    let row = short_of_all.row_of(7).unwrap();
    assert_eq!(short_of_all.form_of(7), Some(Form::Full));
    // In every other form it was free, so what the rule said of it is of no matter; the others are named or counted.
    assert!(
        short_of_all
            .decided
            .forms
            .rows
            .iter()
            .enumerate()
            .all(|(at, choice)| at == row || choice.choice >= Form::Name)
    );
    let nobody = make(&library, &[Choice::Auto; 12], 420, true).unwrap();
    assert_ne!(nobody.form_of(7), Some(Form::Full));
}
