//! A skill's text, or one of its files, as somebody opens it.

use std::{borrow::Cow, path::PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Toolbox, notes::Notes, trouble::Trouble};
use crate::{
    decision::Unit,
    ledger::{Digest, Shown},
    library,
    skill::Skill,
    world::{
        World,
        counting::Counting,
        error::{CommandError, Kind},
        naming::{not_found, one},
    },
};

/// A file of a skill, as it was read.
pub struct Opened {
    /// The skill's folder.
    pub folder: PathBuf,
    /// The file's path below it.
    pub file: String,
    /// Where the file is.
    pub path: PathBuf,
    /// What is in it.
    pub bytes: Vec<u8>,
    /// Whether it is the skill's own text, and not a file beside it.
    pub is_text: bool,
}

/// How large a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Bytes.
    pub bytes: usize,
    /// Unicode scalars.
    pub chars: usize,
    /// Lines.
    pub lines: usize,
    /// Tokens (o200k).
    pub tokens: u32,
}

/// Reads a file of the skill in a row; its own text where none is named. No link is followed out of the roots.
///
/// # Errors
/// Where there is none, or it can't be read; with the files that there are.
pub fn open(
    world: &World<'_>,
    row: usize,
    skill: &Skill,
    file: Option<&str>,
) -> Result<Opened, CommandError> {
    let folder = world.library.folder_of(row).ok_or_else(|| {
        CommandError::new(Kind::Finding, format!("`{}` has no folder", skill.name))
    })?;
    let file = file.unwrap_or(&skill.place.file).to_owned();
    if file.is_empty() {
        return Err(unreadable(world, row, skill));
    }
    let (path, bytes) =
        library::open_inside(world.files(), &folder, &file, &world.allowed_folders()).map_err(
            |error| {
                let files = library::files_of(world.files(), &folder).unwrap_or_default();
                let names: Vec<&str> =
                    files.iter().map(|(name, _)| name.as_str()).take(12).collect();
                CommandError::new(Kind::Finding, error.to_string()).maybe_hint(
                    (!names.is_empty()).then(|| format!("its files: {}", names.join(", "))),
                )
            },
        )?;
    let is_text = file == skill.place.file;
    Ok(Opened { folder, file, path, bytes, is_text })
}

impl Opened {
    /// Its text; what is no UTF-8 is replaced.
    #[must_use]
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// The hash that who writes it names, to say what was read.
    #[must_use]
    pub fn hash(&self) -> Digest {
        Digest::of(&self.bytes)
    }

    /// What is counted where it is shown.
    #[must_use]
    pub fn shown(&self) -> Shown {
        if self.is_text { Shown::Text } else { Shown::File }
    }

    /// How large it is.
    #[must_use]
    pub fn size(&self, world: &World<'_>) -> Size {
        let text = self.text();
        let meter = world.meter(Unit::Tokens);
        let tokens = meter.get().count(&text);
        meter.save(world.system);
        Size {
            bytes: self.bytes.len(),
            chars: text.chars().count(),
            lines: text.lines().count(),
            tokens,
        }
    }

    /// The files of the skill, with their bytes.
    #[must_use]
    pub fn files(&self, world: &World<'_>) -> Vec<(String, u64)> {
        library::files_of(world.files(), &self.folder).unwrap_or_default()
    }
}

/// One section of a text of the skill that is called so.
///
/// # Errors
/// Where no heading, or more than one, is meant.
pub fn section<'t>(text: &'t str, asked: &str, name: &str) -> Result<&'t str, CommandError> {
    library::section(text, asked).map_err(|error| {
        CommandError::new(Kind::Finding, error.to_string())
            .hint(format!("`skillkeep show {name} --outline` lists the headings"))
    })
}

fn unreadable(world: &World<'_>, row: usize, skill: &Skill) -> CommandError {
    let error =
        CommandError::new(Kind::Finding, format!("`{}` has no file that can be read", skill.name));
    world.library.diagnostics_of(row).iter().fold(error, |error, diagnostic| {
        let word = diagnostic.problem.word();
        error.hint(format!("{word}: {}; {}", diagnostic.cause, diagnostic.fix))
    })
}

/// Which skill, and what of it.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ViewRequest {
    /// The skill's name, as the index or `skills_list` has it; `category/name` tells apart what is called alike
    pub name: String,
    /// A file of the skill, such as `references/guide.md`; its own text where it is left out
    #[serde(default)]
    pub path: Option<String>,
    /// One section of the text: its heading, the beginning of it, or its number in the outline
    #[serde(default)]
    pub section: Option<String>,
    /// The headings with their sizes instead of the text: for what is long
    #[serde(default)]
    pub outline: bool,
}

/// A skill's text, or what was asked of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct View {
    /// The skill's name
    pub name: String,
    /// Its category
    pub category: String,
    /// The file that was read, below the skill's folder
    pub path: String,
    /// The SHA-256 of the whole file: `base` of a later `skill_write` says by it what was read
    #[schemars(with = "String")]
    pub hash: Digest,
    /// Bytes of the whole file
    pub bytes: usize,
    /// Tokens of the whole file (o200k)
    pub tokens: u32,
    /// The text, or the section that was asked for; nothing where an outline was, or the file is no text
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The headings
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outline: Option<Vec<Heading>>,
    /// The skill's other files, which `path` opens
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileSize>,
}

/// A heading of a text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Heading {
    /// Its number, which `section` takes
    pub number: usize,
    /// From 1 to 6
    pub level: u8,
    /// Its text
    pub title: String,
    /// Bytes of its section
    pub bytes: usize,
}

/// A file of a skill.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FileSize {
    /// Its path below the skill's folder
    pub path: String,
    /// Its bytes
    pub bytes: u64,
}

impl Toolbox<'_> {
    /// `skill_view`: opens a skill, and counts that it was.
    ///
    /// # Errors
    /// Where no skill is meant, or several, it is off for who asks, or it can't be read.
    pub fn view(&self, asked: &ViewRequest, notes: &mut Notes) -> Result<View, Trouble> {
        let mut world = self.world()?;
        let mut row = one(&world, &asked.name, notes)?;
        if let Some(warm) = self.warm
            && is_other(&world, row)
        {
            // Nothing told of it: by another name of the file, or by memory that is mapped to it.
            warm.doubt();
            world = self.world()?;
            row = one(&world, &asked.name, notes)?;
        }
        world.announce(notes);
        let missing = || not_found(&world, &asked.name, &[]);
        let skill = world.library.skills.get(row).ok_or_else(missing)?;
        let counting = Counting::new(&world, row, self.session.as_deref());
        counting.may_be_shown(&world, skill.name.as_str(), self.agent.as_deref())?;
        let opened = open(&world, row, skill, asked.path.as_deref())?;
        let size = opened.size(&world);
        let is_text = std::str::from_utf8(&opened.bytes).is_ok();
        let text = opened.text();
        let (shown, text, outline) = match &asked.section {
            _ if asked.outline => (Shown::Outline, None, Some(outline(&text))),
            Some(asked) => {
                let part = section(&text, asked, skill.name.as_str())?;
                (opened.shown(), Some(part.to_owned()), None)
            }
            None if !is_text && !opened.is_text => (opened.shown(), None, None),
            None => (opened.shown(), Some(text.clone().into_owned()), None),
        };
        if text.is_none() && outline.is_none() {
            notes.say(format!("`{}` is no text: {} bytes", opened.file, size.bytes));
        }
        let mut files = opened.files(&world);
        files.retain(|(path, _)| *path != opened.file);
        counting.count(&world, shown, notes);
        Ok(View {
            name: skill.name.as_str().to_owned(),
            category: skill.category.as_str().to_owned(),
            hash: opened.hash(),
            bytes: size.bytes,
            tokens: size.tokens,
            text,
            outline,
            files: files.into_iter().map(|(path, bytes)| FileSize { path, bytes }).collect(),
            path: opened.file,
        })
    }
}

/// Whether a skill's file is in another state than the library knows it in.
fn is_other(world: &World<'_>, row: usize) -> bool {
    let looked = world.library.looked.get(row).copied().flatten();
    let now = world.library.path_of(row).and_then(|path| world.files().stat(&path).ok());
    looked.is_some() && looked != now
}

fn outline(text: &str) -> Vec<Heading> {
    let headings = library::outline(text).into_iter().enumerate();
    headings
        .map(|(at, heading)| Heading {
            number: at + 1,
            level: heading.level,
            title: heading.title.into_string(),
            bytes: heading.bytes,
        })
        .collect()
}
