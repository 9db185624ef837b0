//! Policies that are swapped by their files, in a home that is watched.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{
        Arc, Mutex, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use skillkeep::{
    config::Home,
    decision::{Budgeted, Slot},
    lock::{Lock, Pin},
    policy::{Builtin, Engine, Outcome, digest},
    roster::{Generation, Member, Rules},
    system::OsSystem,
    watch::{InForce, Pace, Setup, Told, Watching, of_system},
};
use skillkeep_build::{About, with_sections};

use crate::{
    request,
    times::{alternate, print_table},
};

const ROUNDS: usize = 41;
const CALLERS: usize = 200;
const EVERY: Duration = Duration::from_millis(50);
const LONG: Duration = Duration::from_secs(60);
const NAME: &str = "policies/p.wasm";

/// A home whose budget is decided by a file.
struct There {
    folder: tempfile::TempDir,
    cache: Arc<tempfile::TempDir>,
}

impl There {
    fn new(dev: bool, first: &[u8], cache: &Arc<tempfile::TempDir>) -> There {
        let there = There { folder: tempfile::tempdir().unwrap(), cache: Arc::clone(cache) };
        let settings = format!("[policies]\ndev = {dev}\n[slots.budget]\nuse = [\"{NAME}\"]\n");
        fs::create_dir(there.home().join("policies")).unwrap();
        fs::write(there.home().join("skillkeep.toml"), settings).unwrap();
        there.replace(NAME, first);
        there.pin(first);
        there
    }

    fn home(&self) -> &Path {
        self.folder.path()
    }

    /// By a rename, as editors and the command line do it.
    fn replace(&self, name: &str, bytes: &[u8]) {
        let new = self.home().join("new");
        fs::write(&new, bytes).unwrap();
        fs::rename(new, self.home().join(name)).unwrap();
    }

    fn pin(&self, bytes: &[u8]) {
        let pin = Pin {
            slot: Slot::Budget,
            name: NAME.to_owned(),
            sha256: digest(bytes),
            policy: "bench".to_owned(),
            version: "0.1.0".to_owned(),
            at: "2026-08-13T12:00:00Z".to_owned(),
            by: "person".to_owned(),
            key: None,
        };
        let lock = Lock { pinned: vec![pin], ..Lock::default() };
        self.replace("policies.lock", lock.text().unwrap().as_bytes());
    }

    fn begin(&self) -> Arc<InForce> {
        let setup = Setup {
            system: Arc::new(OsSystem),
            home: Home { path: Some(self.home().to_owned()), cache: None },
            engine: Engine::new(Some(self.cache.path()), None).unwrap(),
            rules: Rules::default(),
            clock: Arc::new(OsSystem),
            dev: false,
            questions: None,
        };
        Arc::new(InForce::begin(setup).unwrap())
    }
}

/// The same component under another hash.
fn marked(name: &str, number: usize) -> Vec<u8> {
    let about = About {
        name: name.to_owned(),
        version: number.to_string(),
        source: "of a measurement".to_owned(),
    };
    with_sections(Builtin::named(name).unwrap().bytes.to_vec(), &about, &[])
}

/// From the rename of a component to the first decision by it, at the usual pace.
pub fn followed() {
    let size = Builtin::named("budget-hermes").unwrap().bytes.len();
    println!("## from the rename of a component of {size} bytes to the first decision by it\n");
    let cache = Arc::new(tempfile::tempdir().unwrap());
    let first = marked("budget-hermes", 0);
    let known = [marked("budget-codex", 1), marked("budget-hermes", 1)];
    let homes = [true, false, false, true].map(|dev| There::new(dev, &first, &cache));
    let running = homes.each_ref().map(|there| {
        let in_force = there.begin();
        let told =
            Told { looked: Box::new(|_| ()), skills: Box::new(|| ()), warned: Box::new(|_| ()) };
        let watching =
            Watching::begin(Arc::clone(&in_force), Vec::new(), Pace::default(), told, of_system());
        (in_force, watching.unwrap())
    });
    let names = [
        "for development, known before",
        "pinned, known before",
        "pinned, bytes never seen",
        "for development, bytes never seen",
    ];
    let mut round = 0;
    let times = alternate(&names.map(str::to_owned), ROUNDS, &mut |number| {
        round += usize::from(number == 0);
        let (there, in_force) = (&homes[number], &running[number].0);
        let bytes = match number {
            0 | 1 => known[round % 2].clone(),
            _ => marked("budget-hermes", 2 * round + number),
        };
        fs::write(there.home().join("new.wasm"), &bytes).unwrap();
        let wanted = digest(&bytes);
        let begun = Instant::now();
        fs::rename(there.home().join("new.wasm"), there.home().join(NAME)).unwrap();
        if number == 1 || number == 2 {
            there.pin(&bytes);
        }
        loop {
            let generation = in_force.roster().current();
            let member = generation.of(Slot::Budget).next().unwrap();
            if member.digest() == Some(wanted.as_str()) {
                decide(&generation, member);
                return begun.elapsed();
            }
            assert!(begun.elapsed() < LONG, "it never comes");
            thread::park_timeout(Duration::from_micros(200));
        }
    });
    print_table(&times, &times[0]);
}

/// Two hundred callers, and a file that is swapped every 50 ms for a minute.
pub fn minute() {
    println!("## {CALLERS} callers, and a swap every {} ms for a minute\n", EVERY.as_millis());
    let cache = Arc::new(tempfile::tempdir().unwrap());
    let versions = [marked("budget-hermes", 0), marked("budget-codex", 0)];
    let there = There::new(true, &versions[0], &cache);
    let in_force = there.begin();
    let answers: Mutex<BTreeMap<String, Budgeted>> = Mutex::default();
    let generations: Mutex<Vec<Weak<Generation>>> = Mutex::default();
    let (done, calls, longest) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
    let call = || {
        while !done.load(Ordering::Relaxed) {
            let begun = Instant::now();
            let generation = in_force.roster().current();
            let member = generation.of(Slot::Budget).next().unwrap();
            let answer = decide(&generation, member);
            let micros = u64::try_from(begun.elapsed().as_micros()).unwrap();
            longest.fetch_max(micros, Ordering::Relaxed);
            calls.fetch_add(1, Ordering::Relaxed);
            // What these bytes answered first, they answer always.
            let mut answers = answers.lock().unwrap();
            let known = answers.entry(member.digest().unwrap().to_owned());
            assert!(*known.or_insert_with(|| answer.clone()) == answer, "of two generations");
        }
    };
    let (mut swaps, mut late) = (0_usize, 0_usize);
    thread::scope(|scope| {
        for _ in 0..CALLERS {
            scope.spawn(call);
        }
        let begun = Instant::now();
        while begun.elapsed() < LONG {
            let turn = Instant::now();
            there.replace(NAME, &versions[(swaps + 1) % 2]);
            assert_eq!(in_force.look().swapped, [Slot::Budget]);
            swaps += 1;
            generations.lock().unwrap().push(Arc::downgrade(&in_force.roster().current()));
            match EVERY.checked_sub(turn.elapsed()) {
                Some(left) => thread::sleep(left),
                None => late += 1,
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    let alive = generations.into_inner().unwrap().iter().filter(|it| it.strong_count() > 0).count();
    let answers = answers.into_inner().unwrap();
    let (calls, longest) = (calls.into_inner(), longest.into_inner() / 1_000);
    println!("{swaps} swaps, {late} of them longer than {} ms", EVERY.as_millis());
    println!("{calls} calls, none of them failed, the longest took {longest} ms");
    println!("{} versions, each with one answer", answers.len());
    println!("{alive} of {swaps} generations are left");
    assert_eq!((answers.len(), alive), (2, 1));
    assert_eq!(in_force.roster().current().number(), 1 + swaps as u64);
    assert!(in_force.roster().quarantine().is_empty());
}

fn decide(generation: &Generation, member: &Member) -> Budgeted {
    let policy = member.policy().unwrap();
    let request = request::budget(50, 5_440, &|key| policy.info.asks_for(key));
    let call = member.ask(generation.engine(), |engine, policy| policy.budget(engine, request));
    match call.unwrap().outcome {
        Outcome::Answer(answer) => answer,
        other => panic!("{other:?}"),
    }
}
