//! Scans written down, one after the other; names to ids.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use std::collections::BTreeSet;

use super::Meant;
use crate::{
    ledger::{Digest, Found, Kind, Ledger, RootId, Settled, tests},
    skill::{Instant, SkillId, State},
};

struct World {
    ledger: Ledger,
    root: RootId,
    next: u64,
}

impl World {
    fn new() -> World {
        let ledger = Ledger::in_memory().unwrap();
        let root = ledger.add_root(&tests::root("/skills")).unwrap();
        World { ledger, root, next: 0 }
    }

    /// Rows of `folder inode text`; a folder's last part is the name.
    fn scan(&mut self, rows: &[(&str, u64, &str)]) -> Settled {
        let found: Vec<Found> = rows
            .iter()
            .map(|(folder, inode, text)| Found {
                root: self.root,
                folder: (*folder).to_owned(),
                name: folder.rsplit('/').next().unwrap().to_owned(),
                category: "general".to_owned(),
                device: 1,
                inode: *inode,
                digest: Some(Digest::of(text.as_bytes())),
                sketch: None,
            })
            .collect();
        let roots = BTreeSet::from([self.root]);
        self.ledger
            .settle(&roots, &found, Instant(5), &mut || {
                self.next += 1;
                self.next
            })
            .unwrap()
    }

    fn meant(&self, word: &str) -> Meant {
        self.ledger.meant(word).unwrap()
    }
}

#[test]
fn a_renamed_skill_keeps_its_id_its_counts_and_answers_to_its_former_name() {
    let mut world = World::new();
    let id = world.scan(&[("git/commit", 1, "x")]).ids[0];
    world.ledger.record(&[tests::event(1, Kind::Use, 3)]).unwrap();
    let settled = world.scan(&[("git/ship", 1, "x")]);
    assert_eq!(settled.ids, [id]);
    assert_eq!(settled.matched.moved.len(), 1);
    for word in ["ship", "git/ship", "general/ship", "commit", "git/commit", &id.to_string()] {
        assert_eq!(world.meant(word), Meant::One(id), "{word}");
    }
    assert_eq!(world.meant("push"), Meant::None);
    assert_eq!(world.ledger.usage().unwrap()[&id].uses, 1);
}

#[test]
fn a_name_that_is_used_again_is_a_new_skill_and_the_old_one_an_orphan() {
    let mut world = World::new();
    let first = world.scan(&[("a", 1, "x")]).ids[0];
    world.ledger.record(&[tests::event(1, Kind::Use, 3)]).unwrap();
    assert_eq!(world.scan(&[]).matched.gone, BTreeSet::from([first]));
    assert_eq!(world.meant("a"), Meant::One(first));
    let second = world.scan(&[("a", 1, "y")]).ids[0];
    assert_ne!(first, second);
    assert_eq!(world.meant("a"), Meant::One(second));
    let orphans: Vec<SkillId> = world.ledger.orphans().unwrap().iter().map(|it| it.id).collect();
    assert_eq!(orphans, [first]);
    let usage = world.ledger.usage().unwrap();
    assert_eq!(usage.len(), 1);
    assert_eq!(usage[&second].uses, 0);
}

#[test]
fn two_skills_of_one_name_are_told_and_not_guessed() {
    let mut world = World::new();
    let ids = world.scan(&[("git/a", 1, "x"), ("web/a", 2, "y")]).ids;
    assert_eq!(world.meant("a"), Meant::Many(ids.clone()));
    assert_eq!(world.meant("web/a"), Meant::One(ids[1]));
}

#[test]
fn skills_that_change_places_and_a_newcomer_are_written_in_one_go() {
    let mut world = World::new();
    let before = world.scan(&[("a", 1, "x"), ("b", 2, "y")]).ids;
    let after = world.scan(&[("b", 1, "x"), ("c", 2, "y"), ("a", 3, "z")]).ids;
    assert_eq!(after[..2], before);
    let places: Vec<(String, State)> =
        world.ledger.skills().unwrap().into_iter().map(|it| (it.folder, it.state)).collect();
    let active = |folder: &str| (folder.to_owned(), State::Active);
    assert_eq!(places, [active("b"), active("c"), active("a")]);
    assert_eq!(world.scan(&[("b", 1, "x"), ("c", 2, "y"), ("a", 3, "z")]).ids, after);
}

#[test]
fn pins_are_those_of_the_root() {
    let mut world = World::new();
    let ids = world.scan(&[("a", 1, "x"), ("b", 2, "y")]).ids;
    for pinned in [BTreeSet::from([ids[0]]), BTreeSet::from([ids[1]])] {
        world.ledger.take_pins(world.root, &pinned).unwrap();
        let skills = world.ledger.skills().unwrap();
        let found: BTreeSet<SkillId> =
            skills.into_iter().filter(|it| it.pinned).map(|it| it.id).collect();
        assert_eq!(found, pinned);
    }
}
