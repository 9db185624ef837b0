//! How skills are used: what counts, for whom, and what may stand in the way of a count; choices; what a list tells of
//! it; and names of the past. The real program on real files, with a real ledger.

use std::{
    fs,
    os::unix::{fs::PermissionsExt as _, process::CommandExt as _},
    path::Path,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::{Machine, Ran};

const ROOT: &str = "user/.claude/skills";

/// A machine with a home and two skills that no agent's home owns.
struct Using {
    machine: Machine,
    token: String,
}

impl Using {
    /// With a home that has seen the skills and owns no root.
    fn new() -> Using {
        let using = Using { machine: Machine::new(), token: String::new() };
        using.lay("deploy", "Use when a service goes out.");
        using.lay("notes", "Use for minutes of a meeting.");
        using.machine.write(&format!("{ROOT}/deploy/references/how.md"), "# How\n");
        using.ok(&["init"]);
        let token = fs::read_to_string(using.machine.path("home/token")).unwrap();
        Using { token: token.trim().to_owned(), ..using }
    }

    /// With a home that owns the root.
    fn owned() -> Using {
        let using = Using::new();
        using.ok(&["init", using.machine.path(ROOT).to_str().unwrap()]);
        using
    }

    fn lay(&self, folder: &str, description: &str) {
        let name = folder.rsplit('/').next().unwrap();
        self.machine.write(
            &format!("{ROOT}/{folder}/SKILL.md"),
            format!("---\nname: {name}\ndescription: {description}\n---\n# {name}\n\nDo it.\n"),
        );
    }

    /// As an agent calls.
    fn command(&self, arguments: &[&str]) -> Command {
        self.machine.command(arguments)
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        self.machine.finish(self.command(arguments).output().unwrap())
    }

    fn ok(&self, arguments: &[&str]) -> Ran {
        let ran = self.run(arguments);
        assert_eq!(ran.status, 0, "{arguments:?}: {ran:#?}");
        ran
    }

    fn no(&self, status: i32, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert_eq!((ran.status, ran.stdout.as_str()), (status, ""), "{arguments:?}: {ran:#?}");
        ran.stderr
    }

    /// As a person calls.
    fn person(&self, arguments: &[&str]) -> Ran {
        let mut command = self.command(arguments);
        let output = command.env("SKILLKEEP_TOKEN", &self.token).output().unwrap();
        self.machine.finish(output)
    }

    fn person_ok(&self, arguments: &[&str]) -> Ran {
        let ran = self.person(arguments);
        assert_eq!(ran.status, 0, "{arguments:?}: {ran:#?}");
        ran
    }

    fn list(&self, arguments: &[&str]) -> Vec<Value> {
        let list = self.machine.json(&[&["list"], arguments].concat());
        list["skills"].as_array().unwrap().clone()
    }

    fn names(&self, arguments: &[&str]) -> Vec<String> {
        let skills = self.list(arguments);
        skills.iter().map(|skill| skill["name"].as_str().unwrap().to_owned()).collect()
    }

    /// Some facts of a skill, as the list has them.
    fn facts(&self, name: &str, keys: &[&str]) -> Value {
        let skills = self.list(&[]);
        let skill = skills.iter().find(|skill| skill["name"] == name).unwrap();
        keys.iter().map(|key| skill[*key].clone()).collect()
    }

    /// Views, uses, views of files.
    fn counts(&self, name: &str) -> Value {
        self.facts(name, &["views", "uses", "file-views"])
    }

    fn ledger(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.machine.path("home/keep.db")).unwrap()
    }
}

#[test]
fn what_is_shown_is_counted_by_what_it_is_and_who_asks() {
    let using = Using::new();
    let agent: &[(&[&str], Value)] = &[
        (&["show", "deploy"], json!([1, 1, 0])),
        (&["show", "deploy", "--section", "deploy"], json!([2, 2, 0])),
        (&["show", "deploy", "SKILL.md"], json!([3, 3, 0])),
        (&["show", "deploy", "--outline"], json!([4, 3, 0])),
        (&["show", "deploy", "references/how.md"], json!([4, 3, 1])),
        (&["show", "deploy", "references/how.md", "--section", "How"], json!([4, 3, 2])),
        (&["show", "deploy", "--no-count"], json!([4, 3, 2])),
        (&["list"], json!([4, 3, 2])),
        (&["index", "--unit", "chars"], json!([4, 3, 2])),
        (&["why", "deploy", "--unit", "chars"], json!([4, 3, 2])),
    ];
    for (arguments, counts) in agent {
        let ran = using.ok(arguments);
        assert!(!ran.stderr.contains("not counted"), "{ran:#?}");
        assert_eq!(using.counts("deploy"), *counts, "{arguments:?}");
    }
    using.person_ok(&["show", "deploy"]);
    using.person_ok(&["show", "deploy", "references/how.md"]);
    assert_eq!(using.counts("deploy"), json!([5, 3, 3]));
    using.no(1, &["show", "deploy", "nothing.md"]);
    using.no(1, &["show", "deploy", "--section", "Nowhere"]);
    assert_eq!(using.counts("deploy"), json!([5, 3, 3]), "what was not shown is not counted");
    assert_eq!(using.counts("notes"), json!([0, 0, 0]));
}

#[test]
fn a_count_names_its_session_and_its_actor() {
    let using = Using::new();
    using.ok(&["show", "deploy", "--session", "s-1\n\u{1b}[31m"]);
    using.person_ok(&["show", "deploy", "--session", ""]);
    let events = events(&using);
    assert_eq!(
        events,
        ["view foreground s-1 [31m -", "use foreground s-1 [31m -", "view person - -",]
    );
}

fn events(using: &Using) -> Vec<String> {
    let ledger = using.ledger();
    let mut ask = ledger
        .prepare("SELECT kind, actor, coalesce(session, '-'), coalesce(note, '-') FROM events ORDER BY id")
        .unwrap();
    let text = |row: &rusqlite::Row<'_>, at| row.get::<_, String>(at);
    ask.query_map([], |row| {
        Ok(format!("{} {} {} {}", text(row, 0)?, text(row, 1)?, text(row, 2)?, text(row, 3)?))
    })
    .unwrap()
    .collect::<Result<_, _>>()
    .unwrap()
}

#[test]
fn without_a_home_nothing_is_counted_and_nothing_is_made() {
    let machine = Machine::new();
    machine.skill("deploy", "Use when a service goes out.");
    let root = ["--root", "../skills"];
    let show = machine.ok(&[&["show", "deploy"][..], &root].concat());
    let size_and_hash: Vec<&str> = show.stderr.lines().map(|line| &line[..5]).collect();
    assert_eq!(size_and_hash, ["[MACH", "hash "].map(|it| &it[..5]), "{show:#?}");
    let list = machine.ok(&[&["list"][..], &root].concat());
    assert_eq!(
        list.stdout,
        "NAME    CATEGORY  ROOT       STATE  HEADER  PROBLEMS\n\
         deploy  general   ../skills  live   strict\n"
    );
    let list = machine.json(&[&["list"][..], &root].concat());
    assert_eq!(list["skills"][0].get("uses"), None);
    assert!(!machine.path("home").join("keep.db").exists());
    for filter in
        ["--unused", "--stale", "--off", "--pinned", "--unmanaged", "--archived", "--gone"]
    {
        let ran = machine.run(&[&["list", filter][..], &root].concat());
        assert_eq!(ran.status, 1, "{ran:#?}");
        assert_eq!(
            ran.stderr,
            "error: there is no home yet, so nothing is kept\nhint: skillkeep init\n"
        );
    }
    for arguments in [&["rate", "deploy", "success"][..], &["set", "deploy", "off"]] {
        let ran = machine.run(&[arguments, &root].concat());
        assert_eq!((ran.status, ran.stdout.as_str()), (1, ""), "{ran:#?}");
        assert!(ran.stderr.contains("there is no home yet"), "{ran:#?}");
    }
}

#[test]
fn a_skill_that_no_scan_has_seen_is_shown_and_the_count_that_is_missing_told() {
    let using = Using::new();
    using.lay("fresh", "Use when something is new.");
    let show = using.ok(&["show", "fresh"]);
    assert!(show.stdout.contains("# fresh"), "{show:#?}");
    assert!(
        show.stderr
            .ends_with("not counted: no scan has seen this skill yet\nhint: skillkeep scan\n"),
        "{show:#?}"
    );
    assert_eq!(using.facts("fresh", &["id", "uses", "choice"]), json!([null, null, null]));
    let row = using.ok(&["list"]).stdout;
    let row = row.lines().find(|line| line.starts_with("fresh")).unwrap().to_owned();
    assert_eq!(row.split_whitespace().filter(|cell| *cell == "?").count(), 4, "{row}");
    using.ok(&["scan"]);
    let show = using.ok(&["show", "fresh"]);
    assert!(!show.stderr.contains("not counted"), "{show:#?}");
    assert_eq!(using.counts("fresh"), json!([1, 1, 0]));
    // Who rates it has it noted.
    using.lay("newest", "Use when something is newer.");
    assert_eq!(using.ok(&["rate", "newest", "failure"]).stdout, "rated `newest`: failure\n");
}

#[test]
fn what_a_link_leads_to_out_of_all_roots_is_shown_under_its_name_and_the_missing_count_told() {
    let using = Using::new();
    let text = "---\nname: follow\ndescription: Use to follow.\n---\nFollow it.\n";
    using.machine.write("hub/follow/SKILL.md", text);
    let link = using.machine.path(ROOT).join("follow");
    std::os::unix::fs::symlink(using.machine.path("hub/follow"), link).unwrap();
    using.ok(&["scan"]);
    assert_eq!(using.names(&[]), ["deploy", "follow", "notes"]);
    let show = using.ok(&["show", "follow"]);
    assert!(show.stdout.contains("Follow it."), "{show:#?}");
    assert!(show.stderr.contains("not counted: a link leads to this skill"), "{show:#?}");
    let refused = using.no(1, &["rate", "follow", "success"]);
    assert!(refused.contains("has no folder of its own"), "{refused}");
}

/// Runs it as somebody who may read the home and not write there.
fn read_only(using: &Using, arguments: &[&str]) -> Ran {
    let home = using.machine.path("home");
    let top = using.machine.path("");
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(&top, 0o755);
    mode(&home, 0o555);
    for file in ["keep.db", "skillkeep.toml", "id"] {
        mode(&home.join(file), 0o444);
    }
    let mut command = using.command(arguments);
    command.env("SKILLKEEP_CACHE", using.machine.path("cache"));
    if rustix::process::geteuid().is_root() {
        command.uid(65_534);
    }
    let ran = using.machine.finish(command.output().unwrap());
    mode(&home, 0o700);
    for file in ["keep.db", "skillkeep.toml", "id"] {
        mode(&home.join(file), 0o600);
    }
    ran
}

#[test]
fn a_home_that_may_only_be_read_is_read_and_left_as_it_is() {
    let using = Using::new();
    using.ok(&["show", "deploy"]);
    let names = || {
        let entries = fs::read_dir(using.machine.path("home")).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    for name in ["keep.db-wal", "keep.db-shm"] {
        assert!(!using.machine.path("home").join(name).exists(), "{name}");
    }
    let before = (names(), fs::read(using.machine.path("home/keep.db")).unwrap());
    let show = read_only(&using, &["show", "deploy"]);
    assert_eq!(show.status, 0, "{show:#?}");
    assert!(show.stdout.contains("# deploy"), "{show:#?}");
    assert!(show.stderr.contains("warning: not counted: "), "{show:#?}");
    assert!(show.stderr.contains("may only be read"), "{show:#?}");
    let list = read_only(&using, &["list"]);
    assert_eq!(list.status, 0, "{list:#?}");
    assert!(list.stdout.contains("USES"), "{list:#?}");
    assert_eq!((names(), fs::read(using.machine.path("home/keep.db")).unwrap()), before);
    // Beside an empty log of somebody else's, as one who reads leaves it, too.
    using.ok(&["list"]);
    let before = names();
    assert_eq!(read_only(&using, &["list"]).stdout, list.stdout);
    assert_eq!(names(), before);
}

#[test]
fn a_ledger_that_somebody_else_writes_to_holds_nobody_up() {
    let using = Using::new();
    let other = using.ledger();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let begun = Instant::now();
    let show = using.ok(&["show", "deploy"]);
    let took = begun.elapsed();
    assert!(show.stdout.contains("# deploy"), "{show:#?}");
    assert!(
        show.stderr.contains(
            "warning: not counted: another process is writing to `[MACHINE]/home/keep.db`, and did not let go within 500ms\n"
        ),
        "{show:#?}"
    );
    assert!(took < Duration::from_secs(8), "a wait as of other commands: {took:?}");
    other.execute_batch("ROLLBACK").unwrap();
    using.ok(&["show", "deploy"]);
    assert_eq!(using.counts("deploy"), json!([1, 1, 0]));
}

#[test]
fn a_ledger_that_can_t_be_read_keeps_nobody_from_a_text_and_is_left_as_it_is() {
    let using = Using::new();
    let whole = fs::read(using.machine.path("home/keep.db")).unwrap();
    let half = whole[..whole.len() / 2].to_vec();
    for (damage, word) in [(half, "is damaged"), (b"a letter".repeat(40), "is no ledger")] {
        using.machine.write("home/keep.db", &damage);
        let show = using.ok(&["show", "deploy"]);
        assert!(show.stdout.contains("# deploy"), "{show:#?}");
        assert!(show.stderr.contains("not counted") && show.stderr.contains(word), "{show:#?}");
        let list = using.ok(&["list"]);
        assert!(list.stdout.starts_with("NAME    CATEGORY  ROOT    STATE  HEADER"), "{list:#?}");
        assert!(list.stderr.contains(word), "{list:#?}");
        assert_eq!(using.run(&["list", "--unused"]).status, 3);
        assert_eq!(fs::read(using.machine.path("home/keep.db")).unwrap(), damage);
    }
    fs::remove_file(using.machine.path("home/keep.db")).unwrap();
    let show = using.ok(&["show", "deploy"]);
    assert!(!show.stderr.contains("not counted"), "{show:#?}");
    assert!(!using.machine.path("home/keep.db").exists());
}

#[test]
fn a_rating_is_an_event_with_its_note_in_one_line() {
    let using = Using::new();
    let rated = using.ok(&[
        "rate",
        "deploy",
        "corrected",
        "--note",
        " the pager\nhas\u{7} moved ",
        "--session",
        "s",
    ]);
    assert_eq!(rated.stdout, "rated `deploy`: corrected\n");
    let long = "x".repeat(501);
    let rated = using.person_ok(&["rate", "notes", "success", "--note", &long]);
    assert_eq!(rated.stderr, "warning: the note was cut to 500 characters\n");
    let rated = using.machine.json(&["rate", "deploy", "failure"]);
    let id = using.facts("deploy", &["id"])[0].clone();
    assert_eq!(
        rated,
        json!({
            "schema": "skillkeep.rate/1", "skill": id, "name": "deploy", "outcome": "failure",
            "actor": "foreground", "session": null, "note": null,
        })
    );
    assert_eq!(
        events(&using),
        [
            "corrected foreground s the pager has moved".to_owned(),
            format!("success person - {}", "x".repeat(500)),
            "failure foreground - -".to_owned(),
        ]
    );
    // It is evidence, and neither a view nor a use.
    assert_eq!(using.counts("deploy"), json!([0, 0, 0]));
    let wrong = using.no(2, &["rate", "deploy", "great"]);
    assert!(wrong.contains("success, failure, corrected"), "{wrong}");
    let unknown = using.no(1, &["rate", "deplo", "success"]);
    assert!(unknown.contains("did you mean `deploy`?"), "{unknown}");
}

#[test]
fn of_eight_processes_that_rate_at_once_every_rating_counts() {
    let using = Using::new();
    let loops = |name: &str, count: usize| {
        // A shell, so that each process is one that rates again and again, and tells each time that it did.
        let mut command = Command::new("/bin/sh");
        let program = using.command(&[]);
        let line = format!(
            "i=0; while [ $i -lt {count} ]; do \"$0\" rate {name} success || exit 1; i=$((i+1)); done"
        );
        command.args(["-c", &line]).arg(program.get_program());
        command.current_dir(using.machine.path("work")).env_clear();
        command.envs(program.get_envs().filter_map(|(key, value)| Some((key, value?))));
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        // Its own group: a kill ends the shell with the process that it runs.
        command.process_group(0);
        command.spawn().unwrap()
    };
    let mut killed = loops("notes", 25);
    let all: Vec<_> = (0..8).map(|_| loops("deploy", 25)).collect();
    let mut said = [0; 3 * "rated `notes`: success\n".len()];
    std::io::Read::read_exact(killed.stdout.as_mut().unwrap(), &mut said).unwrap();
    let group = rustix::process::Pid::from_child(&killed);
    rustix::process::kill_process_group(group, rustix::process::Signal::KILL).unwrap();
    for one in all {
        let output = one.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let rest = killed.wait_with_output().unwrap().stdout;
    let told = 3 + rest.iter().filter(|byte| **byte == b'\n').count();
    let count = |name: &str| {
        let sql = "SELECT successes FROM sums JOIN skills ON skill = id WHERE name = ?1";
        using.ledger().query_row(sql, [name], |row| row.get::<_, u32>(0)).unwrap() as usize
    };
    assert_eq!(count("deploy"), 200);
    // The one that was killed may have committed what it could not tell any more.
    assert!((told..=told + 1).contains(&count("notes")), "{} of {told}", count("notes"));
}

#[test]
fn a_choice_is_a_person_s_change_with_a_way_back_in_a_root_that_nobody_owns() {
    let using = Using::new();
    let refused = using.no(1, &["set", "deploy", "off"]);
    assert_eq!(
        refused,
        "error: only a person may set, and `foreground` asked\n\
         hint: at a terminal, or with the home's `token` in SKILLKEEP_TOKEN\n"
    );
    let set = using.person_ok(&["set", "deploy", "notes", "off", "--reason", "not this week"]);
    assert_eq!(set.stdout, "change 1: set `deploy` to `off`\nchange 2: set `notes` to `off`\n");
    let set = using.person_ok(&["set", "deploy", "full", "--agent", "codex"]);
    assert_eq!(set.stdout, "change 3: set `deploy` to `full` for codex\n");
    assert_eq!(using.facts("deploy", &["choice", "choices"]), json!(["off", { "codex": "full" }]));
    let again = using.person(&["set", "deploy", "off"]);
    assert_eq!((again.status, again.stdout.as_str()), (1, ""));
    assert_eq!(again.stderr, "error: nothing would change: what was given is there already\n");
    let log = using.ok(&["log"]).stdout;
    let first = log.lines().last().unwrap();
    assert!(
        first.ends_with("person  set  deploy  -  chosen `off`, was `auto`  not this week"),
        "{log}"
    );
    assert_eq!(using.ok(&["diff", "3"]).stdout, "chosen `full` for codex, was `auto`\n");
    using.person_ok(&["undo", "1"]);
    assert_eq!(using.facts("deploy", &["choice"]), json!(["auto"]));
    using.person_ok(&["undo", "4"]);
    assert_eq!(using.facts("deploy", &["choice"]), json!(["off"]));
    using.person_ok(&["set", "deploy", "name"]);
    let newer = using.person(&["undo", "1"]);
    assert_eq!(newer.status, 1, "{newer:#?}");
    assert!(newer.stderr.contains("the choice is another one by now"), "{newer:#?}");
}

#[test]
fn of_several_names_one_slip_changes_nothing_and_what_is_so_already_is_told() {
    let using = Using::new();
    let slip = using.person(&["set", "deploy", "note", "off"]);
    assert_eq!(slip.status, 1, "{slip:#?}");
    assert_eq!(using.facts("deploy", &["choice"]), json!(["auto"]));
    using.person_ok(&["set", "notes", "off"]);
    let set = using.person_ok(&["set", "deploy", "notes", "deploy", "off"]);
    assert_eq!(set.stdout, "change 2: set `deploy` to `off`\n");
    assert_eq!(set.stderr, "`notes` is `off` already\n");
    for agent in ["", "Codex", "a b", &"x".repeat(41)] {
        let refused = using.person(&["set", "deploy", "full", "--agent", agent]);
        assert_eq!(refused.status, 2, "{refused:#?}");
    }
    let near = using.person_ok(&["set", "deploy", "full", "--agent", "claude-cod"]);
    assert!(near.stderr.contains("did you mean `claude-code`?"), "{near:#?}");
    assert_eq!(using.person(&["set", "deploy", "never"]).status, 2);
}

#[test]
fn what_is_off_is_shown_to_people_only_and_what_is_manual_to_whoever_asks() {
    let using = Using::new();
    using.person_ok(&["set", "deploy", "off"]);
    using.person_ok(&["set", "notes", "manual"]);
    for more in [&[][..], &["--outline"], &["references/how.md"], &["--agent", "hermes"]] {
        let refused = using.no(1, &[&["show", "deploy"], more].concat());
        assert!(refused.starts_with("error: `deploy` is off for "), "{refused}");
        assert!(refused.contains("hint: ask that person"), "{refused}");
    }
    assert!(using.person_ok(&["show", "deploy"]).stdout.contains("# deploy"));
    assert_eq!(using.counts("deploy"), json!([1, 0, 0]));
    assert!(using.ok(&["show", "notes"]).stdout.contains("# notes"));
    assert_eq!(using.counts("notes"), json!([1, 1, 0]));
    // An agent's own choice counts before that for all.
    using.person_ok(&["set", "deploy", "full", "--agent", "codex"]);
    using.ok(&["show", "deploy", "--agent", "codex"]);
    using.person_ok(&["set", "notes", "off", "--agent", "codex"]);
    let refused = using.no(1, &["show", "notes", "--agent", "codex"]);
    assert_eq!(
        refused,
        "error: `notes` is off for codex, by choice of the person whose home this is\n\
         hint: ask that person, who can turn it on: skillkeep set notes auto --agent codex\n"
    );
    using.ok(&["show", "notes"]);
}

#[test]
fn a_list_tells_use_and_choice_and_its_filters_combine() {
    let using = Using::owned();
    using.lay("ops/rollback", "Use when a service comes back.");
    using.ok(&["scan"]);
    using.ok(&["show", "deploy"]);
    using.ok(&["show", "deploy"]);
    using.ok(&["show", "rollback"]);
    using.person_ok(&["pin", "rollback"]);
    using.person_ok(&["set", "notes", "off", "--agent", "codex"]);
    assert_eq!(
        using.ok(&["list"]).stdout,
        "NAME      CATEGORY  ROOT    STATE  USES  LAST  PINNED  CHOICE      HEADER  PROBLEMS\n\
         deploy    general   claude  live   2     now   -       -           strict\n\
         notes     general   claude  live   0     -     -       codex: off  strict\n\
         rollback  ops       claude  live   1     now   pinned  -           strict\n"
    );
    for (arguments, names) in [
        (&["--unused"][..], &["notes"][..]),
        (&["--off"], &["notes"]),
        (&["--pinned"], &["rollback"]),
        (&["--pinned", "--unused"], &[]),
        (&["--unused", "--off", "--category", "general"], &["notes"]),
        (&["--stale"], &[]),
        (&["--unmanaged"], &[]),
        (&["--sort", "uses"], &["deploy", "rollback", "notes"]),
        (&["--sort", "uses", "--reverse"], &["notes", "rollback", "deploy"]),
        (&["--sort", "name", "--reverse"], &["rollback", "notes", "deploy"]),
        (&["--sort", "size"], &["rollback", "deploy", "notes"]),
        (&["--sort", "category"], &["deploy", "notes", "rollback"]),
    ] {
        assert_eq!(using.names(arguments), names, "{arguments:?}");
    }
    using
        .ledger()
        .execute_batch("UPDATE skills SET state = 'stale', created = 7 WHERE name = 'notes'")
        .unwrap();
    assert_eq!(using.names(&["--stale", "--unused"]), ["notes"]);
    assert_eq!(using.names(&["--sort", "age"])[0], "notes");
    assert!(using.ok(&["list"]).stdout.contains("live, stale"));
    using.ledger().execute_batch("UPDATE sums SET last_use = 5 WHERE uses = 2").unwrap();
    assert_eq!(using.names(&["--sort", "last"]), ["rollback", "deploy", "notes"]);
    let facts = using.facts("rollback", &["views", "uses", "pinned", "choice", "state", "listed"]);
    assert_eq!(facts, json!([1, 1, true, "auto", "active", 0]));
    assert!(using.facts("rollback", &["last-used"])[0].as_str().unwrap().ends_with('Z'));
}

#[test]
fn what_nobody_keeps_is_listed_as_such() {
    let using = Using::new();
    assert_eq!(using.names(&["--unmanaged"]), ["deploy", "notes"]);
    using.ok(&["init", using.machine.path(ROOT).to_str().unwrap()]);
    assert_eq!(using.names(&["--unmanaged"]), [""; 0]);
    using.lay("fresh", "Use when something is new.");
    assert_eq!(using.names(&["--unmanaged"]), ["fresh"]);
}

#[test]
fn the_archive_and_what_is_gone_are_listed_and_count_nowhere() {
    let using = Using::owned();
    using.ok(&["show", "deploy"]);
    using.ok(&["show", "notes"]);
    using.person_ok(&["archive", "deploy", "--reason", "we ship by hand"]);
    fs::remove_dir_all(using.machine.path(ROOT).join("notes")).unwrap();
    using.lay("other", "Use when all else is away.");
    using.ok(&["scan"]);
    assert_eq!(using.names(&[]), ["other"]);
    assert_eq!(
        using.ok(&["list", "--archived"]).stdout,
        "NAME    CATEGORY  ROOT    ARCHIVED  USES  LAST  PINNED  CHOICE  REASON\n\
         deploy  general   claude  now       1     now   -       -       we ship by hand\n"
    );
    let archived = using.list(&["--archived"]);
    assert_eq!(archived.len(), 1);
    assert_eq!(archived[0]["standing"], "archived");
    assert_eq!(archived[0]["state"], "archived");
    assert_eq!((archived[0]["uses"].as_u64(), archived[0]["listed"].as_u64()), (Some(1), Some(0)));
    assert_eq!(using.names(&["--archived", "--unused"]), [""; 0]);
    assert_eq!(using.names(&["--archived", "--category", "ops"]), [""; 0]);
    assert_eq!(using.names(&["--gone"]), ["notes"]);
    let gone = using.ok(&["list", "--gone"]);
    assert_eq!(gone.stderr, "1 skill gone; what is known of them counts nowhere\n");
    // What lies in the archive is found by what lies beside it, too.
    let id = archived[0]["id"].as_str().unwrap().to_owned();
    for file in ["keep.db", "keep.db-wal", "keep.db-shm"] {
        drop(fs::remove_file(using.machine.path("home").join(file)));
    }
    fs::remove_dir_all(using.machine.path("home/backups")).unwrap();
    using.ok(&["scan"]);
    let archived = using.list(&["--archived"]);
    assert_eq!(
        (archived[0]["id"].as_str(), archived[0]["uses"].as_u64()),
        (Some(id.as_str()), Some(0))
    );
}

#[test]
fn archived_skills_are_ordered_by_the_size_of_their_texts() {
    let using = Using::owned();
    using.lay("long", &"Use it. ".repeat(40));
    for name in ["deploy", "long", "notes"] {
        using.person_ok(&["archive", name]);
    }
    // Scripts beside a text are none of its size.
    assert_eq!(using.names(&["--archived", "--sort", "size"])[0], "long");
    assert_eq!(using.names(&["--archived", "--sort", "size", "--reverse"])[2], "long");
}

#[test]
fn an_id_and_names_of_the_past_mean_the_skill_everywhere() {
    let using = Using::owned();
    let id = using.facts("deploy", &["id"])[0].as_str().unwrap().to_owned();
    let root = using.machine.path(ROOT);
    fs::rename(root.join("deploy"), root.join("ship-it")).unwrap();
    let text = fs::read_to_string(root.join("ship-it/SKILL.md")).unwrap();
    fs::write(root.join("ship-it/SKILL.md"), text.replace("name: deploy", "name: ship")).unwrap();
    using.ok(&["scan"]);
    let commands: &[&[&str]] = &[&["show"], &["why", "--unit", "chars"], &["log"]];
    for command in commands {
        for name in ["ship", "ship-it", &id] {
            let ran = using.ok(&[command, &[name][..]].concat());
            assert!(!ran.stderr.contains("is called"), "{ran:#?}");
        }
        let ran = using.ok(&[command, &["deploy"][..]].concat());
        if command[0] != "log" {
            assert!(ran.stderr.contains("`deploy` is called `ship` now\n"), "{ran:#?}");
        }
    }
    assert_eq!(using.counts("ship"), json!([4, 4, 0]));
    assert_eq!(using.ok(&["rate", "deploy", "success"]).stdout, "rated `ship`: success\n");
    assert!(using.person_ok(&["set", "deploy", "full"]).stdout.contains("set `ship` to `full`"));
    using.person_ok(&["pin", "deploy"]);
    using.person_ok(&["unpin", &id]);
    using.person_ok(&["archive", "deploy"]);
    let away = using.no(1, &["show", "ship"]);
    assert_eq!(away, format!("error: `ship` is in the archive\nhint: skillkeep restore {id}\n"));
    let restored = using.person_ok(&["restore", "deploy"]);
    assert!(restored.stdout.contains("to `ship-it`"), "{restored:#?}");
    assert!(using.ok(&["show", "ship"]).stdout.contains("# deploy"));
    // Somebody who has the name now is who is meant.
    using.lay("deploy", "Somewhat else by that name, about bread and butter.");
    using.ok(&["scan"]);
    let show = using.ok(&["show", "deploy"]);
    assert!(show.stdout.contains("bread"), "{show:#?}");
    assert_eq!(using.counts("deploy"), json!([1, 1, 0]));
    let near = using.no(1, &["show", "depoly"]);
    assert!(near.contains("did you mean `deploy`"), "{near}");
}

#[test]
fn two_skills_that_had_one_name_are_told_apart_by_their_ids() {
    let using = Using::new();
    let root = using.machine.path(ROOT);
    for (old, new) in [("deploy", "one"), ("notes", "two")] {
        fs::rename(root.join(old), root.join("common")).unwrap();
        using.ok(&["scan"]);
        fs::rename(root.join("common"), root.join(new)).unwrap();
        using.ok(&["scan"]);
    }
    let refused = using.no(1, &["show", "common"]);
    assert!(
        refused.starts_with("error: `common` was 2 skills; the id tells them apart\n"),
        "{refused}"
    );
    assert_eq!(refused.lines().filter(|line| line.contains("(active)")).count(), 2, "{refused}");
}

#[test]
fn skills_of_one_name_are_counted_apart_and_those_that_are_gone_with_nobody() {
    let using = Using::new();
    using.lay("a/x", "Use when a.");
    using.lay("b/x", "Use when b.");
    using.ok(&["scan"]);
    using.ok(&["show", "a/x"]);
    fs::remove_dir_all(using.machine.path(ROOT).join("b/x")).unwrap();
    using.ok(&["scan"]);
    assert_eq!(using.names(&["--gone"]), ["x"]);
    assert_eq!(using.list(&["--gone"])[0]["uses"], 0);
    assert_eq!(using.counts("x"), json!([1, 1, 0]));
    // Back with another text by that name, it is somebody new.
    using.lay("b/x", "Somewhat else by that name, of bread and butter and all that goes with it.");
    using.ok(&["scan"]);
    let uses: Vec<_> =
        using.list(&["--sort", "uses"]).iter().map(|it| it["uses"].clone()).collect();
    assert_eq!(uses[..2], [json!(1), json!(0)]);
}
