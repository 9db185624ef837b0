//! What a search costs, on a library of skills of some 4 kB: making an index beside a scan that reads the same files, bringing it up
//! to date, hundreds of queries, the file's size beside that of the texts, and the same texts by SQLite's own ways to part words.
//! `cargo bench --bench search`.
//!
//!     --size 10000     skills in the library
//!     --rounds 5       rounds of what takes long
//!     --keep FOLDER    where the library is made, and kept for the next run
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement for developers: whatever goes wrong ends it"
)]

#[path = "support/library.rs"]
mod library;
#[path = "support/process.rs"]
mod process;
#[path = "support/times.rs"]
mod times;

use std::{
    fs,
    hint::black_box,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

use process::Contender;
use rusqlite::Connection;
use skillkeep::{
    library::{Library, body, scan},
    search::{Asked, Found, Index, Query},
    skill::{OneLine, Root},
    system::OsSystem,
};
use times::{alternate, print_table};

/// Bytes that a file is filled up to.
const BYTES: usize = 4_000;

fn main() {
    let (mut size, mut rounds, mut keep) = (10_000, 5, None);
    let given: Vec<String> = std::env::args().skip(1).filter(|word| word != "--bench").collect();
    for pair in given.chunks(2) {
        match (pair[0].as_str(), pair[1].as_str()) {
            ("--size", text) => size = text.parse().unwrap(),
            ("--rounds", text) => rounds = text.parse().unwrap(),
            ("--keep", text) => keep = Some(PathBuf::from(text)),
            other => panic!("found {other:?}, expected an option as in the first lines"),
        }
    }
    let temporary = tempfile::tempdir().unwrap();
    let home = keep.as_deref().unwrap_or(temporary.path()).join(size.to_string());
    if !home.join("usage.json").exists() {
        library::generate(&home, size).unwrap();
        fill_up(&home.join("skills"));
        // A file that is younger than its file system's clock can tell is read again each time.
        thread::sleep(Duration::from_millis(2_500));
    }
    println!("threads: {}; {size} skills\n", rayon::current_num_threads());
    let world = World { roots: vec![root(&home.join("skills"))], home };
    let library = world.scan();
    world.making(rounds);
    let file = world.home.join("search.db");
    let mut index = world.made(&library, &file);
    world.size(&library, &file);
    world.coming_up_to_date(&library, &file, rounds);
    queries(&library, &mut index);
    world.processes(rounds);
    world.scans(rounds.min(3));
    other_words(&library, rounds.min(3));
}

fn root(path: &Path) -> Root {
    Root { path: path.to_owned(), label: OneLine::new("made-up"), category: None }
}

struct World {
    home: PathBuf,
    roots: Vec<Root>,
}

impl World {
    fn scan(&self) -> Library {
        scan(&OsSystem, &self.roots, None)
    }

    fn made(&self, library: &Library, file: &Path) -> Index {
        drop(fs::remove_file(file));
        let mut index = Index::open(&OsSystem, Some(file)).unwrap();
        index.update(library, &OsSystem).unwrap();
        assert!(index.save(&OsSystem).unwrap());
        index
    }

    /// An index of everything, beside a scan that knows nothing yet.
    fn making(&self, rounds: usize) {
        let library = self.scan();
        let file = self.home.join("made.db");
        let times = compare(
            rounds,
            &mut [
                ("a scan, cold", &mut || clock(|| self.scan())),
                ("an index of everything, kept", &mut || clock(|| self.made(&library, &file))),
            ],
        );
        print_table(&times, &times[0]);
        let [scan, index] = [&times[0], &times[1]].map(|times| times.spread()[1]);
        let skills = library.skills.len() as f64;
        println!(
            "a skill: scan {:.1} µs, index {:.1} µs\n",
            scan * 1e3 / skills,
            index * 1e3 / skills
        );
    }

    fn size(&self, library: &Library, file: &Path) {
        let texts: usize =
            texts(library).iter().map(|text| text.iter().map(String::len).sum::<usize>()).sum();
        let kept = fs::metadata(file).unwrap().len();
        println!(
            "texts {:.1} MB, index {:.1} MB: {:.0} %\n",
            texts as f64 / 1e6,
            kept as f64 / 1e6,
            kept as f64 * 100.0 / texts as f64
        );
    }

    fn coming_up_to_date(&self, library: &Library, file: &Path, rounds: usize) {
        let open = || Index::open(&OsSystem, Some(file)).unwrap();
        let same = compare(
            rounds * 5,
            &mut [
                ("a scan, cold", &mut || clock(|| self.scan())),
                ("opening", &mut || clock(open)),
                ("opening, and nothing changed", &mut || {
                    clock(|| {
                        let mut index = open();
                        let updated = index.update(library, &OsSystem).unwrap();
                        assert_eq!(updated.kept, library.skills.len());
                        index
                    })
                }),
            ],
        );
        print_table(&same, &same[0]);
        let path = library.path_of(library.skills.len() / 2).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let mut number = 0;
        let changed = compare(
            rounds * 3,
            &mut [("opening, one skill changed, kept", &mut || {
                number += 1;
                fs::write(&path, format!("{text}\nOnce more: number{number}.\n")).unwrap();
                let library = self.scan();
                clock(|| {
                    let mut index = open();
                    assert_eq!(index.update(&library, &OsSystem).unwrap().stored, 1);
                    assert!(index.save(&OsSystem).unwrap());
                    index
                })
            })],
        );
        print_table(&changed, &same[0]);
        fs::write(&path, text).unwrap();
    }

    /// Whole processes: the first search, which makes the index, beside the first scan of a home that takes note of the same
    /// skills and keeps their bytes; and the next of each, where nothing changed.
    fn scans(&self, rounds: usize) {
        let (skills, owner) = (self.home.join("skills"), self.home.join("owner"));
        let run = |arguments: &[&str]| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_skillkeep"));
            command.args(arguments).arg("--home").arg(&owner).env_remove("SKILLKEEP_CACHE");
            command
        };
        let forget = || {
            for folder in [owner.clone(), skills.join(".skillkeep")] {
                drop(fs::remove_dir_all(folder));
            }
            let status = run(&["init", "--yes", skills.to_str().unwrap()]).output().unwrap().status;
            assert!(status.success(), "{status}");
        };
        let contender = |name: &str, before: &'_ dyn Fn(), arguments: &'static [&'static str]| {
            let mut times = process::alternate(
                &[Contender {
                    name: name.to_owned(),
                    before: Box::new(before),
                    command: Box::new(move || run(arguments)),
                }],
                rounds,
            );
            times.remove(0)
        };
        let unmade = || drop(fs::remove_file(owner.join("cache/search.db")));
        let times = [
            contender("scan, the first", &forget, &["scan"]),
            contender("search, the first", &unmade, &["search", "skill-004711"]),
            contender("scan, nothing changed", &|| {}, &["scan"]),
            contender("search, nothing changed", &|| {}, &["search", "skill-004711"]),
        ];
        print_table(&times, &times[0]);
        let [scan, made, _, search] = [0, 1, 2, 3].map(|at: usize| times[at].spread()[1]);
        println!(
            "the first search makes the index in {:.0} ms: {:.0} % of the first scan\n",
            made - search,
            (made - search) * 100.0 / scan
        );
        drop(fs::remove_dir_all(skills.join(".skillkeep")));
    }

    /// Whole processes: a search beside a list of the same skills.
    fn processes(&self, rounds: usize) {
        let command = |arguments: &'static [&'static str]| {
            move || {
                let mut command = Command::new(env!("CARGO_BIN_EXE_skillkeep"));
                command.args(arguments).arg("--root").arg(self.home.join("skills"));
                command.arg("--home").arg(self.home.join("keep")).env_remove("SKILLKEEP_CACHE");
                command
            }
        };
        let contender = |name: &str, arguments| Contender {
            name: name.to_owned(),
            before: Box::new(|| {}),
            command: Box::new(command(arguments)),
        };
        let contenders = [
            contender("list", &["list"]),
            contender("search, a common word", &["search", "file"]),
            contender("search, a rare one", &["search", "skill-004711"]),
        ];
        let times = process::alternate(&contenders, rounds * 3);
        print_table(&times, &times[0]);
        if let Some(most) = process::peak(&command(&["search", "file"])()) {
            println!("peak memory of a search: {most:.1} MiB\n");
        }
    }
}

/// Every kind of question, some hundred times in all, each three times: the middle one counts.
fn queries(library: &Library, index: &mut Index) {
    let mut all = Vec::new();
    let mut dice = library::Dice(11);
    for number in 0..400 {
        let (kind, query) = question(number, &mut dice);
        let mut times: Vec<f64> =
            (0..3).map(|_| clock(|| ask(library, index, &query)).as_secs_f64() * 1e3).collect();
        times.sort_by(f64::total_cmp);
        all.push((kind, times[1], query));
    }
    println!(
        "| ms | queries | median | 99 of 100 | max | the slowest |\n|---|---|---|---|---|---|"
    );
    let mut kinds: Vec<&str> = all.iter().map(|it| it.0).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds.into_iter().map(Some).chain([None]) {
        let mut of: Vec<_> = all.iter().filter(|it| kind.is_none_or(|kind| it.0 == kind)).collect();
        of.sort_by(|a, b| a.1.total_cmp(&b.1));
        let at = |share: usize| of[(of.len() - 1) * share / 100].1;
        let slowest = &of[of.len() - 1].2;
        println!(
            "| {} | {} | {:.2} | {:.2} | {:.2} | `{slowest}` |",
            kind.unwrap_or("**all**"),
            of.len(),
            at(50),
            at(99),
            at(100)
        );
    }
    println!();
}

fn ask(library: &Library, index: &mut Index, query: &str) -> Found {
    let query = Query::parse(query);
    let asked = Asked { query: &query, field: None, limit: 10, wanted: &|_| true, uses: &|_| 0 };
    index.search(&asked, library, &OsSystem).unwrap()
}

fn question(number: usize, dice: &mut library::Dice) -> (&'static str, String) {
    match number % 10 {
        0 => ("a name", format!("skill-{:06}", dice.below(10_000))),
        1 | 2 => ("rare words", format!("{} {}", rare(dice), rare(dice))),
        3 => ("a rare word", rare(dice)),
        4 => ("a common and a rare word", format!("{} {}", dice.of(&library::WORDS), rare(dice))),
        5 => {
            ("common words", format!("{} {}", dice.of(&library::THINGS), dice.of(&library::WORDS)))
        }
        6 => ("a phrase", format!("\"{} {}\"", dice.of(&library::WORDS), dice.of(&library::WORDS))),
        7 => ("either", format!("{} OR {}", rare(dice), dice.of(&library::THINGS))),
        8 => ("a beginning", format!("{}*", rare(dice).get(..4).unwrap_or("rep"))),
        _ => ("Chinese", HAN[dice.below(HAN.len())].to_owned()),
    }
}

const HAN: [&str; 8] =
    ["考勤", "模板", "广西 OR 桂林", "数据分析", "PPT 模板", "表", "会议记录*", "漓江"];

/// A word of a large vocabulary, the first ones far more often than the last.
fn rare(dice: &mut library::Dice) -> String {
    const PARTS: [&str; 20] = [
        "ba", "cor", "den", "fil", "gra", "hem", "jo", "kar", "lum", "mis", "nor", "pel", "qui",
        "ros", "sten", "tur", "ven", "wil", "xan", "zo",
    ];
    // The square of an even number is small far more often than large.
    let even = dice.below(20_000);
    let mut number = even * even / 20_000;
    let mut word = String::new();
    loop {
        word.push_str(PARTS[number % PARTS.len()]);
        number /= PARTS.len();
        if number == 0 {
            return word;
        }
    }
}

/// Fills every skill up, with words as many as a language has; one of twenty with some Chinese too.
fn fill_up(root: &Path) {
    let mut dice = library::Dice(5);
    let mut folders: Vec<PathBuf> =
        fs::read_dir(root).unwrap().map(|it| it.unwrap().path()).collect();
    folders.sort();
    for category in folders {
        let mut skills: Vec<PathBuf> =
            fs::read_dir(category).unwrap().map(|it| it.unwrap().path().join("SKILL.md")).collect();
        skills.sort();
        for path in skills.iter().filter(|path| path.exists()) {
            let mut text = fs::read_to_string(path).unwrap();
            if dice.below(20) == 0 {
                text.push_str(&format!("\n{}：{}。\n", dice.of(&HAN), dice.of(&HAN)));
            }
            while text.len() < BYTES {
                let words: Vec<String> = (0..12).map(|_| rare(&mut dice)).collect();
                text.push_str(&format!(
                    "- {} the {}.\n",
                    words.join(" "),
                    dice.of(&library::WORDS)
                ));
            }
            fs::write(path, text).unwrap();
        }
    }
}

/// Name, description and body of each skill.
fn texts(library: &Library) -> Vec<[String; 3]> {
    let of = |row: usize| {
        let skill = &library.skills[row];
        let bytes = fs::read(library.path_of(row).unwrap()).unwrap();
        let description = skill.facts.description.as_ref().map_or("", |it| it.as_str());
        let body = String::from_utf8_lossy(body(&bytes)).into_owned();
        [skill.name.to_string(), description.to_owned(), body]
    };
    (0..library.skills.len()).map(of).collect()
}

/// The same texts as SQLite's own tokenizers part them, for the choice that was made.
fn other_words(library: &Library, rounds: usize) {
    let texts = texts(library);
    println!(
        "| SQLite's own | build, ms | MB | a common word, ms | a Chinese one found |\n|---|---|---|---|---|"
    );
    for (name, options) in [
        ("unicode61", "tokenize = 'unicode61'"),
        ("unicode61, without places", "tokenize = 'unicode61', detail = column"),
        ("trigram", "tokenize = 'trigram'"),
    ] {
        let mut built = Vec::new();
        let mut base = None;
        for _ in 0..rounds {
            let mut made = None;
            built.push(clock(|| made = Some(fill(&texts, options))).as_secs_f64() * 1e3);
            base = made;
        }
        built.sort_by(f64::total_cmp);
        let base = base.unwrap();
        let size: i64 = ["page_count", "page_size"]
            .map(|it| base.pragma_query_value(None, it, |row| row.get::<_, i64>(0)).unwrap())
            .iter()
            .product();
        let count = |query: &str| -> usize {
            let mut ask =
                base.prepare("SELECT rowid, bm25(words) FROM words WHERE words MATCH ?1").unwrap();
            let mut rows = ask.query([query]).unwrap();
            let mut count = 0;
            while rows.next().unwrap().is_some() {
                count += 1;
            }
            count
        };
        let mut asked: Vec<f64> =
            (0..9).map(|_| clock(|| count("schedules")).as_secs_f64() * 1e3).collect();
        asked.sort_by(f64::total_cmp);
        println!(
            "| {name} | {:.0} | {:.1} | {:.2} | {} |",
            built[built.len() / 2],
            size as f64 / 1e6,
            asked[4],
            count("考勤")
        );
    }
    println!();
}

fn fill(texts: &[[String; 3]], options: &str) -> Connection {
    let base = Connection::open_in_memory().unwrap();
    base.execute_batch(&format!(
        "CREATE VIRTUAL TABLE words USING fts5(name, description, body, content = '', {options}); BEGIN"
    ))
    .unwrap();
    for (id, [name, description, body]) in (1_i64..).zip(texts) {
        base.prepare_cached(
            "INSERT INTO words (rowid, name, description, body) VALUES (?1, ?2, ?3, ?4)",
        )
        .unwrap()
        .execute((id, name, description, body))
        .unwrap();
    }
    base.execute_batch("COMMIT").unwrap();
    base
}

fn clock<T>(work: impl FnOnce() -> T) -> Duration {
    let begun = Instant::now();
    let made = black_box(work());
    let took = begun.elapsed();
    drop(made);
    took
}

fn compare(rounds: usize, all: &mut [(&str, &mut dyn FnMut() -> Duration)]) -> Vec<times::Times> {
    let names: Vec<String> = all.iter().map(|(name, _)| (*name).to_owned()).collect();
    alternate(&names, rounds, &mut |number| (all[number].1)())
}
