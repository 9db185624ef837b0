//! Which skill a folder is: a table of what happens between two scans, and laws.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{Found, Known, Matched, Sketch, match_up};
use crate::{
    ledger::{Digest, RootId},
    skill::SkillId,
};

const ROOT: RootId = RootId(1);

/// `folder name inode text`: the text's first word is what it is like, all of it what it is.
fn found(row: &str) -> Found {
    let parts: Vec<&str> = row.split(' ').collect();
    Found {
        root: ROOT,
        folder: parts[0].to_owned(),
        name: parts[1].to_owned(),
        category: "general".to_owned(),
        device: 1,
        inode: parts[2].parse().unwrap(),
        digest: Some(Digest::of(parts[3].as_bytes())),
        sketch: Some(Sketch::of(parts[3].split('.').next().unwrap())),
    }
}

fn known(number: u64, row: &str) -> Known {
    let row_of = found(row.trim_start_matches('-'));
    Known {
        id: SkillId::from_random(number),
        in_place: !row.starts_with('-'),
        root: ROOT,
        folder: row_of.folder,
        name: row_of.name,
        inode: Some((1, row_of.inode)),
        digest: row_of.digest,
        sketch: row_of.sketch,
    }
}

fn matched(before: &[&str], after: &[&str]) -> Matched {
    let known: Vec<Known> = (1..).zip(before).map(|(number, row)| known(number, row)).collect();
    let found: Vec<Found> = after.iter().map(|row| found(row)).collect();
    match_up(&known, &found, &BTreeSet::from([ROOT]))
}

/// `1m 2c new | gone 3`: each folder's skill, moved, changed or back.
fn told(matched: &Matched, rows: usize) -> String {
    let folder = |at: usize| {
        let Some(id) = matched.same.get(&at) else { return "new".to_owned() };
        let mut told = id.to_number().to_string();
        for (mark, holds) in [
            ("m", matched.moved.contains_key(id)),
            ("c", matched.changed.contains_key(id)),
            ("b", matched.back.contains(id)),
        ] {
            if holds {
                told.push_str(mark);
            }
        }
        told
    };
    let gone = matched.gone.iter().map(|id| format!("gone {}", id.to_number()));
    (0..rows).map(folder).chain(gone).collect::<Vec<_>>().join(" ")
}

#[test]
fn evidence_decides_which_skill_a_folder_is() {
    let rows: &[(&str, &[&str], &[&str], &str)] = &[
        ("untouched", &["a a 1 x"], &["a a 1 x"], "1"),
        ("edited in place", &["a a 1 x"], &["a a 1 y"], "1c"),
        ("its folder made anew, same text", &["a a 1 x"], &["a a 2 x"], "1"),
        ("its folder made anew, edited", &["a a 1 x"], &["a b 2 x.2"], "1c"),
        ("its folder made anew, another text", &["a a 1 x"], &["a a 2 y"], "new gone 1"),
        ("renamed folder", &["a a 1 x"], &["b a 1 x"], "1m"),
        ("renamed folder and name", &["a a 1 x"], &["b b 1 x.2"], "1mc"),
        ("moved across devices", &["a a 1 x"], &["b/a a 2 x"], "1m"),
        ("an inode given out again", &["a a 1 x"], &["b b 1 y"], "new gone 1"),
        ("gone", &["a a 1 x"], &[], "gone 1"),
        ("back with its content", &["-a a 1 x"], &["a a 2 x"], "1b"),
        ("back elsewhere", &["-a a 1 x"], &["b a 2 x"], "1mb"),
        ("a name used again", &["-a a 1 x"], &["a a 1 y"], "new"),
        ("a name used again, edited text", &["-a a 1 x"], &["a a 1 x.2"], "new"),
        ("a copy", &["a a 1 x"], &["a a 1 x", "b a 2 x"], "1 new"),
        ("a copy, the first one edited", &["a a 1 x"], &["a a 1 y", "b a 2 x"], "1c new"),
        ("moved, and copied back", &["a a 1 x"], &["a a 2 x", "b a 1 x"], "1 new"),
        ("moved, and another one in its place", &["a a 1 x"], &["a a 2 y", "b a 1 x"], "new 1m"),
        ("two copies, the first one gone", &["a a 1 x"], &["b a 2 x", "c a 3 x"], "new new gone 1"),
        ("two copies, one by its inode", &["a a 1 x"], &["b a 1 x", "c a 3 x"], "1m new"),
        ("swapped", &["a a 1 x", "b b 2 y"], &["a b 2 y", "b a 1 x"], "2m 1m"),
        ("twins, one moved", &["a a 1 x", "b b 2 x"], &["a a 1 x", "c b 3 x"], "1 2m"),
        (
            "twins, both moved",
            &["a a 1 x", "b b 2 x"],
            &["c a 3 x", "d b 4 x"],
            "new new gone 1 gone 2",
        ),
        ("two that are gone could be it", &["-a a 1 x", "-b b 2 x"], &["c a 3 x"], "new"),
    ];
    for (name, before, after, expected) in rows {
        assert_eq!(told(&matched(before, after), after.len()), *expected, "{name}");
    }
}

#[test]
fn without_texts_a_skill_that_never_left_its_place_keeps_its_id_by_name() {
    let mut before = known(1, "a a 1 x");
    before.sketch = None;
    let roots = BTreeSet::from([ROOT]);
    let after = found("a a 2 y");
    assert_eq!(told(&match_up(&[before.clone()], &[after], &roots), 1), "1c");
    let other = found("a b 2 y");
    assert_eq!(told(&match_up(&[before], &[other], &roots), 1), "new gone 1");
}

#[test]
fn a_root_that_was_not_looked_at_loses_nothing() {
    let before = known(1, "a a 1 x");
    let elsewhere = Found { root: RootId(2), ..found("a a 9 x") };
    let matched = match_up(&[before], &[elsewhere], &BTreeSet::from([RootId(2)]));
    assert_eq!(told(&matched, 1), "new");
}

#[test]
fn an_edit_is_near_and_another_text_is_not() {
    let text = "When asked to commit, look at the diff first, write a subject in the imperative, and say why.";
    let edit = "When asked to commit, look at the diff first, write a subject in the imperative mood, and say what for.";
    let other = "Draws a chart from a table: picks the kind by the number of columns, and labels both axes.";
    let [text, edit, other] = [text, edit, other].map(Sketch::of);
    assert!(text.is_near(&text) && text.is_near(&edit) && edit.is_near(&text));
    assert!(!text.is_near(&other));
}

fn rows() -> impl Strategy<Value = Vec<(u8, u8, u8, u8)>> {
    prop::collection::vec((0..6_u8, 0..3_u8, 0..8_u8, 0..4_u8), 0..8)
}

fn row((folder, name, inode, text): (u8, u8, u8, u8)) -> String {
    format!("f{folder} n{name} {inode} t{text}.{}", inode % 2)
}

proptest! {
    #[test]
    fn no_id_is_given_twice_none_vanishes_and_order_is_irrelevant(
        before in rows(),
        away in prop::collection::vec(any::<bool>(), 8),
        after in rows(),
        turn in 0..8_usize,
    ) {
        let known: Vec<Known> = (1..).zip(&before).zip(&away).map(|((number, it), away)| Known {
            in_place: !away,
            ..known(number, &row(*it))
        }).collect();
        let found: Vec<Found> = after.iter().map(|it| found(&row(*it))).collect();
        // One folder, one row, as file systems have it.
        let mut spots = BTreeSet::new();
        let found: Vec<Found> = found.into_iter().filter(|it| spots.insert(it.folder.clone())).collect();
        let mut spots = BTreeSet::new();
        let known: Vec<Known> = known.into_iter()
            .filter(|it| !it.in_place || spots.insert(it.folder.clone()))
            .collect();
        let roots = BTreeSet::from([ROOT]);
        let matched = match_up(&known, &found, &roots);

        let ids: BTreeSet<SkillId> = matched.same.values().copied().collect();
        prop_assert_eq!(ids.len(), matched.same.len());
        prop_assert_eq!(matched.same.len() + matched.new.len(), found.len());
        for it in known.iter().filter(|it| it.in_place) {
            prop_assert!(ids.contains(&it.id) != matched.gone.contains(&it.id));
        }

        let mut turned_known = known.clone();
        turned_known.reverse();
        let mut turned = found.clone();
        turned.rotate_left(turn.min(found.len()));
        let again = match_up(&turned_known, &turned, &roots);
        let by_folder = |matched: &Matched, found: &[Found]| -> BTreeMap<String, SkillId> {
            matched.same.iter().map(|(at, id)| (found[*at].folder.clone(), *id)).collect()
        };
        prop_assert_eq!(by_folder(&matched, &found), by_folder(&again, &turned));
    }

    #[test]
    fn renames_of_different_skills_lose_none(names in prop::collection::btree_set("[a-z]{1,3}", 1..8), turn in 0..8_usize) {
        let names: Vec<String> = names.into_iter().collect();
        let mut renamed = names.clone();
        renamed.rotate_left(turn % names.len());
        let line = |folder: &str, at: usize, inode: usize| format!("{folder} n{at} {inode} text{at}");
        let known: Vec<Known> = names.iter().enumerate()
            .map(|(at, name)| known(at as u64 + 1, &line(name, at, at)))
            .collect();
        for other in [0, 100] {
            let found: Vec<Found> = renamed.iter().enumerate()
                .map(|(at, name)| found(&line(name, at, at + other)))
                .collect();
            let matched = match_up(&known, &found, &BTreeSet::from([ROOT]));
            let expected: BTreeMap<usize, SkillId> =
                known.iter().enumerate().map(|(at, it)| (at, it.id)).collect();
            prop_assert_eq!(matched.same, expected);
        }
    }
}
