//! What the tools are called, what they say of themselves, and the schemas of what they take and give.

use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform};
use serde_json::{Value as Json, json};

use super::{list, rate, view, write};

/// A tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Which skills there are.
    List,
    /// A skill's text.
    View,
    /// A skill made, changed or put away.
    Write,
    /// How a skill did.
    Rate,
}

impl Tool {
    /// All of them.
    pub const ALL: [Tool; 4] = [Tool::List, Tool::View, Tool::Write, Tool::Rate];

    /// Its name, as agents call it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Tool::List => "skills_list",
            Tool::View => "skill_view",
            Tool::Write => "skill_write",
            Tool::Rate => "skill_rate",
        }
    }

    /// The tool of a name.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Tool> {
        Tool::ALL.into_iter().find(|tool| tool.word() == word)
    }

    /// A title for people.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Tool::List => "List or search skills",
            Tool::View => "Open a skill",
            Tool::Write => "Make, change or archive a skill",
            Tool::Rate => "Say how a skill did",
        }
    }

    /// What it does and when to call it, for an agent.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Tool::List => {
                "Lists the skills that are there, by category, or searches their names, descriptions and texts. Call it with a \
                 `query` before a task for which the index names no skill."
            }
            Tool::View => {
                "Opens a skill: its instructions, and the files that lie beside them. Call it before you begin a task that a \
                 skill is for, and before you change the skill: the `hash` that comes with the text is the `base` of a write."
            }
            Tool::Write => {
                "Makes a skill, changes files of one, or archives one, as one change that people can undo. Name in `base` the \
                 hash of each file that you read and edit. Some writes wait for a person: then go on without them."
            }
            Tool::Rate => {
                "Says how a skill did once the task is done: success, failure, or corrected where its instructions were wrong. \
                 What is rated well is found again, and what fails is looked at."
            }
        }
    }

    /// Whether it leaves everything as it is, counts aside.
    #[must_use]
    pub fn is_read_only(self) -> bool {
        matches!(self, Tool::List | Tool::View)
    }

    /// The JSON Schema of what it takes.
    #[must_use]
    pub fn input(self) -> Json {
        match self {
            Tool::List => schema::<list::ListRequest>(SchemaSettings::draft2020_12()),
            Tool::View => schema::<view::ViewRequest>(SchemaSettings::draft2020_12()),
            Tool::Write => schema::<write::WriteRequest>(SchemaSettings::draft2020_12()),
            Tool::Rate => schema::<rate::RateRequest>(SchemaSettings::draft2020_12()),
        }
    }

    /// The JSON Schema of its answer.
    #[must_use]
    pub fn output(self) -> Json {
        let mut schema = match self {
            Tool::List => schema::<list::Listed>(SchemaSettings::draft2020_12().for_serialize()),
            Tool::View => schema::<view::View>(SchemaSettings::draft2020_12().for_serialize()),
            Tool::Write => schema::<write::Wrote>(SchemaSettings::draft2020_12().for_serialize()),
            Tool::Rate => schema::<rate::Rated>(SchemaSettings::draft2020_12().for_serialize()),
        };
        if let Some(Json::Object(properties)) = schema.get_mut("properties") {
            let notes = json!({
                "type": "array",
                "items": { "type": "string" },
                "description": "What you should know beside the answer",
            });
            properties.insert("notes".to_owned(), notes);
        }
        schema
    }

    /// The keys that it takes.
    pub(super) fn keys(self) -> Vec<String> {
        match self.input().get("properties") {
            Some(Json::Object(properties)) => properties.keys().cloned().collect(),
            _ => Vec::new(),
        }
    }

    /// All that is told of it.
    #[must_use]
    pub fn json(self) -> Json {
        json!({
            "name": self.word(),
            "title": self.title(),
            "description": self.description(),
            "inputSchema": self.input(),
            "outputSchema": self.output(),
            "annotations": {
                "readOnlyHint": self.is_read_only(),
                "destructiveHint": false,
                "idempotentHint": self.is_read_only(),
                "openWorldHint": false,
            },
        })
    }
}

/// Whole in one piece: some clients follow no references.
fn schema<T: JsonSchema>(mut settings: SchemaSettings) -> Json {
    settings.inline_subschemas = true;
    // Widths of Rust's numbers are no formats of JSON Schema, and clients warn of each at each call. The bounds stay.
    let no_formats = RecursiveTransform(|schema: &mut Schema| drop(schema.remove("format")));
    settings = settings.with_transform(no_formats);
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    if let Json::Object(schema) = &mut schema {
        // A type's name and its own comment are for who reads the source.
        schema.remove("title");
        schema.remove("description");
    }
    schema
}
