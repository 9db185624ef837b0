//! Descriptions that begin alike: in a short index they can't be told apart.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Look,
    finding::Draft,
    rule::Rule,
    words::{head, words},
};

/// Words that are compared where the whole opening differs.
const FIRST_WORDS: usize = 5;
/// Descriptions that begin with the same words, from which on that is worth a note.
const MANY: usize = 3;

/// What is wrong with how the descriptions of live skills begin; the first `chars` Unicode scalars are compared.
pub(super) fn judge(looks: &[Look<'_>], chars: usize, found: &mut Vec<Draft>) {
    let mut openings: BTreeMap<&str, Vec<&Look<'_>>> = BTreeMap::new();
    let mut first_words: BTreeMap<Vec<String>, Vec<&Look<'_>>> = BTreeMap::new();
    for look in looks.iter().filter(|look| look.skill.is_live()) {
        let Some(text) = look.description() else { continue };
        let opening = head(text, chars);
        if opening.chars().count() == chars {
            openings.entry(opening).or_default().push(look);
        }
        let mut words = words(head(text, 200));
        if words.len() > FIRST_WORDS {
            words.truncate(FIRST_WORDS);
            first_words.entry(words).or_default().push(look);
        }
    }
    let mut told = BTreeSet::new();
    for (opening, looks) in openings {
        // Descriptions that are equal as a whole are twins, and told as such.
        let Some(texts) = several(&looks) else { continue };
        for look in &looks {
            let other = texts.iter().find(|other| other.description() != look.description());
            let Some(other) = other else { continue };
            told.insert(look.row);
            let cause = format!(
                "the first {chars} characters, `{opening}`, are those of {}",
                others(looks.len() - 1, other)
            );
            found.push(draft(look, Rule::SharedOpening, &cause));
        }
    }
    for (words, looks) in first_words {
        let Some(texts) = several(&looks).filter(|_| looks.len() >= MANY) else { continue };
        for look in looks.iter().filter(|look| !told.contains(&look.row)) {
            let other = texts.iter().find(|other| other.description() != look.description());
            let Some(other) = other else { continue };
            let cause =
                format!("`{}` begins {} too", words.join(" "), others(looks.len() - 1, other));
            found.push(draft(look, Rule::SharedWords, &cause));
        }
    }
}

/// The first skill with each of the first two texts, if there are two.
fn several<'l, 'a>(looks: &[&'l Look<'a>]) -> Option<[&'l Look<'a>; 2]> {
    let first = *looks.first()?;
    let second = *looks.iter().find(|look| look.description() != first.description())?;
    Some([first, second])
}

fn others(count: usize, one: &Look<'_>) -> String {
    match count {
        1 => format!("`{}`", one.skill.name),
        _ => format!("{count} others, such as `{}`", one.skill.name),
    }
}

fn draft(look: &Look<'_>, rule: Rule, cause: &str) -> Draft {
    Draft::new(look.row, rule, look.line_of("description"), cause).field("description")
}
