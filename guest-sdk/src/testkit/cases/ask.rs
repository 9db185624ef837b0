//! From what a case tells to the question as it crosses the contract: only what the policy asks for, with its settings.

use super::problem::Problem;
use super::table::Slot;
use super::told::{Told, tell};
use super::value;
use super::{Case, Expected, Facts};
use crate::bindings::slots::{budget, curator, demotion, provenance};
use crate::facts::{Entry, RawRefusal, RawTable, Value, kebab};
use crate::key::Place;
use crate::policy::{Policy, describe};
use crate::testkit::columns::{Asked, categories, context, skills};
use crate::testkit::library::Library;

/// A question to a policy, as the contract has it.
#[derive(Clone, Debug)]
pub enum Question {
    /// To a demotion policy.
    Demotion(demotion::Request),
    /// To a budget policy.
    Budget(budget::Request),
    /// To a curator.
    Curator(curator::Request),
    /// To a provenance policy.
    Provenance(provenance::Request),
}

/// What a policy gives back.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// A demotion policy's answer.
    Demotion(Result<demotion::Answer, RawRefusal>),
    /// A budget policy's answer.
    Budget(Result<budget::Answer, RawRefusal>),
    /// A curator's answer.
    Curator(Result<curator::Answer, RawRefusal>),
    /// A provenance policy's answer.
    Provenance(Result<provenance::Answer, RawRefusal>),
    /// No answer: it trapped, used up its fuel, or panicked.
    Failed(String),
}

/// What a policy says of itself, as far as asking it and reading its answer take.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// The facts that it is sent.
    pub asks: Vec<String>,
    /// Its settings with their defaults.
    pub parameters: Vec<(String, Value)>,
    /// Codes of its reasons with their templates.
    pub reasons: Vec<(String, String)>,
}

impl Subject {
    /// What a policy of this crate says.
    #[must_use]
    pub fn of<P: Policy>() -> Self {
        let info = describe::<P>();
        Self {
            asks: info.needs.into_iter().chain(info.wants).collect(),
            parameters: info.parameters.into_iter().map(|it| (it.key, it.default)).collect(),
            reasons: info.reasons,
        }
    }

    fn default_of(&self, key: &str) -> Option<&Value> {
        let fits = |declared: &str| match declared.strip_suffix('*') {
            Some(beginning) => key.len() > beginning.len() && key.starts_with(beginning),
            None => declared == key,
        };
        self.parameters.iter().find(|(declared, _)| fits(declared)).map(|(_, default)| default)
    }

    pub(crate) fn settings(&self, told: &Facts) -> Result<Vec<Entry>, Problem> {
        let entries = told.settings.iter().map(|(key, text, line)| {
            let default = self.default_of(key).ok_or_else(|| {
                let names: Vec<&str> =
                    self.parameters.iter().map(|(key, _)| key.as_str()).collect();
                let expected = match names.is_empty() {
                    true => "none, for the policy has no settings".to_owned(),
                    false => format!("one of `{}`", names.join("`, `")),
                };
                Problem::new(*line, format!("the setting `{key}`"), expected)
            })?;
            let value = value::setting(text, default).map_err(|expected| {
                Problem::new(*line, format!("`{text}` for the setting `{key}`"), expected)
            })?;
            Ok(Entry { key: key.clone(), value })
        });
        entries.collect()
    }

    /// A question to this policy about a library.
    #[must_use]
    pub fn question(&self, slot: Slot, library: &Library, settings: Vec<Entry>) -> Question {
        let told = Facts {
            library: library.clone(),
            settings: Vec::new(),
            write: Vec::new(),
            content: String::new(),
            keys: Vec::new(),
        };
        self.ask(slot, &told, settings)
    }

    /// What came of a question, with names and filled reasons.
    #[must_use]
    pub fn told(&self, library: &Library, question: &Question, reply: &Reply) -> Told {
        tell(library, question, reply, self)
    }

    pub(crate) fn ask(&self, slot: Slot, told: &Facts, settings: Vec<Entry>) -> Question {
        let asked: Vec<Asked> = self.asks.iter().map(|key| Asked::named(key)).collect();
        let library = &told.library;
        let context = context(library, &asked);
        match slot {
            Slot::Demotion => Question::Demotion(demotion::Request {
                context,
                settings,
                skills: skills(library, &asked),
                categories: categories(library, &asked),
            }),
            Slot::Budget => Question::Budget(budget::Request {
                context,
                settings,
                limit: library.limit,
                fixed: library.fixed,
                skills: skills(library, &asked),
                categories: categories(library, &asked),
            }),
            Slot::Curator => Question::Curator(curator::Request {
                context,
                settings,
                skills: skills(library, &asked),
            }),
            Slot::Provenance => {
                let wants = |key: &str| self.asks.iter().any(|asked| asked == key);
                let write = told.write.iter().filter(|(key, _)| wants(key));
                Question::Provenance(provenance::Request {
                    context,
                    settings,
                    write: write
                        .map(|(key, value)| Entry { key: key.clone(), value: value.clone() })
                        .collect(),
                    content: if wants("content") { told.content.clone() } else { String::new() },
                })
            }
        }
    }
}

impl Question {
    /// The slot that it is for.
    #[must_use]
    pub const fn slot(&self) -> Slot {
        match self {
            Self::Demotion(_) => Slot::Demotion,
            Self::Budget(_) => Slot::Budget,
            Self::Curator(_) => Slot::Curator,
            Self::Provenance(_) => Slot::Provenance,
        }
    }

    /// The settings that go with it.
    #[must_use]
    pub const fn settings_mut(&mut self) -> &mut Vec<Entry> {
        match self {
            Self::Demotion(request) => &mut request.settings,
            Self::Budget(request) => &mut request.settings,
            Self::Curator(request) => &mut request.settings,
            Self::Provenance(request) => &mut request.settings,
        }
    }

    /// Its table of skills, where it has one.
    #[must_use]
    pub const fn skills_mut(&mut self) -> Option<&mut RawTable> {
        match self {
            Self::Demotion(request) => Some(&mut request.skills),
            Self::Budget(request) => Some(&mut request.skills),
            Self::Curator(request) => Some(&mut request.skills),
            Self::Provenance(_) => None,
        }
    }
}

impl Case {
    /// The questions that it asks; none where its settings make no sense for the policy.
    #[must_use]
    pub fn questions(&self, slot: Slot, subject: &Subject) -> Vec<Question> {
        let all: Vec<&Facts> = match &self.expected {
            Expected::Grid(grid) => grid.rows.iter().map(|row| &row.told).collect(),
            _ => vec![&self.told],
        };
        all.into_iter()
            .filter_map(|told| Some(subject.ask(slot, told, subject.settings(told).ok()?)))
            .collect()
    }

    /// Facts about skills, the session or a write that the dictionary does not have, with the values that the case gives them.
    #[must_use]
    pub fn own_facts(&self) -> Vec<(String, Value)> {
        let library = &self.told.library;
        let of_skills = library.skills.iter().flat_map(|skill| &skill.facts);
        let all = of_skills.chain(&library.context);
        let own = all.filter(|(key, _)| value::known(key).is_none());
        let own = own.map(|(key, value)| (key.to_string(), value.clone()));
        let write = self.told.write.iter().filter(|(key, _)| value::known_of_write(key).is_none());
        own.chain(write.cloned()).collect()
    }

    /// The facts that a policy declares with a type of its own, and that the case tells as another.
    #[must_use]
    pub fn mistyped<P: Policy>(&self) -> Option<Problem> {
        let library = &self.told.library;
        let keys = P::NEEDS.iter().chain(P::WANTS);
        let known = |key: &crate::Key| match key.place {
            Place::Write => value::known_of_write(key.name),
            _ => value::known(key.name),
        };
        for key in keys.filter(|key| known(key).is_none()) {
            let told = match key.place {
                Place::Skills => library.skills.iter().find_map(|it| it.facts.get(key.name)),
                Place::Categories => {
                    library.categories.iter().find_map(|it| it.facts.get(key.name))
                }
                Place::Context => library.context.get(key.name),
                Place::Write => {
                    self.told.write.iter().find(|(name, _)| name == key.name).map(|it| &it.1)
                }
            };
            if let Some(told) = told.filter(|value| !key.kind.fits(value)) {
                let word = |kind: crate::key::Kind| kebab(&format!("{kind:?}"));
                let found = word(crate::key::Kind::of(told));
                let expected = word(key.kind);
                let problem =
                    Problem::new(self.line, format!("`{}` as {found}", key.name), &expected)
                        .hint(format!("write `{} ({expected})` where the case names it", key.name));
                return Some(problem.within(&self.path));
            }
        }
        None
    }
}
