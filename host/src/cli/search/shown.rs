//! How what was found is printed: lines for people, JSON with the same facts, and what is told where nothing was found.

use std::process::ExitCode;

use serde_json::{Value as Json, json};

use super::Answer;
use crate::{
    cli::{
        Global, known,
        list::{cell, state},
        output::Output,
        records,
    },
    search::Hit,
    skill::{Choice, OneLine, Skill},
    tools::find,
    world::{
        counted,
        error::{CommandError, Kind},
    },
};

impl Answer<'_> {
    /// Prints what was found, or says that nothing was.
    pub(super) fn print(
        &self,
        global: &Global,
        out: &mut Output<'_>,
    ) -> Result<ExitCode, CommandError> {
        let nothing = self.hits.found.hits.is_empty();
        let near = if nothing { find::near(self.sight, self.query) } else { Vec::new() };
        if global.json {
            out.json(&self.json(&near))?;
            return Ok(ExitCode::from(u8::from(nothing)));
        }
        if nothing {
            return Err(self.nothing(&near));
        }
        let hits = self.hits.found.hits.iter();
        out.text(&hits.filter_map(|hit| self.lines(hit)).collect::<String>())?;
        if self.hits.widened {
            out.note("no skill has these words; these have words that begin with them");
        }
        let (shown, total) = (self.hits.found.hits.len(), self.hits.found.total);
        if shown < total {
            out.note(&format!("{shown} of {}; `--limit` shows more", counted(total, "skill")));
        } else {
            out.note(&counted(total, "skill"));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn lines(&self, hit: &Hit) -> Option<String> {
        let skill = self.sight.world.library.skills.get(hit.row)?;
        let fields: Vec<&str> = hit.fields.iter().map(|field| field.word()).collect();
        let mut parts =
            vec![cell(&skill.name), cell(&skill.category), format!("in {}", fields.join(", "))];
        parts.extend(self.used(hit.row));
        parts.extend(self.marks(hit.row, skill));
        Some(format!("{}\n    {}\n", parts.join("  "), hit.snippet))
    }

    /// How it was used; nothing where nobody counts.
    fn used(&self, row: usize) -> Option<String> {
        let sums = self.sight.of(row)?.sums;
        let uses = counted(usize::try_from(sums.uses).unwrap_or(usize::MAX), "use");
        let last =
            sums.last_use.map(|at| match known::age(self.sight.world.system.now(), at).as_str() {
                "now" => ", the last just now".to_owned(),
                age => format!(", the last {age} ago"),
            });
        Some(uses + &last.unwrap_or_default())
    }

    /// What sets a skill apart from those that are offered.
    fn marks(&self, row: usize, skill: &Skill) -> Vec<String> {
        let mut marks = Vec::new();
        if !skill.is_live() {
            marks.push(state(self.sight.world, skill));
        }
        if matches!(self.sight.choice(row), Choice::Off | Choice::Manual) {
            marks.push(self.sight.choice(row).word().to_owned());
        }
        marks
    }

    fn json(&self, near: &[&str]) -> Json {
        let hits: Vec<Json> = self.hits.found.hits.iter().filter_map(|hit| self.hit(hit)).collect();
        json!({
            "schema": "skillkeep.search/1",
            "sample": self.sight.world.is_sample(),
            "query": self.text,
            "cut": self.query.is_cut(),
            "widened": self.hits.widened,
            "roots": records::roots(self.sight.world),
            "found": self.hits.found.total,
            "hits": hits,
            "near": near,
        })
    }

    fn hit(&self, hit: &Hit) -> Option<Json> {
        let library = &self.sight.world.library;
        let skill = library.skills.get(hit.row)?;
        let root = library.roots.get(skill.place.root);
        let fields: Vec<&str> = hit.fields.iter().map(|field| field.word()).collect();
        let mut record = json!({
            "name": skill.name,
            "category": skill.category,
            "root": root.map(|report| report.root.label.clone()),
            "path": library.path_of(hit.row).map(|path| path.display().to_string()),
            "standing": skill.standing.word(),
            "in": fields,
            "snippet": hit.snippet,
            "score": hit.score,
        });
        if let (Some(_), Json::Object(record)) = (&self.sight.kept.ledger, &mut record) {
            let known = self.sight.of(hit.row);
            let last = known.and_then(|it| it.sums.last_use);
            record.insert("id".to_owned(), json!(known.map(|it| it.id)));
            record.insert("uses".to_owned(), json!(known.map(|it| it.sums.uses)));
            record.insert("last-used".to_owned(), json!(last.map(|at| at.to_string())));
            record.insert("choice".to_owned(), json!(known.map(|_| self.sight.choice(hit.row))));
        }
        Some(record)
    }

    fn nothing(&self, near: &[&str]) -> CommandError {
        let seen = self.sight.seen();
        let text = OneLine::capped(self.text, 80);
        let message = format!(
            "nothing is found for `{text}` among {} in {}",
            counted(seen, "skill"),
            counted(self.sight.world.library.roots.len(), "root")
        );
        let error = CommandError::new(Kind::Finding, message);
        if near.is_empty() {
            return error.hint("`skillkeep list` shows all");
        }
        let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
        error.hint(format!("did you mean {}?", near.join(", ")))
    }
}
