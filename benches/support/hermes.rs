//! A Hermes home as a disk has it, of any size, the same each time: skills in twenty categories, their records, an archive,
//! lists and jobs.

use std::{fs, path::Path};

use serde_json::{Map, Value, json};

/// Lays a home with so many skills; every tenth has a copy of its own in the archive beside them. Gives back their number.
pub fn lay(home: &Path, skills: usize) -> usize {
    let mut usage = Map::new();
    let mut manifest = String::new();
    let mut archived = 0;
    for number in 0..skills {
        let name = format!("skill-{number:05}");
        let category = format!("category-{:02}", number % 20);
        skill(&home.join("skills").join(category).join(&name), &name, number);
        usage.insert(name.clone(), record(number, "active"));
        if number % 5 == 0 {
            manifest.push_str(&format!("{name}:{:032x}\n", number));
        }
        if number % 10 == 0 {
            let old = format!("old-{number:05}");
            skill(&home.join("skills/.archive").join(&old), &old, number);
            usage.insert(old, record(number, "archived"));
            archived += 1;
        }
    }
    let jobs: Vec<Value> = (0..skills / 50)
        .map(|number| {
            let name = format!("category-{:02}/skill-{:05}", number % 20, number);
            json!({ "id": number.to_string(), "name": format!("job-{number}"), "skills": [name] })
        })
        .collect();
    let skills_folder = home.join("skills");
    let text = serde_json::to_string_pretty(&Value::Object(usage)).unwrap();
    fs::write(skills_folder.join(".usage.json"), text).unwrap();
    fs::write(skills_folder.join(".bundled_manifest"), manifest).unwrap();
    fs::create_dir_all(home.join("cron")).unwrap();
    fs::write(home.join("cron/jobs.json"), json!({ "jobs": jobs }).to_string()).unwrap();
    skills + archived
}

fn skill(folder: &Path, name: &str, number: usize) {
    fs::create_dir_all(folder).unwrap();
    let text = format!(
        "---\nname: {name}\ndescription: Use when case {number} comes up.\n---\n# {name}\n\nDo it {number} times, then stop.\n"
    );
    fs::write(folder.join("SKILL.md"), text).unwrap();
}

fn record(number: usize, state: &str) -> Value {
    let day = 1 + number % 28;
    let time = |hour: usize| format!("2026-07-{day:02}T{hour:02}:00:00.{number:06}+00:00");
    json!({
        "created_by": if number % 5 == 1 { json!("agent") } else { Value::Null },
        "use_count": number % 40, "view_count": number % 50, "patch_count": number % 3,
        "last_used_at": time(10), "last_viewed_at": time(11), "last_patched_at": time(12),
        "created_at": format!("2026-06-{day:02}T00:00:00.{number:06}+00:00"),
        "state": state, "pinned": number % 100 == 7,
        "archived_at": if state == "archived" { json!(time(13)) } else { Value::Null },
    })
}
