//! `cron/jobs.json`: which skills scheduled jobs load. All jobs count, whether they run or not.

use serde_json::Value;

use crate::adapters::{
    said::{JobReference, Left},
    text::{ForeignError, json_of, kind_of, shown},
};

/// The file of a home that holds them.
pub const FILE: &str = "cron/jobs.json";
/// The fields of a job that name skills.
const SKILLS: [&str; 2] = ["skill", "skills"];

/// Reads the skills that jobs name.
///
/// # Errors
/// Where it is neither a list of jobs nor a mapping that holds one: nothing is known of any job then.
pub fn read(bytes: &[u8], left: &mut Vec<Left>) -> Result<Vec<JobReference>, ForeignError> {
    let mut found = Vec::new();
    for (at, job) in list(bytes)?.iter().enumerate() {
        if !job.is_object() {
            let why = format!("{}, and a mapping was expected", kind_of(job));
            left.push(Left::new(FILE, format!("jobs[{at}]"), why));
            continue;
        }
        let name = name(job, at);
        for field in SKILLS {
            let (words, odd) = match job.get(field) {
                None | Some(Value::Null) => continue,
                Some(Value::Array(list)) => (list.as_slice(), None),
                Some(one @ Value::String(_)) => (std::slice::from_ref(one), None),
                Some(odd) => (&[][..], Some(odd)),
            };
            let odd = odd.into_iter().chain(words.iter().filter(|word| !word.is_string()));
            for odd in odd {
                let why = format!("found {}, expected the name of a skill", shown(odd));
                left.push(Left::new(FILE, format!("{name}.{field}"), why));
            }
            for word in words.iter().filter_map(Value::as_str).map(str::trim) {
                let reference = JobReference { job: name.clone(), spelling: word.to_owned() };
                if !word.is_empty() && !found.contains(&reference) {
                    found.push(reference);
                }
            }
        }
    }
    Ok(found)
}

/// Folders below a folder of skills that jobs speak of anywhere else, as in what they are to run: which of them is a skill,
/// if any, they don't say.
///
/// # Errors
/// As [`read`].
pub fn read_mentions(bytes: &[u8]) -> Result<Vec<JobReference>, ForeignError> {
    let mut found = Vec::new();
    for (at, job) in list(bytes)?.iter().enumerate() {
        let Some(fields) = job.as_object() else { continue };
        let mut texts = Vec::new();
        for (_, value) in fields.iter().filter(|(field, _)| !SKILLS.contains(&field.as_str())) {
            all_texts(value, &mut texts);
        }
        for folder in texts.into_iter().flat_map(folders) {
            let reference = JobReference { job: name(job, at), spelling: folder.to_owned() };
            if !found.contains(&reference) {
                found.push(reference);
            }
        }
    }
    Ok(found)
}

fn list(bytes: &[u8]) -> Result<Vec<Value>, ForeignError> {
    match json_of(bytes)? {
        Value::Array(jobs) => Ok(jobs),
        Value::Object(mut whole) => match whole.remove("jobs") {
            Some(Value::Array(jobs)) => Ok(jobs),
            other => {
                let found = other.as_ref().map_or("missing", kind_of);
                Err(ForeignError::NotList { place: "`jobs`", found })
            }
        },
        other => Err(ForeignError::NotList { place: "the whole", found: kind_of(&other) }),
    }
}

fn name(job: &Value, at: usize) -> String {
    let text = |field: &str| job.get(field).and_then(Value::as_str).filter(|it| !it.is_empty());
    text("name").or_else(|| text("id")).map_or_else(|| format!("jobs[{at}]"), str::to_owned)
}

fn all_texts<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(list) => list.iter().for_each(|it| all_texts(it, texts)),
        Value::Object(fields) => fields.values().for_each(|it| all_texts(it, texts)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The folders of each path in a text that leads through a folder `skills`, behind that.
fn folders(text: &str) -> impl Iterator<Item = &str> {
    let paths = text.split(|it: char| it.is_whitespace() || "\"'`()<>[]{},;:=|&".contains(it));
    paths.flat_map(|path| {
        let mut parts = path.split(['/', '\\']);
        // Without the folder there is nothing behind it.
        parts.by_ref().find(|part| *part == "skills");
        let mut folders: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
        // What is behind them is a file.
        folders.pop_if(|last| last.contains('.'));
        folders
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{read, read_mentions};

    #[test]
    fn every_job_counts_in_both_of_its_fields() {
        let json = r#"{"updated_at": "x", "jobs": [
            {"id": "1", "name": "nightly", "skill": "a", "skills": ["a", "cat/b", " ", "/home/u/.hermes/skills/c"], "enabled": false},
            {"id": "2", "skills": "d"}, {"skill": null, "skills": []}, {"skill": "e", "skills": 3}, "no job",
            {"id": "5", "skills": ["f", null, {"name": "g"}]}]}"#;
        let mut left = Vec::new();
        let found = read(json.as_bytes(), &mut left).unwrap();
        let found: Vec<_> =
            found.iter().map(|it| (it.job.as_str(), it.spelling.as_str())).collect();
        assert_eq!(
            found,
            [
                ("nightly", "a"),
                ("nightly", "cat/b"),
                ("nightly", "/home/u/.hermes/skills/c"),
                ("2", "d"),
                ("jobs[3]", "e"),
                ("5", "f"),
            ]
        );
        let left: Vec<_> = left.iter().map(|it| format!("{}: {}", it.at, it.why)).collect();
        assert_eq!(
            left,
            [
                "jobs[3].skills: found `3`, expected the name of a skill",
                "jobs[4]: a text, and a mapping was expected",
                "5.skills: found `null`, expected the name of a skill",
                "5.skills: found `{\"name\":\"g\"}`, expected the name of a skill",
            ]
        );
        assert_eq!(read(br#"[{"name": "n", "skill": "a"}]"#, &mut Vec::new()).unwrap().len(), 1);
    }

    #[test]
    fn a_job_that_runs_what_lies_in_a_skill_speaks_of_it() {
        let json = r#"{"jobs": [
            {"name": "n", "prompt": "Run `python ~/.hermes/skills/ops/report/scripts/run.py --to=skills/x`.", "skills": ["skills/a"]},
            {"id": "2", "script": {"path": "C:\\skills\\pdf\\run.ps1"}, "delivery": 3},
            {"prompt": "no path: my skills/ and skills are few"}, 7]}"#;
        let found = read_mentions(json.as_bytes()).unwrap();
        let found: Vec<_> =
            found.iter().map(|it| (it.job.as_str(), it.spelling.as_str())).collect();
        let expected = [("n", "ops"), ("n", "report"), ("n", "scripts"), ("n", "x"), ("2", "pdf")];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_holds_no_jobs_says_nothing_of_them() {
        for (json, message) in [
            ("{}", "`jobs` is missing, and a list was expected"),
            (r#"{"jobs": {}}"#, "`jobs` is a mapping, and a list was expected"),
            ("3", "the whole is a number, and a list was expected"),
            ("{\"jobs\": [", "it is no JSON: EOF while parsing a list at line 1 column 10"),
        ] {
            assert_eq!(read(json.as_bytes(), &mut Vec::new()).unwrap_err().to_string(), message);
        }
    }
}
