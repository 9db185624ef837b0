//! What a case tells, as text, until all of it is known: a case adds to what its file begins with, and an age means something
//! only once the time of the decision is known.

use super::Facts;
use super::problem::Problem;
use super::table::{Slot, Written};
use super::value;
use crate::facts::{Instant, Value};
use crate::key::{self, Key, Kind};
use crate::testkit::library::{Library, NOW};
use std::collections::BTreeMap;

/// The category of skills for which none is told.
const GENERAL: &str = "general";

#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    pub slot: Option<Slot>,
    pub content: String,
    settings: Vec<(String, String, usize)>,
    facts: Vec<(String, String, usize)>,
    write: Vec<(String, String, usize)>,
    /// `now`, `seed`, `limit`, `fixed`.
    frame: BTreeMap<&'static str, (String, usize)>,
    skills: Vec<Row>,
    categories: Vec<Row>,
    /// Types that headings name.
    kinds: BTreeMap<String, Kind>,
}

/// A skill or a category, with its cells and their lines.
#[derive(Clone, Debug)]
struct Row {
    category: String,
    name: String,
    cells: BTreeMap<String, (String, usize)>,
}

/// What one column of a table that asks several times changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    Frame(&'static str),
    Setting(String),
    Fact(String),
    Write(String),
    /// A fact of a skill or category.
    Of {
        key: String,
        name: String,
    },
}

const FRAME: [&str; 4] = ["now", "seed", "limit", "fixed"];

impl Input {
    pub(crate) fn read(heading: &str) -> Option<Self> {
        if let Some(word) = FRAME.into_iter().find(|word| *word == heading) {
            return Some(Self::Frame(word));
        }
        if let Some(key) = heading.strip_prefix("set ") {
            return Some(Self::Setting(key.trim().to_owned()));
        }
        if let Some(key) = heading.strip_prefix("fact ") {
            return Some(Self::Fact(key.trim().to_owned()));
        }
        if let Some(key) = heading.strip_prefix("write ") {
            return Some(Self::Write(key.trim().to_owned()));
        }
        let (key, name) = heading.split_once(" of ")?;
        Some(Self::Of { key: key.trim().to_owned(), name: name.trim().to_owned() })
    }
}

impl Draft {
    /// How many skills and categories are told.
    pub(crate) const fn rows(&self) -> usize {
        self.skills.len() + self.categories.len()
    }

    /// `- set key = value`, `- fact key = value`, `- write key = value`, `- limit: 60`, `- slot: budget`.
    pub(crate) fn statement(&mut self, line: usize, text: &str) -> Result<(), Problem> {
        if let Some((word, rest)) = text.split_once(' ')
            && let "set" | "fact" | "write" = word
        {
            let Some((key, value)) = rest.split_once('=') else {
                return Err(Problem::new(
                    line,
                    format!("`{text}`"),
                    format!("`{word} key = value`"),
                ));
            };
            let input = match word {
                "set" => Input::Setting(key.trim().to_owned()),
                "fact" => Input::Fact(key.trim().to_owned()),
                _ => Input::Write(key.trim().to_owned()),
            };
            return self.change(line, &input, value.trim());
        }
        let (word, value) = text.split_once(':').unwrap_or((text, ""));
        if let Some(word) = FRAME.into_iter().find(|it| *it == word) {
            return self.change(line, &Input::Frame(word), value.trim());
        }
        if word == "slot" {
            let slot = Slot::from_word(value.trim()).ok_or_else(|| {
                let expected = Slot::ALL.map(Slot::word).join("`, `");
                Problem::new(line, format!("`{}`", value.trim()), format!("one of `{expected}`"))
            })?;
            self.slot = Some(slot);
            return Ok(());
        }
        Err(Problem::new(
            line,
            format!("`- {text}`"),
            "`- set key = value`, `- fact key = value`, `- write key = value`, `- now: …`, `- seed: …`, \
             `- limit: …`, `- fixed: …` or `- slot: …`",
        )
        .hint("a list that is prose has `*` before its points"))
    }

    /// Changes one thing; a later value replaces the one before.
    pub(crate) fn change(&mut self, line: usize, input: &Input, text: &str) -> Result<(), Problem> {
        let put = |list: &mut Vec<(String, String, usize)>, key: &str| {
            list.retain(|(known, ..)| known != key);
            list.push((key.to_owned(), text.to_owned(), line));
        };
        match input {
            Input::Frame(word) => {
                self.frame.insert(word, (text.to_owned(), line));
            }
            Input::Setting(key) => put(&mut self.settings, key),
            Input::Fact(key) => {
                let key = self.typed(line, key)?;
                put(&mut self.facts, &key);
            }
            Input::Write(key) => {
                let key = self.typed(line, key)?;
                put(&mut self.write, &key);
            }
            Input::Of { key, name } => {
                let key = self.typed(line, key)?;
                let of_category =
                    value::known(&key).is_some_and(|known| known.place == key::Place::Categories);
                let rows = if of_category { &mut self.categories } else { &mut self.skills };
                let found = rows.iter_mut().find(|row| {
                    row.name == *name || *name == format!("{}/{}", row.category, row.name)
                });
                match found {
                    Some(row) => drop(row.cells.insert(key, (text.to_owned(), line))),
                    None if of_category => {
                        let row = self.category(name);
                        row.cells.insert(key, (text.to_owned(), line));
                    }
                    None => {
                        return Err(Problem::new(
                            line,
                            format!("`{key} of {name}`"),
                            "a skill of the table above",
                        ));
                    }
                }
            }
        }
        Ok(())
    }

    /// A key without the type that may stand behind it, which is remembered.
    fn typed(&mut self, line: usize, heading: &str) -> Result<String, Problem> {
        let Some((name, word)) = heading.strip_suffix(')').and_then(|it| it.split_once('(')) else {
            return Ok(heading.to_owned());
        };
        let kind = value::kind(word.trim()).ok_or_else(|| {
            Problem::new(
                line,
                format!("the type `{word}`"),
                "`boolean`, `integer`, `real`, `text` or `texts`",
            )
        })?;
        self.kinds.insert(name.trim().to_owned(), kind);
        Ok(name.trim().to_owned())
    }

    fn category(&mut self, name: &str) -> &mut Row {
        let found = self.categories.iter().position(|row| row.name == name);
        let place = found.unwrap_or(self.categories.len());
        if found.is_none() {
            let cells = BTreeMap::new();
            self.categories.push(Row { category: String::new(), name: name.to_owned(), cells });
        }
        #[allow(clippy::indexing_slicing, reason = "the place was found or made above")]
        &mut self.categories[place]
    }

    /// A table of skills or of categories, laid over what is known of them.
    pub(crate) fn table(&mut self, table: Written) -> Result<(), Problem> {
        let Written { line, headings, rows } = table;
        let of_skills = match headings.first().map(String::as_str) {
            Some("skill") => true,
            Some("category") => false,
            Some("write") => return self.write_table(line, &headings, rows),
            other => {
                let found = format!("a table that begins with `{}`", other.unwrap_or_default());
                return Err(Problem::new(line, found, "`skill`, `category` or `write`")
                    .hint("a table of what is expected stands below `expect:`"));
            }
        };
        let keys = headings.iter().map(|heading| self.typed(line, heading));
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        for (line, cells) in rows {
            let mut told: BTreeMap<String, (String, usize)> = keys
                .iter()
                .zip(cells)
                .filter(|(_, cell)| !cell.is_empty())
                .map(|(key, cell)| (key.clone(), (cell, line)))
                .collect();
            let first = if of_skills { "skill" } else { "category" };
            let Some((name, _)) = told.remove(first) else {
                return Err(Problem::new(line, format!("a row without a {first}"), "its name"));
            };
            let row = if of_skills {
                let category = told.remove(key::CATEGORY.name).map(|(category, _)| category);
                self.skill(category, &name)
            } else {
                self.category(&name)
            };
            row.cells.extend(told);
        }
        Ok(())
    }

    /// A table of a write's facts, one a row, laid over what is known of it.
    fn write_table(
        &mut self,
        line: usize,
        headings: &[String],
        rows: Vec<(usize, Vec<String>)>,
    ) -> Result<(), Problem> {
        if headings.len() != 2 {
            let found = format!("a table of a write with {} columns", headings.len());
            return Err(Problem::new(line, found, "two: the fact's key, and what it is"));
        }
        for (line, cells) in rows {
            if let [key, value] = cells.as_slice() {
                self.change(line, &Input::Write(key.clone()), value)?;
            }
        }
        Ok(())
    }

    /// The skill of that name, in that category where one is told.
    fn skill(&mut self, category: Option<String>, name: &str) -> &mut Row {
        let found = self.skills.iter().position(|row| {
            row.name == name && category.as_ref().is_none_or(|category| row.category == *category)
        });
        let place = found.unwrap_or(self.skills.len());
        if found.is_none() {
            let category = category.unwrap_or_else(|| GENERAL.to_owned());
            self.category(&category);
            self.skills.push(Row { category, name: name.to_owned(), cells: BTreeMap::new() });
        }
        #[allow(clippy::indexing_slicing, reason = "the place was found or made above")]
        &mut self.skills[place]
    }

    /// The facts, now that everything is told.
    pub(crate) fn facts(&self) -> Result<Facts, Problem> {
        let mut library = Library::new();
        if let Some((text, line)) = self.frame.get("now") {
            let now = value::instant(text, NOW).ok_or_else(|| {
                Problem::new(*line, format!("`{text}`"), "a time such as `2026-05-28T20:00:00Z`")
            })?;
            library = library.now(now);
        }
        library = library.seed(self.number("seed", 0)?);
        library = library.limit(self.number("limit", u32::MAX)?).fixed(self.number("fixed", 0)?);
        let now = library.now;
        for (key, text, line) in &self.facts {
            let known = value::known(key);
            let value = self.value(key, known, text, *line, now, [text.as_str()].into_iter())?;
            library = library.fact(key.clone(), value);
        }
        for row in &self.categories {
            let cells = self.cells(row, &self.categories, now)?;
            library = library.category(&row.name, |category| {
                cells.into_iter().fold(category, |category, (key, value)| category.fact(key, value))
            });
        }
        for row in &self.skills {
            let cells = self.cells(row, &self.skills, now)?;
            library = library.skill(&row.category, &row.name, |skill| {
                cells.into_iter().fold(skill, |skill, (key, value)| skill.fact(key, value))
            });
        }
        let write = self.write.iter().map(|(key, text, line)| {
            let known = value::known_of_write(key);
            let value = self.value(key, known, text, *line, now, [text.as_str()].into_iter())?;
            Ok((key.clone(), value))
        });
        let keys = self.facts.iter().chain(&self.write).map(|(key, _, line)| (key, *line));
        let cells = self.skills.iter().chain(&self.categories).flat_map(|row| &row.cells);
        let keys = keys.chain(cells.map(|(key, (_, line))| (key, *line)));
        Ok(Facts {
            write: write.collect::<Result<_, Problem>>()?,
            keys: keys.map(|(key, line)| (key.clone(), line)).collect(),
            library,
            settings: self.settings.clone(),
            content: self.content.clone(),
        })
    }

    fn cells(&self, row: &Row, all: &[Row], now: Instant) -> Result<Vec<(String, Value)>, Problem> {
        let cells = row.cells.iter().map(|(key, (text, line))| {
            let column = all.iter().filter_map(|row| row.cells.get(key)).map(|it| it.0.as_str());
            Ok((key.clone(), self.value(key, value::known(key), text, *line, now, column)?))
        });
        cells.collect()
    }

    fn value<'a>(
        &self,
        key: &str,
        known: Option<&Key>,
        text: &str,
        line: usize,
        now: Instant,
        column: impl Iterator<Item = &'a str> + Clone,
    ) -> Result<Value, Problem> {
        let known = known.map(|key| key.kind).or_else(|| self.kinds.get(key).copied());
        let kind = known.unwrap_or_else(|| value::guess(column));
        value::read(key, kind, text, now)
            .map_err(|expected| Problem::new(line, format!("`{text}` for `{key}`"), expected))
    }

    fn number<T: std::str::FromStr>(&self, word: &str, absent: T) -> Result<T, Problem> {
        match self.frame.get(word) {
            None => Ok(absent),
            Some((text, line)) => text.parse().map_err(|_| {
                Problem::new(*line, format!("`{text}` for `{word}`"), "a whole number, not below 0")
            }),
        }
    }
}
