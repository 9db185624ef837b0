//! What the index promises whatever is in a library and whatever a policy answers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "tests"
)]

mod chosen;
mod kept_lines;
mod printed;
mod sent;

use std::{collections::BTreeMap, sync::Arc};

use super::{Candidates, Circumstances, Programs, Style};
use crate::{
    decision::Form,
    library::{CategoryNote, Library, RootReport, parse},
    skill::{Instant, OneLine, Place, Root, Session, Skill, Standing, Usage},
    system::MemorySystem,
};

/// The time of every decision here.
const NOW: Instant = Instant(1_790_000_000);

/// A skill with a name, a category and a description.
fn skill(category: &str, name: &str, description: &str) -> Skill {
    let mut facts = parse(b"---\nname: x\n---\n");
    facts.name = Some(OneLine::new(name));
    facts.description = OneLine::some(description);
    Skill {
        name: OneLine::new(name),
        place: Place {
            root: 0,
            folder: format!("{category}/{name}"),
            file: "SKILL.md".to_owned(),
            linked_to: None,
        },
        category: OneLine::new(category),
        standing: Standing::Live,
        facts,
    }
}

/// A library of one root; notes are categories with their descriptions.
fn library(skills: Vec<Skill>, notes: &[(&str, &str)]) -> Library {
    let root = Root { path: "/skills".into(), label: OneLine::new("test"), category: None };
    let found = skills.len();
    Library {
        roots: vec![RootReport { root, resolved: Some("/skills".into()), problem: None, found }],
        skills: skills.into_iter().map(Arc::new).collect(),
        categories: notes
            .iter()
            .map(|(path, text)| CategoryNote {
                path: OneLine::new(path),
                description: OneLine::some(text),
            })
            .collect(),
        ..Library::default()
    }
}

/// The candidates of a library in a session about which nothing is known.
fn gather(library: &Library, usage: &Usage, previous: &BTreeMap<String, Form>) -> Candidates {
    let circumstances = Circumstances {
        now: NOW,
        session: &Session::default(),
        usage,
        kept: &[],
        compact: &BTreeMap::new(),
        previous,
        short: 20,
        layout: Style::default(),
        agent: None,
        home: None,
        lines: None,
    };
    Candidates::gather(library, &circumstances, &Programs::new(&MemorySystem::new()))
}
