//! Made-up writes, for policies that judge them: drawn from the words of the dictionary, and told as a case.

use skillkeep_policy::{
    bindings::slots::provenance::Request,
    facts::{Entry, RawContext, Value},
    testkit::cases::Question,
};

use super::sample::{Dice, Known, NOW};
use crate::{
    decision::{Action, Care, Successor},
    skill::{Actor, Origin},
};

/// A write, as far as a policy asks about it. Of facts that the dictionary doesn't have, cases told the values.
pub(super) fn draw(dice: &mut Dice, asks: &[String], known: &Known) -> Question {
    let mut write = Vec::new();
    // All are drawn, so that the same seed tells two policies the same write.
    for (key, value) in facts(dice) {
        if let Some(value) = value.filter(|_| asks.iter().any(|asked| asked == key)) {
            write.push(Entry { key: key.to_owned(), value });
        }
    }
    for (key, values) in known {
        if let Some(value) = dice.pick(values) {
            write.push(Entry { key: key.clone(), value: value.clone() });
        }
    }
    let wants_content = asks.iter().any(|asked| asked == "content");
    Question::Provenance(Request {
        context: RawContext { now: NOW, seed: dice.next() >> 1, facts: Vec::new() },
        settings: Vec::new(),
        write,
        content: if wants_content { CONTENT.to_owned() } else { String::new() },
    })
}

const CONTENT: &str =
    "---\nname: brew\ndescription: Use when tea is asked for.\n---\nBoil water.\n";

fn facts(dice: &mut Dice) -> Vec<(&'static str, Option<Value>)> {
    fn word<T: Copy>(dice: &mut Dice, all: &[T], word: fn(T) -> &'static str) -> Option<Value> {
        dice.pick(all).map(|it| Value::Text(word(*it).to_owned()))
    }
    let action = dice.pick(Action::ALL).copied().unwrap_or(Action::Edit);
    let origin = word(dice, Origin::ALL, Origin::word);
    let successor = word(dice, Successor::ALL, Successor::word);
    let path = dice.pick(&["SKILL.md", "references/more.md"]).map(|it| Value::from(*it));
    let mut yes = |share| Some(Value::Boolean(dice.percent(share)));
    let (pinned, referenced, read) = (yes(15), yes(15), yes(70));
    let (approval, retire_bundled) = (yes(20), yes(20));
    vec![
        ("actor", word(dice, Actor::ALL, Actor::word)),
        ("action", Some(action.word().into())),
        ("origin", origin.filter(|_| action != Action::Create)),
        ("pinned", pinned),
        ("referenced", referenced),
        ("read", read),
        ("root", word(dice, &[Care::Owned, Care::Owned, Care::Owned, Care::ReadOnly], Care::word)),
        ("path", path.filter(|_| action == Action::Edit)),
        ("successor", successor.filter(|_| action == Action::Retire)),
        ("approval", approval),
        ("retire-bundled", retire_bundled),
    ]
}

/// A write as a file of one case.
pub(super) fn case(title: &str, name: &str, note: &str, question: &Question) -> Option<String> {
    let Question::Provenance(request) = question else { return None };
    let mut text = format!("# {title}\n\n## {name}\n\n{note}\n\n| write | is |\n| --- | --- |\n");
    for Entry { key, value } in &request.write {
        let value = match value {
            Value::Boolean(true) => "yes".to_owned(),
            Value::Boolean(false) => "no".to_owned(),
            Value::Integer(value) => value.to_string(),
            Value::Real(value) => format!("{value:?}"),
            Value::Text(value) => format!("`{}`", value.replace('|', "\\|")),
            Value::Texts(values) => format!("[{}]", values.join(", ").replace('|', "\\|")),
        };
        text.push_str(&format!("| {key} | {value} |\n"));
    }
    Some(text)
}
