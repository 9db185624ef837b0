//! The curator's commands: the real program on real homes. What is known of skills comes from a Hermes home that is taken
//! over, so that each skill is as old as a test says and nothing waits for a clock.

mod back;
mod care;
mod copies;
mod cut_off;
mod gate;
mod kept_out;
mod passes;
mod person;
mod records;
pub mod week;

use std::{
    fs,
    path::Path,
    time::{SystemTime, UNIX_EPOCH},
};

use serde_json::{Value, json};
use skillkeep::skill::Instant;

use crate::support::{Machine, Ran};

/// The folder of skills.
pub const ROOT: &str = "user/.hermes/skills";
const DAY: i64 = 86_400;

/// A machine with a Hermes home whose skills a home of ours took into its care.
pub struct Curating {
    pub machine: Machine,
    /// When the test began: all ages count from there.
    pub now: i64,
    token: String,
    /// A folder of caches of its own, where a test looks into them: the others share one.
    cache: Option<&'static str>,
}

/// A skill, and what Hermes says of it.
pub struct Laid {
    folder: &'static str,
    usage: Value,
}

/// A skill that an agent's review made, last used so many days ago.
pub fn used(folder: &'static str, days: i64) -> Laid {
    Laid {
        folder,
        usage: json!({ "created_by": "agent", "use_count": 3, "used": days, "created": days + 100 }),
    }
}

/// One that the review made so many days ago, and nobody ever used.
pub fn unused(folder: &'static str, days: i64) -> Laid {
    Laid { folder, usage: json!({ "created_by": "agent", "created": days }) }
}

/// One that nobody said anything of, last used so many days ago.
pub fn unmarked(folder: &'static str, days: i64) -> Laid {
    Laid { folder, usage: json!({ "use_count": 3, "used": days, "created": days + 100 }) }
}

impl Laid {
    /// With this said of it as well.
    pub fn with(mut self, key: &str, value: Value) -> Laid {
        self.usage[key] = value;
        self
    }
}

impl Curating {
    /// A machine with these skills, those of `bundled` with the agent and those of `installed` from elsewhere; and jobs that
    /// name some.
    pub fn new(skills: &[Laid], bundled: &[&str], installed: &[&str], jobs: &Value) -> Curating {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let now = i64::try_from(now).unwrap();
        let mut it = Curating { machine: Machine::new(), now, token: String::new(), cache: None };
        let mut usage = serde_json::Map::new();
        for laid in skills {
            it.lay(laid.folder, "Do it.");
            let mut said = laid.usage.clone();
            for (word, key) in
                [("used", "last_used_at"), ("viewed", "last_viewed_at"), ("created", "created_at")]
            {
                if let Some(days) = said[word].as_i64() {
                    said[key] = json!(it.ago(days));
                }
                said.as_object_mut().unwrap().remove(word);
            }
            usage.insert(name(laid.folder).to_owned(), said);
        }
        let at = |file: &str| format!("{ROOT}/{file}");
        it.machine.write(&at(".usage.json"), Value::Object(usage).to_string());
        let manifest: String = bundled
            .iter()
            .map(|name| format!("{name}:0123456789abcdef0123456789abcdef\n"))
            .collect();
        it.machine.write(&at(".bundled_manifest"), manifest);
        let hub: serde_json::Map<String, Value> = installed
            .iter()
            .map(|folder| (name(folder).to_owned(), json!({ "install_path": folder })))
            .collect();
        it.machine
            .write(&at(".hub/lock.json"), json!({ "version": 1, "installed": hub }).to_string());
        it.machine.write("user/.hermes/cron/jobs.json", json!({ "jobs": jobs }).to_string());
        let root = it.machine.path(ROOT);
        it.ok(&["init", root.to_str().unwrap()]);
        it.token = fs::read_to_string(it.machine.path("home/token")).unwrap().trim().to_owned();
        it.ok(&["import", "hermes", "--yes"]);
        it
    }

    /// The same with skills alone.
    pub fn of(skills: &[Laid]) -> Curating {
        Curating::new(skills, &[], &[], &json!([]))
    }

    /// Lays a skill, or another text in its place.
    pub fn lay(&self, folder: &str, body: &str) {
        let name = name(folder);
        self.machine.write(
            &format!("{ROOT}/{folder}/SKILL.md"),
            format!("---\nname: {name}\ndescription: Use for {name}.\n---\n# {name}\n\n{body}\n"),
        );
    }

    /// Adds to the settings.
    pub fn set(&self, toml: &str) {
        let file = self.machine.path("home/skillkeep.toml");
        let text = fs::read_to_string(&file).unwrap();
        fs::write(file, format!("{text}\n{toml}\n")).unwrap();
    }

    /// A time so many days before the test began.
    pub fn ago(&self, days: i64) -> String {
        Instant(self.now - days * DAY).to_string()
    }

    /// Writes the ledger past the program.
    pub fn ledger(&self, sql: &str) {
        let ledger = rusqlite::Connection::open(self.machine.path("home/keep.db")).unwrap();
        ledger.execute_batch(sql).unwrap();
    }

    /// As if a person had said yes at a terminal some time ago, and all that was done so far was done before that.
    pub fn consented(&self) {
        self.ledger(&format!(
            "INSERT OR REPLACE INTO meta (key, value) VALUES ('curator-consent', '{0}'), ('curator-deferred', '{0}')",
            self.now - DAY
        ));
    }

    /// As if all that was done so far had been done a day earlier.
    pub fn a_day_later(&self) {
        self.ledger(&format!(
            "UPDATE passes SET begun = begun - {DAY};
             UPDATE skills SET adopted = adopted - {DAY} - 5, returned = returned - {DAY} - 5;
             UPDATE skills SET created = created - {DAY} - 5"
        ));
    }

    /// As the person calls.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        let mut command = self.machine.command(arguments);
        if !self.token.is_empty() {
            command.env("SKILLKEEP_TOKEN", &self.token);
        }
        if let Some(cache) = self.cache {
            command.env("SKILLKEEP_CACHE", self.machine.path(cache));
        }
        self.machine.finish(command.output().unwrap())
    }

    /// As an agent calls.
    pub fn by_agent(&self, arguments: &[&str]) -> Ran {
        self.machine.run(arguments)
    }

    pub fn ok(&self, arguments: &[&str]) -> Ran {
        let ran = self.run(arguments);
        assert_eq!(ran.status, 0, "{arguments:?}: {ran:#?}");
        ran
    }

    /// What it says where it refuses: nothing on standard output.
    pub fn no(&self, status: i32, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert_eq!((ran.status, ran.stdout.as_str()), (status, ""), "{arguments:?}: {ran:#?}");
        ran.stderr
    }

    /// What it prints as JSON, however it ends.
    pub fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[&["--json"], arguments].concat());
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{arguments:?}: {ran:#?}"))
    }

    /// Makes a pass that a person asked for, at the time of the test.
    pub fn pass(&self) -> Value {
        let now = self.now.to_string();
        self.json(&["curator", "run", "--yes", "--now", &now])
    }

    /// Each skill of the library with its state, by name.
    pub fn states(&self) -> Vec<(String, String)> {
        let status = self.json(&["curator", "status"]);
        let mut all: Vec<(String, String)> = status["skills"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| (text(&it["name"]), text(&it["state"])))
            .collect();
        all.sort();
        all
    }

    /// The state of one, or `archived`, or `absent`.
    pub fn state(&self, name: &str) -> String {
        let found = self.states().into_iter().find(|(it, _)| it == name).map(|(_, state)| state);
        let archived = || self.archived().iter().any(|it| it["name"] == name);
        found.unwrap_or_else(|| if archived() { "archived" } else { "absent" }.to_owned())
    }

    /// What lies in the archive.
    pub fn archived(&self) -> Vec<Value> {
        self.json(&["curator", "list-archived"])["skills"].as_array().unwrap().clone()
    }

    /// What `curator usage` says of each skill, by name.
    pub fn usage(&self, name: &str) -> Value {
        let usage = self.json(&["curator", "usage"]);
        let all = usage["skills"].as_array().unwrap();
        all.iter().find(|it| it["name"] == name).unwrap_or_else(|| panic!("{usage:#}")).clone()
    }

    /// Every file of the library with its bytes, what is ours aside.
    pub fn tree(&self) -> Vec<(String, Vec<u8>)> {
        let mut files = Vec::new();
        walk(&self.machine.path(ROOT), &mut files);
        files.sort();
        files
    }

    /// The report of the newest pass, as people read it.
    pub fn report(&self) -> String {
        let status = self.json(&["curator", "status"]);
        let folder = text(&status["last"]["report"]);
        fs::read_to_string(self.machine.path(&format!("home/{folder}/REPORT.md"))).unwrap()
    }

    /// Runs it at a terminal of its own, where both streams come to one; `typed` is what the person types.
    #[cfg(target_os = "linux")]
    pub fn seated(&self, typed: &str, arguments: &[&str]) -> Ran {
        use std::{io::Write as _, process::Stdio};
        let program = self.machine.command(arguments);
        let line: Vec<String> = std::iter::once(program.get_program())
            .chain(program.get_args())
            .map(|part| format!("'{}'", part.to_str().unwrap()))
            .collect();
        let mut command = std::process::Command::new("/usr/bin/script");
        command
            .args(["--echo", "never", "-qec", &line.join(" "), "/dev/null"])
            .current_dir(program.get_current_dir().unwrap())
            .env_clear()
            .envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .env("SHELL", "/bin/sh")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().expect("`script` of util-linux makes the terminal");
        child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
        let ran = self.machine.finish(child.wait_with_output().unwrap());
        Ran { stdout: ran.stdout.replace("\r\n", "\n"), ..ran }
    }
}

pub fn name(folder: &str) -> &str {
    folder.rsplit('/').next().unwrap()
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value:#}")).to_owned()
}

fn walk(folder: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.file_name().is_some_and(|name| name == ".skillkeep") {
            continue;
        }
        if path.is_dir() {
            walk(&path, files);
        } else {
            files.push((path.display().to_string(), fs::read(&path).unwrap_or_default()));
        }
    }
}
