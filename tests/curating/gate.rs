//! When passes begin, what they wait for, and that a person said yes once.

use serde_json::json;

use super::{Curating, unmarked, used};

#[test]
fn a_fresh_home_says_that_it_is_on_what_it_waits_for_and_until_when() {
    let it = Curating::of(&[used("old", 200)]);
    let tick = it.ok(&["curator", "tick"]);
    assert!(
        tick.stdout.starts_with("no pass is due: the first pass waits one interval, until "),
        "{tick:#?}"
    );
    let first = it.json(&["curator", "status"])["next"].clone();
    it.ok(&["curator", "tick"]);
    let status = it.json(&["curator", "status"]);
    assert_eq!(
        (&status["enabled"], &status["due"], &status["passes"]),
        (&json!(true), &json!(false), &json!(0))
    );
    assert_eq!((&status["next"], &status["waits"][0]["for"]), (&first, &json!("first")));
    let text = it.ok(&["curator", "status"]).stdout;
    for part in [
        "curator: on, no pass yet\nnext pass: not before ",
        "consent: not given, so nothing is archived; skillkeep curator run asks\n",
        "last pass: none\n",
        "in its care: 1 of 1 skill: 1 active, 0 stale; 0 in the archive\n",
        "least recently active:\n  old  3 uses  last active ",
        "most active:\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // It stands on the screen that people see, too.
    let overview = it.ok(&[]).stdout;
    assert!(
        overview.contains("curator   no pass yet; the first pass waits one interval"),
        "{overview}"
    );
}

#[test]
fn what_holds_a_pass_back_is_said_and_a_clock_that_was_wrong_is_not() {
    let it = Curating::of(&[used("old", 200)]);
    it.consented();
    it.pass();
    let waits = || {
        let status = it.json(&["curator", "status"]);
        let waits = status["waits"].as_array().unwrap().iter();
        waits.map(|wait| super::text(&wait["for"])).collect::<Vec<_>>()
    };
    assert!(waits().contains(&"interval".to_owned()));
    it.ledger("UPDATE passes SET begun = begun - 14 * 86400");
    assert!(!waits().contains(&"interval".to_owned()), "{:?}", waits());
    it.ledger("UPDATE passes SET begun = begun + 90 * 86400");
    assert!(!waits().contains(&"interval".to_owned()), "{:?}", waits());
    let text = it.ok(&["curator", "status"]).stdout;
    assert!(text.contains("lies in the future by this clock, and counts as due\n"), "{text}");
    it.ok(&["curator", "pause"]);
    assert!(waits().contains(&"paused".to_owned()));
    it.set("[curator]\nenabled = false");
    assert!(waits().contains(&"disabled".to_owned()));
    let off = it.no(1, &["curator", "run", "--yes"]);
    assert!(off.contains("error: there are no passes: `curator.enabled = false`"), "{off}");
}

#[test]
fn a_pause_is_anybody_s_and_its_end_a_person_s() {
    let it = Curating::of(&[used("old", 200)]);
    assert_eq!(it.ok(&["curator", "resume"]).stdout, "it is not paused\n");
    let dry = it.ok(&["curator", "pause", "--dry-run"]).stdout;
    assert_eq!(dry, "would pause: no pass would begin by itself\n");
    assert_eq!(it.json(&["curator", "status"])["paused"], json!(null));
    let paused = it.by_agent(&["curator", "pause"]);
    let said = "paused: no pass begins by itself until skillkeep curator resume\n";
    assert_eq!((paused.status, paused.stdout.as_str()), (0, said), "{paused:#?}");
    let since = it.json(&["curator", "status"])["paused"].clone();
    assert!(since.is_i64() || since.is_string(), "{since}");
    assert!(it.ok(&["curator", "pause"]).stdout.starts_with("paused already, since 2"));
    assert!(it.ok(&["curator", "status"]).stdout.starts_with("curator: paused, no pass yet\n"));
    let refused = it.by_agent(&["curator", "resume"]);
    assert_eq!(refused.status, 1, "{refused:#?}");
    assert!(
        refused
            .stderr
            .starts_with("error: only a person may resume passes, and `foreground` asked")
    );
    // A person's own pass is not held by it, and one that begins by itself is.
    it.consented();
    assert!(it.run(&["curator", "run", "--due"]).stderr.contains("it is paused since"));
    assert_eq!(it.pass()["counts"]["archived"], 1);
    assert!(it.ok(&["curator", "resume"]).stdout.starts_with("resumed: it was paused since 2"));
    assert_eq!(it.json(&["curator", "status"])["paused"], json!(null));
}

#[test]
fn a_pause_ends_a_pass_at_its_next_step_and_says_that_one_is_being_made() {
    let it = Curating::of(&[used("old", 200)]);
    it.consented();
    let plan = it.json(&["curator", "run", "--dry-run"]);
    // Somebody makes a pass: the claim is a lock on this file.
    let claim = std::fs::File::create(it.machine.path("home/curator.lock")).unwrap();
    claim.lock().unwrap();
    let paused = it.ok(&["curator", "pause"]);
    assert_eq!(paused.stderr, "a pass is being made, and ends with its next step\n");
    let second = it.no(1, &["curator", "run", "--yes"]);
    assert!(second.contains("error: another pass is being made"), "{second}");
    drop(claim);
    // As one that began before the pause: nothing is moved any more.
    let id = super::text(&plan["id"]);
    let ran = it.by_agent(&["curator", "run", "--plan", &id]);
    assert_eq!(ran.status, 1, "{ran:#?}");
    assert!(ran.stdout.contains("it ended early: it was paused\n"), "{ran:#?}");
    assert_eq!(it.state("old"), "active");
    let status = it.ok(&["curator", "status"]).stdout;
    assert!(
        status
            .contains("did not come to its end: no changes, 1 left; ended early: it was paused\n"),
        "{status}"
    );
}

#[test]
fn where_nothing_was_ever_used_nobody_is_the_most_active() {
    let it = Curating::of(&[super::unused("never", 5)]);
    let status = it.ok(&["curator", "status"]).stdout;
    assert!(status.contains("least recently active:\n  never  0 uses"), "{status}");
    assert!(!status.contains("most active:"), "{status}");
}

#[test]
fn skills_of_people_are_no_candidates_and_the_first_pass_that_archives_needs_a_yes() {
    let names: Vec<String> = (0..30).map(|number| format!("own-{number}")).collect();
    let leaked: Vec<&'static str> =
        names.into_iter().map(|name| &*Box::leak(name.into_boxed_str())).collect();
    let mut skills: Vec<_> = leaked.iter().map(|name| unmarked(name, 100)).collect();
    skills.push(used("old", 200));
    let it = Curating::of(&skills);
    let before = it.tree();
    let refused = it.no(1, &["curator", "run", "--yes"]);
    assert!(
        refused.contains("nobody said yes yet at a terminal to a pass that archives"),
        "{refused}"
    );
    assert!(refused.ends_with("hint: at a terminal: skillkeep curator run\n"), "{refused}");
    // One that is due archives nothing either: it lets go stale what it would archive, so that it is seen coming.
    it.ledger("INSERT OR REPLACE INTO meta (key, value) VALUES ('curator-deferred', '5')");
    it.set("[curator]\nmin-idle-hours = 0");
    let due = it.json(&["curator", "run", "--due"]);
    assert_eq!(
        (&due["counts"]["archived"], &due["counts"]["marked-stale"]),
        (&json!(0), &json!(1)),
        "{due:#}"
    );
    assert_eq!(it.tree(), before);
    let active = it.states().into_iter().filter(|(_, state)| state == "active").count();
    assert_eq!(active, 30);
}

#[test]
#[cfg(target_os = "linux")]
fn at_a_terminal_the_plan_is_shown_and_asked_for_once() {
    let it = Curating::of(&[used("old", 200), used("older", 300)]);
    let no = it.seated("n\n", &["curator", "run"]);
    assert_eq!(no.status, 1, "{no:#?}");
    assert!(no.stdout.contains("to the archive (2):\n  old    "), "{no:#?}");
    assert!(no.stdout.ends_with("archive 2 skills? [y/N]\nnothing was changed\n"), "{no:#?}");
    assert_eq!(it.archived().len(), 0);
    let yes = it.seated("y\n", &["curator", "run"]);
    assert_eq!(yes.status, 0, "{yes:#?}");
    assert!(yes.stdout.contains("pass 1: 2 archived\n"), "{yes:#?}");
    assert_eq!(it.archived().len(), 2);
    it.lay("new", "Do it.");
    assert_eq!(it.run(&["curator", "run", "--yes"]).status, 0);
}
