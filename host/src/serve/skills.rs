//! Skills as resources, by the protocol's extension for skills: each file at `skill://ROOT/CATEGORY/NAME/FILE`, with the hash of
//! its bytes, and the header as its author wrote it.
//!
//! The extension lets a list leave skills out and forbids that anything is out of reach: what an index only counts is in no list,
//! and is read by its address all the same.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use rmcp::{
    ErrorData,
    model::{
        Resource, ResourceContents, Skill as Manifest, SkillFrontmatter, SkillResource,
        SkillResources,
    },
};

use super::{Host, index::whole};
use crate::{
    decision::Form,
    ledger::Shown,
    library::{files_of, frontmatter},
    skill::Skill,
    tools::{notes::Notes, sight::Sight, view},
    world::{World, counting::Counting, error::CommandError, kept::Kept, warm::Now},
};

const SCHEME: &str = "skill://";

/// What stands for itself in a part of an address.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Skills on a page: the files of each are read for their hashes.
const PAGE: usize = 50;

/// Files and bytes of a skill that the extension lets a client refuse.
const MOST_FILES: usize = 512;
const MOST_BYTES: u64 = 16 << 20;

/// A page of something, and where the next one begins.
pub struct Page<T> {
    /// What is on it.
    pub items: Vec<T>,
    /// The next page.
    pub next: Option<String>,
}

/// Why an address is not answered.
#[derive(Debug)]
pub enum Trouble {
    /// Nothing has it.
    Unknown(String),
    /// No skill has its text there.
    NoSkill(String),
    /// It is no page.
    Cursor(String),
    /// Anything else.
    Command(CommandError),
}

impl From<CommandError> for Trouble {
    fn from(error: CommandError) -> Trouble {
        Trouble::Command(error)
    }
}

impl From<Trouble> for ErrorData {
    fn from(trouble: Trouble) -> ErrorData {
        match trouble {
            // The library says it as wrong parameters to clients whose version of the protocol has no such error any more.
            Trouble::Unknown(uri) => {
                ErrorData::resource_not_found(format!("nothing is at `{uri}`"), None)
            }
            Trouble::NoSkill(uri) => {
                ErrorData::invalid_params(format!("no skill is at `{uri}`"), None)
            }
            Trouble::Cursor(found) => {
                ErrorData::invalid_params(format!("`{found}` is no page of this list"), None)
            }
            Trouble::Command(error) => ErrorData::invalid_params(error.to_string(), None),
        }
    }
}

/// The address of a skill's folder, with a slash at its end.
fn folder_uri(world: &World<'_>, skill: &Skill) -> Option<String> {
    let root = world.library.roots.get(skill.place.root)?;
    let mut uri = SCHEME.to_owned();
    let category = skill.category.as_str().split('/');
    let parts = [root.root.label.as_str()].into_iter().chain(category).chain([skill.name.as_str()]);
    for part in parts {
        // A part of dots is no name to whoever resolves addresses.
        if part.is_empty() || part == "." || part == ".." {
            return None;
        }
        uri.extend(utf8_percent_encode(part, PLAIN));
        uri.push('/');
    }
    Some(uri)
}

fn file_uri(folder: &str, path: &str) -> String {
    let parts: Vec<String> =
        path.split('/').map(|part| utf8_percent_encode(part, PLAIN).to_string()).collect();
    folder.to_owned() + &parts.join("/")
}

/// The path that the end of an address means: part by part, so that what is written as a slash makes no part of its own, and each
/// file has one path.
fn path_of(rest: &str) -> Option<String> {
    let part = |part: &str| {
        let name = percent_decode_str(part).decode_utf8().ok()?.into_owned();
        let is_name =
            !matches!(name.as_str(), "" | "." | "..") && !name.contains(['/', '\\', '\0']);
        is_name.then_some(name)
    };
    let parts: Option<Vec<String>> = rest.split('/').map(part).collect();
    parts.map(|parts| parts.join("/"))
}

/// The row of the skill that an address is in, and the file below it.
fn located(sight: &Sight<'_>, uri: &str) -> Option<(usize, String)> {
    let skills = sight.world.library.skills.iter().enumerate();
    let seen = skills.filter(|(row, skill)| skill.is_live() && !sight.hides(*row));
    let folders = seen.filter_map(|(row, skill)| {
        let folder = folder_uri(sight.world, skill)?;
        uri.strip_prefix(&folder).map(|rest| (folder.len(), row, skill, rest))
    });
    // A category may be called as a skill beside it is: then the skill that is deeper has the address.
    let (_, row, skill, rest) = folders.max_by_key(|(deep, ..)| *deep)?;
    let path = path_of(rest)?;
    // The file's own name in its folder may be written otherwise; its address is the standard's.
    let path = if path == "SKILL.md" { skill.place.file.clone() } else { path };
    Some((row, path))
}

/// A skill as the extension tells it; nothing where it is none by the standard, or too large to be loaded.
fn manifest(world: &World<'_>, row: usize, skill: &Skill) -> Option<Manifest> {
    let folder = world.library.folder_of(row)?;
    let at = folder_uri(world, skill)?;
    let mut files = files_of(world.files(), &folder).ok()?;
    let all: u64 = files.iter().map(|(_, bytes)| bytes).sum();
    files.retain(|(path, _)| *path != skill.place.file);
    if files.len() >= MOST_FILES || all > MOST_BYTES {
        return None;
    }
    let read = |path: &str| view::open(world, row, skill, Some(path)).ok();
    let text = read(&skill.place.file)?;
    let mut header = frontmatter(&text.bytes)?;
    let mut word = |key: &str| match header.remove(key) {
        Some(serde_json::Value::String(word)) => Some(word),
        _ => None,
    };
    let (name, description) = (word("name")?, word("description")?);
    let mut front = SkillFrontmatter::new(name, description);
    front.extra = header;
    let uri = file_uri(&at, "SKILL.md");
    let mut resources = vec![SkillResource::from_bytes(uri.clone(), &text.bytes)];
    for (path, _) in &files {
        // What can't be read, such as a link that leads out, is no file of it.
        if let Some(file) = read(path) {
            resources.push(SkillResource::from_bytes(file_uri(&at, path), &file.bytes));
        }
    }
    let skill = Manifest::new(uri, front, SkillResources::Files(resources));
    skill.validate().is_ok().then_some(skill)
}

/// Which page a cursor means.
fn page_of(cursor: Option<&str>) -> Result<usize, Trouble> {
    let Some(cursor) = cursor else { return Ok(0) };
    cursor.parse().map_err(|_| Trouble::Cursor(cursor.chars().take(40).collect()))
}

fn cut<T, R>(all: Vec<T>, begin: usize, tell: impl Fn(T) -> Option<R>) -> Page<R> {
    let total = all.len();
    let items = all.into_iter().skip(begin).take(PAGE).filter_map(tell).collect();
    let end = begin.saturating_add(PAGE);
    Page { items, next: (end < total).then(|| end.to_string()) }
}

impl Host {
    /// A page of the skills that the index tells by their names at least.
    ///
    /// # Errors
    /// Where the settings are wrong, or the cursor is none.
    pub(super) fn list_skills(
        &self,
        cursor: Option<&str>,
        session: &str,
    ) -> Result<Page<Manifest>, Trouble> {
        let begin = page_of(cursor)?;
        let Now { world, kept, .. } = self.now()?;
        let rows = self.told(&world, &kept, session)?;
        Ok(cut(rows, begin, |row| manifest(&world, row, world.library.skills.get(row)?)))
    }

    /// The rows that an index made now tells by their names at least, in its order.
    fn told(
        &self,
        world: &World<'_>,
        kept: &Kept,
        session: &str,
    ) -> Result<Vec<usize>, CommandError> {
        let (wishes, generation) = (self.wishes(session), self.generation());
        // What is wrong with what the home knows is told with the index itself.
        let made = whole(world, kept, wishes, &generation, &mut Notes::default())?.made;
        let entries = made.candidates.entries.iter().enumerate();
        let named = entries.filter(|(row, _)| {
            made.decided.forms.row(*row).is_some_and(|choice| choice.choice != Form::Counted)
        });
        Ok(named.map(|(_, entry)| entry.skill).collect())
    }

    /// The skill whose text is at an address, listed or not.
    ///
    /// # Errors
    /// Where there is none, or it is none by the standard.
    pub(super) fn skill(&self, uri: &str) -> Result<Manifest, Trouble> {
        let Now { world, kept, .. } = self.now()?;
        let sight = Sight::new(&world, &kept, self.agent());
        let unknown = || Trouble::NoSkill(uri.chars().take(200).collect());
        let (row, _) = located(&sight, uri).ok_or_else(unknown)?;
        let skill = world.library.skills.get(row).ok_or_else(unknown)?;
        manifest(&world, row, skill).filter(|it| it.uri == uri).ok_or_else(unknown)
    }

    /// A page of all texts of skills that may be seen.
    ///
    /// # Errors
    /// Where the settings are wrong, or the cursor is none.
    pub(super) fn skill_resources(&self, cursor: Option<&str>) -> Result<Page<Resource>, Trouble> {
        let begin = page_of(cursor)?;
        let Now { world, kept, .. } = self.now()?;
        let sight = Sight::new(&world, &kept, self.agent());
        let session = world.session();
        let skills = world.library.skills.iter().enumerate();
        let mut rows: Vec<&Skill> = skills
            .filter(|(row, skill)| sight.offers(*row, skill, &session))
            .map(|(_, skill)| &**skill)
            .collect();
        rows.sort_by(|a, b| (&a.category, &a.name).cmp(&(&b.category, &b.name)));
        Ok(cut(rows, begin, |skill| {
            let uri = file_uri(&folder_uri(&world, skill)?, "SKILL.md");
            let mut resource = Resource::new(uri, skill.name.as_str())
                .with_mime_type("text/markdown")
                .with_size(skill.facts.bytes);
            if let Some(description) = &skill.facts.description {
                resource = resource.with_description(description.as_str());
            }
            Some(resource)
        }))
    }

    /// What is at an address; a skill that is opened is counted.
    ///
    /// # Errors
    /// Where nothing is there, or it is off for who asks.
    pub(super) fn read_resource(
        &self,
        uri: &str,
        session: &str,
    ) -> Result<ResourceContents, Trouble> {
        let Now { world, kept, .. } = self.now()?;
        let sight = Sight::new(&world, &kept, self.agent());
        let unknown = || Trouble::Unknown(uri.chars().take(200).collect());
        let (row, path) = located(&sight, uri).ok_or_else(unknown)?;
        let skill = world.library.skills.get(row).ok_or_else(unknown)?;
        let counting = Counting::new(&world, row, Some(session));
        counting.may_be_shown(&world, skill.name.as_str(), self.agent())?;
        let opened = view::open(&world, row, skill, Some(&path)).map_err(|_| unknown())?;
        let mut notes = Notes::default();
        counting.count(&world, if opened.is_text { Shown::Text } else { Shown::File }, &mut notes);
        for note in notes.into_lines() {
            tracing::info!(session, "{note}");
        }
        let markdown = opened.file.to_lowercase().ends_with(".md");
        Ok(match String::from_utf8(opened.bytes) {
            Ok(text) => ResourceContents::text(text, uri).with_mime_type(if markdown {
                "text/markdown"
            } else {
                "text/plain"
            }),
            Err(bytes) => ResourceContents::blob(BASE64_STANDARD.encode(bytes.as_bytes()), uri)
                .with_mime_type("application/octet-stream"),
        })
    }
}
