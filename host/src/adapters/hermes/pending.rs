//! `pending/skills/ID.json`: a write that waits there for somebody's word, as the call that is made again when it gets it.
//! Whoever can write there wrote it: each part is taken for what it says only where it has the form that it must have.

use serde_json::{Map, Value};

use crate::{
    adapters::{
        said::Left,
        text::{json_of, kind_of, shown},
        time::from_unix,
    },
    skill::{Actor, Instant, OneLine},
};

/// Characters of a reason that are taken.
const LONGEST_REASON: usize = 300;

/// What a write would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PendingAct {
    /// Make a skill with this SKILL.md.
    Create {
        /// The folder around it, if there is to be one.
        category: Option<String>,
        /// The text.
        content: String,
    },
    /// Put a file in the place of the one that is there, or beside the others.
    Put {
        /// Which, below the skill's folder.
        path: String,
        /// Its text.
        content: String,
    },
    /// Replace a passage.
    Patch {
        /// In which file.
        path: String,
        /// The passage.
        old: String,
        /// What comes in its place.
        new: String,
        /// Wherever it is.
        all: bool,
    },
    /// Take a file away.
    Remove {
        /// Which.
        path: String,
    },
    /// Put the skill away.
    Delete {
        /// The skill that took in what it says.
        absorbed_into: Option<String>,
    },
}

/// A write that waits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingWrite {
    /// Hermes's word for what it does: `create`, `edit`, `patch`, …
    pub action: OneLine,
    /// To which skill, by its folder's name.
    pub skill: String,
    /// What it does.
    pub act: PendingAct,
    /// Who asked, in Hermes's word.
    pub origin: OneLine,
    /// Who that is: a review, or an agent that works for somebody.
    pub actor: Actor,
    /// Why, as Hermes sums it up; empty where it doesn't.
    pub reason: String,
    /// When, if it is a time at all; possibly in the future.
    pub at: Option<Instant>,
    /// The same as the record has it.
    pub at_raw: Option<String>,
    /// What is odd about it and stops nothing.
    pub notes: Vec<OneLine>,
}

/// What a call may say. Of other keys it is told that they are there.
const ARGUMENTS: [&str; 10] = [
    "action",
    "name",
    "content",
    "category",
    "file_path",
    "file_content",
    "old_string",
    "new_string",
    "replace_all",
    "absorbed_into",
];

/// Reads one.
///
/// # Errors
/// Where it can't be made again as it stands: what was found of it, and what was expected.
pub fn read_pending_write(file: &str, bytes: &[u8]) -> Result<PendingWrite, Left> {
    let record = match json_of(bytes) {
        Ok(Value::Object(record)) => record,
        Ok(other) => {
            let why = format!("the whole is {}, and a mapping was expected", kind_of(&other));
            return Err(Left::new(file, "", why));
        }
        Err(error) => return Err(Left::new(file, "", error.to_string())),
    };
    read(&record).map_err(|why| Left::new(file, about(&record), why))
}

fn read(record: &Map<String, Value>) -> Result<PendingWrite, String> {
    let subsystem = text(record, "subsystem")?.unwrap_or("skills");
    if subsystem != "skills" {
        return Err(format!("found {}, expected `skills` as its subsystem", quoted(subsystem)));
    }
    let call = match record.get("payload") {
        Some(Value::Object(call)) => call,
        other => {
            let found = kind_of(other.unwrap_or(&Value::Null));
            return Err(format!("`payload` is {found}, and a mapping was expected"));
        }
    };
    let action = action(record, call)?;
    let skill = needed(call, "name")?.to_owned();
    let mut notes = Vec::new();
    let (actor, origin) = origin(record, &mut notes)?;
    let (at, at_raw) = time(record, &mut notes);
    let unknown =
        call.iter().filter(|(key, it)| !ARGUMENTS.contains(&key.as_str()) && !it.is_null());
    for (key, _) in unknown {
        notes.push(OneLine::capped(&format!("`payload.{key}` has no place here"), 120));
    }
    let act = act(action, call)?;
    let mut reason = text(record, "summary")?.unwrap_or_default().to_owned();
    if let PendingAct::Delete { absorbed_into: Some(other) } = &act {
        reason.push_str(&format!("; absorbed into {other}"));
    }
    Ok(PendingWrite {
        action: OneLine::new(action),
        skill,
        act,
        origin,
        actor,
        reason: OneLine::capped(&reason, LONGEST_REASON).into_string(),
        at,
        at_raw,
        notes,
    })
}

/// The call is what is made again; the word beside it is for lists, and where the two differ nobody knows what was shown.
fn action<'r>(
    record: &'r Map<String, Value>,
    call: &'r Map<String, Value>,
) -> Result<&'r str, String> {
    match (text(record, "action")?, text(call, "action")?) {
        (Some(listed), Some(called)) if listed != called => Err(format!(
            "`action` is {} and `payload.action` is {}",
            quoted(listed),
            quoted(called)
        )),
        (listed, called) => called.or(listed).ok_or_else(|| missing("action")),
    }
}

fn act(action: &str, call: &Map<String, Value>) -> Result<PendingAct, String> {
    let filled = |key| -> Result<Option<String>, String> {
        Ok(text(call, key)?.filter(|it| !it.trim().is_empty()).map(str::to_owned))
    };
    let content = |key| needed(call, key).map(str::to_owned);
    Ok(match action {
        "create" => {
            PendingAct::Create { category: filled("category")?, content: content("content")? }
        }
        "edit" => PendingAct::Put { path: "SKILL.md".to_owned(), content: content("content")? },
        "write_file" => {
            PendingAct::Put { path: content("file_path")?, content: content("file_content")? }
        }
        "patch" => PendingAct::Patch {
            path: filled("file_path")?.unwrap_or_else(|| "SKILL.md".to_owned()),
            old: content("old_string")?,
            new: content("new_string")?,
            all: truth(call, "replace_all")?,
        },
        "remove_file" => PendingAct::Remove { path: content("file_path")? },
        "delete" => PendingAct::Delete { absorbed_into: filled("absorbed_into")? },
        other => {
            return Err(format!("found {} as what it does, which nothing here is", quoted(other)));
        }
    })
}

/// Only a review's own word makes it a review's: any other may be anybody's who works for somebody.
fn origin(
    record: &Map<String, Value>,
    notes: &mut Vec<OneLine>,
) -> Result<(Actor, OneLine), String> {
    let word = text(record, "origin")?.unwrap_or_default();
    let actor = match word {
        "background_review" => Actor::Review,
        _ => Actor::Foreground,
    };
    if !matches!(word, "background_review" | "foreground" | "assistant_tool") {
        let found = if word.is_empty() { "nothing".to_owned() } else { quoted(word) };
        let note = format!("found {found} as who asked; it counts as `foreground`");
        notes.push(OneLine::capped(&note, 200));
    }
    Ok((actor, OneLine::capped(word, 80)))
}

fn time(
    record: &Map<String, Value>,
    notes: &mut Vec<OneLine>,
) -> (Option<Instant>, Option<String>) {
    let found = record.get("created_at").unwrap_or(&Value::Null);
    let at = found.as_f64().and_then(from_unix);
    if at.is_none() {
        let note = format!("found {} as its time; it counts as of now", shown(found));
        notes.push(OneLine::capped(&note, 200));
    }
    let raw = (!found.is_null()).then(|| OneLine::capped(&found.to_string(), 80).into_string());
    (at, raw)
}

fn text<'v>(all: &'v Map<String, Value>, key: &str) -> Result<Option<&'v str>, String> {
    match all.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(format!("`{key}` is {}, and a text was expected", kind_of(other))),
    }
}

fn needed<'v>(call: &'v Map<String, Value>, key: &str) -> Result<&'v str, String> {
    text(call, key)?.ok_or_else(|| {
        let given =
            |it: &(&String, &Value)| !matches!(it.0.as_str(), "action" | "name") && !it.1.is_null();
        let others: Vec<String> =
            call.iter().filter(given).take(5).map(|(key, _)| quoted(key)).collect();
        match others.as_slice() {
            [] => missing(key),
            others => format!("{}; there is {}", missing(key), others.join(", ")),
        }
    })
}

fn missing(key: &str) -> String {
    format!("`payload.{key}` is missing")
}

fn truth(call: &Map<String, Value>, key: &str) -> Result<bool, String> {
    match call.get(key) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(it)) => Ok(*it),
        Some(other) => {
            Err(format!("`{key}` is {}, and a truth value was expected", kind_of(other)))
        }
    }
}

fn quoted(word: &str) -> String {
    format!("`{}`", OneLine::capped(word, 60))
}

/// What a record is about, as far as it says.
fn about(record: &Map<String, Value>) -> String {
    let word = |all: &Map<String, Value>, key: &str| {
        all.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let call = record.get("payload").and_then(Value::as_object).cloned().unwrap_or_default();
    let action = match word(record, "action") {
        empty if empty.is_empty() => word(&call, "action"),
        action => action,
    };
    format!("{action} {}", word(&call, "name"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use serde_json::{Value, json};

    use super::{PendingAct, PendingWrite, read_pending_write};
    use crate::skill::{Actor, Instant};

    fn record(payload: &Value) -> Value {
        json!({
            "id": "0a1b2c3d", "subsystem": "skills", "action": payload["action"], "summary": "because",
            "origin": "background_review", "created_at": 1_786_622_400.5, "payload": payload,
        })
    }

    fn told(record: &Value) -> Result<PendingWrite, String> {
        let read = read_pending_write("f", record.to_string().as_bytes());
        read.map_err(|left| left.why.into_string())
    }

    fn with(key: &str, value: Value) -> Value {
        let mut it = record(&json!({"action": "delete", "name": "deploy"}));
        *it.as_object_mut().unwrap().entry(key).or_insert(Value::Null) = value;
        it
    }

    #[test]
    fn each_action_is_read_with_what_it_needs() {
        let text = |text: &str| text.to_owned();
        for (payload, act) in [
            (
                json!({"action": "create", "name": "n", "content": "c", "category": "ops"}),
                PendingAct::Create { category: Some(text("ops")), content: text("c") },
            ),
            (
                // All arguments of the call are kept, most of them empty.
                json!({"action": "create", "name": "n", "content": "c", "category": " ", "file_path": null}),
                PendingAct::Create { category: None, content: text("c") },
            ),
            (
                json!({"action": "edit", "name": "n", "content": "c"}),
                PendingAct::Put { path: text("SKILL.md"), content: text("c") },
            ),
            (
                json!({"action": "write_file", "name": "n", "file_path": "assets/a", "file_content": ""}),
                PendingAct::Put { path: text("assets/a"), content: text("") },
            ),
            (
                json!({"action": "patch", "name": "n", "old_string": "a", "new_string": "", "replace_all": true}),
                PendingAct::Patch {
                    path: text("SKILL.md"),
                    old: text("a"),
                    new: text(""),
                    all: true,
                },
            ),
            (
                json!({"action": "patch", "name": "n", "old_string": "a", "new_string": "b", "file_path": "x/y"}),
                PendingAct::Patch { path: text("x/y"), old: text("a"), new: text("b"), all: false },
            ),
            (
                json!({"action": "remove_file", "name": "n", "file_path": "assets/a"}),
                PendingAct::Remove { path: text("assets/a") },
            ),
            (
                json!({"action": "delete", "name": "n", "absorbed_into": ""}),
                PendingAct::Delete { absorbed_into: None },
            ),
        ] {
            let read = told(&record(&payload)).unwrap();
            assert_eq!((read.act, read.notes), (act, Vec::new()), "{payload}");
            assert_eq!((read.skill.as_str(), read.actor), ("n", Actor::Review));
            assert_eq!(
                (read.reason.as_str(), read.at, read.at_raw.as_deref()),
                ("because", Some(Instant(1_786_622_400)), Some("1786622400.5"))
            );
        }
        let absorbed =
            told(&record(&json!({"action": "delete", "name": "n", "absorbed_into": "m"})));
        assert_eq!(absorbed.unwrap().reason, "because; absorbed into m");
    }

    #[test]
    fn what_can_t_be_made_again_is_refused_with_what_was_found() {
        for (payload, why) in [
            (json!({"action": "delete"}), "`payload.name` is missing"),
            (json!({"action": "delete", "name": 3}), "`name` is a number, and a text was expected"),
            (
                json!({"action": "write_file", "name": "n", "file_path": "assets/a", "content": "x"}),
                "`payload.file_content` is missing; there is `file_path`, `content`",
            ),
            (json!({"action": "edit", "name": "n"}), "`payload.content` is missing"),
            (
                json!({"action": "edit", "name": "n", "content": ["x"]}),
                "`content` is a list, and a text was expected",
            ),
            (
                json!({"action": "patch", "name": "n", "old_string": "a"}),
                "`payload.new_string` is missing; there is `old_string`",
            ),
            (
                json!({"action": "patch", "name": "n", "old_string": "a", "new_string": "b", "replace_all": "yes"}),
                "`replace_all` is a text, and a truth value was expected",
            ),
            (
                json!({"action": "rename\u{7}", "name": "n"}),
                "found `rename` as what it does, which nothing here is",
            ),
            (json!({"name": "n"}), "`payload.action` is missing"),
            (json!("delete"), "`payload` is a text, and a mapping was expected"),
        ] {
            assert_eq!(told(&record(&payload)), Err(why.to_owned()), "{payload}");
        }
        for (record, why) in [
            (
                with("subsystem", json!("memory")),
                "found `memory`, expected `skills` as its subsystem",
            ),
            (with("subsystem", json!({})), "`subsystem` is a mapping, and a text was expected"),
            (
                with("action", json!("patch")),
                "`action` is `patch` and `payload.action` is `delete`",
            ),
            (with("origin", json!(1)), "`origin` is a number, and a text was expected"),
            (with("summary", json!([])), "`summary` is a list, and a text was expected"),
        ] {
            assert_eq!(told(&record), Err(why.to_owned()), "{record}");
        }
        for (bytes, why) in [
            (&b"[]"[..], "the whole is a list, and a mapping was expected"),
            (
                b"{\"payload\": {\"action\": \"del",
                "it is no JSON: EOF while parsing a string at line 1 column 27",
            ),
            (b"", "it is no JSON: EOF while parsing a value at line 1 column 0"),
            (b"{}", "`payload` is null, and a mapping was expected"),
            (b"\xff\xfe{\0}\0", "it is UTF-16, and UTF-8 text was expected"),
        ] {
            let left = read_pending_write("f", bytes).unwrap_err();
            assert_eq!(left.why.as_str(), why);
        }
        let deep = format!("{{\"payload\": {}{}}}", "[".repeat(5_000), "]".repeat(5_000));
        assert!(read_pending_write("f", deep.as_bytes()).is_err());
        let left =
            read_pending_write("f", with("subsystem", json!("memory")).to_string().as_bytes());
        assert_eq!(left.unwrap_err().at.as_str(), "delete deploy");
    }

    #[test]
    fn who_asked_and_when_is_taken_as_far_as_it_is_known_and_the_rest_is_told() {
        for (word, actor, note) in [
            (json!("background_review"), Actor::Review, None),
            (json!("foreground"), Actor::Foreground, None),
            (json!("assistant_tool"), Actor::Foreground, None),
            (
                json!("Background_Review"),
                Actor::Foreground,
                Some("found `Background_Review` as who asked; it counts as `foreground`"),
            ),
            (
                json!("person\u{1b}[2J"),
                Actor::Foreground,
                Some("found `person[2J` as who asked; it counts as `foreground`"),
            ),
            (
                Value::Null,
                Actor::Foreground,
                Some("found nothing as who asked; it counts as `foreground`"),
            ),
        ] {
            let read = told(&with("origin", word)).unwrap();
            let notes: Vec<_> = read.notes.iter().map(|it| it.as_str()).collect();
            assert_eq!((read.actor, notes), (actor, note.into_iter().collect()));
        }
        for (time, at, raw, note) in [
            (json!(1.5), Some(Instant(1)), Some("1.5"), None),
            (json!(-3), Some(Instant(-3)), Some("-3"), None),
            (
                json!(1_786_622_400_000_i64),
                None,
                Some("1786622400000"),
                Some("found `1786622400000` as its time; it counts as of now"),
            ),
            (
                json!("soon"),
                None,
                Some("\"soon\""),
                Some("found `\"soon\"` as its time; it counts as of now"),
            ),
            (Value::Null, None, None, Some("found `null` as its time; it counts as of now")),
        ] {
            let read = told(&with("created_at", time)).unwrap();
            let notes: Vec<_> = read.notes.iter().map(|it| it.as_str()).collect();
            assert_eq!((read.at, read.at_raw.as_deref()), (at, raw));
            assert_eq!(notes, note.into_iter().collect::<Vec<_>>());
        }
        let odd =
            told(&record(&json!({"action": "delete", "name": "n", "task": 3, "content": null})))
                .unwrap();
        assert_eq!(
            odd.notes.iter().map(|it| it.as_str()).collect::<Vec<_>>(),
            ["`payload.task` has no place here"]
        );
    }
}
