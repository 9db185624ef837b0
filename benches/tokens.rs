//! What an index of 250 real skills costs in tokens, at three limits, beside what Hermes prints of the same skills. The
//! skills are listed in `tokens.txt`; their files come from the corpus that `SKILLKEEP_CORPUS` names. The figures are the
//! same on every machine, so they are pinned; without the corpus nothing is measured, and that is said.
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "tests"
)]

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path};

use skillkeep::{
    decision::Slot,
    index::{DEFAULT_SHORT, InCharge, Inputs, Made, Meter, Policies, Programs, TokenMeter},
    library::{Library, scan},
    policy::{Builtin, Engine, Loaded, Source},
    skill::{Instant, OneLine, Root, Session},
    system::MemorySystem,
};

const LIST: &str = include_str!("tokens.txt");
const LIMITS: [u32; 3] = [1_150, 2_000, 5_000];

#[test]
fn an_index_of_real_skills_costs_what_it_did() {
    let Some(corpus) = std::env::var_os("SKILLKEEP_CORPUS") else {
        eprintln!(
            "SKIPPED: `SKILLKEEP_CORPUS` names no folder, so no tokens of real skills were counted"
        );
        return;
    };
    let system = files(Path::new(&corpus));
    let root = Root { path: "/corpus".into(), label: OneLine::new("corpus"), category: None };
    let library = scan(&system, &[root], None);
    let meter = TokenMeter::open(&system, None);
    let table = table(&system, &library, &meter);
    println!("{table}");
    insta::assert_snapshot!(table, @"
    limit | tokens | skills | full | short | name | counted
    1150 | 1150 | 247 | 0 | 0 | 179 | 68
    2000 | 1998 | 247 | 4 | 0 | 243 | 0
    5000 | 4996 | 247 | 55 | 104 | 88 | 0
    Hermes, cut at 60 | 5155 | 247
    Hermes, names only | 1936 | 247
    everything in full | 15094 | 247
    ");
}

fn table(system: &MemorySystem, library: &Library, meter: &dyn Meter) -> String {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache/components");
    let engine = Engine::new(Some(&cache), None).unwrap();
    let [demotion, budget] = [Slot::Demotion, Slot::Budget].map(|slot| {
        let builtin = Builtin::of_slot(slot).unwrap();
        Loaded::load(&engine, Source::Builtin(builtin.name), builtin.bytes, Some(slot), &[])
            .unwrap()
    });
    let policies = Policies {
        engine: &engine,
        demotion: vec![InCharge::Policy(&demotion)],
        budget: InCharge::Policy(&budget),
    };
    let mut table = String::from("limit | tokens | skills | full | short | name | counted\n");
    for limit in LIMITS {
        let inputs = Inputs {
            now: Instant(1_780_000_000),
            seed: 7,
            session: Session { platform: "linux".to_owned(), ..Session::default() },
            short: DEFAULT_SHORT,
            limit,
            ..Inputs::default()
        };
        let made = inputs.make(library, meter, &policies, &Programs::new(system)).unwrap();
        assert!(!made.decided.fell_back());
        assert_eq!(u64::from(meter.count(&made.decided.block.text)), made.decided.block.cost);
        let of = made.coverage();
        let cost = made.decided.block.cost;
        writeln!(
            table,
            "{limit} | {cost} | {} | {} | {} | {} | {}",
            of.skills, of.full, of.short, of.name, of.counted
        )
        .unwrap();
        if limit == LIMITS[2] {
            for (what, text) in
                [("cut at 60", hermes(&made, true)), ("names only", hermes(&made, false))]
            {
                writeln!(table, "Hermes, {what} | {} | {}", meter.count(&text), of.skills).unwrap();
            }
            writeln!(table, "everything in full | {} | {}", made.cost_in_full(), of.skills)
                .unwrap();
        }
    }
    table
}

/// The list as Hermes lays it out: descriptions cut at 60 scalars, or a line of names a category.
fn hermes(made: &Made, described: bool) -> String {
    let mut categories: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for entry in &made.candidates.entries {
        let category = &made.candidates.categories[entry.category as usize].path;
        let cut: String = match entry.full.chars().count() {
            0..=60 => entry.full.as_ref().to_owned(),
            _ => entry.full.chars().take(57).chain("...".chars()).collect(),
        };
        let text = if described && !cut.is_empty() {
            format!("{}: {cut}", entry.name)
        } else {
            entry.name.clone()
        };
        categories.entry(category).or_default().push(text);
    }
    let print = |(category, skills): (&str, Vec<String>)| match described {
        true => format!("  {category}:\n    - {}\n", skills.join("\n    - ")),
        false => format!("  {category} [names only]: {}\n", skills.join(", ")),
    };
    categories.into_iter().map(print).collect()
}

/// The listed files, each in a folder of its own below its category: the folder above it, or the repository where that
/// folder says nothing.
fn files(corpus: &Path) -> MemorySystem {
    let system = MemorySystem::new();
    for path in LIST.lines().filter(|line| !line.starts_with('#')) {
        let parts: Vec<&str> = path.split('/').collect();
        let [repository, .., above, folder, file] = parts.as_slice() else {
            // A repository that is its own category.
            let [repository, folder, file] = parts.as_slice() else {
                unreachable!("`{path}` has too few parts")
            };
            system.write(
                format!("/corpus/{repository}/{folder}/{file}"),
                fs::read(corpus.join(path)).unwrap(),
            );
            continue;
        };
        let category =
            if *above == "skills" { repository.rsplit("__").next().unwrap() } else { above };
        system.write(
            format!("/corpus/{category}/{folder}/{file}"),
            fs::read(corpus.join(path)).unwrap(),
        );
    }
    system
}
