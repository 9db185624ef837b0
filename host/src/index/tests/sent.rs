//! What a policy is sent is what the dictionary says: keys, places, types, and which rows have a value.

use std::collections::{BTreeMap, BTreeSet};

use super::{NOW, gather, library, skill};
use crate::{
    decision::{
        Column, Context, FACTS, Form, Known, Place, Prices, Slot, Table, Unit, ValueType, Values,
    },
    index::{
        Candidates, CharMeter, Style,
        prices::price,
        snapshot::{Costs, Frame, budget_request, demotion_request},
    },
    library::scan,
    skill::{Instant, OneLine, Root, Session, Usage, UsageRecord},
    system::OsSystem,
};

type Sent = BTreeSet<(&'static str, &'static str, &'static str, &'static str)>;

fn place(place: Place) -> &'static str {
    match place {
        Place::Skills => "skills",
        Place::Categories => "categories",
        Place::Context => "context",
        Place::Write => "write",
    }
}

fn word(known: Known) -> &'static str {
    match known {
        Known::All => "all",
        Known::Some => "known",
    }
}

/// What the dictionary says that a slot is sent.
fn promised(slot: Slot) -> Sent {
    FACTS
        .iter()
        .filter(|fact| fact.slots.contains(&slot))
        .map(|fact| (fact.key, place(fact.place), fact.value_type.word(), word(fact.known)))
        .collect()
}

fn columns(table: &Table, of: Place, sent: &mut Sent) {
    for Column { key, rows, values } in &table.columns {
        match rows {
            None => {
                assert_eq!(values.len(), table.len as usize, "`{key}` has a value for every row")
            }
            Some(rows) => {
                assert_eq!(values.len(), rows.len(), "`{key}` has a value for each of its rows");
                assert!(
                    rows.is_sorted_by(|a, b| a < b) && rows.iter().all(|row| *row < table.len),
                    "`{key}`: {rows:?}"
                );
            }
        }
        let known = if rows.is_none() { Known::All } else { Known::Some };
        assert!(
            sent.insert((key, place(of), values.value_type().word(), word(known))),
            "`{key}` is sent once"
        );
    }
}

fn facts(context: &Context, sent: &mut Sent) {
    for (key, value) in &context.facts {
        let fact = (*key, place(Place::Context), value.value_type().word(), word(Known::Some));
        assert!(sent.insert(fact), "`{key}` is sent once");
    }
}

/// What a budget policy is told of costs; three skills' bare lines have prices of their own.
fn costs<'a>(prices: &'a Prices, caps: &'a [Form]) -> Costs<'a> {
    Costs { prices, unit: Unit::Chars, caps, bare: &|| vec![1, 2, 3] }
}

/// A library of which everything is known of some skill.
fn everything_known() -> (Candidates, Session) {
    let library = library(
        vec![skill("a/b", "x", "Does x."), skill("a", "y", ""), skill("c", "z", "Does z.")],
        &[],
    );
    let usage = Usage {
        records: [(
            "x".to_owned(),
            UsageRecord { uses: 3, last_used: Some(Instant(7)), pinned: true },
        )]
        .into(),
        ..Usage::default()
    };
    let candidates = gather(&library, &usage, &BTreeMap::from([("c/z".to_owned(), Form::Name)]));
    let session = Session {
        platform: "linux".to_owned(),
        toolsets: Some(BTreeSet::from(["web".to_owned()])),
        tools: Some(BTreeSet::new()),
        ..Session::default()
    };
    (candidates, session)
}

#[test]
fn an_index_sends_what_the_dictionary_promises_and_nothing_else() {
    let (candidates, session) = everything_known();
    let frame = Frame { now: NOW, seed: 4, session: &session };
    let prices = price(&candidates, Style::default(), &CharMeter, 900);
    let caps = vec![Form::Full; candidates.entries.len()];

    let request = demotion_request(&candidates, &frame, &|_| true);
    let mut sent = Sent::new();
    columns(&request.skills, Place::Skills, &mut sent);
    columns(&request.categories, Place::Categories, &mut sent);
    facts(&request.context, &mut sent);
    assert_eq!(sent, promised(Slot::Demotion));

    let request = budget_request(&candidates, &frame, &costs(&prices, &caps), &|_| true);
    let mut sent = Sent::new();
    columns(&request.skills, Place::Skills, &mut sent);
    columns(&request.categories, Place::Categories, &mut sent);
    facts(&request.context, &mut sent);
    assert_eq!(sent, promised(Slot::Budget));
    assert_eq!((request.limit, request.skills.len, request.categories.len), (900, 3, 3));
}

#[test]
fn a_key_that_nobody_asks_for_is_not_sent_and_each_is_sent_alone() {
    let (candidates, session) = everything_known();
    let frame = Frame { now: NOW, seed: 4, session: &session };
    let prices = price(&candidates, Style::default(), &CharMeter, 900);
    let caps = vec![Form::Full; candidates.entries.len()];
    let keys = |asked: &dyn Fn(&str) -> bool| -> Vec<&'static str> {
        let request = budget_request(&candidates, &frame, &costs(&prices, &caps), asked);
        let columns = request
            .skills
            .columns
            .iter()
            .chain(&request.categories.columns)
            .map(|column| column.key);
        columns.chain(request.context.facts.iter().map(|(key, _)| *key)).collect()
    };
    assert_eq!(keys(&|_| false), Vec::<&str>::new());
    for fact in FACTS.iter().filter(|fact| fact.slots.contains(&Slot::Budget)) {
        assert_eq!(keys(&|key| key == fact.key), [fact.key]);
    }
}

#[test]
fn what_nobody_said_is_absent_and_what_is_empty_is_sent_empty() {
    let (candidates, known) = everything_known();
    let types = |session: &Session| -> Vec<(&'static str, ValueType)> {
        let frame = Frame { now: NOW, seed: 4, session };
        let request = demotion_request(&candidates, &frame, &|_| true);
        request.context.facts.iter().map(|(key, value)| (*key, value.value_type())).collect()
    };
    assert_eq!(
        types(&known),
        [
            ("toolsets", ValueType::Texts),
            ("tools", ValueType::Texts),
            ("platform", ValueType::Text)
        ]
    );
    let unknown = Session { platform: "linux".to_owned(), ..Session::default() };
    assert_eq!(types(&unknown), [("platform", ValueType::Text)]);
}

#[test]
fn columns_say_of_every_odd_header_what_the_library_and_the_block_say() {
    let folder: std::path::PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "..", "tests", "odd-headers"].iter().collect();
    let root = Root { path: folder, label: OneLine::new("odd"), category: None };
    let library = scan(&OsSystem, &[root], None);
    let candidates = gather(&library, &Usage::default(), &BTreeMap::new());
    assert!(candidates.entries.len() >= 30);
    let session = Session::default();
    let frame = Frame { now: NOW, seed: 4, session: &session };
    let request = demotion_request(&candidates, &frame, &|_| true);
    let texts = |table: &Table, wanted: &str| -> BTreeMap<usize, String> {
        let column = table.columns.iter().find(|column| column.key == wanted).unwrap();
        let Values::Texts(texts) = &column.values else { panic!("`{wanted}` is text") };
        let rows = column.rows.clone().unwrap_or_else(|| (0..table.len).collect());
        rows.into_iter().map(|row| row as usize).zip(texts.iter().cloned()).collect()
    };
    let (names, descriptions) =
        (texts(&request.skills, "name"), texts(&request.skills, "description"));
    for (row, entry) in candidates.entries.iter().enumerate() {
        let skill = &library.skills[entry.skill];
        assert_eq!(names[&row], skill.name.as_str());
        assert_eq!(
            descriptions.get(&row).map_or("", String::as_str),
            &*entry.full,
            "as the block prints it"
        );
        assert_eq!(candidates.categories[entry.category as usize].path, skill.category.as_str());
    }
}
