//! What became of several skills at once: each was done, waits, or was refused with its reason.

use std::process::ExitCode;

use serde_json::{Value, json};

use crate::{
    cli::{Global, output::Output},
    skill::{OneLine, SkillId},
    world::error::CommandError,
};

/// What became of all of them.
pub struct Several {
    /// The form that programs read.
    pub schema: &'static str,
    /// Whether nothing was done.
    pub dry_run: bool,
    /// What was done, or would be.
    pub done: Vec<Made>,
    /// What was not.
    pub refused: Vec<Refused>,
}

/// What was done to one skill, or would be.
pub struct Made {
    /// The change that did it.
    pub change: Option<i64>,
    /// The skill.
    pub skill: SkillId,
    /// Its name.
    pub name: String,
    /// What was done, in words.
    pub what: String,
    /// The write that waits for a person instead, where one does.
    pub pending: Option<String>,
}

/// Why nothing was done to one skill.
pub struct Refused {
    /// Its name.
    pub name: String,
    /// Why.
    pub why: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Refused {
    /// What an error says of a skill.
    pub fn of(name: &str, error: CommandError) -> Refused {
        let CommandError { message, hints, .. } = error;
        Refused { name: name.to_owned(), why: message, hint: hints.into_iter().next() }
    }
}

impl Several {
    /// Says it. The exit status is 1 where anything was refused.
    ///
    /// # Errors
    /// Where standard output can't be written.
    pub fn tell(&self, global: &Global, out: &mut Output<'_>) -> Result<ExitCode, CommandError> {
        if global.json {
            out.json(&self.as_json())?;
        } else {
            if self.dry_run {
                out.note("dry run: nothing is written");
            }
            for it in &self.done {
                let change = it.change.map_or(String::new(), |id| format!("change {id}: "));
                out.text(&format!("{change}{}\n", it.what))?;
            }
        }
        for it in &self.refused {
            out.warn(&format!("`{}`: {}", OneLine::capped(&it.name, 80), it.why));
            if let Some(hint) = &it.hint {
                out.hint(hint);
            }
        }
        Ok(ExitCode::from(u8::from(!self.refused.is_empty())))
    }

    fn as_json(&self) -> Value {
        let done = self.done.iter().map(|it| {
            json!({
                "change": it.change, "skill": it.skill, "name": it.name, "what": it.what,
                "pending": it.pending,
            })
        });
        let refused = self.refused.iter().map(|it| json!({ "name": it.name, "why": it.why }));
        json!({
            "schema": self.schema,
            "dry-run": self.dry_run,
            "done": done.collect::<Vec<_>>(),
            "refused": refused.collect::<Vec<_>>(),
        })
    }
}
