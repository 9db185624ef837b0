//! Writes that wait in a Hermes home and are taken into our queue: the real program on records in Hermes's form, good ones and
//! such as somebody else may have put there.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    os::unix::fs::symlink,
    path::Path,
    time::SystemTime,
};

use serde_json::{Value, json};

use crate::importing::{HOME, Importing};

/// Seconds since 1970, so many seconds ago.
fn ago(seconds: u64) -> f64 {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    (now - seconds) as f64 + 0.5
}

impl Importing {
    /// A home that owns Hermes's root, with nothing in its queue.
    fn taken_care_of() -> Importing {
        let it = Importing::new();
        it.own();
        fs::remove_file(it.machine.path(&format!("{HOME}/pending/skills/0a1b2c3d.json"))).unwrap();
        it.ok(&["import", "hermes", "--yes"]);
        it
    }

    /// Has a write wait there, as Hermes's review asked for it.
    fn waits(&self, id: &str, payload: Value, seconds_ago: u64) {
        let record = json!({
            "id": id, "subsystem": "skills", "action": payload["action"], "summary": format!("why {id}"),
            "origin": "background_review", "created_at": ago(seconds_ago), "payload": payload,
        });
        self.lay(&format!("pending/skills/{id}.json"), &record.to_string());
    }

    /// What lies in Hermes's home and is not ours: each path, with the hash of what is in it. Nothing is followed.
    fn untouched(&self) -> Vec<(String, u64)> {
        fn walk(folder: &Path, found: &mut Vec<(String, u64)>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let kind = fs::symlink_metadata(&path).unwrap().file_type();
                if kind.is_dir() && !path.ends_with(".skillkeep") {
                    walk(&path, found);
                } else if !kind.is_dir() {
                    let mut hasher = DefaultHasher::new();
                    let bytes = if kind.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
                    bytes.hash(&mut hasher);
                    found.push((path.display().to_string(), hasher.finish()));
                }
            }
        }
        let mut found = Vec::new();
        walk(&self.machine.path(HOME), &mut found);
        found.sort();
        found
    }

    fn import(&self) -> String {
        self.ok(&["import", "hermes", "--yes"]).stdout
    }

    fn as_json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.ok(&[&["--json"], arguments].concat()).stdout).unwrap()
    }

    fn queue(&self) -> Vec<Value> {
        self.as_json(&["pending"])["pending"].as_array().unwrap().clone()
    }

    /// Approves what `pending diff` shows.
    fn approve(&self, id: &str) -> String {
        let shown = self.as_json(&["pending", "diff", id]);
        let hash = shown["pending"][0]["hash"].as_str().unwrap().to_owned();
        self.ok(&["pending", "approve", &format!("{id}={hash}")]).stdout
    }

    fn text(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.machine.path(&format!("{HOME}/skills/{path}"))).ok()
    }

    /// What an import says of the file of a write, and why it stays there.
    fn why(&self, id: &str) -> String {
        let plan = self.as_json(&["import", "hermes", "--dry-run"]);
        let file = format!("pending/skills/{id}.json");
        let left = plan["left"].as_array().unwrap().iter().find(|it| it["file"] == file.as_str());
        left.unwrap_or_else(|| panic!("{id}: {plan:#}"))["why"].as_str().unwrap().to_owned()
    }
}

fn patch(name: &str, old: &str, new: &str) -> Value {
    json!({"action": "patch", "name": name, "old_string": old, "new_string": new, "replace_all": false,
        "content": null, "category": null, "file_path": null, "file_content": null, "absorbed_into": null})
}

fn create(name: &str) -> Value {
    let content =
        format!("---\nname: {name}\ndescription: Use for {name}.\n---\n# {name}\n\nDo {name}.\n");
    json!({"action": "create", "name": name, "category": "web", "content": content})
}

#[test]
fn what_waits_there_waits_here_and_is_done_as_it_was_shown() {
    let it = Importing::taken_care_of();
    it.waits("0a", patch("deploy", "Do deploy.", "Do it twice."), 90);
    it.waits("0b", create("late"), 60);
    it.waits("0c", json!({"action": "write_file", "name": "notes", "file_path": "references/a.md", "file_content": "A\n"}), 30);
    it.waits("0d", json!({"action": "delete", "name": "rollback"}), 20);
    let before = it.untouched();
    let plan = it.ok(&["import", "hermes", "--dry-run"]).stdout;
    assert!(plan.starts_with("would take over from ~/.hermes:\n\nwould wait for a person here too, base taken at import:\n  patch `deploy`"), "{plan}");
    assert!(!plan.contains("to take it back"), "{plan}");
    assert_eq!((it.queue().len(), it.untouched()), (0, before.clone()));
    let done = it.import();
    assert!(
        done.contains("\nwaits for a person here too, base taken at import:\n  p1 patch `deploy`"),
        "{done}"
    );
    assert!(done.contains("  waits       3 writes in pending/skills that wait here too, or did: reject there what is decided here\n"), "{done}");
    // The law and the policy: nothing that a job names is retired.
    assert!(done.contains("  pending/skills/0d.json delete rollback  it is refused by "), "{done}");
    assert!(done.ends_with("to take it back:\n  writes  skillkeep pending reject p1 p2 p3: none of them is taken a second time\n"), "{done}");
    assert_eq!(it.untouched(), before, "nothing of the home was touched");
    let told: Vec<Value> = it
        .queue()
        .iter()
        .map(|it| {
            json!([
                it["id"],
                it["verb"],
                it["actor"],
                it["name"],
                it["reason"],
                it["session"],
                it["why"],
                it["by"],
                it["taken-over"]["base"],
                it["taken-over"]["file"]
            ])
        })
        .collect();
    let why = "it waited for a person in Hermes";
    assert_eq!(
        told,
        [
            json!([
                "p1",
                "write",
                "review",
                "deploy",
                "why 0a",
                null,
                why,
                "the host",
                "import",
                "pending/skills/0a.json"
            ]),
            json!([
                "p2",
                "create",
                "review",
                "late",
                "why 0b",
                null,
                why,
                "the host",
                null,
                "pending/skills/0b.json"
            ]),
            json!([
                "p3",
                "write",
                "review",
                "notes",
                "why 0c",
                null,
                why,
                "the host",
                "import",
                "pending/skills/0c.json"
            ]),
        ]
    );
    let list = it.ok(&["pending"]).stdout;
    assert!(list.contains("`SKILL.md` +1 -1, base taken at import  why 0a\n"), "{list}");
    let diff = it.ok(&["pending", "diff", "p1"]).stdout;
    for line in [
        "\nwaits   it waited for a person in Hermes (the host)\nfrom    pending/skills/0a.json in [MACHINE]/user/.hermes, ",
        "\nbase    taken at import: nobody said which text its writer had read\n",
        "\n-Do deploy.\n+Do it twice.\n",
    ] {
        assert!(diff.contains(line), "{line}: {diff}");
    }
    for (id, path, text) in [
        ("p1", "ops/deploy/SKILL.md", "Do it twice.\n"),
        ("p2", "web/late/SKILL.md", "Do late.\n"),
        ("p3", "notes/references/a.md", "A\n"),
    ] {
        it.approve(id);
        assert!(it.text(path).unwrap().ends_with(text), "{path}");
    }
    // Whose it is goes by who asked, and each is one change with its way back.
    let log = it.as_json(&["log", "late"]);
    assert_eq!(log["changes"][0]["actor"], "review", "{log:#}");
    let number = log["changes"][0]["change"].to_string();
    it.ok(&["undo", &number]);
    assert_eq!(it.text("web/late/SKILL.md"), None);
}

#[test]
fn a_second_import_adds_nothing_whatever_became_of_the_first() {
    let it = Importing::taken_care_of();
    for (id, name) in [("0a", "deploy"), ("0b", "notes"), ("0c", "pdf")] {
        it.waits(id, json!({"action": "write_file", "name": name, "file_path": "assets/a", "file_content": id}), 60);
    }
    // What came with an agent is no review's to change.
    assert!(
        it.import().contains(
            "pending/skills/0c.json write_file pdf  it is refused by provenance-declared"
        )
    );
    it.ok(&["pending", "reject", "p1"]);
    it.approve("p2");
    for arguments in [&["import", "hermes", "--yes"][..], &["import", "hermes", "--dry-run"]] {
        let again = it.ok(arguments).stdout;
        assert!(again.starts_with("nothing is new in ~/.hermes\n"), "{again}");
        assert!(!again.contains("to take it back"), "{again}");
    }
    assert_eq!(it.queue(), [] as [Value; 0]);
    let plan = it.as_json(&["import", "hermes", "--dry-run"]);
    let told: Vec<_> = plan["pending"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["state"].as_str().unwrap(), it["id"].clone()))
        .collect();
    assert_eq!(told, [("known", json!("p1")), ("known", json!("p2")), ("left", Value::Null)]);
    // The same home at another place tells nothing new either.
    let moved = it.machine.path("moved");
    fs::rename(it.machine.path(HOME), &moved).unwrap();
    let root = moved.join("skills");
    let again = it.ok(&["import", "hermes:../moved", "--yes", "--root", root.to_str().unwrap()]);
    assert!(!again.stdout.contains("waits for a person"), "{again:#?}");
    assert_eq!(it.as_json(&["pending", "--root", root.to_str().unwrap()])["pending"], json!([]));
}

#[test]
fn nothing_is_done_at_import_whatever_the_policy_lets_be() {
    let it = Importing::taken_care_of();
    it.machine.write("home/skillkeep.toml", "[slots.provenance]\nuse = \"provenance-open\"\n");
    it.waits("0a", patch("deploy", "Do deploy.", "Do it twice."), 60);
    let before = it.untouched();
    it.import();
    assert_eq!((it.queue().len(), it.untouched()), (1, before));
}

#[test]
fn only_a_root_of_this_home_takes_what_waits_and_it_can_come_later() {
    let it = Importing::new();
    it.waits("0a", patch("deploy", "Do deploy.", "Do it twice."), 60);
    let done = it.import();
    assert!(done.contains("  pending/skills/0a.json patch deploy        the root `[MACHINE]/user/.hermes/skills` is not owned, and is only read\n"), "{done}");
    assert_eq!(it.queue().len(), 0);
    it.own();
    let done = it.import();
    assert!(done.starts_with("took over from ~/.hermes:\n\nwaits for a person here too"), "{done}");
    assert_eq!(it.queue().len(), 1);
}

#[test]
fn what_waits_here_is_put_out_by_no_import() {
    let it = Importing::taken_care_of();
    let put = |id: &str, name: &str| json!({"action": "write_file", "name": name, "file_path": "assets/a", "file_content": id});
    for number in 0..25 {
        let id = format!("a{number:02}");
        it.waits(&id, put(&id, "deploy"), 1_000 - number);
    }
    let done = it.as_json(&["import", "hermes", "--yes"]);
    let states = |plan: &Value, state: &str| {
        plan["pending"].as_array().unwrap().iter().filter(|it| it["state"] == state).count()
    };
    assert_eq!((states(&done, "taken"), states(&done, "left")), (20, 5));
    assert_eq!(
        it.why("a20"),
        "20 writes wait for its skill already, and none of them is put out for it"
    );
    // Room is made by who decides, and the next in turn comes.
    it.ok(&["pending", "reject", "p1"]);
    let done = it.as_json(&["import", "hermes", "--yes"]);
    assert_eq!((states(&done, "taken"), states(&done, "known"), states(&done, "left")), (1, 20, 4));
    assert_eq!(done["pending"][0]["file"], "pending/skills/a20.json");
    it.waits("old", put("old", "notes"), 40 * 86_400);
    assert!(it.why("old").ends_with("and nothing waits here for more than 30 days"));
    assert_eq!(it.queue().len(), 20);
}

#[test]
fn what_was_changed_since_the_import_is_looked_at_again() {
    let it = Importing::taken_care_of();
    it.waits("0a", patch("deploy", "Do deploy.", "Do it twice."), 60);
    it.waits("0b", json!({"action": "edit", "name": "notes", "content": "---\nname: notes\ndescription: D.\n---\nNew.\n"}), 60);
    it.import();
    for path in ["ops/deploy/SKILL.md", "notes/SKILL.md"] {
        let text = it.text(path).unwrap();
        it.lay(&format!("skills/{path}"), &format!("{text}By hand.\n"));
    }
    let queue = it.queue();
    assert_eq!((&queue[0]["rebased"], &queue[0]["stale"]), (&json!(true), &Value::Null));
    assert!(
        queue[1]["stale"].as_str().unwrap().contains("was changed since it was read"),
        "{queue:#?}"
    );
    it.approve("p1");
    assert!(it.text("ops/deploy/SKILL.md").unwrap().ends_with("Do it twice.\nBy hand.\n"));
}

#[test]
fn a_record_that_somebody_else_made_is_told_by_its_file_and_left() {
    let it = Importing::taken_care_of();
    let put = |path: &str| json!({"action": "write_file", "name": "deploy", "file_path": path, "file_content": "x"});
    let large = "x".repeat(2 << 20);
    for (payload, why) in [
        (put("../notes/SKILL.md"), "found `../notes/SKILL.md` as the path of a file"),
        (put("references/../../notes/SKILL.md"), "expected names between single slashes"),
        (put("/etc/passwd"), "expected a path below the skill's folder"),
        (put("C:\\x"), "as the path of a file"),
        (put("references/a\u{1b}[2J"), "no characters that can't be printed"),
        (put("references/\u{202e}a"), "no characters that can't be printed"),
        (put("hooks/run.sh"), "expected `SKILL.md`, or a file in"),
        (put(".git/hooks/post-checkout"), "expected `SKILL.md`, or a file in"),
        (put("assets/link/passwd"), "is a link or lies behind one"),
        (put("assets/file"), "is a link or lies behind one"),
        (
            json!({"action": "write_file", "name": "deploy", "file_path": "assets/a", "file_content": large}),
            "expected 1048576 at most",
        ),
        (
            json!({"action": "edit", "name": "deploy", "content": "no header"}),
            "the header of the SKILL.md can't be read",
        ),
        (json!({"action": "edit", "name": "deploy", "content": ""}), "the SKILL.md is empty"),
        (json!({"action": "edit", "name": "gone", "content": "x"}), "no skill is called so"),
        (json!({"action": "delete", "name": "old-way"}), "`old-way` lies in the archive"),
        (json!({"action": "delete", "name": "twin"}), "2 skills are called so"),
        (json!({"action": "delete", "name": "../../user"}), "no skill is called so"),
        (json!({"action": "delete", "name": "/etc"}), "no skill is called so"),
        (json!({"action": "delete", "name": ""}), "no skill is called so"),
        (json!({"action": "delete", "name": "deploy"}), "`ops/deploy` is pinned"),
        (
            create("../late"),
            "found `../late` as the name of a skill, expected one name and no path",
        ),
        (create("La\u{7}te"), "as the name of a skill"),
        (create("notes"), "a skill `notes` is there already"),
        (
            json!({"action": "create", "name": "late", "category": "../..", "content": "x"}),
            "as the name of a category",
        ),
        (
            json!({"action": "create", "name": "late", "category": ".skillkeep", "content": "x"}),
            "as the name of a category",
        ),
        (patch("deploy", "not there", "x"), "the text to replace is not in the file"),
        (patch("deploy", "o", "0"), "expected once"),
        (patch("deploy", "", "x"), "the text to replace is empty"),
        (
            json!({"action": "remove_file", "name": "deploy", "file_path": "assets/no"}),
            "there is no `assets/no`",
        ),
        (
            json!({"action": "remove_file", "name": "deploy", "file_path": "SKILL.md"}),
            "its SKILL.md makes it a skill",
        ),
        (json!({"action": "rename", "name": "deploy"}), "found `rename` as what it does"),
    ] {
        let assets = it.machine.path(&format!("{HOME}/skills/ops/deploy/assets"));
        fs::create_dir_all(&assets).unwrap();
        drop(symlink("/etc", assets.join("link")));
        drop(symlink("/etc/passwd", assets.join("file")));
        it.waits("0a", payload.clone(), 60);
        let before = it.untouched();
        let told = it.why("0a");
        assert!(told.contains(why), "{why}: {told}");
        let done = it.import();
        assert!(!done.contains("waits for a person"), "{payload}: {done}");
        assert!(!done.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{done:?}");
        assert_eq!(it.untouched(), before, "{payload}");
    }
    assert_eq!(it.queue().len(), 0);
}

#[test]
fn a_file_that_is_no_record_is_told_and_the_others_are_taken() {
    let it = Importing::taken_care_of();
    let folder = it.machine.path(&format!("{HOME}/pending/skills"));
    it.waits("good", patch("deploy", "Do deploy.", "Do it twice."), 60);
    let whole = fs::read_to_string(folder.join("good.json")).unwrap();
    it.lay("pending/skills/half.json", &whole[..whole.len() / 2]);
    it.lay("pending/skills/list.json", "[1]");
    it.lay("pending/skills/empty.json", "");
    it.lay("pending/skills/huge.json", &format!("{{\"x\": \"{}\"}}", "x".repeat(9 << 20)));
    it.lay("pending/skills/deep.json", &"[".repeat(100_000));
    it.lay("pending/skills/bytes.json/x", "");
    it.lay("pending/skills/notes.txt", "not ours to read");
    fs::write(folder.join("binary.json"), b"\xff\xfe{\0").unwrap();
    symlink(folder.join("good.json"), folder.join("link.json")).unwrap();
    symlink("/dev/zero", folder.join("endless.json")).unwrap();
    for (id, why) in [
        ("half", "it is no JSON: EOF while parsing"),
        ("list", "the whole is a list, and a mapping was expected"),
        ("empty", "it is no JSON: EOF while parsing a value"),
        ("huge", "it has more than 8388608 bytes"),
        ("deep", "it is no JSON: recursion limit exceeded"),
        ("bytes", "it is no file"),
        ("binary", "it is UTF-16, and UTF-8 text was expected"),
        ("link", "it is a link, and a file was expected"),
        ("endless", "it is a link, and a file was expected"),
    ] {
        let told = it.why(id);
        assert!(told.starts_with(why), "{id}: {told}");
    }
    let before = it.untouched();
    it.import();
    let queue = it.queue();
    assert_eq!(
        (queue.len(), &queue[0]["taken-over"]["file"]),
        (1, &json!("pending/skills/good.json"))
    );
    assert_eq!(it.untouched(), before);
}

#[test]
fn who_asked_and_when_is_kept_as_far_as_it_is_known() {
    let it = Importing::taken_care_of();
    let record = |origin: Value, at: Value, name: &str| {
        json!({"origin": origin, "created_at": at, "summary": "a\u{1b}[2J b", "payload": patch(name, "Do ", "Do not ")})
            .to_string()
    };
    let future = ago(0) + 1e6;
    it.lay("pending/skills/0a.json", &record(json!("person"), json!(ago(60)), "deploy"));
    it.lay("pending/skills/0b.json", &record(json!("background_review"), json!(future), "notes"));
    it.lay("pending/skills/0c.json", &record(json!("foreground"), json!("NaN"), "forms"));
    let done = it.import();
    assert!(done.contains("found `person` as who asked; it counts as `foreground`"), "{done}");
    assert!(done.contains("its time lies in the future; it counts as of now"), "{done}");
    assert!(done.contains("found `NaN` as its time; it counts as of now"), "{done}");
    let mut told: Vec<Value> = it
        .queue()
        .iter()
        .map(|it| json!([it["name"], it["actor"], it["taken-over"]["at"], it["reason"]]))
        .collect();
    told.sort_by_key(ToString::to_string);
    assert_eq!(
        told[0],
        json!(["deploy", "foreground", it.queue()[0]["taken-over"]["at"], "a[2J b"])
    );
    assert_eq!(told[1], json!(["forms", "foreground", "\"NaN\"", "a[2J b"]));
    assert_eq!(told[2], json!(["notes", "review", future.to_string(), "a[2J b"]));
}

#[test]
fn what_is_said_of_the_way_back_holds_of_each_part() {
    let it = Importing::new();
    it.own();
    it.waits("0a", patch("notes", "Do notes.", "Do it twice."), 60);
    let done = it.import();
    assert!(
        done.contains(
            "  pins                                    skillkeep undo 1: they lie in the root\n"
        ),
        "{done}"
    );
    assert!(
        done.contains(
            "  writes                                  skillkeep pending reject p1: none"
        ),
        "{done}"
    );
    it.ok(&["undo", "1"]);
    let list = it.as_json(&["list"]);
    let deploy =
        list["skills"].as_array().unwrap().iter().find(|it| it["name"] == "deploy").unwrap();
    assert_eq!(deploy["pinned"], false);
    it.ok(&["pending", "reject", "p1"]);
    assert_eq!(it.queue().len(), 0);
    // Nothing of it comes again.
    assert!(it.import().starts_with("nothing is new"));
}

#[test]
fn what_is_taken_over_with_them_counts_before_it_is_done() {
    let it = Importing::new();
    it.own();
    let put = |name: &str| json!({"action": "write_file", "name": name, "file_path": "assets/a", "file_content": "x"});
    let delete = |name: &str| json!({"action": "delete", "name": name, "absorbed_into": "notes"});
    // By this import the first is bundled, the second pinned, the third named by a job, and the fourth nobody's.
    for (id, payload) in [
        ("0a", put("pdf")),
        ("0b", delete("deploy")),
        ("0c", delete("rollback")),
        ("0d", put("notes")),
    ] {
        it.waits(id, payload, 60);
    }
    let states = |arguments: &[&str]| -> Vec<(String, String)> {
        let plan = it.as_json(arguments);
        let text = |it: &Value, key: &str| it[key].as_str().unwrap().to_owned();
        let all = plan["pending"].as_array().unwrap().iter();
        let mut all: Vec<_> = all.map(|it| (text(it, "file"), text(it, "state"))).collect();
        all.sort();
        all
    };
    let planned = states(&["import", "hermes", "--dry-run"]);
    let told: Vec<_> = planned.iter().map(|(_, state)| state.as_str()).collect();
    assert_eq!(told, ["left", "left", "left", "taken"]);
    assert_eq!(states(&["import", "hermes", "--yes"]), planned);
}
