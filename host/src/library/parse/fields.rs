//! From a tree of values to what a skill says: which fields mean something, what types they should have, and what is
//! said where they have others. It must never know how the tree was read.

use std::collections::BTreeSet;

use super::{
    node::{Entry, Node, Value, find, same_key},
    problems::Problems,
};
use crate::skill::{Gates, OneLine, Problem};

/// Fields that should be text. The first ones are kept; the others are only looked at, since other agents read them.
pub(super) const TEXTS: [&str; 10] = [
    "name",
    "description",
    "when_to_use",
    "category",
    "version",
    "license",
    "compatibility",
    "argument-hint",
    "homepage",
    "author",
];

/// Fields that should be lists of words.
pub(super) const LISTS: [&str; 8] = [
    "tags",
    "platforms",
    "environments",
    "allowed-tools",
    "requires_toolsets",
    "requires_tools",
    "fallback_for_toolsets",
    "fallback_for_tools",
];

/// The other fields with a meaning: mappings, and one that is true or false.
pub(super) const OTHERS: [&str; 4] =
    ["disable-model-invocation", "metadata", "prerequisites", "requires"];

/// Fields of the standard that this program has no use for: known, and left alone.
const QUIET: [&str; 2] = ["license", "compatibility"];

/// Names under which one family of agents keeps its part of `metadata`.
const CLAWS: [&str; 4] = ["openclaw", "clawdbot", "moltbot", "clawdis"];

/// Words of one list that are kept: no header needs more, and a hostile one could hold thousands.
const MOST_WORDS: usize = 256;

/// The standard's longest description and name, in Unicode scalars.
const LONGEST_DESCRIPTION: usize = 1024;
const LONGEST_NAME: usize = 64;

/// Whether a key means something here or to the standard.
pub(super) fn is_known(key: &str) -> bool {
    let known = TEXTS.iter().take(5).chain(&LISTS).chain(&OTHERS).chain(&QUIET);
    known.into_iter().any(|known| same_key(known, key))
}

/// What a header says.
#[derive(Debug, Default)]
pub(super) struct Fields {
    pub(super) name: Option<OneLine>,
    pub(super) description: Option<OneLine>,
    pub(super) when_to_use: Option<OneLine>,
    pub(super) category: Option<OneLine>,
    pub(super) tags: Vec<OneLine>,
    pub(super) version: Option<OneLine>,
    pub(super) gates: Gates,
    pub(super) allowed_tools: Vec<OneLine>,
    pub(super) unknown_keys: Vec<OneLine>,
}

/// A mapping being read; `path` is what is printed before its keys, such as `metadata.`.
#[derive(Clone, Copy)]
struct Scope<'m> {
    map: &'m [Entry<'m>],
    path: &'static str,
}

const EMPTY: &[Entry<'static>] = &[];

/// Reads the fields of a header.
pub(super) fn read(map: &[Entry<'_>], problems: &mut Problems<'_>) -> Fields {
    let top = Scope { map, path: "" };
    let mut reader = Reader { problems };
    let metadata = reader.inside(top, "metadata", "metadata.");
    let hermes = reader.inside(metadata, "hermes", "metadata.hermes.");
    reader.repeated(map);
    reader.passing_texts(top);
    let name = reader.text(top, "name", true);
    if let Some(name) = &name {
        reader.name_rule(top, name);
    } else {
        reader.problems.missing(Problem::MissingName, "name", find(map, "name").map(|e| e.line));
    }
    let description = reader.text(top, "description", true);
    reader.description_rule(top, description.as_ref());
    Fields {
        name,
        description,
        when_to_use: reader.text(top, "when_to_use", true),
        category: reader
            .text(top, "category", true)
            .or_else(|| reader.text(metadata, "category", true)),
        tags: lines(reader.words(&[top, hermes, metadata], "tags")),
        version: reader
            .text(top, "version", false)
            .or_else(|| reader.text(metadata, "version", false)),
        gates: reader.gates(top, metadata, hermes),
        allowed_tools: reader.allowed_tools(top),
        unknown_keys: map
            .iter()
            .filter(|entry| !is_known(&entry.key))
            .filter_map(|entry| OneLine::some(&entry.key))
            .take(MOST_WORDS)
            .collect(),
    }
}

fn lines(words: Vec<String>) -> Vec<OneLine> {
    words.iter().filter_map(|word| OneLine::some(word)).collect()
}

struct Reader<'p, 'h> {
    problems: &'p mut Problems<'h>,
}

impl Reader<'_, '_> {
    /// The mapping under a key; anything else under it counts as none. Some authors write it as JSON in quotes.
    fn inside<'m>(&mut self, scope: Scope<'m>, key: &str, path: &'static str) -> Scope<'m> {
        let nothing = Scope { map: EMPTY, path };
        let Some(entry) = find(scope.map, key) else { return nothing };
        match &entry.node.value {
            Value::Map(map) => Scope { map, path },
            Value::Null => nothing,
            _ => {
                let expected = "a mapping of further fields";
                self.problems.odd(scope.path, entry, scope.map, expected);
                nothing
            }
        }
    }

    fn repeated(&mut self, map: &[Entry<'_>]) {
        // Most headers have a handful of keys; only in a long one a set is worth its allocations.
        if map.len() <= 24 {
            for (row, entry) in map.iter().enumerate() {
                if map.iter().take(row).any(|above| same_key(&above.key, &entry.key)) {
                    self.problems.repeated(entry);
                }
            }
            return;
        }
        let mut seen = BTreeSet::new();
        for entry in map {
            if !seen.insert(entry.key.replace('_', "-")) {
                self.problems.repeated(entry);
            }
        }
    }

    /// Fields that others read as text and this program not at all: a list there is most likely missing its quotes.
    fn passing_texts(&mut self, top: Scope<'_>) {
        for key in TEXTS.iter().skip(5) {
            if let Some(entry) = find(top.map, key)
                && matches!(entry.node.value, Value::List(_) | Value::Map(_))
                && *key != "author"
            {
                self.problems.odd("", entry, top.map, "text");
            }
        }
    }

    /// A field that should be text. Whatever else stands there is kept as it is written, and reported; a number is
    /// reported only where `strict` says so, for nobody quotes a version.
    fn text(&mut self, scope: Scope<'_>, key: &str, strict: bool) -> Option<OneLine> {
        let entry = find(scope.map, key)?;
        match &entry.node.value {
            Value::Null => None,
            Value::Text(text) => OneLine::some(text),
            Value::Number(text) | Value::Truth(text) => {
                if strict {
                    self.problems.odd(scope.path, entry, scope.map, "text");
                }
                OneLine::some(text)
            }
            Value::List(_) | Value::Map(_) => {
                self.problems.odd(scope.path, entry, scope.map, "text");
                OneLine::some(&self.problems.raw(entry, scope.map))
            }
        }
    }

    fn name_rule(&mut self, top: Scope<'_>, name: &OneLine) {
        let Some(entry) = find(top.map, "name") else { return };
        let name = name.as_str();
        let letters =
            name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        let hyphens = name.starts_with('-') || name.ends_with('-') || name.contains("--");
        if !letters || hyphens || name.chars().count() > LONGEST_NAME {
            self.problems.at(
                Problem::OddName,
                entry,
                &format!("`{}` breaks the rule for names", OneLine::capped(name, 80)),
                "use at most 64 of a-z, 0-9 and single hyphens between them",
            );
        }
    }

    fn description_rule(&mut self, top: Scope<'_>, description: Option<&OneLine>) {
        let entry = find(top.map, "description");
        let Some(description) = description else {
            let line = entry.map(|entry| entry.line);
            self.problems.missing(Problem::MissingDescription, "description", line);
            return;
        };
        let length = description.as_str().chars().count();
        if length > LONGEST_DESCRIPTION
            && let Some(entry) = entry
        {
            self.problems.at(
                Problem::LongDescription,
                entry,
                &format!("{length} characters; the standard allows {LONGEST_DESCRIPTION}"),
                "say what the skill does and when to use it, and leave the rest to the body",
            );
        }
    }

    fn gates(&mut self, top: Scope<'_>, metadata: Scope<'_>, hermes: Scope<'_>) -> Gates {
        let plain = |word: &String| word.bytes().all(|b| b.is_ascii() && !b.is_ascii_uppercase());
        let lower = |words: Vec<String>| {
            let words = words.into_iter();
            unique(words.map(|w| if plain(&w) { w } else { w.to_lowercase() }).collect())
        };
        let scopes = [hermes, top];
        Gates {
            platforms: lower(self.words(&[top], "platforms")),
            environments: lower(self.words(&[top], "environments")),
            requires_toolsets: self.words(&scopes, "requires_toolsets"),
            requires_tools: self.words(&scopes, "requires_tools"),
            fallback_for_toolsets: self.words(&scopes, "fallback_for_toolsets"),
            fallback_for_tools: self.words(&scopes, "fallback_for_tools"),
            commands: self.commands(top, metadata),
            manual: self.manual(top),
        }
    }

    /// Programs that the skill calls, wherever an agent looks for them.
    fn commands(&mut self, top: Scope<'_>, metadata: Scope<'_>) -> Vec<String> {
        let prerequisites = self.inside(top, "prerequisites", "prerequisites.");
        // `requires: python` is somebody's prose; only a mapping can name programs.
        let requires = match find(top.map, "requires").and_then(|entry| entry.node.map()) {
            Some(map) => Scope { map, path: "requires." },
            None => Scope { map: EMPTY, path: "requires." },
        };
        let mut words = self.words(&[prerequisites], "commands");
        words.extend(self.words(&[requires], "bins"));
        for claw in CLAWS {
            let its = find(metadata.map, claw).and_then(|entry| entry.node.map());
            let its = its.and_then(|map| find(map, "requires")).and_then(|e| e.node.map());
            if let Some(map) = its {
                let path = "metadata.….requires.";
                words.extend(self.words(&[Scope { map, path }], "bins"));
            }
        }
        unique(words)
    }

    fn manual(&mut self, top: Scope<'_>) -> bool {
        let Some(entry) = find(top.map, "disable-model-invocation") else { return false };
        match &entry.node.value {
            Value::Null => false,
            Value::Truth(word) => word.eq_ignore_ascii_case("true"),
            // Other readers take these words for a boolean, so the author may mean it.
            Value::Text(word) => {
                self.problems.odd("", entry, top.map, "`true` or `false`");
                matches!(word.trim().to_lowercase().as_str(), "true" | "yes" | "on")
            }
            _ => {
                self.problems.odd("", entry, top.map, "`true` or `false`");
                false
            }
        }
    }

    /// A list of words, from the first scope that has the field: nothing is an empty list, a text is one word or, with
    /// commas, several.
    fn words(&mut self, scopes: &[Scope<'_>], key: &str) -> Vec<String> {
        let Some((scope, entry)) =
            scopes.iter().find_map(|scope| find(scope.map, key).map(|entry| (scope, entry)))
        else {
            return Vec::new();
        };
        let words = match &entry.node.value {
            Value::Null => Vec::new(),
            Value::Text(text) => text.split(',').filter_map(word).collect(),
            Value::Number(text) | Value::Truth(text) => word(text).into_iter().collect(),
            Value::List(items) => {
                if items.iter().any(|item| matches!(item.value, Value::List(_) | Value::Map(_))) {
                    self.problems.odd(scope.path, entry, scope.map, "a list of words");
                }
                items.iter().filter_map(|item| word(&item.render())).collect()
            }
            Value::Map(_) => {
                self.problems.odd(scope.path, entry, scope.map, "a list of words");
                Vec::new()
            }
        };
        unique(words)
    }

    fn allowed_tools(&mut self, top: Scope<'_>) -> Vec<OneLine> {
        match find(top.map, "allowed-tools") {
            Some(Entry { node: Node { value: Value::Text(text), .. }, .. }) => {
                lines(unique(tools(text)))
            }
            Some(_) => lines(self.words(&[top], "allowed-tools")),
            None => Vec::new(),
        }
    }
}

fn word(text: &str) -> Option<String> {
    OneLine::some(text).map(OneLine::into_string)
}

fn unique(words: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::with_capacity(words.len().min(MOST_WORDS));
    for word in words {
        if kept.len() < MOST_WORDS && !kept.contains(&word) {
            kept.push(word);
        }
    }
    kept
}

/// The tools of one text: parted by spaces or commas, but not inside parentheses, as in `Bash(git add:*)`.
fn tools(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let apart = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && (c == ',' || c.is_whitespace())
    };
    text.split(apart).filter_map(word).collect()
}
