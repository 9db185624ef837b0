//! What agents call: four tools, each a typed request and a typed answer with a JSON Schema; and the functions behind them,
//! which the command line calls too.
//!
//! *Invariant*: no rule is here, and nothing is printed. A call that does nothing says what to do next, in words of an agent.

mod again;
pub mod find;
pub mod list;
pub mod notes;
pub mod rate;
mod schema;
pub mod sight;
pub mod trouble;
pub mod view;
pub mod write;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value as Json;

pub use again::{Call, remember};
pub use schema::Tool;

use std::sync::Arc;

use crate::{
    roster::Generation,
    skill::OneLine,
    system::System,
    world::{Where, World, error::CommandError, kept, kept::Kept, warm::Warm},
};
use notes::Notes;
use trouble::{BadInput, Refusal, Trouble};

/// Tools for one caller.
pub struct Toolbox<'a> {
    /// The outside.
    pub system: &'a dyn System,
    /// Where to look.
    pub place: Where<'a>,
    /// Who keeps the world between calls, where somebody does: of the same place.
    pub warm: Option<&'a Warm>,
    /// The agent that calls, such as `codex`, where it is told: what a person chose for it holds.
    pub agent: Option<String>,
    /// The session that it calls in.
    pub session: Option<String>,
    /// The policies that judge what is written, where the caller has them; else those of the settings are loaded.
    pub generation: Option<Arc<Generation>>,
}

/// What a call came to.
#[derive(Clone, Debug)]
pub struct Called {
    /// The answer, or that nothing was done.
    pub answer: Result<Json, Refusal>,
    /// What the caller should know beside it.
    pub notes: Vec<String>,
}

impl Called {
    /// Both as one object, with the notes where there are any.
    #[must_use]
    pub fn json(&self) -> Json {
        let mut object = match &self.answer {
            Ok(answer) => answer.clone(),
            Err(refusal) => json_of(refusal),
        };
        if let (Json::Object(object), false) = (&mut object, self.notes.is_empty()) {
            object.insert("notes".to_owned(), Json::from(self.notes.clone()));
        }
        object
    }
}

impl<'a> Toolbox<'a> {
    /// The world of this moment.
    fn world(&self) -> Result<Arc<World<'a>>, CommandError> {
        match self.warm {
            Some(warm) => Ok(warm.world()?),
            None => Ok(Arc::new(World::open(self.system, &self.place)?)),
        }
    }

    /// The world of this moment, and what the home knows of it.
    fn known(&self) -> Result<(Arc<World<'a>>, Arc<Kept>), CommandError> {
        if let Some(warm) = self.warm {
            let now = warm.now()?;
            return Ok((now.world, now.kept));
        }
        let (world, kept) = kept::open(self.system, &self.place)?;
        Ok((Arc::new(world), Arc::new(kept)))
    }

    /// Calls a tool with what an agent gave it.
    #[must_use]
    pub fn call(&self, tool: Tool, input: &Json) -> Called {
        let mut notes = Notes::default();
        let result = match tool {
            Tool::List => read(tool, input).and_then(|asked| answer(self.list(&asked, &mut notes))),
            Tool::View => read(tool, input).and_then(|asked| answer(self.view(&asked, &mut notes))),
            Tool::Write => {
                read(tool, input).and_then(|asked| answer(self.write(&asked, &mut notes)))
            }
            Tool::Rate => read(tool, input).and_then(|asked| answer(self.rate(&asked, &mut notes))),
        };
        let answer = result.map_err(|trouble| {
            // What only asks how it would go tries nothing.
            if input.get("dry_run") == Some(&Json::Bool(true)) {
                return trouble.refusal(1);
            }
            let call = Call::of_tool(tool, input, &trouble);
            trouble.refusal(remember(self.system, &self.place, self.session.as_deref(), &call))
        });
        Called { answer, notes: notes.into_lines() }
    }
}

fn answer<T: Serialize>(result: Result<T, Trouble>) -> Result<Json, Trouble> {
    result.map(|answer| json_of(&answer))
}

/// An answer as JSON. Ours hold nothing that JSON can't: no map has keys that are no texts.
fn json_of(answer: &impl Serialize) -> Json {
    serde_json::to_value(answer).unwrap_or_default()
}

/// What a tool is asked for. A key that it has not is refused with the near one, and a value of another kind with its place.
fn read<T: DeserializeOwned>(tool: Tool, input: &Json) -> Result<T, Trouble> {
    let nothing = Json::Object(serde_json::Map::new());
    // Some clients send nothing at all where no key is needed.
    let input = if input.is_null() { &nothing } else { input };
    let Json::Object(given) = input else {
        let found = OneLine::capped(&input.to_string(), 80);
        let found = OneLine::new(&format!("found {found}, expected an object"));
        return Err(BadInput::Value { at: tool.word().to_owned(), found }.into());
    };
    let known = tool.keys();
    if let Some(key) = given.keys().find(|key| !known.contains(key)) {
        return Err(BadInput::Key { found: OneLine::capped(key, 80), known }.into());
    }
    serde_path_to_error::deserialize(input).map_err(|error| {
        let at = match error.path().to_string() {
            path if path == "." => tool.word().to_owned(),
            path => path,
        };
        let found = OneLine::capped(&error.inner().to_string(), 300);
        BadInput::Value { at, found }.into()
    })
}
