//! Edits as JSON, as an agent or a script hands them over: several files of one skill, as one change.
//!
//! ```json
//! {"base": {"SKILL.md": "<hash>"},
//!  "edits": [{"patch": {"path": "SKILL.md", "old": "by hand", "new": "by the script"}},
//!            {"put": {"path": "scripts/go.sh", "text": "#!/bin/sh\n", "executable": true}},
//!            {"remove": {"path": "references/old.md"}}]}
//! ```

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Base, ChangeError, Edit,
    names::check_known_path,
    patch::{How, Patch},
};
use crate::{
    ledger::Digest,
    skill::{OneLine, nearest},
};

/// What is asked for. A key that is none of these is refused.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Hashes of the files that were read, by path below the skill's folder.
    #[serde(default)]
    pub base: BTreeMap<String, String>,
    /// What is done, in this order.
    pub edits: Vec<Asked>,
}

/// What is done to one file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Asked {
    /// The file has this text then, whether it was there or not.
    Put {
        /// The file, such as `SKILL.md` or `scripts/go.sh`.
        path: String,
        /// Its whole text.
        text: String,
        /// Whether it can be run; left out for as it is.
        executable: Option<bool>,
    },
    /// A passage of the file is replaced.
    Patch {
        /// The file.
        path: String,
        /// The passage, as it stands in the file; it has to be there once.
        old: Option<String>,
        /// What comes in its place; an empty text deletes it.
        new: Option<String>,
        /// Replace it wherever it is.
        #[serde(default)]
        all: bool,
        /// Where it isn't there exactly, take the one place that differs in line ends, indentation or quotes alone.
        #[serde(default)]
        tolerant: bool,
    },
    /// The file is taken away.
    Remove {
        /// The file.
        path: String,
    },
}

/// Why edits can't be taken as they were given.
#[derive(Debug, thiserror::Error)]
pub enum BadRequest {
    /// It is no JSON of this form.
    #[error("the edits can't be read: {0}")]
    Json(#[from] serde_json::Error),
    /// There is nothing in it.
    #[error("no edit was given")]
    Nothing,
    /// A hash that is none.
    #[error("found `{found}` as the hash of `{path}`, expected 64 hex digits")]
    Hash {
        /// The file.
        path: String,
        /// What was given.
        found: OneLine,
    },
    /// A hash for a file that no edit is about.
    #[error("a hash of `{0}` was given, and no edit is about that file")]
    Unused(String),
    /// A path or a patch that can't be.
    #[error(transparent)]
    Change(#[from] ChangeError),
}

impl BadRequest {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            BadRequest::Json(error) => near(&error.to_string()),
            BadRequest::Nothing => Some("put, patch or remove a file".to_owned()),
            BadRequest::Hash { .. } => Some("it comes with the text of `show --json`".to_owned()),
            BadRequest::Unused(path) => Some(format!("leave out the hash, or edit `{path}`")),
            BadRequest::Change(error) => error.hint(),
        }
    }
}

/// The known key that an unknown one is most like. serde's message quotes the unknown one first and then those that it
/// knows; where it says something else there is no hint.
fn near(message: &str) -> Option<String> {
    let unknown = message.strip_prefix("unknown ")?;
    let mut quoted = unknown.split('`').skip(1).step_by(2);
    let found = quoted.next()?;
    nearest(found, quoted).map(|near| format!("did you mean `{near}`?"))
}

impl Request {
    /// From JSON.
    ///
    /// # Errors
    /// Where it is none, or has a key that is not known or is there twice.
    pub fn read(bytes: &[u8]) -> Result<Request, BadRequest> {
        Ok(serde_json::from_slice(bytes)?)
    }

    /// As a change of the skill whose folder has this name takes them.
    ///
    /// # Errors
    /// As [`based`], and where a passage is missing or can't be looked for.
    pub fn into_edits(self, skill: &str) -> Result<Vec<Edit>, BadRequest> {
        let edits: Result<Vec<Edit>, ChangeError> =
            self.edits.into_iter().map(Asked::into_edit).collect();
        based(edits?, &self.base, skill)
    }
}

impl Asked {
    fn into_edit(self) -> Result<Edit, ChangeError> {
        let base = Base::Any;
        Ok(match self {
            Asked::Put { path, text, executable } => {
                let mode = executable.map(|can| if can { 0o755 } else { 0o644 });
                Edit::Put { path, bytes: text.into_bytes(), mode, base }
            }
            Asked::Patch { path, old, new, all, tolerant } => {
                let how = match (all, tolerant) {
                    (true, _) => How::All,
                    (false, true) => How::Tolerant,
                    (false, false) => How::Once,
                };
                let patch = Patch::new(old.as_deref(), new.as_deref(), how)
                    .map_err(|why| ChangeError::Patch { path: path.clone(), why })?;
                Edit::Patch { path, patch, base }
            }
            Asked::Remove { path } => Edit::Remove { path, base },
        })
    }
}

/// Edits of the skill whose folder has this name, with what was read of their files.
///
/// # Errors
/// Where there is no edit, a path may not be, a hash is none, or no edit is about its file.
pub fn based(
    mut edits: Vec<Edit>,
    read: &BTreeMap<String, String>,
    skill: &str,
) -> Result<Vec<Edit>, BadRequest> {
    if edits.is_empty() {
        return Err(BadRequest::Nothing);
    }
    let own =
        |path: &str| check_known_path(skill, path).map(str::to_owned).map_err(ChangeError::from);
    let mut bases = BTreeMap::new();
    for (path, hash) in read {
        let found = || OneLine::capped(hash, 80);
        let digest = Digest::from_hex(hash)
            .ok_or_else(|| BadRequest::Hash { path: path.clone(), found: found() })?;
        bases.insert(own(path)?, digest);
    }
    for edit in &mut edits {
        let path = own(edit.path())?;
        if let Some(digest) = bases.get(&path) {
            edit.rebase(Base::Read(*digest));
        }
    }
    let edited = |path: &String| {
        edits.iter().any(|edit| check_known_path(skill, edit.path()).is_ok_and(|it| it == path))
    };
    match bases.keys().find(|path| !edited(path)) {
        Some(unused) => Err(BadRequest::Unused(unused.clone())),
        None => Ok(edits),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::Request;

    fn told(json: &str) -> (String, Option<String>) {
        let bad = Request::read(json.as_bytes()).and_then(|it| it.into_edits("deploy"));
        let bad = bad.unwrap_err();
        (bad.to_string(), bad.hint())
    }

    #[test]
    fn what_can_not_be_taken_is_told_with_the_near_word() {
        let hash = "0".repeat(64);
        for (json, message, hint) in [
            (String::new(), "the edits can't be read: EOF while parsing", None),
            (
                r#"{"edits":[]}"#.to_owned(),
                "no edit was given",
                Some("put, patch or remove a file"),
            ),
            (r#"{"edit":[]}"#.to_owned(), "unknown field `edit`", Some("did you mean `edits`?")),
            (
                r#"{"edits":[{"patsh":{}}]}"#.to_owned(),
                "unknown variant `patsh`",
                Some("did you mean `patch`?"),
            ),
            (
                r#"{"edits":[{"patch":{"path":"SKILL.md","olld":"x","new":"y"}}]}"#.to_owned(),
                "unknown field `olld`",
                Some("did you mean `old`?"),
            ),
            (r#"{"edits":[{"put":{"path":"SKILL.md"}}]}"#.to_owned(), "missing field `text`", None),
            (
                r#"{"edits":[{"remove":{"path":"a","path":"b"}}]}"#.to_owned(),
                "duplicate field `path`",
                None,
            ),
            (r#"{"edits":[]} {}"#.to_owned(), "trailing characters", None),
            (
                r#"{"edits":[{"remove":{"path":"../x"}}]}"#.to_owned(),
                "found `../x` as the path of a file",
                None,
            ),
            (
                r#"{"edits":[{"patch":{"path":"SKILL.md","new":"y"}}]}"#.to_owned(),
                "`SKILL.md` is not patched: no text to replace was given",
                Some(
                    "give a passage copied from the file, or replace the whole file; the same call fails again",
                ),
            ),
            (
                r#"{"base":{"SKILL.md":"abc"},"edits":[{"remove":{"path":"SKILL.md"}}]}"#
                    .to_owned(),
                "found `abc` as the hash of `SKILL.md`, expected 64 hex digits",
                Some("it comes with the text of `show --json`"),
            ),
            (
                format!(
                    r#"{{"base":{{"SKILL.md":"{hash}"}},"edits":[{{"remove":{{"path":"assets/x"}}}}]}}"#
                ),
                "a hash of `SKILL.md` was given, and no edit is about that file",
                Some("leave out the hash, or edit `SKILL.md`"),
            ),
        ] {
            let (found, near) = told(&json);
            assert!(found.contains(message), "{json} gave {found}");
            assert_eq!(near.as_deref(), hint, "{json}");
        }
    }

    #[test]
    fn a_base_goes_to_each_edit_of_its_file_however_the_file_is_named() {
        let hash = "0".repeat(64);
        let json = format!(
            r#"{{"base":{{"SKILL.md":"{hash}"}},"edits":[
                {{"patch":{{"path":"deploy/SKILL.md","old":"a","new":"b"}}}},
                {{"put":{{"path":"scripts/x","text":"y","executable":true}}}}]}}"#
        );
        let edits = Request::read(json.as_bytes()).unwrap().into_edits("deploy").unwrap();
        let [super::Edit::Patch { base, .. }, super::Edit::Put { mode, base: none, .. }] =
            edits.as_slice()
        else {
            panic!("{edits:?}")
        };
        assert_eq!(*base, super::Base::Read(super::Digest([0; 32])));
        assert_eq!((*mode, *none), (Some(0o755), super::Base::Any));
    }
}
