//! A running host hears of changes, or finds them: real files, changed in all the ways in which they are.

use std::{
    fs::{self, File},
    io::Write as _,
    os::unix::fs::symlink,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use skillkeep::{
    policy::{Builtin, digest},
    system::OsSystem,
    watch::{
        Hint, Hints, InForce, Looked, NamedState, NotWatched, Pace, Sink, Source, Told, Watching,
        of_system, running as running_hosts,
    },
};

use crate::in_force::{There, budget, decides, version};

/// So long is waited for what has to come; a machine may be busy.
const DEADLINE: Duration = Duration::from_secs(60);
/// Looks that nobody asked for come after the deadline: whatever is found was told.
const TOLD: Pace = Pace {
    quiet: Duration::from_millis(20),
    longest: Duration::from_millis(200),
    poll: Duration::from_secs(3_600),
};
/// Looks come by themselves.
const POLLED: Pace = Pace { poll: Duration::from_millis(20), ..TOLD };

const SETTINGS: &str = "[policies]\ndev = true\n[slots.budget]\nuse = [\"policies/p.wasm\"]\n";

struct Running {
    in_force: Arc<InForce>,
    looks: Arc<Mutex<Vec<Looked>>>,
    skills: Arc<AtomicUsize>,
    warned: Arc<Mutex<Vec<String>>>,
    watching: Option<Watching>,
}

fn watch(there: &There, pace: Pace, source: Source) -> Running {
    let in_force = there.begin_with(false);
    let looks: Arc<Mutex<Vec<Looked>>> = Arc::default();
    let skills: Arc<AtomicUsize> = Arc::default();
    let warned: Arc<Mutex<Vec<String>>> = Arc::default();
    let (kept, counted, heard) = (Arc::clone(&looks), Arc::clone(&skills), Arc::clone(&warned));
    let told = Told {
        looked: Box::new(move |looked| kept.lock().unwrap().push(looked.clone())),
        skills: Box::new(move || {
            counted.fetch_add(1, Ordering::SeqCst);
        }),
        warned: Box::new(move |line| heard.lock().unwrap().push(line.to_owned())),
    };
    let roots = vec![there.machine.path("skills")];
    let watching = Watching::begin(Arc::clone(&in_force), roots, pace, told, source).unwrap();
    Running { in_force, looks, skills, warned, watching: Some(watching) }
}

/// Waits until that holds.
fn until(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < DEADLINE, "{what}");
        thread::park_timeout(Duration::from_millis(2));
    }
}

impl Running {
    fn until_decides(&self, what: &str, bytes: &[u8]) {
        until(what, || decides(&self.in_force) == Some(digest(bytes)));
    }

    fn number(&self) -> u64 {
        self.in_force.roster().current().number()
    }

    fn swaps(&self) -> usize {
        self.looks.lock().unwrap().iter().filter(|it| !it.swapped.is_empty()).count()
    }

    fn state(&self) -> NamedState {
        budget(&self.in_force).named[0].state
    }
}

/// Puts bytes in the place of a file as editors do.
fn save(there: &There, path: &str, bytes: &[u8]) {
    let new = there.write(&format!("{path}~"), bytes);
    fs::rename(new, there.machine.path(path)).unwrap();
}

/// Gives a component other bytes.
type Change = fn(&There, &[u8]);

/// Each way in which a file gets other bytes.
fn ways() -> Vec<(&'static str, Change)> {
    vec![
        ("saved by an editor", |there, bytes| save(there, "home/policies/p.wasm", bytes)),
        ("written in place", |there, bytes| {
            there.write("home/policies/p.wasm", bytes);
        }),
        ("written slowly", |there, bytes| {
            let mut file = File::create(there.machine.path("home/policies/p.wasm")).unwrap();
            for part in bytes.chunks(bytes.len() / 20) {
                file.write_all(part).unwrap();
                file.sync_data().unwrap();
                thread::park_timeout(Duration::from_millis(10));
            }
        }),
        ("deleted and written anew", |there, bytes| {
            fs::remove_file(there.machine.path("home/policies/p.wasm")).unwrap();
            there.write("home/policies/p.wasm", bytes);
        }),
        ("in a folder that was moved in", |there, bytes| {
            there.write("home/new/p.wasm", bytes);
            let at = |name: &str| there.machine.path(&format!("home/{name}"));
            fs::rename(at("policies"), at("old")).unwrap();
            fs::rename(at("new"), at("policies")).unwrap();
            fs::remove_dir_all(at("old")).unwrap();
        }),
        ("behind a link that is swapped", |there, bytes| {
            let at = |name: &str| there.machine.path(&format!("home/policies/{name}"));
            let now = format!("..{}", digest(bytes));
            there.write(&format!("home/policies/{now}/p.wasm"), bytes);
            symlink(&now, at("..data_tmp")).unwrap();
            fs::rename(at("..data_tmp"), at("..data")).unwrap();
            let is_link = fs::symlink_metadata(at("p.wasm")).unwrap().is_symlink();
            if !is_link {
                fs::remove_file(at("p.wasm")).unwrap();
                symlink("..data/p.wasm", at("p.wasm")).unwrap();
            }
        }),
    ]
}

#[test]
fn however_a_component_is_changed_the_new_one_decides() {
    for (what, change) in ways() {
        let there = There::new(SETTINGS);
        there.write("home/policies/p.wasm", version(1));
        let running = watch(&there, TOLD, of_system());
        // Again and again, since what is watched may be another folder by then.
        for number in 2..5 {
            change(&there, &version(number));
            running.until_decides(&format!("{what}, {number}"), &version(number));
        }
        // The folder that is there now is watched.
        save(&there, "home/policies/p.wasm", &version(5));
        running.until_decides(&format!("{what}, and then saved"), &version(5));
        assert_eq!(running.in_force.report().watching.warning, None);
        let rejected = running.looks.lock().unwrap().iter().any(|it| !it.rejected.is_empty());
        assert!(!rejected || what.contains("written"), "{what}: only a half one is turned down");
        assert!(running.number() <= 5, "{what}: no generation but these");
    }
}

#[test]
fn what_changes_no_bytes_or_takes_them_away_swaps_nothing() {
    let there = There::new(SETTINGS);
    let file = there.write("home/policies/p.wasm", version(1));
    let running = watch(&there, TOLD, of_system());
    let open = File::options().append(true).open(&file).unwrap();
    open.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    save(&there, "home/policies/p.wasm", &version(1));
    fs::remove_file(&file).unwrap();
    until("it is missing", || running.state() == NamedState::Missing);
    assert_eq!((decides(&running.in_force), running.number()), (Some(digest(&version(1))), 1));
    save(&there, "home/policies/p.wasm", &version(1));
    until("it is back", || running.state() == NamedState::UsedWithoutAYes);
    assert_eq!((running.swaps(), running.number()), (0, 1));
}

#[test]
fn settings_that_are_saved_are_followed_and_so_is_a_policy_that_they_name_then() {
    let there = There::new("");
    let running = watch(&there, TOLD, of_system());
    save(&there, "home/skillkeep.toml", SETTINGS.replace("policies/", "other/").as_bytes());
    until("it is told to be missing", || running.state() == NamedState::Missing);
    // Neither the file nor its folder was there when it was named.
    save(&there, "home/other/p.wasm", &version(1));
    running.until_decides("a component that comes later", &version(1));
    save(&there, "home/other/p.wasm", &version(2));
    running.until_decides("and changes", &version(2));
}

#[test]
fn somebody_who_never_stops_writing_puts_a_look_off_but_not_for_ever() {
    let there = There::new(SETTINGS);
    there.write("home/policies/p.wasm", version(1));
    let running = watch(&there, Pace { quiet: TOLD.poll, ..TOLD }, of_system());
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            // A signature that nobody checks, for there are no keys.
            while !done.load(Ordering::SeqCst) {
                there.write("home/policies/p.wasm.minisig", "no signature");
                thread::park_timeout(Duration::from_millis(1));
            }
        });
        let begun = Instant::now();
        save(&there, "home/policies/p.wasm", &version(2));
        while decides(&running.in_force) != Some(digest(&version(2))) && begun.elapsed() < DEADLINE
        {
            thread::park_timeout(Duration::from_millis(2));
        }
        done.store(true, Ordering::SeqCst);
    });
    assert_eq!(decides(&running.in_force), Some(digest(&version(2))), "it is never quiet");
}

/// Hints that a test gives, and folders that it refuses to watch.
struct ByHand {
    watched: Arc<Mutex<usize>>,
    most: usize,
    before: Box<dyn Fn(&Path) + Send>,
}

impl Hints for ByHand {
    fn watch(&mut self, folder: &Path) -> Result<(), NotWatched> {
        (self.before)(folder);
        let mut watched = self.watched.lock().unwrap();
        if *watched >= self.most {
            return Err(NotWatched::Exhausted);
        }
        *watched += 1;
        Ok(())
    }

    fn unwatch(&mut self, _: &Path) {
        *self.watched.lock().unwrap() -= 1;
    }
}

fn by_hand(most: usize) -> (Source, Arc<Mutex<Option<Sink>>>) {
    by_hand_and(most, |_| ())
}

/// The same with something that is done just before a folder is watched.
fn by_hand_and(
    most: usize,
    before: impl Fn(&Path) + Send + 'static,
) -> (Source, Arc<Mutex<Option<Sink>>>) {
    let sink: Arc<Mutex<Option<Sink>>> = Arc::default();
    let kept = Arc::clone(&sink);
    let source: Source = Box::new(move |sink| {
        *kept.lock().unwrap() = Some(sink);
        Ok(Box::new(ByHand { watched: Arc::default(), most, before: Box::new(before) }))
    });
    (source, sink)
}

#[test]
fn hints_that_are_lost_cost_a_look_at_everything_and_untold_changes_are_found_by_looking() {
    let there = There::new(SETTINGS);
    there.write("home/policies/p.wasm", version(1));
    let (source, sink) = by_hand(usize::MAX);
    let running = watch(&there, TOLD, source);
    save(&there, "home/policies/p.wasm", &version(2));
    (sink.lock().unwrap().as_mut().unwrap())(Hint::Lost);
    running.until_decides("after hints were lost", &version(2));
    until("skills, too", || running.skills.load(Ordering::SeqCst) > 0);
    drop(running);

    let (source, _sink) = by_hand(usize::MAX);
    let running = watch(&there, POLLED, source);
    save(&there, "home/policies/p.wasm", &version(3));
    running.until_decides("nobody told", &version(3));
    assert_eq!(running.skills.load(Ordering::SeqCst), 0, "skills are told of");
}

#[test]
fn what_changes_between_reading_and_watching_is_found() {
    let there = There::new("");
    let file = there.write("home/other/p.wasm", version(1));
    let (source, sink) = by_hand_and(usize::MAX, move |folder| {
        if folder.ends_with("other") {
            fs::write(&file, version(2)).unwrap();
        }
    });
    let running = watch(&there, TOLD, source);
    there.write("home/skillkeep.toml", SETTINGS.replace("policies/", "other/"));
    (sink.lock().unwrap().as_mut().unwrap())(Hint::Lost);
    running.until_decides("nobody watched when it changed", &version(2));
}

#[test]
fn where_nothing_more_can_be_watched_it_is_said_once_and_looking_goes_on() {
    let nothing: fn() -> Source = || Box::new(|_| Err(NotWatched::Exhausted));
    let some: fn() -> Source = || by_hand(1).0;
    for source in [nothing, some] {
        let there = There::new(SETTINGS);
        there.write("home/policies/p.wasm", version(1));
        let running = watch(&there, POLLED, source());
        let watched = running.in_force.report().watching;
        assert_eq!((watched.how, watched.every_ms), ("looking", Some(20)));
        assert!(watched.warning.unwrap().contains("no watches left"));
        assert!(watched.hint.unwrap().contains("max_user_watches"));
        save(&there, "home/policies/p.wasm", &version(2));
        running.until_decides("found by looking", &version(2));
        until("whoever knows skills looks, too", || running.skills.load(Ordering::SeqCst) > 1);
    }
}

#[test]
fn skills_that_come_change_and_go_are_told_of_and_nothing_else_is() {
    let there = There::new("");
    let running = watch(&there, TOLD, of_system());
    let heard = |what: &str, change: &dyn Fn()| {
        let before = running.skills.load(Ordering::SeqCst);
        change();
        until(what, || running.skills.load(Ordering::SeqCst) > before);
    };
    heard("a change", &|| drop(there.machine.skill("ops/logs", "Use when logs are long.")));
    heard("a new one", &|| drop(there.machine.skill("ops/new", "Use when it is new.")));
    heard("a change of that", &|| {
        save(&there, "skills/ops/new/SKILL.md", b"---\nname: new\n---\n")
    });
    heard("a new category", &|| drop(there.machine.skill("art/draw", "Use when one draws.")));
    heard("a change in that", &|| {
        save(&there, "skills/art/draw/SKILL.md", b"---\nname: draw\n---\n")
    });
    heard("one that goes", &|| fs::remove_dir_all(there.machine.path("skills/art")).unwrap());
    heard("all of them", &|| {
        fs::rename(there.machine.path("skills"), there.machine.path("away")).unwrap();
    });
    heard("another root", &|| {
        there.write("more/x/SKILL.md", "---\nname: x\n---\n");
        running.watching.as_ref().unwrap().roots(vec![there.machine.path("more")]);
    });
    heard("a change in that", &|| save(&there, "more/x/SKILL.md", b"---\nname: y\n---\n"));
    assert!(running.looks.lock().unwrap().is_empty());
}

#[test]
fn the_report_lies_in_the_home_while_it_runs_and_says_what_is_true() {
    let there = There::new(SETTINGS);
    there.write("home/policies/p.wasm", version(1));
    let running = watch(&there, TOLD, of_system());
    let active = || {
        let list = there.machine.json(&["policy", "list"]);
        let slots = list["servers"][0]["slots"].as_array().cloned().unwrap_or_default();
        slots.iter().find(|it| it["slot"] == "budget").map(|it| it["active"][0]["digest"].clone())
    };
    until("it begins", || active() == Some(digest(&version(1)).into()));
    save(&there, "home/policies/p.wasm", &version(2));
    until("it follows", || active() == Some(digest(&version(2)).into()));
    drop(running);
    assert_eq!(fs::read_dir(there.machine.path("home/serving")).unwrap().count(), 0);
}

#[test]
fn a_home_that_takes_no_report_is_warned_of_once_and_nothing_false_is_told_of_it() {
    let there = There::new(SETTINGS);
    there.write("home/policies/p.wasm", version(1));
    let at = |path: &str| there.machine.path(&format!("home/{path}"));
    let servers = || {
        let list = there.machine.json(&["policy", "list"]);
        list["servers"].as_array().unwrap().len()
    };
    there.write("home/serving", "no folder");
    let running = watch(&there, TOLD, of_system());
    let warned = || running.warned.lock().unwrap().clone();
    until("it warns", || !warned().is_empty());
    let home = at("").display().to_string();
    let line = format!(
        "what decides here can't be written to `{}`, so `skillkeep policy list` doesn't know of this server: ",
        home.trim_end_matches('/')
    );
    assert!(warned()[0].starts_with(&line), "{:?}", warned());
    save(&there, "home/policies/p.wasm", &version(2));
    running.until_decides("it follows all the same", &version(2));
    assert_eq!((warned().len(), servers()), (1, 0), "it is said once");

    // It can be written again, and then no more: what lies there is another time's, and its lock is let go.
    fs::remove_file(at("serving")).unwrap();
    save(&there, "home/policies/p.wasm", &version(1));
    until("it is told of", || servers() == 1);
    fs::rename(at("serving"), at("away")).unwrap();
    there.write("home/serving", "no folder");
    save(&there, "home/policies/p.wasm", &version(2));
    until("it warns again", || warned().len() == 2);
    fs::create_dir(there.machine.path("other")).unwrap();
    symlink(at("away"), there.machine.path("other/serving")).unwrap();
    let report = format!("away/{}.json", std::process::id());
    assert!(at(&report).exists());
    let believed = running_hosts(&OsSystem, &there.machine.path("other"));
    assert!(believed.is_empty(), "a report of before is believed by nobody: {believed:?}");
}

#[test]
fn two_servers_of_a_home_follow_what_a_person_orders_beside_them() {
    let there = There::new("");
    let machine = &there.machine;
    machine.ok(&["init", "--yes", machine.path("skills").to_str().unwrap()]);
    let token = fs::read_to_string(machine.path("home/token")).unwrap();
    let order = |arguments: &[&str]| {
        let mut command = machine.command(arguments);
        let ran = machine.finish(command.env("SKILLKEEP_TOKEN", token.trim()).output().unwrap());
        assert_eq!(ran.status, 0, "{arguments:?}: {ran:#?}");
    };
    let servers = [watch(&there, TOLD, of_system()), watch(&there, TOLD, of_system())];
    let follow = |what: &str, bytes: &[u8]| {
        servers.iter().for_each(|server| server.until_decides(what, bytes));
    };
    let bytes = |name: &str| Builtin::named(name).unwrap().bytes.to_vec();
    let file = machine.write("home/policies/mine.wasm", bytes("budget-codex"));
    order(&["policy", "use", "budget", file.to_str().unwrap(), "--yes"]);
    follow("a file that is used", &bytes("budget-codex"));

    // Another file in its place has nobody's yes, until somebody gives it.
    save(&there, "home/policies/mine.wasm", &bytes("budget-hermes"));
    until("both see that", || servers.iter().all(|it| it.state() == NamedState::DiffersOnDisk));
    follow("what was said yes to", &bytes("budget-codex"));
    order(&["policy", "use", "budget", file.to_str().unwrap(), "--yes"]);
    follow("after the yes", &bytes("budget-hermes"));

    // The bytes of before come back from where they are kept, by another name.
    order(&["policy", "rollback", "--yes"]);
    follow("after going back", &bytes("budget-codex"));
    order(&["policy", "off", "budget", "--yes"]);
    follow("after turning it off", &bytes("budget-ladder"));
    let list = machine.json(&["policy", "list"]);
    assert_eq!(list["servers"].as_array().map(Vec::len), Some(2));
}
