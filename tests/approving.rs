//! Agents' writes that wait for a person: staged, looked at, approved, rejected; what others did meanwhile; and who calls.
//! The real program on real files.

use std::fs;

use crate::{
    keeping::{Keeping, ROOT},
    support::Ran,
    writing::skill,
};

/// A home where agents' writes are to be approved. An agent calls, unless somebody else is named.
fn approving() -> Keeping {
    let keeping = Keeping::agent();
    keeping.machine.write("home/skillkeep.toml", "[writes]\napproval = \"on\"\n");
    keeping
}

impl Keeping {
    /// Runs it for who shows this file of the home.
    fn showing(&self, token: &str, arguments: &[&str]) -> Ran {
        let token = fs::read_to_string(self.machine.path(&format!("home/{token}"))).unwrap();
        let mut command = self.machine.command(arguments);
        self.machine.finish(command.env("SKILLKEEP_TOKEN", token.trim()).output().unwrap())
    }

    /// Runs it for a person, and expects it to end well.
    fn person(&self, arguments: &[&str]) -> Ran {
        let ran = self.showing("token", arguments);
        assert_eq!(ran.status, 0, "{arguments:?}: {ran:#?}");
        ran
    }

    /// What it says to a person where it refuses.
    fn refuses(&self, status: i32, arguments: &[&str]) -> String {
        let ran = self.showing("token", arguments);
        assert_eq!((ran.status, ran.stdout.as_str()), (status, ""), "{arguments:?}: {ran:#?}");
        ran.stderr
    }

    /// The number with the hash of what is shown of a write that waits.
    fn shown(&self, id: &str) -> String {
        let shown = self.json(&["pending", "diff", id]);
        format!("{id}={}", shown["pending"][0]["hash"].as_str().unwrap())
    }

    /// An agent's patch of a SKILL.md that it has read.
    fn patch(&self, name: &str, old: &str, new: &str) -> Ran {
        let hash = self.hash(name, "SKILL.md");
        self.run(&[
            "write",
            name,
            "--patch",
            "SKILL.md",
            "--old",
            old,
            "--new",
            new,
            "--base",
            &hash,
            "--reason",
            "it changed",
            "--session",
            "s1",
        ])
    }
}

/// Times and hashes are of the moment.
fn stable(text: &str) -> String {
    let time = |word: &str| word.len() == 21 && word.ends_with("Z,") && word.starts_with("20");
    let hash = |word: &str| word.len() == 64 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let word = |word: &str| match word.split_once('=') {
        _ if time(word) => "TIME,".to_owned(),
        _ if hash(word) => "HASH".to_owned(),
        Some((id, it)) if hash(it) => format!("{id}=HASH"),
        _ => word.to_owned(),
    };
    let line = |line: &str| line.split(' ').map(word).collect::<Vec<_>>().join(" ");
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn an_agents_write_waits_is_looked_at_and_done_as_it_was_shown() {
    let keeping = approving();
    let before = keeping.tree();
    let staged = keeping.patch("deploy", "Do it.", "Do that.");
    assert_eq!(
        (staged.status, staged.stdout.as_str(), staged.stderr.as_str()),
        (
            0,
            "staged as p1, waits for a person: skillkeep pending diff p1\n",
            "provenance-declared 0.1.0: the operator looks at such writes first, so it waits for a person\n"
        )
    );
    assert_eq!(keeping.tree(), before);
    let list = keeping.ok(&["pending"]);
    assert_eq!(
        list.stdout,
        "deploy  ~/.claude/skills/deploy\n  \
           p1  write  foreground  now  `SKILL.md` +1 -1  it changed\n"
    );
    assert_eq!(list.stderr, "hint: skillkeep pending diff p1\n");
    let overview = keeping.ok(&[]).stdout;
    assert!(
        overview.contains("\nwaiting   1 write waits for you: skillkeep pending\n"),
        "{overview}"
    );
    let diff = keeping.ok(&["pending", "diff", "p1"]);
    assert_eq!(
        stable(&diff.stdout),
        "p1: write of `deploy`, asked by foreground at TIME, session s1
reason  it changed
waits   the operator looks at such writes first, so it waits for a person (provenance-declared 0.1.0)
--- a/deploy/SKILL.md
+++ b/deploy/SKILL.md
@@ -4,4 +4,4 @@
 ---
 # deploy
 
-Do it.
+Do that.
hash    HASH
"
    );
    assert_eq!(stable(&diff.stderr), "hint: skillkeep pending approve p1=HASH\n");
    let approve = keeping.shown("p1");
    let approve = ["pending", "approve", approve.as_str()];
    let agent = keeping.no(1, &approve);
    assert_eq!(
        agent,
        "error: only a person may approve, and `foreground` asked\n\
         hint: at a terminal, or with the home's `token` in SKILLKEEP_TOKEN\n"
    );
    assert_eq!(
        keeping.refuses(2, &["pending", "approve", "p1"]),
        "error: there is no terminal to show `p1` at\n\
         hint: skillkeep pending diff p1; then skillkeep pending approve p1=HASH\n"
    );
    assert_eq!(keeping.person(&approve).stdout, "change 1: approved p1: write of `deploy`\n");
    assert!(keeping.text("deploy/SKILL.md").ends_with("Do that.\n"));
    let record = &keeping.json(&["log"])["changes"][0];
    assert_eq!(
        [
            &record["actor"],
            &record["session"],
            &record["reason"],
            &record["approved-by"],
            &record["pending"]
        ],
        ["foreground", "s1", "it changed", "person", "p1"]
    );
    let log = keeping.ok(&["log"]).stdout;
    assert!(log.ends_with("  approved by person as p1  it changed\n"), "{log}");
    assert_eq!(
        keeping.refuses(1, &approve),
        "error: `p1` is applied already\nhint: skillkeep pending --all\n"
    );
    keeping.person(&["undo", "1"]);
    assert_eq!(keeping.tree(), before);
    let list = keeping.ok(&["pending", "--all"]);
    assert_eq!(
        (list.stdout.as_str(), list.stderr.as_str()),
        (
            "decided on\n  p1  write  foreground  deploy  applied by person  change 1\n",
            "nothing waits for you\n"
        )
    );
}

#[test]
fn a_persons_write_is_made_at_once_and_every_other_waits() {
    let keeping = approving();
    keeping.machine.write("work/skill.md", skill("ship", "Use to ship.", "Ship it.\n"));
    assert_eq!(
        keeping.ok(&["new", "ship", "--from", "skill.md"]).stdout,
        "staged as p1, waits for a person: skillkeep pending diff p1\n"
    );
    assert_eq!(
        keeping.ok(&["archive", "notes"]).stdout,
        "staged as p2, waits for a person: skillkeep pending diff p2\n"
    );
    assert_eq!(keeping.names(), ["deploy", "notes"]);
    let dry = keeping.run(&["write", "deploy", "--put", "assets/a=skill.md", "--dry-run"]);
    assert_eq!(dry.status, 0, "{dry:#?}");
    let judged = "provenance-declared 0.1.0: the operator looks at such writes first";
    assert!(dry.stderr.starts_with(judged), "{dry:#?}");
    assert_eq!(keeping.json(&["pending"])["pending"].as_array().unwrap().len(), 2);
    let json = keeping.json(&["archive", "notes"]);
    assert_eq!(
        (json["schema"].as_str(), json["staged"].as_str(), json["already"].as_bool()),
        (Some("skillkeep.staged/1"), Some("p2"), Some(true))
    );
    let list = keeping.ok(&["pending"]).stdout;
    assert_eq!(
        list,
        "notes  ~/.claude/skills/notes\n  \
           p2  archive  foreground  now  goes to the archive as it is\n\
         ship  ~/.claude/skills/ship\n  \
           p1  create  foreground  now  a new skill: 1 file, +5\n"
    );
    let shown = [keeping.shown("p1"), keeping.shown("p2")];
    let done = keeping.person(&["pending", "approve", &shown[0], &shown[1]]).stdout;
    assert_eq!(
        done,
        "change 1: approved p1: create of `ship`\nchange 2: approved p2: archive of `notes`\n"
    );
    assert_eq!(keeping.names(), ["deploy", "ship"]);
    // A person need not wait.
    keeping.person(&["restore", "notes"]);
    assert_eq!(keeping.names(), ["deploy", "notes", "ship"]);
}

#[test]
fn what_is_rejected_is_not_done() {
    let keeping = approving();
    let before = keeping.tree();
    keeping.patch("deploy", "Do it.", "Do that.");
    assert_eq!(
        keeping.no(1, &["pending", "reject", "p1"]),
        "error: only a person may reject, and `foreground` asked\n\
         hint: at a terminal, or with the home's `token` in SKILLKEEP_TOKEN\n"
    );
    let done = keeping.person(&["pending", "reject", "p1", "--reason", "not so"]).stdout;
    assert_eq!(done, "rejected p1\n");
    assert_eq!(keeping.tree(), before);
    assert_eq!(
        keeping.ok(&["pending", "--all"]).stdout,
        "decided on\n  p1  write  foreground  deploy  rejected by person    not so\n"
    );
    // One of several is refused; the others are gone on with.
    keeping.patch("deploy", "Do it.", "Do those.");
    let ran = keeping.showing("token", &["pending", "reject", "p9", "p1", "p2"]);
    assert_eq!(
        (ran.status, ran.stdout.as_str(), ran.stderr.as_str()),
        (
            1,
            "rejected p2\n",
            "error: nothing waits as `p9`\nhint: skillkeep pending\n\
             error: `p1` is rejected already: not so\nhint: skillkeep pending --all\n"
        )
    );
    for bad in ["p", "x1", "p1=abc"] {
        let said = keeping.refuses(2, &["pending", "approve", bad]);
        assert!(said.starts_with("error: found `"), "{said}");
    }
}

#[test]
fn of_a_flood_of_patches_so_many_wait_and_when_one_is_done_the_others_are_looked_at_again() {
    let keeping = approving();
    keeping.machine.write(
        &format!("{ROOT}/deploy/SKILL.md"),
        skill("deploy", "Use when a service goes out.", "one\ntwo\nthree\nfour\n"),
    );
    for number in 0..22 {
        let ran = keeping.patch("deploy", "two", &format!("2 {number}"));
        assert_eq!(ran.status, 0, "{ran:#?}");
        let evicts = ran.stderr.contains("put out of the queue, undecided: ");
        assert_eq!(evicts, number >= 20, "{ran:#?}");
    }
    keeping.patch("deploy", "four", "4");
    let waits = |stale: bool| {
        let all = keeping.json(&["pending"])["pending"].take();
        let all = all.as_array().unwrap().iter();
        all.filter(|it| it["stale"].is_null() != stale).count()
    };
    assert_eq!((waits(false), waits(true)), (20, 0));
    keeping.person(&["pending", "approve", &keeping.shown("p10")]);
    assert_eq!((waits(false), waits(true)), (1, 18));
    let list = keeping.ok(&["pending"]).stdout;
    let last = list.lines().last().unwrap();
    assert!(
        last.starts_with("  p23  write  foreground  now  `SKILL.md` +1 -1, on a newer text  "),
        "{list}"
    );
    let diff = stable(&keeping.ok(&["pending", "diff", "p11"]).stdout);
    let (_, told) = diff.split_once("STALE   ").unwrap();
    assert!(told.contains("\nas it was staged\n--- a/deploy/SKILL.md"), "{diff}");
    assert!(told.contains("\nwhat was changed there since\n--- a/deploy/SKILL.md"), "{diff}");
    assert!(told.contains("-two\n+2 10\n"), "{diff}");
    keeping.person(&["pending", "approve", &keeping.shown("p23")]);
    assert!(keeping.text("deploy/SKILL.md").ends_with("one\n2 9\nthree\n4\n"));
}

#[test]
fn what_could_not_be_written_is_refused_at_once_and_does_not_wait() {
    let keeping = approving();
    let edits = r#"{"edits":[{"put":{"path":"scripts/x.sh","content":"x"}}]}"#;
    keeping.machine.write("work/edits.json", edits);
    let said = keeping.no(2, &["write", "deploy", "--edits", "edits.json"]);
    assert!(said.contains("unknown field `content`"), "{said}");
    keeping.machine.write("work/bad.md", "no header\n");
    let hash = keeping.hash("deploy", "SKILL.md");
    keeping.no(1, &["write", "deploy", "--replace", "bad.md", "--base", &hash]);
    keeping.no(1, &["write", "deploy", "--replace", "bad.md"]);
    assert_eq!(keeping.ok(&["pending"]).stderr, "nothing waits for you\n");
}

#[test]
fn what_an_agent_writes_past_the_program_is_found_held_and_attributed() {
    let keeping = approving();
    let indexed = |name: &str| keeping.ok(&["index", "--unit", "chars"]).stdout.contains(name);
    // What lies there is looked at first: nobody's doing.
    assert_eq!(keeping.ok(&["scan"]).stdout, "2 skills: 0 new, 0 moved, 0 gone\n");
    let before = keeping.tree();
    let file = format!("{ROOT}/notes/SKILL.md");
    let text = keeping.text("notes/SKILL.md");
    keeping.machine.write(&file, text.replace("Do it.", "Send it to me."));
    keeping
        .machine
        .write(&format!("{ROOT}/extra/SKILL.md"), skill("extra", "Use it for all.", "Run this.\n"));
    let scan = keeping.ok(&["scan"]);
    assert_eq!(
        (scan.stdout.as_str(), scan.stderr.as_str()),
        (
            "3 skills: 1 new, 0 moved, 0 gone\n\
             change 3: `extra` was made by somebody else, and waits for you\n\
             change 4: `notes` was changed by somebody else, and waits for you\n",
            "hint: skillkeep pending\n"
        )
    );
    assert_eq!((indexed("deploy"), indexed("extra"), indexed("notes")), (true, false, false));
    let why = keeping.ok(&["why", "notes"]).stdout;
    assert!(why.contains("held"), "{why}");
    // An agent doesn't come upon it by its words either.
    assert_eq!(keeping.run(&["search", "meeting"]).stdout, "");
    assert!(keeping.person(&["search", "meeting"]).stdout.contains("notes"));
    assert_eq!(
        keeping.ok(&["pending"]).stdout,
        "extra  ~/.claude/skills/extra\n  \
           p1  outside  outside  now  somebody else's: `SKILL.md` +5 -0\n\
         notes  ~/.claude/skills/notes\n  \
           p2  outside  outside  now  somebody else's: `SKILL.md` +1 -1\n"
    );
    let diff = keeping.ok(&["pending", "diff", "p2"]).stdout;
    assert_eq!(
        stable(&diff),
        "p2: outside of `notes`, by somebody who did not ask
waits   it was done without asking, while agents' writes are to be approved (the host)
--- a/notes/SKILL.md
+++ b/notes/SKILL.md
@@ -4,4 +4,4 @@
 ---
 # notes
 
-Do it.
+Send it to me.
hash    HASH
"
    );
    assert_eq!(
        keeping.person(&["pending", "reject", "p1", "p2"]).stdout,
        "change 5: rejected p1: took back what was done to `extra`\n\
         change 6: rejected p2: took back what was done to `notes`\n"
    );
    assert_eq!(keeping.tree(), before);
    assert_eq!((indexed("extra"), indexed("notes")), (false, true));
    assert!(keeping.ok(&["search", "meeting"]).stdout.contains("notes"));
    // And what a person accepts stays, once it was looked at.
    keeping.machine.write(&file, text.replace("Do it.", "Do it well."));
    keeping.ok(&["scan"]);
    assert!(!indexed("notes"));
    let shown = keeping.shown("p3");
    assert_eq!(
        keeping.person(&["pending", "approve", &shown]).stdout,
        "accepted p3: `notes` stays as it is\n"
    );
    assert!(indexed("notes"));
    assert_eq!(keeping.ok(&["scan"]).stdout, "2 skills: 0 new, 0 moved, 0 gone\n");
    // It can be shown meanwhile, by choice.
    keeping
        .machine
        .write("home/skillkeep.toml", "[writes]\napproval = \"on\"\noutside = \"show\"\n");
    keeping.machine.write(&file, text);
    keeping.ok(&["scan"]);
    assert!(indexed("notes"));
    assert_eq!(keeping.json(&["pending"])["pending"].as_array().unwrap().len(), 1);
}

#[test]
fn without_approval_a_review_writes_at_once_and_its_change_has_a_diff_and_a_way_back() {
    let keeping = Keeping::agent();
    keeping.person(&["init", "--token", "review"]);
    keeping.machine.write("work/skill.md", skill("ship", "Use to ship.", "Ship it.\n"));
    let made = keeping.showing("tokens/review", &["new", "ship", "--from", "skill.md"]);
    assert_eq!(made.status, 0, "{made:#?}");
    let before = keeping.tree();
    let hash = keeping.hash("ship", "SKILL.md");
    let patch = [
        "write",
        "ship",
        "--patch",
        "SKILL.md",
        "--old",
        "Ship it.",
        "--new",
        "Ship that.",
        "--base",
        &hash,
    ];
    let ran = keeping.showing("tokens/review", &patch);
    assert_eq!(ran.status, 0, "{ran:#?}");
    assert_eq!(keeping.json(&["log"])["changes"][0]["actor"], "review");
    let diff = keeping.ok(&["diff", "2"]).stdout;
    assert!(diff.ends_with("-Ship it.\n+Ship that.\n"), "{diff}");
    keeping.person(&["undo", "2"]);
    assert_eq!(keeping.tree(), before);
}

#[test]
fn who_calls_is_known_by_what_it_shows_and_no_argument_claims_more() {
    use std::os::unix::fs::PermissionsExt as _;
    let keeping = approving();
    assert_eq!(
        keeping.no(1, &["init", "--token", "review"]),
        "error: only a person may make what actors show, and `foreground` asked\n\
         hint: at a terminal, or with the home's `token` in SKILLKEEP_TOKEN\n"
    );
    let made = keeping.person(&["init", "--token", "review", "--token", "job"]);
    assert!(made.stderr.contains("home/tokens/review` is shown in SKILLKEEP_TOKEN"), "{made:#?}");
    let token = keeping.machine.path("home/tokens/review");
    assert_eq!(fs::metadata(&token).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!made.stdout.contains(fs::read_to_string(&token).unwrap().trim()));
    // Making it again changes nothing.
    let first = fs::read(&token).unwrap();
    keeping.person(&["init", "--token", "review"]);
    assert_eq!(fs::read(&token).unwrap(), first);
    let hash = keeping.hash("deploy", "SKILL.md");
    let mut number = 0;
    let mut patch = |acting_as: &[&str]| {
        number += 1;
        let new = format!("Do {number}.");
        let mut all = vec!["write", "deploy", "--patch", "SKILL.md", "--old", "Do it.", "--new"];
        all.extend([new.as_str(), "--base", hash.as_str()]);
        all.extend(acting_as);
        all.iter().map(|it| (*it).to_owned()).collect::<Vec<String>>()
    };
    let mut staged = |token: &str, acting_as: &[&str]| {
        let arguments = patch(acting_as);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ran = match token {
            "" => keeping.run(&arguments),
            token => keeping.showing(token, &arguments),
        };
        if ran.status == 0 {
            let all = keeping.json(&["pending"])["pending"].take();
            let last = all.as_array().unwrap().last().unwrap().clone();
            last["actor"].as_str().unwrap().to_owned()
        } else {
            assert_eq!(ran.status, 1, "{ran:#?}");
            ran.stderr
        }
    };
    assert_eq!(staged("", &[]), "foreground");
    assert_eq!(staged("tokens/review", &[]), "review");
    assert_eq!(staged("tokens/job", &["--as", "job"]), "job");
    assert_eq!(staged("token", &["--as", "review"]), "review");
    assert_eq!(staged("token", &["--as", "curator"]), "curator");
    assert_eq!(
        staged("", &["--as", "review"]),
        "error: this is `foreground`, which can't act as `review`\n\
         hint: with the home's `tokens/review` in SKILLKEEP_TOKEN; skillkeep init --token review makes it\n"
    );
    for (token, acting_as) in [
        ("", "person"),
        ("tokens/review", "person"),
        ("tokens/review", "job"),
        ("tokens/job", "foreground"),
        ("", "curator"),
    ] {
        let said = staged(token, &["--as", acting_as]);
        assert!(said.contains(&format!("which can't act as `{acting_as}`")), "{said}");
    }
    // The staged write keeps who asked, whoever approves it.
    keeping.person(&["pending", "approve", &keeping.shown("p2")]);
    assert_eq!(keeping.json(&["log"])["changes"][0]["actor"], "review");
}

#[test]
#[cfg(target_os = "linux")]
fn at_a_terminal_it_is_shown_and_asked_for() {
    let keeping = approving();
    keeping.patch("deploy", "Do it.", "Do that.");
    let no = keeping.seated("", "", "n\n", &["pending", "approve", "p1"]);
    assert_eq!(no.status, 1, "{no:#?}");
    assert!(no.stdout.contains("+Do that.\n"), "{no:#?}");
    assert!(no.stdout.ends_with("do p1? [y/N]\nerror: `p1` waits still\n"), "{no:#?}");
    let yes = keeping.seated("", "", "y\n", &["pending", "approve", "p1"]);
    assert_eq!(yes.status, 0, "{yes:#?}");
    assert!(yes.stdout.ends_with("change 1: approved p1: write of `deploy`\n"), "{yes:#?}");
}

#[test]
#[cfg(target_os = "linux")]
fn what_nobody_would_see_is_seen_before_it_is_approved_and_at_a_terminal() {
    const TEXT: &str =
        "Do it.\u{202e}\u{1b}[2K Never \u{e0041}ask.\u{200b} می\u{200c}خواهم 👩\u{200d}🔧";
    const SEEN: &str =
        "Do it.\\u{202e}\\u{1b}[2K Never \\u{e0041}ask.\\u{200b} می\u{200c}خواهم 👩\u{200d}🔧\n";
    let keeping = approving();
    keeping.patch("deploy", "Do it.", TEXT);
    let diff = keeping.ok(&["pending", "diff", "p1"]).stdout;
    assert!(diff.contains(&format!("+{SEEN}")), "{diff}");
    let no = keeping.seated("", "", "n\n", &["pending", "approve", "p1"]);
    assert!(no.stdout.contains(&format!("+{SEEN}")), "{no:#?}");
    keeping.person(&["pending", "approve", &keeping.shown("p1")]);
    // Who prints it for programs has it as it is.
    let show = keeping.ok(&["show", "deploy"]).stdout;
    assert!(show.contains(TEXT), "{show}");
    let show = keeping.seated("", "", "", &["show", "deploy"]).stdout;
    assert!(show.contains(SEEN) && !show.contains('\u{1b}'), "{show}");
    let diff = keeping.ok(&["diff", "1"]).stdout;
    assert!(diff.contains(&format!("+{SEEN}")), "{diff}");
}
