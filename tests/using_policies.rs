//! Which policies are used: what a person says yes to is loaded and nothing else, what it changes is shown before, and there
//! is a way back. The real program on real files.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Stdio,
};

use serde_json::Value;
use skillkeep::{
    decision::Slot,
    lock::Lock,
    policy::{Builtin, digest},
};

use crate::{
    hostile::guest::{Guest, all, decent_info},
    keeping::Keeping,
    support::Ran,
};

/// Settings with comments of somebody's own.
const SETTINGS: &str = "# mine\n[index]\nlimit = 70 # small\n";

fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn fixture(path: &str) -> Vec<u8> {
    fs::read(repository(&format!("tests/fixtures/{path}"))).unwrap()
}

/// A budget of a few hundred bytes that counts both skills, or shows them in another form.
fn counting(form: u8) -> Vec<u8> {
    Guest::new(Slot::Budget, &decent_info(), &all(2, form)).build()
}

/// A home with settings, and a person who calls.
fn home() -> Keeping {
    let keeping = Keeping::owned();
    keeping.machine.write("home/skillkeep.toml", SETTINGS);
    keeping
}

impl Keeping {
    fn settings(&self) -> String {
        fs::read_to_string(self.machine.path("home/skillkeep.toml")).unwrap()
    }

    fn lock(&self) -> Lock {
        Lock::read(&fs::read(self.machine.path("home/policies.lock")).unwrap()).unwrap()
    }

    fn relock(&self, change: impl FnOnce(&mut Lock)) {
        let mut lock = self.lock();
        change(&mut lock);
        self.machine.write("home/policies.lock", lock.text().unwrap());
    }

    /// `policy list` of one slot: what is used there.
    fn used(&self, slot: &str) -> Vec<Value> {
        let ran = self.run(&["--json", "policy", "list"]);
        let list: Value = serde_json::from_str(&ran.stdout).unwrap();
        let policies = list["policies"].as_array().unwrap().iter();
        policies.filter(|it| it["slot"] == slot && it["decides"] == true).cloned().collect()
    }

    /// The name that the one policy of a slot gives itself, or the code of why it doesn't load.
    fn decides(&self, slot: &str) -> String {
        let used = self.used(slot);
        assert_eq!(used.len(), 1, "{used:#?}");
        let it = &used[0];
        it["name"].as_str().or(it["error"]["code"].as_str()).unwrap().to_owned()
    }

    fn index(&self) -> Ran {
        self.run(&["index"])
    }
}

#[test]
fn what_is_used_is_shown_before_and_then_named_pinned_and_kept() {
    let keeping = home();
    let bytes = counting(3);
    keeping.machine.write("home/policies/mine.wasm", &bytes);
    let file = "../home/policies/mine.wasm";
    let before = (keeping.settings(), keeping.index().stdout);

    let dry = keeping.ok(&["policy", "use", "budget", file, "--dry-run"]);
    let sha256 = digest(&bytes);
    let start: String = sha256.chars().take(12).collect();
    assert_eq!(
        dry.stdout,
        format!(
            "budget: budget-ladder -> policies/mine.wasm ({start})\n\
             \x20 hostile 1.0.0, sha256 {sha256}, not signed\n\
             \x20 it carries no cases\n\
             the index, 2 skills in 70 tokens: 49 before, 30 after; 2 skills have another form\n\
             \x20 general/deploy  full -> counted  because of a test\n\
             \x20 general/notes   full -> counted  because of a test\n"
        )
    );
    assert_eq!((keeping.settings(), keeping.index().stdout), before);
    assert!(!keeping.machine.path("home/policies.lock").exists());
    let asked = keeping.no(2, &["policy", "use", "budget", file]);
    assert!(
        asked.contains("error: there is no terminal to ask at whether this is meant"),
        "{asked}"
    );
    assert!(!keeping.machine.path("home/policies.lock").exists());

    let used = keeping.ok(&["policy", "use", "budget", file, "--yes"]);
    assert_eq!(
        used.stdout,
        format!("set 2: budget: budget-ladder -> policies/mine.wasm ({start})\n")
    );
    assert_eq!(used.stderr, dry.stdout + "hint: back to set 1: skillkeep policy rollback\n");
    assert_eq!(
        keeping.settings(),
        format!("{SETTINGS}\n[slots.budget]\nuse = [\"policies/mine.wasm\"]\n")
    );
    let index = keeping.ok(&["index"]);
    assert!(index.stdout.contains("  general (2)\n"), "{index:#?}");
    let kept = keeping.machine.path(&format!("home/policies/kept/{sha256}.wasm"));
    assert_eq!(fs::read(kept).unwrap(), bytes);
    let lock = keeping.machine.path("home/policies.lock");
    assert_eq!(fs::metadata(&lock).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(fs::read_to_string(lock).unwrap().starts_with("# policies.lock: "));
    let it = &keeping.used("budget")[0];
    assert_eq!(
        (&it["named"], &it["pin"]["sha256"], &it["pin"]["policy"], &it["pin"]["by"]),
        (
            &"policies/mine.wasm".into(),
            &sha256.as_str().into(),
            &"hostile".into(),
            &"person".into()
        )
    );
    let again = keeping.ok(&["policy", "use", "budget", file, "--yes"]);
    let nothing = format!("nothing changes: budget: policies/mine.wasm ({start})\n");
    assert_eq!(again.stdout, nothing);
    let shown = keeping.ok(&["policy", "show", file]).stdout;
    assert!(shown.contains(&format!("budget (used): pinned {}", lock_at(&keeping))), "{shown}");
}

fn lock_at(keeping: &Keeping) -> String {
    keeping.lock().pinned[0].at.clone()
}

#[test]
fn a_file_that_nobody_said_yes_to_or_that_changed_since_is_not_loaded() {
    let keeping = home();
    let (one, other) = (counting(3), counting(2));
    let plain = keeping.index().stdout;
    keeping.machine.write("home/mine.wasm", &one);
    let named = format!("{SETTINGS}\n[slots.budget]\nuse = [\"mine.wasm\"]\n");
    keeping.machine.write("home/skillkeep.toml", &named);
    let refused = |what: &str, keeping: &Keeping| {
        let index = keeping.index();
        assert_eq!((index.status, &index.stdout), (1, &plain), "{index:#?}");
        let hint =
            "hint: look at it, and say yes: skillkeep policy use budget [MACHINE]/home/mine.wasm\n";
        assert!(index.stderr.contains(what) && index.stderr.ends_with(hint), "{index:#?}");
        let list = keeping.run(&["policy", "list"]);
        assert_eq!(list.status, 1);
        let row = list.stdout.lines().find(|row| row.contains(" NOT LOADED ")).unwrap();
        assert!(row.contains(what) && row.ends_with("; the host's baseline decides"), "{row}");
        assert!(list.stderr.ends_with(hint), "{list:#?}");
        let overview = keeping.run(&[]);
        assert_eq!(overview.status, 1);
        assert_eq!(overview.stderr.matches(what).count(), 1, "{overview:#?}");
    };
    let sha256 = (digest(&one), digest(&other));
    refused(
        &format!("nobody said yes to `[MACHINE]/home/mine.wasm` (sha256 {})", sha256.0),
        &keeping,
    );
    keeping.ok(&["policy", "use", "budget", "../home/mine.wasm", "--yes"]);
    assert_eq!(keeping.settings(), named);
    assert_eq!(keeping.decides("budget"), "hostile");
    keeping.machine.write("home/mine.wasm", &other);
    refused(
        &format!(
            "`[MACHINE]/home/mine.wasm` changed since it was pinned: now {}, pinned {}",
            sha256.1, sha256.0
        ),
        &keeping,
    );
    // For one run anything may be tried, and for development all that the settings name, loudly.
    keeping.ok(&["index", "--policy", "budget=../home/mine.wasm"]);
    for setting in [false, true] {
        if setting {
            keeping.machine.write("home/skillkeep.toml", format!("policies.dev = true\n{named}"));
        }
        let ran = keeping.ok(if setting { &["index"] } else { &["index", "--dev"] });
        assert!(ran.stdout != plain, "{ran:#?}");
        let loud = "pinned 8; it is loaded all the same, for development";
        let loud = loud.replace("pinned 8", &format!("pinned {}", sha256.0));
        assert!(ran.stderr.contains(&loud), "{ran:#?}");
    }
}

#[test]
fn there_is_a_way_back_though_the_file_was_overwritten() {
    let keeping = home();
    let versions = [counting(3), counting(2), counting(1)];
    for bytes in &versions {
        keeping.machine.write("work/mine.wasm", bytes);
        keeping.ok(&["policy", "use", "budget", "mine.wasm", "--yes"]);
    }
    let decides = |keeping: &Keeping| {
        let it = &keeping.used("budget")[0];
        it["digest"].as_str().unwrap().to_owned()
    };
    for (set, bytes) in [(3, &versions[1]), (2, &versions[0])] {
        let back = keeping.ok(&["policy", "rollback", "--yes"]);
        assert!(back.stdout.starts_with(&format!("set {set}: budget: ")), "{back:#?}");
        assert!(back.stderr.contains("its kept copy comes back"), "{back:#?}");
        assert_eq!(decides(&keeping), digest(bytes));
        keeping.ok(&["index"]);
    }
    keeping.ok(&["policy", "rollback", "--yes"]);
    assert_eq!(keeping.decides("budget"), "budget-ladder");
    assert_eq!(keeping.settings().trim_end(), format!("{SETTINGS}\n[slots.budget]"));
    assert_eq!(
        keeping.no(1, &["policy", "rollback", "--yes"]),
        "error: no set of policies is known from before this one\nhint: skillkeep policy list\n"
    );
    // Forward again, to where the file still is what it was.
    keeping.ok(&["policy", "rollback", "--to", "4", "--yes"]);
    assert_eq!(keeping.used("budget")[0]["named"], "[MACHINE]/work/mine.wasm");
    // Whoever tampers with a kept copy gets nothing loaded.
    keeping.ok(&["policy", "rollback", "--yes"]);
    let kept = keeping.machine.path(&format!("home/policies/kept/{}.wasm", digest(&versions[1])));
    fs::write(&kept, &versions[0]).unwrap();
    assert_eq!(keeping.decides("budget"), "changed-since-pinned");
    keeping.ok(&["policy", "off", "budget", "--yes"]);
    let gone = keeping.no(1, &["policy", "rollback", "budget", "--yes"]);
    assert!(gone.contains("is damaged or gone\nhint: the bytes with sha256 "), "{gone}");
    assert_eq!(keeping.decides("budget"), "budget-ladder");
}

#[test]
fn one_slot_goes_back_with_its_settings_and_the_others_stay() {
    let keeping = home();
    let set = ["policy", "use", "budget", "budget-ladder", "--set", "exploration=0.3", "--yes"];
    keeping.ok(&set);
    keeping.ok(&["policy", "use", "provenance", "provenance-strict", "--yes"]);
    assert!(keeping.settings().contains("settings.exploration = 0.3\n"), "{}", keeping.settings());
    let dry = keeping.ok(&["policy", "rollback", "budget", "--dry-run"]).stdout;
    assert!(dry.starts_with("budget: budget-ladder\n  exploration: 0.3 -> its default\n"), "{dry}");
    keeping.ok(&["policy", "rollback", "budget", "--yes"]);
    assert!(!keeping.settings().contains("exploration"), "{}", keeping.settings());
    assert_eq!(keeping.decides("provenance"), "provenance-strict");
    assert_eq!(
        keeping.no(1, &["policy", "rollback", "budget", "--yes"]),
        "error: nothing is known of the slot `budget` from before\nhint: skillkeep policy list\n"
    );
}

#[test]
fn settings_are_checked_by_the_policy_and_written_in_its_types() {
    let keeping = home();
    let refuses = |settings: &str, message: &str| {
        let use_ = ["policy", "use", "demotion", "demotion-toolset", "--set", settings, "--yes"];
        let ran = keeping.no(2, &use_);
        assert!(ran.starts_with(message), "{ran}");
    };
    refuses("promote=2", "error: setting `promote` (--set) is unknown to `demotion-toolset`");
    refuses("decay-days=soon", "error: setting `decay-days` (--set): found `soon`, expected ");
    refuses("decay-days=0", "error: setting `decay-days` (--set): found `0`, ");
    refuses("decay-days", "error: found `decay-days`, expected KEY=VALUE");
    let more = ["--set", "decay-days=14", "--set", "links.my-tool=a,b", "--yes"];
    keeping.ok(&[&["policy", "use", "demotion", "demotion-toolset"][..], &more].concat());
    assert_eq!(
        keeping.settings(),
        format!(
            "{SETTINGS}\n[slots.demotion]\nuse = [\"demotion-toolset\"]\n\
             settings.decay-days = 14.0\nsettings.links.my-tool = [\"a\", \"b\"]\n"
        )
    );
    keeping.ok(&["index"]);
}

#[test]
fn only_a_person_says_which_policies_are_used() {
    let keeping = home();
    keeping.ok(&["policy", "use", "provenance", "provenance-strict", "--yes"]);
    let agent = Keeping { token: None, ..keeping };
    let before = (agent.settings(), agent.lock());
    for arguments in [
        &["policy", "use", "provenance", "provenance-open", "--yes"][..],
        &["policy", "add", "provenance", "provenance-open", "--yes"],
        &["policy", "off", "provenance", "--yes"],
        &["policy", "rollback", "--yes"],
    ] {
        assert_eq!(
            agent.no(1, arguments),
            "error: only a person may choose which policies are used, and `foreground` asked\n\
             hint: at a terminal, or with the home's `token` in SKILLKEEP_TOKEN\n"
        );
    }
    agent.ok(&["policy", "use", "provenance", "provenance-open", "--dry-run"]);
    assert_eq!((agent.settings(), agent.lock()), before);
}

#[test]
fn several_judge_where_the_slot_lets_them_and_what_becomes_otherwise_is_shown() {
    let keeping = home();
    assert_eq!(
        keeping.no(2, &["policy", "add", "budget", "budget-codex", "--yes"]),
        "error: `budget` takes one policy, and none beside it\n\
         hint: instead of the one that is used: skillkeep policy use budget FILE\n"
    );
    let added = keeping.ok(&["policy", "add", "provenance", "provenance-strict", "--yes"]);
    assert_eq!(
        added.stdout,
        "set 2: provenance: provenance-declared -> provenance-declared and provenance-strict\n"
    );
    let row = added.stderr.lines().find(|it| it.starts_with("  create by foreground, new  "));
    let row = row.unwrap_or_else(|| panic!("{added:#?}"));
    assert!(row.contains("  allow as foreground -> stage as foreground  "), "{row}");
    assert_eq!(keeping.used("provenance").len(), 2);
    let off = keeping.ok(&["policy", "off", "provenance", "provenance-declared", "--yes"]);
    assert!(off.stdout.ends_with("and provenance-strict -> provenance-strict\n"), "{off:#?}");
    assert_eq!(
        keeping.no(1, &["policy", "off", "provenance", "provenance-open", "--yes"]),
        "error: the settings don't name `provenance-open` for `provenance`\nhint: skillkeep policy list\n"
    );
    let json: Value = serde_json::from_str(
        &keeping.ok(&["--json", "policy", "off", "provenance", "--yes"]).stdout,
    )
    .unwrap();
    assert_eq!(json["schema"], "skillkeep.policy-change/1");
    assert_eq!((&json["changed"], &json["set"]), (&true.into(), &4.into()));
    assert_eq!(json["slots"][0]["after"], serde_json::json!(["provenance-declared"]));
    assert!(!json["effects"]["writes"]["changed"].as_array().unwrap().is_empty());
    assert_eq!(keeping.decides("provenance"), "provenance-declared");
}

#[test]
fn a_curator_is_loaded_and_its_cases_are_run() {
    let keeping = home();
    let bytes = fixture("components/curator-minimal.wasm");
    keeping.machine.write("work/mine.wasm", &bytes);
    let dry = keeping.ok(&["policy", "use", "curator", "mine.wasm", "--dry-run"]).stdout;
    assert!(dry.starts_with("curator: curator-inactivity -> [MACHINE]/work/mine.wasm ("), "{dry}");
    assert!(dry.contains(" cases hold\n") || dry.contains("its own case holds\n"), "{dry}");
    // The same component with a case in it that fails.
    let about = skillkeep_build::about(&bytes).unwrap();
    let (_, case) = skillkeep_build::cases(&bytes).into_iter().next().unwrap();
    let broken = case.replace("unused-days", "days-unused");
    let cases = [("broken.md".to_owned(), broken)];
    let bare = fixture("components/curator-minimal.wasm");
    keeping.machine.write("work/broken.wasm", skillkeep_build::with_sections(bare, &about, &cases));
    let failed = keeping.no(1, &["policy", "use", "curator", "broken.wasm", "--yes"]);
    assert!(failed.contains(" cases fail, so it isn't used:\nbroken.md\n"), "{failed}");
    keeping.ok(&["policy", "use", "curator", "mine.wasm", "--yes"]);
    assert_eq!(keeping.decides("curator"), "curator-minimal");
    keeping.machine.write("work/mine.wasm", "something else");
    let overview = keeping.run(&[]);
    assert!(
        overview.stderr.contains("slot `curator`: policy `")
            && overview.stderr.contains("; nothing is changed\n"),
        "{overview:#?}"
    );
}

#[test]
fn what_fails_on_this_very_library_is_not_used() {
    let keeping = home();
    let trap = Guest::new(Slot::Budget, &decent_info(), &all(2, 0)).deciding("(unreachable)");
    keeping.machine.write("work/trap.wasm", trap.build());
    keeping.machine.write("work/text.wasm", "no component");
    keeping.machine.write("work/curator.wasm", fixture("components/curator-minimal.wasm"));
    for (file, message) in [
        ("trap.wasm", "error: `hostile 1.0.0` fails on this library: it trapped"),
        ("text.wasm", "error: found text that begins `no component`"),
        ("curator.wasm", "error: the component decides `curator`, and it was given for `budget`"),
        ("gone.wasm", "error: can't read `[MACHINE]/work/gone.wasm`"),
        ("budget-lader", "error: no policy is called `budget-lader`"),
    ] {
        let ran = keeping.run(&["policy", "use", "budget", file, "--yes"]);
        assert!(ran.status > 0 && ran.stderr.contains(message), "{file}: {ran:#?}");
        assert_eq!(keeping.settings(), SETTINGS);
    }
}

#[test]
fn what_is_in_quarantine_is_not_loaded_until_a_person_lifts_it() {
    let keeping = home();
    let bytes = counting(3);
    keeping.machine.write("work/mine.wasm", &bytes);
    keeping.ok(&["policy", "use", "budget", "mine.wasm", "--yes"]);
    let sha256 = digest(&bytes);
    keeping.relock(|lock| lock.quarantine(&sha256, "it used up its fuel", "2026-08-13T12:00:00Z"));
    assert_eq!(keeping.decides("budget"), "quarantined");
    for arguments in
        [&["index"][..], &["index", "--dev"], &["index", "--policy", "budget=mine.wasm"]]
    {
        let ran = keeping.run(arguments);
        assert_eq!(ran.status, 1, "{ran:#?}");
        let why = "it is in quarantine since 2026-08-13T12:00:00Z: it used up its fuel";
        assert!(ran.stderr.contains(why), "{ran:#?}");
        let hint = "hint: a person lifts that: skillkeep policy use budget ";
        assert!(ran.stderr.contains(hint), "{ran:#?}");
    }
    let list = keeping.run(&["policy", "list"]).stdout;
    let line = format!("in quarantine since 2026-08-13: sha256 {sha256}, it used up its fuel\n");
    assert!(list.ends_with(&line), "{list}");
    let dry = keeping.no(1, &["policy", "use", "budget", "mine.wasm", "--dry-run"]);
    assert!(dry.starts_with("error: it is in quarantine since "), "{dry}");
    let lifted = keeping.ok(&["policy", "use", "budget", "mine.wasm", "--yes"]);
    assert!(lifted.stderr.contains("comes out of quarantine"), "{lifted:#?}");
    let shown = keeping.ok(&["policy", "show", "mine.wasm"]);
    assert!(shown.stdout.ends_with("\nloads: yes\n"), "{shown:#?}");
    assert_eq!(keeping.lock().quarantined, []);
    keeping.ok(&["index"]);
}

/// It says of itself what nobody would guess, so whoever ran it is found out.
#[test]
fn what_is_in_quarantine_is_shown_without_being_run_and_tested_with_a_warning() {
    let keeping = home();
    let mut info = decent_info();
    info.summary = "I was run".to_owned();
    let bytes = Guest::new(Slot::Budget, &info, &all(2, 3)).build();
    let cases = "# Two\n\n## both\n\n- limit = 100\n\n| skill | costs |\n| - | - |\n| a | 9/5/1 |\n\nexpect: nothing\n";
    keeping.machine.write("work/mine.wasm", &bytes);
    keeping.machine.write("work/mine.md", cases);
    let before = keeping.ok(&["policy", "show", "mine.wasm"]);
    assert!(before.stdout.contains("I was run"), "{before:#?}");
    let sha256 = digest(&bytes);
    keeping.ok(&["policy", "use", "provenance", "provenance-strict", "--yes"]);
    keeping.relock(|lock| lock.quarantine(&sha256, "it used up its fuel", "2026-08-13T12:00:00Z"));

    let why = format!(
        "it is in quarantine since 2026-08-13T12:00:00Z: it used up its fuel (sha256 {sha256})"
    );
    let hint = "hint: a person lifts that: skillkeep policy use budget mine.wasm --yes\n";
    let shown = keeping.run(&["policy", "show", "mine.wasm"]);
    assert_eq!(
        (shown.status, shown.stderr),
        (1, format!("error: this host would not load it: {why}\n{hint}"))
    );
    assert!(shown.stdout.contains(&format!("sha256   {sha256}\n")), "{}", shown.stdout);
    assert!(shown.stdout.contains("worlds   budget-policy\n"), "{}", shown.stdout);
    assert!(shown.stdout.ends_with("\nloads: no\n"), "{}", shown.stdout);
    assert!(!shown.stdout.contains("I was run"), "{}", shown.stdout);
    let json = keeping.run(&["--json", "policy", "show", "mine.wasm"]);
    let json: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!((&json["error"]["code"], &json["summary"]), (&"quarantined".into(), &Value::Null));

    let tried = keeping.run(&["policy", "test", "mine.wasm", "mine.md"]);
    let warned = format!(
        "warning: `mine.wasm`: {why}; it is tried all the same, alone and in its sandbox\n{hint}"
    );
    assert!(tried.stderr.starts_with(&warned), "{tried:#?}");
    assert!(tried.stdout.starts_with("hostile 1.0.0 (budget)\n"), "{tried:#?}");
    let tried = keeping.run(&["--json", "policy", "test", "mine.wasm", "mine.md"]);
    let tried: Value = serde_json::from_str(&tried.stdout).unwrap();
    assert_eq!(tried["quarantined"], why);
}

#[test]
fn the_table_of_a_judge_in_quarantine_is_that_of_its_fallback() {
    let keeping = home();
    keeping.ok(&["policy", "use", "budget", "budget-progressive", "--yes"]);
    let judge = Builtin::named("provenance-open").unwrap();
    keeping.machine.write("work/judge.wasm", judge.bytes);
    let table = ["policy", "show", "judge.wasm", "--table"];
    assert!(!keeping.ok(&table).stderr.contains("quarantine"));
    keeping.relock(|lock| lock.quarantine(judge.digest, "it lied", "2026-08-13T12:00:00Z"));
    let ran = keeping.run(&table);
    let why = "`judge.wasm` does not load, and refuses what it would judge: it is in quarantine since 2026-08-13T12:00:00Z: it lied";
    assert!(ran.stderr.contains(why), "{ran:#?}");
}

/// A home whose settings trust a key, and want a signature or not.
fn trusting(key: &str, required: bool) -> Keeping {
    let keeping = home();
    let key = String::from_utf8(fixture(&format!("signed/{key}.pub"))).unwrap();
    let key = key.lines().nth(1).unwrap();
    let policies = format!("[policies]\nkeys = [\"{key}\"]\nrequire-signature = {required}\n");
    keeping.machine.write("home/skillkeep.toml", format!("{SETTINGS}\n{policies}"));
    keeping.machine.write("work/policy.wasm", fixture("signed/policy.wasm"));
    keeping
}

const USE: [&str; 5] = ["policy", "use", "provenance", "policy.wasm", "--yes"];

#[test]
fn a_signature_is_checked_when_it_is_used_and_when_it_is_loaded() {
    let keeping = trusting("key", true);
    let unsigned = keeping.no(1, &USE);
    assert!(
        unsigned.starts_with(
            "error: `[MACHINE]/work/policy.wasm.minisig` is not there, and the settings want a signature\n"
        ),
        "{unsigned}"
    );
    let signature = fixture("signed/policy.wasm.minisig");
    keeping.machine.write("work/policy.wasm.minisig", &signature);
    let used = keeping.ok(&USE);
    assert!(used.stderr.contains(", signed by RW"), "{used:#?}");
    let pin = &keeping.used("provenance")[0]["pin"];
    assert!(pin["key"].as_str().unwrap().starts_with("RW"), "{pin}");
    // Pinned, and all the same.
    fs::remove_file(keeping.machine.path("work/policy.wasm.minisig")).unwrap();
    assert_eq!(keeping.decides("provenance"), "unsigned");
    let torn = String::from_utf8(signature.clone()).unwrap().replace("file:", "fime:");
    keeping.machine.write("work/policy.wasm.minisig", torn);
    assert_eq!(keeping.decides("provenance"), "bad-signature");
    keeping.machine.write("work/policy.wasm.minisig", &signature);
    assert_eq!(keeping.decides("provenance"), "provenance-minimal");
    // The copy that is kept has its signature beside it.
    keeping.ok(&["policy", "off", "provenance", "--yes"]);
    fs::remove_file(keeping.machine.path("work/policy.wasm")).unwrap();
    keeping.ok(&["policy", "rollback", "--yes"]);
    assert_eq!(keeping.decides("provenance"), "provenance-minimal");
}

#[test]
fn a_wrong_signature_is_never_loaded_even_where_none_is_wanted() {
    for (key, change, reason) in [
        ("other", false, "it is by none of the keys under `[policies]` in skillkeep.toml"),
        ("key", true, "it is of other bytes than these"),
    ] {
        let keeping = trusting(key, false);
        keeping.ok(&USE);
        assert_eq!(keeping.decides("provenance"), "provenance-minimal");
        keeping.machine.write("work/policy.wasm.minisig", fixture("signed/policy.wasm.minisig"));
        if change {
            let mut bytes = fixture("signed/policy.wasm");
            let about = skillkeep_build::about(&bytes).unwrap();
            bytes = skillkeep_build::with_sections(bytes, &about, &[]);
            keeping.machine.write("work/policy.wasm", bytes);
        }
        assert_eq!(keeping.decides("provenance"), "bad-signature");
        let refused = keeping.no(1, &USE);
        assert!(refused.contains(&format!("is wrong: {reason}\n")), "{refused}");
        let dev = keeping.run(&["policy", "show", "provenance", "--table"]);
        assert!(dev.stderr.contains(reason), "{dev:#?}");
    }
    let keeping = home();
    keeping.machine.write("work/policy.wasm", fixture("signed/policy.wasm"));
    keeping.machine.write("work/policy.wasm.minisig", "whatever");
    let used = keeping.ok(&USE);
    assert!(used.stderr.contains("has a signature, and no key to check it with"), "{used:#?}");
}

#[test]
fn a_change_that_was_cut_off_is_told_mended_and_can_be_taken_back() {
    let keeping = home();
    keeping.machine.write("work/one.wasm", counting(3));
    keeping.machine.write("work/two.wasm", counting(2));
    keeping.ok(&["policy", "use", "budget", "one.wasm", "--yes"]);
    let (before, settings) = (keeping.lock(), keeping.settings());
    keeping.ok(&["policy", "use", "budget", "two.wasm", "--yes"]);
    let after = keeping.lock();
    // As it lies between the lock's first write and the settings: the new pin is there, and all goes on as it was.
    let cut_off = |keeping: &Keeping| {
        keeping.machine.write("home/skillkeep.toml", &settings);
        let mut lock = before.clone();
        lock.pinned.extend(after.pinned.clone());
        let command = after.current().unwrap().did.clone();
        let at = after.current().unwrap().at.clone();
        lock.unfinished = Some(skillkeep::lock::Unfinished { command, at });
        keeping.machine.write("home/policies.lock", lock.text().unwrap());
    };
    cut_off(&keeping);
    keeping.ok(&["index"]);
    let list = keeping.run(&["policy", "list"]);
    assert_eq!(list.status, 1, "{list:#?}");
    assert!(list.stderr.contains(" was cut off\nhint: skillkeep policy use budget "), "{list:#?}");
    assert!(keeping.run(&[]).stderr.contains("a change of policies was cut off"));
    keeping.ok(&["policy", "use", "budget", "two.wasm", "--yes"]);
    assert_eq!(keeping.lock().unfinished, None);
    assert_eq!(keeping.used("budget")[0]["digest"], digest(&counting(2)).as_str());
    let back = keeping.lock().way_back(None).unwrap().number;
    assert_eq!(back, before.generation);

    cut_off(&keeping);
    keeping.machine.write("home/skillkeep.toml", settings.replace("one.wasm", "two.wasm"));
    let taken_back = keeping.ok(&["policy", "rollback", "--yes"]);
    assert!(taken_back.stdout.starts_with("set 2: budget: "), "{taken_back:#?}");
    assert_eq!(keeping.used("budget")[0]["digest"], digest(&counting(3)).as_str());
    assert_eq!((keeping.settings(), keeping.lock().unfinished), (settings, None));
}

#[test]
fn a_project_says_nothing_of_which_policies_are_used() {
    let keeping = home();
    let evil = "[policies]\ndev = true\n[slots.budget]\nuse = [\"mine.wasm\"]\n";
    for folder in ["work", "work/.agents", "work/.agents/skills", "work/.claude", "work/.skillkeep"]
    {
        keeping.machine.write(&format!("{folder}/skillkeep.toml"), evil);
        keeping.machine.write(&format!("{folder}/mine.wasm"), counting(3));
        keeping.machine.write(&format!("{folder}/policies.lock"), "generation = 9\n");
    }
    fs::create_dir_all(keeping.machine.path("work/.git")).unwrap();
    assert_eq!(keeping.decides("budget"), "budget-ladder");
    keeping.ok(&["index"]);
    // A component of a project wants the same yes as any other, and is named by its whole path.
    keeping.ok(&["policy", "use", "budget", ".agents/skills/mine.wasm", "--yes"]);
    let named = &keeping.used("budget")[0]["named"];
    assert_eq!(named, "[MACHINE]/work/.agents/skills/mine.wasm");
    // A file of the name that the settings have is not looked for where somebody stands.
    keeping.machine.write("home/skillkeep.toml", "[slots.budget]\nuse = [\"mine.wasm\"]\n");
    assert_eq!(keeping.decides("budget"), "unreadable");
}

#[test]
fn a_lock_that_is_damaged_loads_no_file_and_is_not_written_over() {
    let keeping = home();
    keeping.machine.write("work/mine.wasm", counting(3));
    keeping.ok(&["policy", "use", "budget", "mine.wasm", "--yes"]);
    keeping.machine.write("home/policies.lock", "generation = \n");
    assert_eq!(keeping.decides("budget"), "no-lock");
    let used = keeping.no(1, &["policy", "use", "budget", "budget-codex", "--yes"]);
    assert!(used.contains("can't be read, so nobody knows what was pinned: line 1: "), "{used}");
    assert!(used.contains("hint: mend it, or put it away and say yes anew: mv "), "{used}");
    let lock = fs::read_to_string(keeping.machine.path("home/policies.lock")).unwrap();
    assert_eq!(lock, "generation = \n");
}

#[test]
fn changes_at_once_come_one_after_the_other_or_say_so() {
    let keeping = home();
    for form in 0..4_u8 {
        keeping.machine.write(&format!("work/{form}.wasm"), counting(form));
    }
    let start = |file: &str| {
        let use_ = ["policy", "use", "budget", file, "--yes"];
        let mut command = keeping.machine.command(&use_);
        command.env("SKILLKEEP_TOKEN", keeping.token.as_deref().unwrap());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let children: Vec<_> = (0..4).map(|form| start(&format!("{form}.wasm"))).collect();
    let ran = children.into_iter().map(|child| child.wait_with_output().unwrap());
    let ran: Vec<Ran> = ran.map(|output| keeping.machine.finish(output)).collect();
    let done = ran.iter().filter(|ran| ran.status == 0).count();
    for ran in ran.iter().filter(|ran| ran.status != 0) {
        let why = "error: the policies or the settings were changed since this was planned\n";
        assert!(ran.status == 1 && ran.stderr.contains(why), "{ran:#?}");
    }
    assert!(done >= 1, "{ran:#?}");
    let lock = keeping.lock();
    assert_eq!((lock.sets.len(), lock.pinned.len()), (done + 1, 1));
    assert_eq!(keeping.decides("budget"), "hostile");
    let pinned = lock.pinned[0].sha256.as_str();
    assert_eq!(keeping.used("budget")[0]["digest"], pinned);
    keeping.ok(&["index"]);
}

#[test]
fn a_built_in_may_be_named_with_where_it_is_from() {
    let keeping = home();
    keeping.machine.write("home/skillkeep.toml", "slots.budget.use = \"builtin:budget-codex\"\n");
    assert_eq!(keeping.decides("budget"), "budget-codex");
    keeping.ok(&["index"]);
}

#[test]
fn what_was_written_by_hand_is_taken_back_first_and_is_a_set_too() {
    let keeping = home();
    let by_hand = |keeping: &Keeping| {
        let text = keeping.settings().replace("\"budget-codex\"", "\"budget-hermes\"");
        assert_ne!(text, keeping.settings());
        keeping.machine.write("home/skillkeep.toml", text);
        assert_eq!(keeping.decides("budget"), "budget-hermes");
    };
    keeping.ok(&["policy", "use", "budget", "budget-codex", "--yes"]);
    for arguments in
        [&["policy", "rollback", "--yes"][..], &["policy", "rollback", "budget", "--yes"]]
    {
        by_hand(&keeping);
        keeping.ok(arguments);
        assert_eq!(keeping.decides("budget"), "budget-codex", "{arguments:?}");
    }
    let sets: Vec<(u64, Option<u64>, String)> = keeping
        .lock()
        .sets
        .iter()
        .map(|set| {
            let used = set.slots.iter().flat_map(|slot| &slot.used).map(|used| used.name.as_str());
            (set.number, set.after, used.collect())
        })
        .collect();
    let codex = || "budget-codex".to_owned();
    let hermes = || "budget-hermes".to_owned();
    assert_eq!(
        sets,
        [
            (1, None, String::new()),
            (2, Some(1), codex()),
            (3, Some(2), hermes()),
            (4, Some(2), hermes()),
            (5, Some(4), codex()),
        ]
    );
    keeping.ok(&["policy", "rollback", "--to", "4", "--yes"]);
    assert_eq!(keeping.decides("budget"), "budget-hermes");
}
