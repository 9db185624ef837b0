//! What a pass was decided from, kept beside its report: decided again by the same policies, and by others.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};
use skillkeep::{
    laws::Bounds,
    ledger::Digest,
    record::PassRecord,
    skill::{Instant, State},
};

use super::{Curating, text, unmarked, unused, used};
use crate::{policy_alone::repository, support::Ran};

const VERIFY: [&str; 3] = ["policy", "compare", "--verify"];

/// Records below a home's reports, by path.
fn records(it: &Curating) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![it.machine.path("home/reports")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|it| it == "zst") => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    found
}

fn read(path: &Path) -> PassRecord {
    let name = path.file_name().unwrap().to_str().unwrap();
    let name = Digest::from_hex(name.strip_suffix(".json.zst").unwrap()).unwrap();
    PassRecord::unpacked(path, &fs::read(path).unwrap(), name).unwrap()
}

/// Puts another record in the place of one.
fn forge(path: &Path, record: &PassRecord) {
    let (name, packed) = record.packed().unwrap();
    fs::remove_file(path).unwrap();
    fs::write(path.with_file_name(format!("{name}.json.zst")), packed).unwrap();
}

/// A home after a pass that archived one skill and let one go stale, and another one that changed nothing.
fn passed() -> Curating {
    let skills = [used("old", 200), used("stale", 45), used("fresh", 3), unmarked("mine", 300)];
    let it = Curating::of(&skills);
    it.consented();
    assert_eq!(it.pass()["counts"]["archived"], 1);
    assert_eq!(it.pass()["counts"]["archived"], 0);
    it
}

fn same(it: &Curating, passes: &str) {
    let ran = it.ok(&VERIFY);
    assert_eq!(
        ran.stdout,
        format!("{passes} decided again and the same, bit for bit\n"),
        "{ran:#?}"
    );
}

#[test]
fn each_pass_has_a_record_and_is_decided_again_bit_for_bit() {
    let it = passed();
    let all = records(&it);
    let (first, second) = (read(&all[0]), read(&all[1]));
    assert_eq!(first.subjects.len(), 4);
    let moved: Vec<Option<State>> = first.rows.iter().map(|row| row.to).collect();
    assert_eq!(moved, [Some(State::Archived), Some(State::Stale)]);
    assert_eq!((second.subjects.len(), first.bounds), (3, Bounds::ASKED));
    let kept = fs::read_dir(all[0].parent().unwrap()).unwrap().count();
    assert_eq!(kept, 3, "a report is two files, and its record is one");
    same(&it, "2 passes");
    let found = it.json(&VERIFY);
    assert_eq!((&found["verified"], &found["passes"]["verified"]), (&json!(0), &json!(2)));
    let since = it.run(&[&VERIFY[..], &["--since", "2100-01-01"]].concat());
    assert_eq!(since.status, 1, "{since:#?}");
}

#[test]
fn a_dry_run_leaves_no_record_and_the_plan_that_it_showed_has_one_once_it_is_carried_out() {
    let it = Curating { cache: Some("cache"), ..Curating::of(&[used("old", 200)]) };
    it.consented();
    let id = text(&it.json(&["curator", "run", "--dry-run"])["id"]);
    assert!(records(&it).is_empty());
    it.ok(&["curator", "run", "--yes", "--plan", &id]);
    assert_eq!(read(&records(&it)[0]).plan, id);
    same(&it, "1 pass");
    // A kept plan is what its name says, or none.
    let dry = text(&it.json(&["curator", "run", "--dry-run"])["id"]);
    let cached = it.machine.path(&format!("cache/plans/{dry}.json.zst"));
    let mut bytes = fs::read(&cached).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&cached, bytes).unwrap();
    let damaged = it.no(1, &["curator", "run", "--yes", "--plan", &dry]);
    assert!(damaged.contains("is damaged: it is not what its name says"), "{damaged}");
}

#[test]
fn a_pass_whose_plan_comes_out_otherwise_is_told_with_its_skills() {
    let it = passed();
    let first = &records(&it)[0];
    let mut forged = read(first);
    let old = forged.subjects.iter_mut().find(|it| it.name == "old").unwrap();
    old.last_used = Some(Instant(it.now));
    forge(first, &forged);
    let ran = it.run(&VERIFY);
    assert_eq!(ran.status, 1, "{ran:#?}");
    let told = ": another one in the answer of `curator-inactivity 0.1.0`, the plan, of `old`\n";
    assert!(ran.stdout.starts_with("1 pass decided again and the same"), "{ran:#?}");
    assert!(ran.stdout.ends_with(told), "{ran:#?}");
    let found = it.json(&VERIFY);
    assert_eq!(found["passes"]["differ"][0]["skills"], json!(["old"]), "{found:#}");
}

#[test]
fn a_record_that_is_damaged_gone_or_of_another_form_is_told_and_not_taken_for_verified() {
    let it = passed();
    let first = &records(&it)[0];
    let record = read(first);
    let told = |what: &str| {
        let ran = it.ok(&VERIFY);
        assert!(ran.stdout.starts_with("1 pass decided again and the same"), "{ran:#?}");
        assert!(ran.stdout.contains("1 pass can't be decided again: "), "{ran:#?}");
        assert!(ran.stdout.contains(what), "{what}: {ran:#?}");
    };
    let bytes = fs::read(first).unwrap();
    fs::write(first, &bytes[..bytes.len() / 2]).unwrap();
    told(" is damaged: ");
    fs::write(first, &bytes).unwrap();
    same(&it, "2 passes");
    let older = PassRecord { schema: "skillkeep.pass-record/0".to_owned(), ..record };
    forge(first, &older);
    told("its record has the form `skillkeep.pass-record/0`, and `skillkeep.pass-record/1` was");
    let forged = records(&it).into_iter().find(|path| path.parent() == first.parent());
    fs::remove_file(forged.unwrap()).unwrap();
    told("no record of it is kept");
}

#[test]
fn a_pass_whose_policy_is_gone_is_told_and_not_taken_for_verified() {
    let it = Curating::of(&[used("old", 200)]);
    it.consented();
    let built = repository().join("policies/dist/curator-decay.wasm");
    let mut bytes = fs::read(built).unwrap();
    // A section more makes it another one than the program's own.
    bytes.extend([0, 3, 1, b'x', 0]);
    let file = it.machine.write("mine.wasm", bytes);
    it.ok(&["policy", "use", "curator", file.to_str().unwrap(), "--yes"]);
    it.pass();
    same(&it, "1 pass");
    fs::remove_file(&file).unwrap();
    // The copy that the home keeps will do.
    same(&it, "1 pass");
    fs::remove_dir_all(it.machine.path("home/policies/kept")).unwrap();
    let gone = it.ok(&VERIFY).stdout;
    assert!(gone.starts_with("0 passes decided again"), "{gone}");
    assert!(gone.contains("1 pass can't be decided again: the bytes of `curator-decay"), "{gone}");
}

/// What two rules come to on the recorded passes of a home.
fn compared(it: &Curating, one: &str, other: &str) -> (Ran, Value) {
    let line = ["policy", "compare", one, other];
    (it.run(&line), it.json(&line)["passes"].clone())
}

#[test]
fn two_curators_are_compared_on_each_recorded_pass() {
    let it = passed();
    let rule = "curator-inactivity";
    let (_, passes) = compared(&it, rule, rule);
    assert_eq!(passes["differ"], 0, "{passes:#}");
    let (ran, passes) = compared(&it, rule, "curator-inactivity,archive-after-days=400");
    assert_eq!((ran.status, &passes["differ"]), (1, &json!(1)), "{ran:#?}");
    let each: Vec<(&Value, &Value)> = passes["passes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (&it["decisions"], &it["differ"]))
        .collect();
    assert_eq!(each, [(&json!(4), &json!(1)), (&json!(3), &json!(0))]);
    let sort = &passes["by-reason"][0];
    assert_eq!(
        (&sort["one"]["choice"], &sort["other"]["choice"]),
        (&json!("archived"), &json!("stale"))
    );
    assert_eq!(sort["examples"][0]["about"], "old");
    let head = "in recorded passes, curator-inactivity -> curator-inactivity,archive-after-days=400: 7 decisions\n";
    for part in [
        head,
        "  1 of 4 differ\n",
        "  0 of 3 differ\n",
        "\ncurator: 1 `archived` -> `stale`\n  old  ",
    ] {
        assert!(ran.stdout.contains(part), "{part}: {ran:#?}");
    }
    // Passes before a day are left aside.
    let since = ["policy", "compare", rule, rule, "--since", "2100-01-01"];
    assert_eq!(it.json(&since)["passes"], Value::Null);
}

#[test]
fn where_there_is_no_history_yet_recorded_passes_are_told_alone() {
    let it = Curating::of(&[unused("young", 45)]);
    it.consented();
    it.pass();
    let (ran, passes) = compared(&it, "curator-inactivity", "curator-inactivity");
    assert_eq!((ran.status, &passes["differ"]), (0, &json!(0)), "{ran:#?}");
    assert!(ran.stdout.starts_with("in recorded passes, "), "{ran:#?}");
    assert!(ran.stderr.contains("warning: there is too little history here: "), "{ran:#?}");
}

#[test]
fn a_rule_that_asks_for_what_was_not_looked_up_is_not_compared_on_that_pass() {
    let it = passed();
    let (ran, passes) = compared(&it, "curator-inactivity", "curator-negative");
    assert_eq!(passes, Value::Null, "{ran:#?}");
    let why = "2 of 2 recorded passes are left out: `negative-claims` was not looked up then, which `curator-negative 0.1.0` asks for";
    assert!(ran.stderr.contains(why), "{ran:#?}");
}

#[test]
fn a_record_goes_with_its_report_and_so_does_what_a_killed_pass_left() {
    let it = passed();
    it.set("[curator]\nreports = 1");
    it.machine.write("home/reports/.new-0123/run.json", "cut short");
    let hash = "0".repeat(64);
    it.machine.write(&format!("home/reports/.pass-9-{hash}.json.zst"), "cut short");
    it.pass();
    let all = records(&it);
    let left = fs::read_dir(it.machine.path("home/reports")).unwrap().count();
    assert_eq!((all.len(), left), (1, 1), "{all:#?}");
    same(&it, "1 pass");
}

#[test]
fn a_pass_that_was_cut_off_has_its_record_once_its_report_is_written() {
    let it = Curating::of(&[used("old", 200), used("stale", 45)]);
    it.consented();
    it.pass();
    let record = records(&it).remove(0);
    let name = record.file_name().unwrap().to_str().unwrap();
    fs::rename(&record, it.machine.path(&format!("home/reports/.pass-1-{name}"))).unwrap();
    fs::remove_dir_all(record.parent().unwrap()).unwrap();
    it.ledger(
        "UPDATE passes SET phase = 'open', ended = NULL, report = NULL, counts = '{}', summary = ''",
    );
    it.run(&["curator", "tick"]);
    let all = records(&it);
    assert!(all.len() == 1 && all[0].parent().unwrap() == record.parent().unwrap(), "{all:#?}");
    same(&it, "1 pass");
}

#[test]
fn a_pass_that_was_cut_off_behind_its_report_has_its_record_there_too() {
    let it = Curating::of(&[used("old", 200)]);
    it.consented();
    it.pass();
    let record = records(&it).remove(0);
    let name = record.file_name().unwrap().to_str().unwrap();
    fs::rename(&record, it.machine.path(&format!("home/reports/.pass-1-{name}"))).unwrap();
    it.ledger(
        "UPDATE passes SET phase = 'open', ended = NULL, report = NULL, counts = '{}', summary = ''",
    );
    it.run(&["curator", "tick"]);
    assert_eq!(records(&it), [record]);
    same(&it, "1 pass");
}

#[test]
fn a_purge_erases_the_records_and_the_kept_plans_that_are_about_the_skill() {
    let skills = [used("old", 200), used("fresh", 3)];
    let it = Curating { cache: Some("cache"), ..Curating::of(&skills) };
    it.consented();
    // A plan with the skill, a pass with it, a pass without, and a plan without.
    it.json(&["curator", "run", "--dry-run"]);
    it.pass();
    it.pass();
    it.json(&["curator", "run", "--dry-run"]);
    let plans = it.machine.path("cache/plans");
    assert_eq!(fs::read_dir(&plans).unwrap().count(), 2);
    let dry = it.json(&["purge", "old", "--dry-run"]);
    assert_eq!(dry["records"].as_array().unwrap().len(), 1, "{dry:#}");
    assert_eq!(records(&it).len(), 2);
    it.ok(&["purge", "old", "--yes"]);
    assert_eq!(records(&it).len(), 1);
    assert_eq!(fs::read_dir(&plans).unwrap().count(), 1);
    let told = it.ok(&VERIFY).stdout;
    assert!(told.contains("1 pass can't be decided again: no record of it is kept"), "{told}");
}

#[test]
fn a_pruning_asks_no_policy_and_has_no_record() {
    let it = Curating::of(&[used("old", 200)]);
    it.consented();
    it.ok(&["curator", "prune", "--yes"]);
    assert!(records(&it).is_empty());
    assert_eq!(it.run(&VERIFY).status, 1);
}

#[test]
fn settings_limits_and_bounds_of_a_pass_hold_when_it_is_decided_again() {
    let skills = [used("a", 70), used("b", 80), used("c", 85), used("d", 45)];
    let it = Curating::of(&skills);
    it.set(
        "[curator]\nblast-radius = 1\n\
         [slots.curator]\nuse = [\"curator-inactivity\", \"curator-decay\"]\ncombine = \"all\"\n\
         [slots.curator.settings]\narchive-after-days = 60\n\
         [slots.curator.limits]\nfuel = 2.0\n",
    );
    // Nobody said yes yet, and who asks is no person: the laws let skills go stale, and no more.
    it.by_agent(&["curator", "run"]);
    it.consented();
    it.by_agent(&["curator", "run"]);
    // Of another day, when other settings hold.
    let settings = it.machine.path("home/skillkeep.toml");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, text.split("[slots.curator]").next().unwrap()).unwrap();
    it.set("[slots.curator.settings]\narchive-after-days = 1000\n");
    let bounds: Vec<Bounds> = records(&it).iter().map(|path| read(path).bounds).collect();
    let under = |consent| Bounds { most: Some(1), consent };
    assert_eq!(bounds, [under(false), under(true)]);
    same(&it, "2 passes");
}
