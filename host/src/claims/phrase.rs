//! Which words are a claim, and which words about them make them something else. Words, and nothing of where they stand.

use super::block::COVER;

/// A word of a sentence, as it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    /// Lower case, without marks around it.
    pub(super) text: String,
    /// Whether a clause ends behind it.
    pub(super) ends: bool,
}

/// The words of a sentence; "it's" is two.
pub(super) fn words(sentence: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for written in sentence.split_whitespace() {
        let written = written.replace(['*', '_', '~'], "").replace('’', "'");
        let text = written.trim_matches(|c: char| !c.is_alphanumeric() && c != COVER);
        let ends = written.trim_end_matches([')', '"', '”']).ends_with([',', ':', '—', '–']);
        let text = text.to_lowercase();
        // A dash or an emoji by itself ends the clause before it.
        match (text.as_str(), words.last_mut()) {
            ("", Some(last)) => last.ends = true,
            ("", None) => {}
            ("it's", _) => {
                words.extend(["it", "is"].map(|text| Word { text: text.to_owned(), ends: false }))
            }
            _ => words.push(Word { text, ends }),
        }
    }
    words
}

/// A claim's words: in each place one of these.
type Phrase = &'static [&'static [&'static str]];

const DO: &[&str] = &["does", "do", "did", "will"];
const DONT: &[&str] = &["doesn't", "don't", "didn't", "won't", "doesnt", "dont", "didnt", "wont"];
const IS: &[&str] = &["is", "are"];
const ISNT: &[&str] = &["isn't", "aren't", "isnt", "arent"];
const WORK: &[&str] = &["work", "function"];
const STATE: &[&str] =
    &["working", "supported", "available", "implemented", "functional", "usable"];
const STEADY: &[&str] = &["always", "silently", "consistently", "invariably", "reliably"];
const FAILS: &[&str] = &["fails", "fail", "failed", "crashes", "crash", "hangs", "hang"];

const PHRASES: &[Phrase] = &[
    &[DONT, WORK],
    &[DO, &["not", "never"], WORK],
    &[&["never"], &["works", "worked"]],
    &[IS, &["broken", "unusable", "unreliable", "unsupported", "flaky", "buggy"]],
    &[IS, &["not"], STATE],
    &[ISNT, STATE],
    &[&["doesn't", "don't", "doesnt", "dont"], &["support"]],
    &[&["does", "do"], &["not"], &["support"]],
    &[&["no"], &["longer"], &["works", "work", "working", "supported", "available", "functions"]],
    &[&["stopped"], &["working"]],
    &[STEADY, FAILS],
    &[FAILS, &["silently", "consistently"]],
    &[FAILS, &["every"], &["time"]],
    &[&["has", "have"], &["no"], &["effect"]],
    &[&["cannot", "can't"], &["be"], &["used"]],
    &[&["can"], &["not"], &["be"], &["used"]],
];

/// What may stand between the words of a claim.
const SMALL: &[&str] = &[
    "currently",
    "still",
    "yet",
    "just",
    "simply",
    "actually",
    "really",
    "completely",
    "totally",
    "fully",
    "permanently",
    "also",
    "reliably",
    "properly",
    "correctly",
    "natively",
    "directly",
    "known",
    "to",
    "be",
];

/// Before a claim in its sentence: it depends on something, somebody says it, or it is to be made sure of.
const BEFORE: &[&str] = &[
    "if",
    "when",
    "whenever",
    "unless",
    "whether",
    "once",
    "until",
    "without",
    "otherwise",
    "or",
    "else",
    "case",
    "should",
    "would",
    "could",
    "may",
    "might",
    "assume",
    "suppose",
    "ensure",
    "verify",
    "confirm",
    "check",
    "make",
    "say",
    "says",
    "saying",
    "said",
    "report",
    "reports",
    "claim",
    "claims",
    "complains",
    "think",
    "why",
    "how",
    "where",
    "example",
    "avoid",
    "telling",
    "finding",
    "everywhere",
    "your",
    "previous",
    "maybe",
    "perhaps",
    "possibly",
];

/// Right before a claim: it says which of several, and nothing of one.
const WHICH: &[&str] = &[
    "that",
    "which",
    "who",
    "what",
    "something",
    "anything",
    "nothing",
    "everything",
    "things",
    "to",
];

/// Right before "do not" or "don't": it may be a command, or is about a person.
const COMMANDS: &[&str] = &["and", "but", "or", "then", "please", "you", "to", "we", "i", "also"];

/// In the lead of a list: its items are conditions, symptoms or examples, and not statements.
const LEADS: &[&str] = &[
    "when",
    "if",
    "trigger",
    "triggers",
    "troubleshooting",
    "symptom",
    "symptoms",
    "signs",
    "example",
    "examples",
    "checklist",
    "flags",
    "questions",
    "check",
    "scenarios",
    "phrases",
    "use",
];

/// After a claim: it works, but for something that it needs.
const NEEDS: &[&str] = &["without", "unless", "until", "if", "except"];

/// Behind "work": another verb.
const OTHER_VERB: &[&str] = &["around", "alone", "together", "out", "hard"];

/// At the beginning of a block: what follows is a symptom or an example.
const LABELS: &[&str] = &[
    "problem", "symptom", "symptoms", "issue", "error", "example", "input", "user", "wrong", "bad",
    "cause", "q",
];

/// Whether a block's words begin with the label of a symptom or an example.
pub(super) fn is_labelled(words: &[Word]) -> bool {
    let labels = |word: &Word| LABELS.contains(&word.text.as_str());
    // `Problem:`, and `Issue 3:`.
    words.first().is_some_and(labels) && words.iter().take(2).any(|word| word.ends)
}

/// Whether a list with this lead has no statements.
pub(super) fn is_hedge(lead: &[Word]) -> bool {
    lead.iter().any(|word| LEADS.contains(&word.text.as_str()))
}

/// Whether words claim that something doesn't work. `dated` is whether a day stands at a word, which makes of "until" an
/// expiry and no need.
pub(super) fn is_claim(words: &[Word], dated: &dyn Fn(usize) -> bool) -> bool {
    (0..words.len()).any(|start| {
        let ends = PHRASES.iter().find_map(|phrase| matched(words, start, phrase));
        ends.is_some_and(|end| stands(words, start, end, dated))
    })
}

/// Where a phrase ends that begins at a word.
fn matched(words: &[Word], start: usize, phrase: Phrase) -> Option<usize> {
    let mut at = start;
    for (place, choices) in phrase.iter().enumerate() {
        let is = |at: usize, list: &[&str]| {
            words.get(at).is_some_and(|word| list.contains(&word.text.as_str()))
        };
        // Two adverbs at most, and none before the first word.
        let mut skipped = 0;
        while place > 0 && skipped < 2 && !is(at, choices) && is(at, SMALL) {
            at += 1;
            skipped += 1;
        }
        if !is(at, choices) {
            return None;
        }
        at += 1;
    }
    Some(at)
}

/// Whether a claim at these words stands for itself.
fn stands(words: &[Word], start: usize, end: usize, dated: &dyn Fn(usize) -> bool) -> bool {
    let in_list = |word: &Word, list: &[&str]| list.contains(&word.text.as_str());
    let (before, after) =
        (words.get(..start).unwrap_or_default(), words.get(end..).unwrap_or_default());
    // Somebody or something has to be spoken of, in the same clause.
    let Some(subject) = before.last().filter(|word| !word.ends) else { return false };
    let first = words
        .get(start)
        .is_some_and(|word| matches!(word.text.as_str(), "do" | "don't" | "dont" | "never"));
    let command = first && in_list(subject, COMMANDS);
    let depends = before.iter().any(|word| in_list(word, BEFORE));
    let other_verb = after.first().is_some_and(|word| in_list(word, OTHER_VERB));
    let need = after.iter().zip(end..).take(6).any(|(word, at)| {
        in_list(word, NEEDS) && !(word.text == "until" && (at..at + 3).any(dated))
    });
    !(in_list(subject, WHICH) || command || depends || other_verb || need)
}
