//! What a person puts away and brings back by the curator's commands.

use serde_json::{Value, json};

use super::{Curating, text, unmarked, unused, used};

fn jobs() -> Value {
    json!([{ "id": "1", "name": "nightly", "skills": ["by-job"], "enabled": false }])
}

#[test]
fn several_are_archived_and_what_is_pinned_or_named_by_a_job_is_refused() {
    let pinned = used("pinned", 1).with("pinned", json!(true));
    let skills = [used("ops/one", 1), unmarked("two", 1), pinned, used("by-job", 1)];
    let it = Curating::new(&skills, &[], &[], &jobs());
    let before = it.tree();
    let slip = it.no(1, &["curator", "archive", "one", "tow"]);
    assert!(slip.contains("no skill is called `tow`"), "{slip}");
    assert_eq!(it.tree(), before);
    let dry = it.run(&["curator", "archive", "one", "by-job", "--dry-run"]);
    assert_eq!((dry.status, dry.stdout.as_str()), (1, "would archive `one`\n"), "{dry:#?}");
    assert_eq!(it.tree(), before);
    let ran = it.run(&["curator", "archive", "one", "two", "pinned", "by-job"]);
    assert_eq!(ran.status, 1, "{ran:#?}");
    assert_eq!(ran.stdout, "change 2: archived `one`\nchange 3: archived `two`\n");
    assert_eq!(
        ran.stderr,
        "warning: `pinned`: `pinned` is pinned, and stays where it is\n\
         hint: skillkeep unpin pinned\n\
         warning: `by-job`: not archived: jobs name it: `nightly`\n\
         hint: change the jobs first, or say `--force`\n"
    );
    let forced = it.run(&["curator", "archive", "pinned", "by-job", "--force"]);
    assert_eq!(
        (forced.status, forced.stdout.as_str()),
        (1, "change 4: archived `by-job`\n"),
        "{forced:#?}"
    );
    assert_eq!(it.state("pinned"), "active");
    it.ok(&["curator", "restore", "by-job"]);
    it.ok(&["curator", "restore", "two"]);
    it.ok(&["curator", "restore", "one"]);
    assert_eq!(it.tree(), before);
    let agent = it.by_agent(&["curator", "archive", "by-job", "--force"]);
    assert!(
        agent
            .stderr
            .starts_with("error: only a person may archive what jobs name, and `foreground` asked"),
        "{agent:#?}"
    );
}

#[test]
fn prune_archives_what_was_long_untouched_the_oldest_first_and_says_what_stays() {
    let pinned = used("pinned", 400).with("pinned", json!(true));
    let skills = [
        used("old", 100),
        used("older", 300),
        unused("never", 200),
        used("fresh", 89),
        used("on-the-day", 90),
        pinned,
        unmarked("mine", 300),
        used("by-job", 301),
    ];
    let it = Curating::new(&skills, &[], &[], &jobs());
    it.consented();
    let now = it.now.to_string();
    let (before, dry) = (it.tree(), it.json(&["curator", "prune", "--dry-run", "--now", &now]));
    let rows: Vec<String> =
        dry["rows"].as_array().unwrap().iter().map(|row| text(&row["name"])).collect();
    assert_eq!(rows, ["by-job", "older", "never", "old", "on-the-day"]);
    assert_eq!(
        (&dry["rows"][0]["to"], &dry["rows"][0]["law"]),
        (&Value::Null, &json!("referenced"))
    );
    assert_eq!(it.tree(), before);
    assert_eq!(it.json(&["curator", "status"])["passes"], 0);
    let ran = it.run(&["curator", "prune", "--yes", "--now", &now]);
    assert_eq!(ran.status, 1, "{ran:#?}");
    assert!(ran.stdout.starts_with("pass 1: 4 archived, 1 held\n"), "{ran:#?}");
    assert!(ran.stderr.contains("by-job  was to be archived (nothing was done with it for 301 days), and jobs name it: `nightly`\n"), "{ran:#?}");
    let archived = it.archived();
    let names: std::collections::BTreeSet<String> =
        archived.iter().map(|it| text(&it["name"])).collect();
    assert_eq!(names, ["never", "old", "older", "on-the-day"].map(str::to_owned).into());
    assert_eq!(
        (
            &archived[0]["pass"],
            archived[0]["why"]
                .as_str()
                .unwrap()
                .starts_with("prune: nothing was done with it for ")
        ),
        (&json!(1), true)
    );
    // A pruning is no pass that the next one waits for.
    assert_eq!(it.json(&["curator", "status"])["last"], Value::Null);
    let forced = it.ok(&["curator", "prune", "--yes", "--force", "--now", &now]);
    assert!(forced.stdout.starts_with("pass 2: 1 archived\n"), "{forced:#?}");
    assert_eq!(it.state("by-job"), "archived");
    let none = it.ok(&["curator", "prune", "--yes", "--now", &now]);
    assert_eq!(none.stdout, "nothing to prune: all in its care was touched within 90 days\n");
    // Each comes back by the undo of its change.
    let changes = it.json(&["log", "--last", "100"])["changes"].clone();
    for change in changes.as_array().unwrap().iter().filter(|it| it["verb"] == "archive") {
        it.ok(&["undo", &change["change"].to_string()]);
    }
    assert_eq!(it.tree(), before);
}

#[test]
fn prune_asks_takes_whole_days_and_is_a_persons() {
    let it = Curating::of(&[used("old", 100)]);
    it.no(2, &["curator", "prune", "--days", "0"]);
    it.no(2, &["curator", "prune", "--days", "-3"]);
    let agent = it.by_agent(&["curator", "prune", "--yes"]);
    assert_eq!(agent.status, 1, "{agent:#?}");
    assert!(
        agent.stderr.starts_with("error: only a person may prune, and `foreground` asked"),
        "{agent:#?}"
    );
    let refused = it.no(1, &["curator", "prune", "--yes"]);
    assert!(
        refused.contains("nobody said yes yet at a terminal to a pass that archives"),
        "{refused}"
    );
    assert_eq!(it.state("old"), "active");
    assert_eq!(
        it.ok(&["curator", "prune", "--days", "101"]).stdout,
        "nothing to prune: all in its care was touched within 101 days\n"
    );
}

#[test]
#[cfg(target_os = "linux")]
fn prune_at_a_terminal_does_it_only_after_a_yes() {
    let it = Curating::of(&[used("old", 100)]);
    let no = it.seated("\n", &["curator", "prune"]);
    assert_eq!(no.status, 1, "{no:#?}");
    assert!(no.stdout.ends_with("archive 1 skill? [y/N]\nnothing was changed\n"), "{no:#?}");
    assert_eq!(it.state("old"), "active");
    let yes = it.seated("y\n", &["curator", "prune"]);
    assert_eq!(yes.status, 0, "{yes:#?}");
    assert_eq!(it.state("old"), "archived");
}

#[test]
fn adopted_and_restored_ones_are_not_pruned_before_a_pass_saw_them() {
    let it = Curating::of(&[unmarked("mine", 300)]);
    it.consented();
    it.ok(&["curator", "adopt", "mine"]);
    let ran = it.run(&["curator", "prune", "--yes"]);
    assert_eq!(ran.status, 1, "{ran:#?}");
    assert!(
        ran.stderr.contains("it was made, adopted or brought back since the last pass"),
        "{ran:#?}"
    );
    assert_ne!(it.state("mine"), "archived");
}

#[test]
fn each_id_that_the_archive_prints_restores_its_own_text_to_its_own_place() {
    let it = Curating::of(&[used("ops/x", 1)]);
    let first = it.tree();
    it.ok(&["curator", "archive", "x"]);
    it.lay("ops/x", "Do something quite different, with other words and other steps.");
    let second = it.tree();
    it.ok(&["curator", "archive", "x"]);
    let ids: Vec<String> = it.archived().iter().map(|it| text(&it["id"])).collect();
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0], ids[1]);
    // The newest first.
    for (id, tree) in ids.iter().zip([&second, &first]) {
        let dry = it.ok(&["curator", "restore", id, "--dry-run"]).stdout;
        assert_eq!(dry, "would restore `x` to `ops/x`\n");
        it.ok(&["curator", "restore", id]);
        assert_eq!(&it.tree(), tree);
        let taken =
            it.no(1, &["curator", "restore", ids.iter().find(|other| *other != id).unwrap()]);
        assert!(taken.contains("`ops/x` is there already"), "{taken}");
        it.ok(&["curator", "archive", "x"]);
    }
    assert_eq!(it.archived().len(), 2);
    assert_eq!(it.no(1, &["curator", "restore", "y"]), "error: no archived skill is called `y`\n");
}

#[test]
fn the_archive_tells_since_when_by_which_pass_and_why() {
    let it = Curating::of(&[used("ops/old", 200), used("by-hand", 1)]);
    it.consented();
    it.pass();
    it.ok(&["curator", "archive", "by-hand", "--reason", "of no use"]);
    let rows = it.archived();
    let row = |name: &str| rows.iter().find(|it| it["name"] == name).unwrap().clone();
    let (old, hand) = (row("old"), row("by-hand"));
    assert_eq!((&old["pass"], &old["folder"]), (&json!(1), &json!("ops/old")));
    assert!(text(&old["why"]).starts_with("curator-inactivity 0.1.0: "), "{old:#}");
    assert_eq!((&hand["pass"], &hand["why"]), (&Value::Null, &json!("of no use")));
    let said = it.ok(&["curator", "list-archived"]);
    assert!(said.stdout.starts_with("NAME     ID "), "{said:#?}");
    assert!(
        said.stderr.contains(
            "2 skills in the archive\nhint: to bring one back: skillkeep curator restore "
        ),
        "{said:#?}"
    );
}

#[test]
fn what_a_job_names_since_the_last_import_is_put_away_by_nobody_either() {
    let it = Curating::of(&[used("ops/report", 1), used("other", 1)]);
    it.set("[writes]\napproval = \"on\"");
    let before = it.tree();
    let asked = |name: &str| it.by_agent(&["archive", name]);
    assert_eq!(asked("report").status, 0);
    let shown = it.json(&["pending", "diff", "p1"]);
    let hash = text(&shown["pending"][0]["hash"]);
    // Nobody imports what the other program does from now on.
    let jobs = json!({ "jobs": [{ "id": "7", "name": "friday", "skills": ["ops/report"], "enabled": false }] });
    it.machine.write("user/.hermes/cron/jobs.json", jobs.to_string());
    let named = "warning: jobs name `report`: `friday`\nerror: it is refused by ";
    for arguments in [vec!["archive", "report"], vec!["archive", "ops/report", "--dry-run"]] {
        let told = it.no(1, &arguments);
        assert!(told.contains(named), "{told}");
    }
    let told = asked("report");
    assert!(told.status == 1 && told.stderr.contains(named), "{told:#?}");
    let told = it.by_agent(&["call", "skill_write", r#"{"name": "report", "action": "archive"}"#]);
    assert!(told.status == 1 && told.stdout.contains("jobs name `report`: `friday`"), "{told:#?}");
    // What was asked for before the job came is not done after it.
    let told = it.run(&["pending", "approve", &format!("p1={hash}")]);
    assert_eq!(told.status, 1, "{told:#?}");
    assert!(told.stderr.contains("warning: jobs name `report`: `friday`\n"), "{told:#?}");
    assert!(told.stderr.contains("it is refused by law `referenced`: "), "{told:#?}");
    assert_eq!(it.tree(), before);
    // And who can't be asked, or can't be understood, protects everything; what a job runs is named as well.
    for (jobs, why) in [
        ("{", "can't be read"),
        (r#"{"jobs": [{"name": "n", "skills": [{"of": "other"}]}]}"#, "n.skills: found `{"),
        (r#"{"jobs": [{"name": "n", "prompt": "python ~/.hermes/skills/other/run.py"}]}"#, "`n`"),
    ] {
        it.machine.write("user/.hermes/cron/jobs.json", jobs);
        let told = it.no(1, &["archive", "other"]);
        let (first, _) = told.split_once("\nerror: it is refused by ").unwrap();
        assert!(first.starts_with("warning: jobs name `other`: ") && first.contains(why), "{told}");
    }
    assert_eq!(it.tree(), before);
}

#[test]
fn what_is_pinned_while_it_is_stale_is_active_again_and_stays_so() {
    let it = Curating::of(&[used("report", 45), used("other", 45)]);
    it.consented();
    it.pass();
    assert_eq!((it.state("report"), it.state("other")), ("stale".to_owned(), "stale".to_owned()));
    it.ok(&["pin", "report"]);
    assert_eq!((it.state("report"), it.state("other")), ("active".to_owned(), "stale".to_owned()));
    it.pass();
    assert_eq!(it.state("report"), "active");
    it.ok(&["unpin", "report"]);
    assert_eq!(it.state("report"), "active");
    it.pass();
    assert_eq!(it.state("report"), "stale");
}

#[test]
fn a_job_that_calls_a_skill_as_it_was_called_before_names_it_still() {
    let it = Curating::of(&[used("ops/report", 200), used("other", 200)]);
    let at = |folder: &str| it.machine.path(&format!("{}/{folder}", super::ROOT));
    std::fs::rename(at("ops/report"), at("ops/accounts")).unwrap();
    let file = at("ops/accounts/SKILL.md");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("name: report", "name: accounts")).unwrap();
    assert!(it.ok(&["scan"]).stdout.starts_with("2 skills: 0 new, 1 moved, 0 gone\n"));
    let jobs =
        json!({ "jobs": [{ "name": "friday", "skill": "~/.hermes/skills/ops/report/SKILL.md" }] });
    it.machine.write("user/.hermes/cron/jobs.json", jobs.to_string());
    let told = it.no(1, &["archive", "ops/accounts"]);
    assert!(told.contains(": `friday`\nerror: it is refused by "), "{told}");
    it.consented();
    it.pass();
    assert_eq!((it.state("other").as_str(), at("ops/accounts").exists()), ("archived", true));
    // Another one that is called so by now is the one that is meant.
    it.lay("ops/report", "A report of another kind, by other means and for other people.");
    it.ok(&["scan"]);
    it.no(1, &["archive", "ops/report"]);
    it.ok(&["archive", "ops/accounts"]);
}
