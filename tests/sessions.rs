//! Sessions: what an index was decided from is recorded, a session goes on as it began, the next one knows more, and `why`
//! answers for what was. The real program on a real home.

use std::{collections::BTreeMap, fs, time::SystemTime};

use skillkeep::{
    ledger::{Access, Event, Kind, Ledger},
    skill::{Actor, SkillId},
    system::{OsSystem, System as _},
};

use crate::support::{Machine, Ran};

const ROOT: &str = "user/.claude/skills";

/// Twelve skills, of which a small index tells only a few by more than their names, and a home that knows them.
struct Sessions {
    machine: Machine,
}

impl Sessions {
    fn new() -> Sessions {
        let machine = Machine::new();
        for name in ["amber", "birch", "cedar", "delta", "ember", "fjord"] {
            for tail in ["one", "two"] {
                let name = format!("{name}-{tail}");
                let text = format!(
                    "---\nname: {name}\ndescription: Use when the {name} line stops, and read what its last run left behind.\n---\nDo.\n"
                );
                machine.write(&format!("{ROOT}/{name}/SKILL.md"), text);
            }
        }
        machine.ok(&["init"]);
        machine.ok(&["scan"]);
        Sessions { machine }
    }

    fn index(&self, more: &[&str]) -> Ran {
        let mut all = vec!["index", "--limit", "260"];
        all.extend(more);
        self.machine.run(&all)
    }

    fn block(&self, more: &[&str]) -> String {
        let ran = self.index(more);
        assert_eq!(ran.status, 0, "{ran:#?}");
        ran.stdout
    }

    fn ledger(&self) -> Ledger {
        Ledger::open(&self.machine.path("home/keep.db"), Access::Write).unwrap().ledger
    }

    fn id(&self, name: &str) -> SkillId {
        self.ledger().skills().unwrap().into_iter().find(|it| it.name == name).unwrap().id
    }

    fn uses(&self, name: &str, times: u32) {
        let event = Event {
            skill: self.id(name),
            at: OsSystem.now(),
            kind: Kind::Use,
            actor: Actor::Foreground,
            weight: times,
            session: None,
            note: None,
        };
        self.ledger().record(&[event]).unwrap();
    }

    /// Everything in the home, with the time of its last change.
    fn home(&self) -> BTreeMap<String, SystemTime> {
        let mut all = BTreeMap::new();
        for folder in ["home", "home/decisions"] {
            for entry in fs::read_dir(self.machine.path(folder)).into_iter().flatten() {
                let entry = entry.unwrap();
                let name = format!("{folder}/{}", entry.file_name().to_str().unwrap());
                // Whoever reads a ledger shares its log, which SQLite lays beside it; nothing is in it.
                if name.ends_with("-wal") || name.ends_with("-shm") {
                    continue;
                }
                all.insert(name, entry.metadata().unwrap().modified().unwrap());
            }
        }
        all
    }

    fn records(&self) -> usize {
        self.home().keys().filter(|name| name.ends_with(".json.zst")).count()
    }
}

#[test]
fn a_session_is_recorded_once_and_an_index_without_one_writes_nothing() {
    let sessions = Sessions::new();
    let before = sessions.home();
    let plain = sessions.block(&[]);
    assert_eq!(sessions.home(), before);
    let first = sessions.block(&["--session", "a"]);
    assert_eq!((sessions.records(), sessions.ledger().decisions(None, 9).unwrap().len()), (2, 1));
    assert_eq!(sessions.block(&["--session", "a"]), first);
    assert_eq!((sessions.records(), sessions.ledger().decisions(None, 9).unwrap().len()), (2, 1));
    // Another agent's session is another one, over the same texts.
    sessions.block(&["--session", "a", "--agent", "codex"]);
    assert_eq!((sessions.records(), sessions.ledger().decisions(None, 9).unwrap().len()), (3, 2));
    let listed = sessions.ledger().exposures().unwrap();
    assert_eq!((listed.len(), listed.values().copied().max()), (12, Some(2)));
    assert!(plain.contains("amber-one"), "{plain}");
}

#[test]
fn use_counts_for_the_next_session_and_a_changed_file_at_once() {
    let sessions = Sessions::new();
    let begun = sessions.block(&["--session", "a"]);
    let name = begun.split("[names only]: ").nth(1).unwrap().split([',', '\n']).next().unwrap();
    let full = format!("- {name}: Use when the {name} line stops");
    sessions.uses(name, 40);
    assert_eq!(sessions.block(&["--session", "a"]), begun);
    let next = sessions.block(&["--session", "b"]);
    assert!(next.contains(&full), "{next}");
    // Without a session it is the index that a next one would get.
    assert!(sessions.block(&[]).contains(&full));
    let path = sessions.machine.path(&format!("{ROOT}/{name}/SKILL.md"));
    let text = fs::read_to_string(&path).unwrap().replace("line stops", "pump leaks");
    fs::write(&path, text).unwrap();
    assert!(sessions.block(&["--session", "b"]).contains(&format!("{name} pump leaks")));
    assert_eq!(sessions.block(&["--session", "a"]), begun);
    // Counts of another program that are named count instead.
    let file = sessions.machine.write("usage.json", "{}");
    let named = ["index", "--usage", file.to_str().unwrap()];
    let entries = sessions.machine.json(&named)["entries"].clone();
    assert!(entries.as_array().unwrap().iter().all(|entry| entry["uses"] == 0), "{entries}");
}

#[test]
fn why_answers_for_what_was() {
    let sessions = Sessions::new();
    let early = OsSystem.now();
    let none = sessions.machine.run(&["why", "fjord-two", "--at", &early.to_string()]);
    assert_eq!(none.status, 1);
    assert_eq!(
        none.stderr,
        format!(
            "error: no decision until {early} is recorded\nhint: skillkeep index --session ID\n"
        )
    );
    sessions.uses("fjord-two", 40);
    sessions.block(&["--session", "a"]);
    // What happened since then doesn't change what was: another name, another place, another use.
    let (old, new) = (format!("{ROOT}/fjord-two"), format!("{ROOT}/gorge"));
    fs::rename(sessions.machine.path(&old), sessions.machine.path(&new)).unwrap();
    let path = sessions.machine.path(&format!("{new}/SKILL.md"));
    let text = fs::read_to_string(&path).unwrap().replace("name: fjord-two", "name: gorge");
    fs::write(&path, text).unwrap();
    sessions.machine.ok(&["scan"]);
    sessions.uses("gorge", 2);
    let at = (OsSystem.now().0 + 5).to_string();
    for name in ["gorge", "fjord-two"] {
        let then = sessions.machine.ok(&["why", name, "--at", &at]).stdout;
        let lines: Vec<&str> = then.lines().collect();
        assert!(lines[0].starts_with("fjord-two at 20"), "{then}");
        assert!(lines[0].ends_with(": in the index, with its whole description"), "{then}");
        assert!(lines[2].starts_with("  session   a"), "{then}");
        assert!(then.contains("found     ~/.claude/skills/fjord-two/SKILL.md"), "{then}");
        assert!(then.contains("worth     40 uses, last "), "{then}");
        assert!(then.contains("of 260"), "{then}");
    }
    let json = sessions.machine.json(&["why", "gorge", "--at", &at]);
    assert_eq!(json["then"]["form"], "full");
    assert_eq!(json["then"]["visible"]["uses"], 40);
    assert_eq!(json["policies"].as_array().unwrap().len(), 2);
    let gone =
        sessions.machine.run(&["why", "gorge", "--at", &early.to_string(), "--agent", "codex"]);
    assert!(gone.stderr.starts_with("error: no decision for `codex` until "), "{gone:#?}");
    sessions.machine.write(
        &format!("{ROOT}/later/SKILL.md"),
        "---\nname: later\ndescription: Use later.\n---\nDo.\n",
    );
    let later = sessions.machine.run(&["why", "later", "--at", &at]);
    assert_eq!(later.status, 1);
    assert!(
        later.stderr.contains("`later` was in no root when that was decided, at "),
        "{later:#?}"
    );
}

#[test]
fn a_gate_that_was_shut_is_remembered() {
    let sessions = Sessions::new();
    sessions.machine.write(
        &format!("{ROOT}/mac/SKILL.md"),
        "---\nname: mac\ndescription: Use on a Mac.\nplatforms: [macos]\n---\nDo.\n",
    );
    sessions.machine.ok(&["scan"]);
    sessions.block(&["--session", "a", "--platform", "linux"]);
    let at = (OsSystem.now().0 + 5).to_string();
    let then = sessions.machine.ok(&["why", "mac", "--at", &at]).stdout;
    assert!(then.contains(": not in the index\n"), "{then}");
    assert!(then.contains("gates    platform: SHUT, for `macos`; this is linux"), "{then}");
}

#[test]
fn an_index_is_printed_whatever_the_home_is_like() {
    let sessions = Sessions::new();
    let begun = sessions.block(&["--session", "a"]);
    // A record that is damaged: the session begins anew.
    for entry in fs::read_dir(sessions.machine.path("home/decisions")).unwrap() {
        fs::write(entry.unwrap().path(), "torn").unwrap();
    }
    let torn = sessions.index(&["--session", "a"]);
    assert_eq!((torn.status, &torn.stdout), (0, &begun));
    assert!(torn.stderr.contains("warning: the record `[MACHINE]/home/decisions/"), "{torn:#?}");
    // No place for records.
    fs::remove_dir_all(sessions.machine.path("home/decisions")).unwrap();
    fs::write(sessions.machine.path("home/decisions"), "in the way").unwrap();
    let placeless = sessions.index(&["--session", "b"]);
    assert_eq!((placeless.status, &placeless.stdout), (0, &begun));
    assert!(
        placeless.stderr.contains("warning: this decision was not recorded: "),
        "{placeless:#?}"
    );
    // No ledger that could be read.
    for ending in ["-wal", "-shm"] {
        drop(fs::remove_file(sessions.machine.path(&format!("home/keep.db{ending}"))));
    }
    fs::write(sessions.machine.path("home/keep.db"), "SQLite format 3\0 and no more").unwrap();
    let damaged = sessions.index(&["--session", "b"]);
    assert_eq!((damaged.status, &damaged.stdout), (1, &begun));
    assert!(
        damaged.stderr.contains("the ledger `[MACHINE]/home/keep.db` is damaged"),
        "{damaged:#?}"
    );
    // The overview and `why` do without as well.
    assert_eq!(sessions.machine.run(&["why", "amber-one"]).status, 1);
}

#[test]
fn of_many_sessions_that_begin_at_once_each_is_recorded_or_says_so() {
    let sessions = Sessions::new();
    let start = |number: usize| {
        let name = format!("s{number}");
        sessions.machine.command(&["index", "--session", &name]).output().unwrap()
    };
    let ran: Vec<Ran> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..6).map(|number| scope.spawn(move || start(number))).collect();
        all.into_iter().map(|one| sessions.machine.finish(one.join().unwrap())).collect()
    });
    assert!(ran.iter().all(|one| one.status == 0), "{ran:#?}");
    // Whoever waited in vain on a busy machine says so; nobody is left out in silence.
    let told = ran.iter().filter(|one| one.stderr.contains("was not recorded")).count();
    assert!(told < 6, "{ran:#?}");
    assert_eq!(sessions.ledger().decisions(None, 99).unwrap().len(), 6 - told);
}

#[test]
fn what_was_chosen_counts_at_once_for_whom_it_was_chosen() {
    let sessions = Sessions::new();
    let token = fs::read_to_string(sessions.machine.path("home/token")).unwrap();
    let set = |arguments: &[&str]| {
        let mut command = sessions.machine.command(arguments);
        command.env("SKILLKEEP_TOKEN", token.trim());
        let ran = sessions.machine.finish(command.output().unwrap());
        assert_eq!(ran.status, 0, "{ran:#?}");
    };
    let begun = sessions.block(&["--session", "a"]);
    let named = begun.split("[names only]: ").nth(1).unwrap().split('\n').next().unwrap();
    let names: Vec<&str> = named.split(", ").collect();
    let [shown, kept, gone] = [names[0], names[1], names[2]];
    set(&["set", shown, "full"]);
    set(&["set", kept, "manual", "--agent", "codex"]);
    set(&["set", gone, "off"]);
    let full = format!("- {shown}: Use when the {shown} line stops");
    for more in [&["--session", "a"][..], &["--session", "b"], &[]] {
        let block = sessions.block(more);
        assert!(block.contains(&full) && block.contains(kept) && !block.contains(gone), "{block}");
    }
    let codex = sessions.block(&["--agent", "codex"]);
    assert!(codex.contains(&full) && !codex.contains(kept) && !codex.contains(gone), "{codex}");
    // What another agent's own rule shows of a library knows nothing of choices that are ours.
    let own = sessions.machine.ok(&["index", "--as", "codex"]).stdout;
    assert!(own.contains(gone) && own.contains(kept), "{own}");
    let why = sessions.machine.ok(&["why", gone]).stdout;
    assert!(why.contains(": not in the index\n"), "{why}");
    assert!(why.contains("off: SHUT, you turned it off"), "{why}");
    assert!(why.contains("--if choice=auto  in the index, "), "{why}");
    let why = sessions.machine.ok(&["why", shown]).stdout;
    assert!(why.contains("; you chose full\n"), "{why}");
    // A limit too small for what is wanted in full says so, and names all the same.
    let tight = sessions.machine.ok(&["index", "--json", "--limit", "100", "--session", "t"]);
    let tight: serde_json::Value = serde_json::from_str(&tight.stdout).unwrap();
    assert!(tight["cost"].as_u64().unwrap() <= 100);
}
