//! What other programs know of skills, taken over and told again: the real program on homes in their formats.

use std::fs;

use serde_json::{Value, json};

use crate::support::{Machine, Ran};

#[path = "../benches/support/hermes.rs"]
mod hermes;

pub const HOME: &str = "user/.hermes";

/// A machine with a Hermes home that went through some things, and a home of ours beside it.
pub struct Importing {
    pub machine: Machine,
    token: String,
}

impl Importing {
    pub fn new() -> Importing {
        let it = Importing { machine: Machine::new(), token: String::new() };
        for folder in
            ["ops/deploy", "ops/rollback", "web/forms", "pdf", "notes", "ops/twin", "web/twin"]
        {
            it.skill(&format!("skills/{folder}"));
        }
        it.skill("skills/.archive/old-way");
        it.lay("skills/.usage.json", USAGE);
        it.lay("skills/.bundled_manifest", "pdf:0123456789abcdef0123456789abcdef\nforms:12\ngone:0123456789abcdef0123456789abcdef\n");
        it.lay(
            "skills/.hub/lock.json",
            r#"{"version": 1, "installed": {"web-forms": {"install_path": "web/forms"}}}"#,
        );
        it.lay("skills/.curator_suppressed", "excel\n");
        it.lay(
            "skills/.curator_state",
            r#"{"paused": true, "last_run_at": "2026-08-01T00:00:00+00:00", "run_count": 4}"#,
        );
        it.lay(
            "config.yaml",
            "skills: {disabled: [notes]}\ncurator: {interval_hours: 24, stale_after_days: 14}\n",
        );
        it.lay("cron/jobs.json", JOBS);
        it.lay(
            "pending/skills/0a1b2c3d.json",
            r#"{"id": "0a1b2c3d", "action": "patch", "origin": "background_review", "created_at": 1786622400.5, "payload": {"name": "deploy"}}"#,
        );
        it.skill("profiles/work/skills/other");
        it.ok(&["init"]);
        let token = fs::read_to_string(it.machine.path("home/token")).unwrap();
        Importing { token: token.trim().to_owned(), ..it }
    }

    pub fn lay(&self, path: &str, text: &str) {
        self.machine.write(&format!("{HOME}/{path}"), text);
    }

    pub fn skill(&self, folder: &str) {
        let name = folder.rsplit('/').next().unwrap();
        self.lay(
            &format!("{folder}/SKILL.md"),
            &format!(
                "---\nname: {name}\ndescription: Use for {name}.\n---\n# {name}\n\nDo {name}.\n"
            ),
        );
    }

    /// With a home that owns the root.
    pub fn own(&self) {
        self.ok(&["init", self.machine.path(&format!("{HOME}/skills")).to_str().unwrap()]);
    }

    fn list(&self, arguments: &[&str]) -> Value {
        self.machine.json(&[arguments, &["list"]].concat())
    }

    /// Uses, views, the last use, pin and state of a skill.
    fn facts(&self, name: &str) -> Value {
        self.facts_of(&[], name)
    }

    fn facts_of(&self, home: &[&str], name: &str) -> Value {
        let list = self.list(home);
        let skill =
            list["skills"].as_array().unwrap().iter().find(|it| it["name"] == name).unwrap();
        ["uses", "views", "last-used", "pinned", "state"]
            .iter()
            .map(|key| skill[*key].clone())
            .collect()
    }

    /// Name, uses and place of what is archived.
    fn archived(&self) -> Value {
        let list = self.machine.json(&["list", "--archived"]);
        let skills = list["skills"].as_array().unwrap().iter();
        let mut all: Vec<Value> = skills
            .map(|it| ["name", "uses", "folder"].iter().map(|key| it[*key].clone()).collect())
            .collect();
        all.sort_by_key(|it| it[0].to_string());
        Value::Array(all)
    }

    /// What the ledger holds of taking over, and all events.
    fn ledger(&self) -> Vec<i64> {
        let ledger = rusqlite::Connection::open(self.machine.path("home/keep.db")).unwrap();
        [
            "count(*) FROM events",
            "sum(weight) FROM events",
            "count(*) FROM taken",
            "sum(runs) FROM sources",
            "count(*) FROM job_references",
        ]
        .map(|what| ledger.query_row(&format!("SELECT {what}"), [], |row| row.get(0)).unwrap())
        .to_vec()
    }

    /// Every file of the Hermes home with its bytes.
    fn files(&self) -> Vec<(String, Vec<u8>)> {
        fn walk(folder: &std::path::Path, files: &mut Vec<(String, Vec<u8>)>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    walk(&path, files);
                } else {
                    files.push((path.display().to_string(), fs::read(&path).unwrap()));
                }
            }
        }
        let mut files = Vec::new();
        walk(&self.machine.path(HOME), &mut files);
        files.sort();
        files
    }

    /// As the person calls.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = self.machine.command(arguments);
        command.env("SKILLKEEP_TOKEN", &self.token);
        self.machine.finish(command.output().unwrap())
    }

    pub fn ok(&self, arguments: &[&str]) -> Ran {
        let ran = self.run(arguments);
        assert_eq!(ran.status, 0, "{arguments:?}: {ran:#?}");
        ran
    }
}

const USAGE: &str = r#"{
  "deploy": {"created_by": "agent", "use_count": 7, "view_count": 9, "patch_count": 2, "pinned": true, "state": "active",
    "last_used_at": "2026-08-13T12:00:00.123456+00:00", "last_viewed_at": "2026-08-13T12:00:00+00:00",
    "last_patched_at": "2026-07-01T00:00:00+00:00", "created_at": "2026-01-01T00:00:00.5+00:00", "patch_generation": 2},
  "ops/deploy": {"use_count": 3, "last_used_at": "2026-08-14T00:00:00+00:00", "created_at": "2026-03-01T00:00:00+00:00"},
  "rollback": {"created_by": null, "use_count": 1, "last_used_at": "2026-02-01T00:00:00+00:00", "state": "stale",
    "created_at": "2026-01-01T00:00:00+00:00"},
  "forms": {"created_by": "agent/v2", "use_count": "4", "created_at": "2026-01-01T00:00:00+00:00"},
  "old-way": {"created_by": "agent", "use_count": 2, "last_used_at": "2025-05-05T00:00:00+00:00", "state": "archived",
    "archived_at": "2026-01-02T00:00:00+00:00", "created_at": "2025-01-01T00:00:00+00:00"},
  "twin": {"use_count": 5, "last_used_at": "2026-08-13T12:00:00+00:00", "created_at": "2026-01-01T00:00:00+00:00"},
  "nobody": {"use_count": 5, "last_used_at": "2026-08-13T12:00:00+00:00"},
  "notes": {"use_count": 6},
  "list": [1]
}"#;

const JOBS: &str = r#"{"jobs": [{"id": "1", "name": "nightly", "skill": "deploy", "skills": ["ops/rollback"], "enabled": false},
  {"id": "2", "skills": ["~/.hermes/skills/web/forms/SKILL.md", "twin", "lost"]}]}"#;

const LEFT: &str = "
stays there:
  turned off  1 in config.yaml, which is read each time: `notes`
  suppressed  1: `excel`
  curator     paused, last run 2026-08-01T00:00:00+00:00, every 24 hours, stale after 14 days
  beside it   skillkeep import hermes:~/.hermes/profiles/work

counted nowhere, for they mean no one skill:
  skills/.usage.json twin        2 skills are called so: `ops/twin`, `web/twin`
  skills/.usage.json nobody      no skill is called so
  skills/.bundled_manifest gone  no skill is called so

not taken over:
  pending/skills/0a1b2c3d.json patch deploy  `payload.old_string` is missing
  skills/.usage.json forms.use_count         found `\"4\"`, expected a whole number from 0 to 4294967295
  skills/.usage.json forms.created_by        found `\"agent/v2\"`, expected `agent`, `installed` or null; it stays unknown
  skills/.usage.json list                    a list, and a mapping was expected
  skills/.usage.json *.patch_generation      has no place here (in 1 record)
  skills/.bundled_manifest line 2            found `\"forms:12\"`, expected NAME:MD5
  skills/.usage.json notes: uses             6 without any time, so when is not known
";

const BACK: &str = "
to take it back:
  pins                                    skillkeep unpin NAME, once this home owns the root: they lie in the ledger alone
  jobs                                    as the other program has them: change them there, and import again
  counts, origins, states, archived, age  no command takes them back: they are what was told, and no change was made for them
";

const TAKEN: &str = "over from ~/.hermes:
  counts    3 skills: 9 views, 13 uses, 2 writes
  origins   2 review: `.archive/old-way`, `ops/deploy`
  origins   1 bundled: `pdf`
  origins   1 installed: `web/forms`
  pins      1: `ops/deploy`
  states    1 stale: `ops/rollback`
  archived  1, as they lie: `.archive/old-way`
  age       5 skills older than was known
  jobs      2 jobs name 5 skills; no skill is called `lost`
";

#[test]
fn a_home_is_taken_over_as_its_plan_says_and_a_second_time_there_is_nothing() {
    let it = Importing::new();
    let before = it.files();
    let plan = it.ok(&["import", "hermes", "--dry-run"]);
    assert_eq!(plan.stdout, format!("would take {TAKEN}{LEFT}"));
    assert_eq!(it.facts("deploy"), json!([0, 0, null, false, "active"]));
    let done = it.ok(&["import", "hermes", "--yes"]);
    assert_eq!(done.stdout, format!("took {TAKEN}{LEFT}{BACK}"));
    assert_eq!(it.facts("deploy"), json!([10, 9, "2026-08-14T00:00:00Z", true, "active"]));
    assert_eq!(it.facts("rollback"), json!([1, 0, "2026-02-01T00:00:00Z", false, "stale"]));
    assert_eq!(it.archived(), json!([["old-way", 2, ".archive/old-way"]]));
    let ledger = it.ledger();
    for arguments in [&["import", "hermes", "--yes"][..], &["import", "hermes", "--dry-run"]] {
        let again = it.ok(arguments);
        assert_eq!(again.stdout, format!("nothing is new in ~/.hermes\n{LEFT}"));
    }
    assert_eq!(it.ledger(), ledger);
    assert_eq!(it.files(), before, "no file of the home was touched");
}

#[test]
fn what_is_taken_is_printed_as_json_too() {
    let it = Importing::new();
    let plan: Value =
        serde_json::from_str(&it.ok(&["import", "hermes", "--dry-run", "--json"]).stdout).unwrap();
    let folders = |key: &str| -> Vec<&str> {
        plan[key].as_array().unwrap().iter().map(|it| it["folder"].as_str().unwrap()).collect()
    };
    assert_eq!((&plan["schema"], &plan["news"]), (&json!("skillkeep.import/1"), &json!(true)));
    assert_eq!(plan["kept"]["curator"]["paused"], true);
    assert_eq!(plan["references"].as_array().unwrap().len(), 6);
    assert_eq!(folders("pins"), ["ops/deploy"]);
    assert_eq!(folders("archived"), [".archive/old-way"]);
    assert_eq!(
        (plan["orphans"].as_array().unwrap().len(), plan["left"].as_array().unwrap().len()),
        (3, 7)
    );
}

#[test]
fn only_a_person_takes_over_and_is_asked_first() {
    let it = Importing::new();
    let agent = it.machine.run(&["import", "hermes", "--yes"]);
    assert_eq!(
        (agent.status, agent.stderr.as_str()),
        (
            1,
            "error: only a person may import, and `foreground` asked\nhint: at a terminal, or with the home's `token` in SKILLKEEP_TOKEN\n"
        )
    );
    assert_eq!(it.machine.run(&["import", "hermes", "--dry-run"]).status, 0);
    let person = it.run(&["import", "hermes"]);
    assert_eq!((person.status, person.stdout.as_str()), (2, ""));
    assert!(
        person.stderr.ends_with(
            "error: there is no terminal to ask at whether this is meant\nhint: skillkeep import hermes --dry-run, and then --yes\n"
        ),
        "{}", person.stderr
    );
    assert_eq!(it.facts("deploy"), json!([0, 0, null, false, "active"]));
}

#[test]
fn what_can_t_be_meant_is_told_with_what_could() {
    let it = Importing::new();
    it.lay("usage.json", "{\"deploy\": {\"use_count\": 1}}");
    let hint = "hint: skillkeep import hermes[:FOLDER], or skillkeep import progressive FILE\n";
    for (arguments, status, message) in [
        (&["import", "claude"][..], 2, format!("error: found `claude`, expected `hermes` or `progressive`\n{hint}")),
        (&["import", "hermes", "x"], 2, format!("error: found `hermes x`, expected `hermes:x`\n{hint}")),
        (&["import", "progressive"], 2, format!("error: the usage file of Progressive Skill is missing\n{hint}")),
        (
            &["import", "hermes:../nowhere"],
            1,
            "error: there is no Hermes home at `../nowhere`\nhint: name its folder: skillkeep import hermes:FOLDER\n".to_owned(),
        ),
        (
            &["import", "hermes:../work"],
            1,
            "error: `[MACHINE]/work/skills` is no root that skills are read from\nhint: name it under `roots` in skillkeep.toml; `skillkeep` lists the roots\n".to_owned(),
        ),
        (
            &["import", "progressive", "../user/.hermes/usage.json"],
            2,
            "error: `../user/.hermes/usage.json` is not taken over: it is Hermes's `.usage.json`, and Progressive Skill's was expected\nhint: skillkeep import hermes\n".to_owned(),
        ),
    ] {
        let ran = it.run(arguments);
        assert_eq!((ran.status, ran.stderr), (status, message), "{arguments:?}");
    }
}

#[test]
fn a_broken_file_stops_only_itself() {
    let it = Importing::new();
    it.lay("skills/.usage.json", &USAGE[..USAGE.len() / 2]);
    let plan = it.ok(&["import", "hermes", "--yes"]).stdout;
    assert!(plan.contains("\n  jobs      2 jobs name 5 skills"), "{plan}");
    assert!(
        plan.contains("\n  skills/.usage.json                         it is no JSON: EOF while"),
        "{plan}"
    );
    assert_eq!(it.facts("deploy"), json!([0, 0, null, false, "active"]));
    // Whole again, it is taken.
    it.lay("skills/.usage.json", USAGE);
    it.ok(&["import", "hermes", "--yes"]);
    assert_eq!(it.facts("deploy"), json!([10, 9, "2026-08-14T00:00:00Z", true, "active"]));
}

#[test]
fn of_a_home_that_went_on_only_what_is_new_is_taken() {
    let it = Importing::new();
    it.ok(&["import", "hermes", "--yes"]);
    it.ok(&["show", "deploy"]);
    let on = USAGE
        .replace("\"use_count\": 7", "\"use_count\": 9")
        .replace("2026-08-13T12:00:00.123456", "2026-09-01T00:00:00.5");
    it.lay("skills/.usage.json", &on);
    let done = it.ok(&["import", "hermes", "--yes"]).stdout;
    assert!(
        done.starts_with(
            "took over from ~/.hermes:\n  counts  1 skill: 0 views, 2 uses, 0 writes\n\n"
        ),
        "{done}"
    );
    // A person looked at it once: that is a view of ours, and no use.
    assert_eq!(it.facts("deploy"), json!([12, 10, "2026-09-01T00:00:00Z", true, "active"]));
}

#[test]
fn what_hermes_puts_away_and_brings_back_stays_the_same_skill() {
    let it = Importing::new();
    it.ok(&["import", "hermes", "--yes"]);
    let skills = it.machine.path(&format!("{HOME}/skills"));
    let id = it.list(&[])["skills"]
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["name"] == "deploy")
        .unwrap()["id"]
        .clone();
    fs::rename(skills.join("ops/deploy"), skills.join(".archive/deploy")).unwrap();
    let done = it.ok(&["import", "hermes", "--yes"]).stdout;
    assert!(done.contains("  archived  1, as they lie: `.archive/deploy`\n"), "{done}");
    assert_eq!(
        it.archived(),
        json!([["deploy", 10, ".archive/deploy"], ["old-way", 2, ".archive/old-way"]])
    );
    fs::rename(skills.join(".archive/deploy"), skills.join("ops/deploy")).unwrap();
    it.ok(&["scan"]);
    assert_eq!(it.facts("deploy")[0], 10);
    let list = it.list(&[]);
    assert!(list["skills"].as_array().unwrap().iter().any(|it| it["id"] == id));
}

#[test]
fn in_an_owned_root_pins_lie_in_the_root_and_what_hermes_archived_comes_back() {
    let it = Importing::new();
    it.own();
    let done = it.ok(&["import", "hermes", "--yes"]).stdout;
    assert!(done.contains("  pins      1: `ops/deploy`\n"), "{done}");
    let pins =
        fs::read_to_string(it.machine.path(&format!("{HOME}/skills/.skillkeep/pins"))).unwrap();
    assert!(pins.contains("\"ops/deploy\""), "{pins}");
    assert_eq!(it.run(&["archive", "deploy"]).status, 1);
    let old = it.machine.path(&format!("{HOME}/skills/.archive/old-way/SKILL.md"));
    let text = fs::read(&old).unwrap();
    assert_eq!(
        it.ok(&["restore", "old-way"]).stdout,
        "change 3: restored `old-way` to `old-way`\n"
    );
    let back = it.machine.path(&format!("{HOME}/skills/old-way/SKILL.md"));
    assert_eq!((fs::read(&back).unwrap(), old.exists()), (text.clone(), false));
    assert_eq!(it.facts("old-way")[0], 2);
    // Both steps have their way back, as far as Hermes's own archive.
    it.ok(&["undo", "3"]);
    it.ok(&["undo", "2"]);
    assert_eq!((fs::read(&old).unwrap(), back.exists()), (text, false));
    it.ok(&["scan"]);
    assert_eq!(it.archived(), json!([["old-way", 2, ".archive/old-way"]]));
    assert!(it.ok(&["import", "hermes", "--yes"]).stdout.starts_with("nothing is new"));
}

#[test]
fn what_a_job_of_the_other_program_names_is_put_away_by_nobody() {
    let it = Importing::new();
    it.own();
    it.ok(&["archive", "notes"]);
    it.ok(&["import", "hermes", "--yes"]);
    let refused = it.run(&["archive", "rollback"]);
    assert_eq!((refused.status, refused.stdout.as_str()), (1, ""), "{refused:#?}");
    assert_eq!(
        refused.stderr,
        "warning: jobs name `rollback`: `nightly`\n\
         error: it is refused by provenance-declared 0.1.0: a scheduled job names it: change the job first\n\
         hint: see what it lets whom do: skillkeep policy show provenance-declared\n"
    );
    // Whoever judges: it is a law.
    it.machine.write("home/skillkeep.toml", "[slots.provenance]\nuse = \"provenance-open\"\n");
    let refused = it.run(&["archive", "rollback"]);
    assert!(
        refused.stderr.contains("\nerror: it is refused by law `referenced`: "),
        "{refused:#?}"
    );
    it.ok(&["archive", "pdf"]);
}

#[test]
fn a_pin_that_was_taken_over_is_carried_into_a_root_that_is_taken_later() {
    let it = Importing::new();
    it.ok(&["import", "hermes", "--yes"]);
    let refused = it.run(&["restore", "old-way"]);
    assert!(
        refused.stderr.starts_with("error: the root `[MACHINE]/user/.hermes/skills` is not owned"),
        "{refused:?}"
    );
    it.own();
    assert_eq!(it.facts("deploy")[3], true);
    let pins =
        fs::read_to_string(it.machine.path(&format!("{HOME}/skills/.skillkeep/pins"))).unwrap();
    assert!(pins.contains("\"ops/deploy\""), "{pins}");
    it.ok(&["unpin", "deploy"]);
    let again = it.ok(&["import", "hermes", "--yes"]);
    assert!(again.stdout.starts_with("nothing is new"), "{again:#?}");
    assert_eq!(it.facts("deploy")[3], false);
}

#[test]
fn progressive_skill_s_counts_are_taken_where_hermes_did_not_count_them() {
    let it = Importing::new();
    it.lay("usage.json", r#"{"deploy": {"count": 12, "last_used": 1788000000}, "ops/rollback": {"count": 1, "last_used": 1780000000},
        "web/twin": {"count": "2", "last_used": 1780000000}, "nobody": {"count": 1, "last_used": 1}, "pdf": {"count": 1}}"#);
    it.ok(&["import", "hermes", "--yes"]);
    let done = it.ok(&["import", "progressive", "../user/.hermes/usage.json", "--yes"]).stdout;
    assert_eq!(
        done,
        "took over from ~/.hermes/usage.json:
  counts  2 skills: 0 views, 4 uses, 0 writes

counted nowhere, for they mean no one skill:
  nobody  no skill is called so

not taken over:
  deploy: uses        10 were taken over from Hermes already
  ops/rollback: uses  1 were taken over from Hermes already
  pdf: uses           1 without any time, so when is not known

to take it back:
  counts  no command takes them back: they are what was told, and no change was made for them
"
    );
    assert_eq!(it.facts("deploy")[0], 12);
    assert!(
        it.ok(&["import", "progressive", "../user/.hermes/usage.json", "--yes"])
            .stdout
            .starts_with("nothing is new")
    );
}

#[test]
fn what_is_exported_is_no_news_and_tells_another_home_the_same() {
    let it = Importing::new();
    it.own();
    let export = ["export", "hermes", "../user/.hermes"];
    let refused = it.run(&export);
    assert_eq!(
        (refused.status, refused.stderr.as_str()),
        (
            1,
            "error: `[MACHINE]/user/.hermes` knows what was not taken over yet, and would lose it\nhint: skillkeep import hermes:[MACHINE]/user/.hermes\n"
        )
    );
    it.ok(&["import", "hermes", "--yes"]);
    it.machine.ok(&["show", "rollback"]);
    it.machine.ok(&["show", "notes"]);
    it.ok(&["pin", "pdf"]);
    let dry = it.ok(&["export", "hermes", "../user/.hermes", "--dry-run"]).stdout;
    let usage = it.machine.path(&format!("{HOME}/skills/.usage.json"));
    assert_eq!(fs::read_to_string(&usage).unwrap(), USAGE);
    let done = it.ok(&export).stdout;
    assert_eq!(
        done,
        "wrote ~/.hermes/skills/.usage.json, 5 records
not told of `ops/twin`: another one has its name
not told of `web/twin`: another one has its name
not told of `notes`: its record tells counts without a time
"
    );
    assert_eq!(dry, done.replace("wrote", "would write"));
    let written: Value = serde_json::from_str(&fs::read_to_string(&usage).unwrap()).unwrap();
    let was: Value = serde_json::from_str(USAGE).unwrap();
    // What isn't ours or isn't understood stays, and so does what was counted without a time.
    for key in ["twin", "nobody", "list", "ops/deploy", "notes"] {
        assert_eq!(written[key], was[key], "{key}");
    }
    assert_eq!(written["forms"]["use_count"], "4");
    assert_eq!(
        (&written["deploy"]["use_count"], &written["deploy"]["patch_generation"]),
        (&json!(7), &json!(2))
    );
    assert_eq!(written["deploy"]["created_at"], was["deploy"]["created_at"]);
    assert_eq!(
        (&written["rollback"]["use_count"], &written["rollback"]["state"]),
        (&json!(2), &json!("stale"))
    );
    assert_eq!(written["pdf"]["pinned"], true);
    let again = it.ok(&["import", "hermes", "--yes"]).stdout;
    assert!(again.starts_with("nothing is new"), "{again}");
    assert!(it.ok(&export).stdout.starts_with("nothing is new for ~/.hermes (5 records)\n"));
    // To another home it says what this one knows.
    it.ok(&["--home", "../second", "init"]);
    let token = fs::read_to_string(it.machine.path("second/token")).unwrap();
    let mut command = it.machine.command(&["--home", "../second", "import", "hermes", "--yes"]);
    command.env("SKILLKEEP_TOKEN", token.trim());
    assert_eq!(it.machine.finish(command.output().unwrap()).status, 0);
    for name in ["deploy", "rollback", "pdf", "forms"] {
        assert_eq!(it.facts_of(&["--home", "../second"], name), it.facts(name), "{name}");
    }
}

#[test]
fn an_empty_folder_gets_a_home_and_no_skill_and_a_root_that_is_only_read_gets_nothing() {
    let it = Importing::new();
    it.ok(&["import", "hermes", "--yes"]);
    let before = it.files();
    let dry = it.run(&["export", "hermes", "../user/.hermes", "--dry-run"]);
    let refused = it.run(&["export", "hermes", "../user/.hermes"]);
    assert_eq!(dry, refused);
    assert_eq!(
        (refused.status, refused.stderr.as_str()),
        (
            1,
            "error: the root `[MACHINE]/user/.hermes/skills` is not owned, and is only read\nhint: skillkeep init [MACHINE]/user/.hermes/skills\n"
        )
    );
    assert_eq!(it.files(), before);
    let done = it.ok(&["export", "hermes", "../back"]);
    assert!(done.stdout.contains("back/skills/.usage.json, "), "{done:?}");
    assert_eq!(
        done.stderr,
        "hint: skills stay where they are; Hermes reads them by `skills.external_dirs` in its config.yaml: ~/.hermes/skills, ~/.hermes/profiles/work/skills\n"
    );
    let mut there: Vec<_> = fs::read_dir(it.machine.path("back/skills"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    there.sort();
    assert_eq!(there, [".usage.json", ".usage.json.lock"]);
    let again = it.ok(&["export", "hermes", "../back"]).stdout;
    assert!(again.starts_with("nothing is new for [MACHINE]/back"), "{again}");
    it.machine.write("back/skills/.usage.json", "{\"deploy\": ");
    let broken = it.run(&["export", "hermes", "../back"]);
    assert_eq!(broken.status, 1);
    assert!(broken.stderr.contains("is not written over"), "{broken:?}");
    assert_eq!(
        fs::read_to_string(it.machine.path("back/skills/.usage.json")).unwrap(),
        "{\"deploy\": "
    );
}

#[test]
fn a_large_home_is_the_same_the_second_time() {
    let it = Importing::new();
    let skills = hermes::lay(&it.machine.path("large/.hermes"), 200);
    let roots =
        [&it.machine.path("large/.hermes/skills")].map(|it| it.to_str().unwrap().to_owned());
    let import = ["import", "hermes:../large/.hermes", "--yes", "--root", &roots[0]];
    let first = it.ok(&import).stdout;
    assert_eq!(skills, 220);
    for line in [
        "  origins   40 bundled: ",
        "  pins      2: ",
        "  archived  20, as they lie: ",
        "  jobs      4 jobs name 4 skills\n",
    ] {
        assert!(first.contains(line), "{line}: {first}");
    }
    let ledger = it.ledger();
    assert!(it.ok(&import).stdout.starts_with("nothing is new in "));
    assert_eq!(it.ledger(), ledger);
}
