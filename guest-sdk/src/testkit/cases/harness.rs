//! Files of cases as tests under `cargo test`, each case a test of its own name.
//!
//! In `Cargo.toml`:
//!
//! ```toml
//! [[test]]
//! name = "cases"
//! harness = false
//! ```
//!
//! and in `tests/cases.rs`:
//!
//! ```ignore
//! fn main() -> std::process::ExitCode {
//!     skillkeep_policy::testkit::cases::harness::curator::<my_policy::MyPolicy>("cases")
//! }
//! ```
//!
//! With `SKILLKEEP_BLESS=1` what the policy answers is written into the files instead.
#![allow(clippy::disallowed_methods, reason = "a test harness is an edge of its own")]

use super::{Question, Reply, Slot, Subject, bless, native, parse};
use libtest_mimic::{Arguments, Failed, Trial};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

macro_rules! run {
    ($name:ident, $slot:ident, $policy:ident, $doc:literal) => {
        #[doc = $doc]
        #[must_use]
        pub fn $name<P: crate::$policy + 'static>(folder: &str) -> ExitCode {
            main(folder, Slot::$slot, &Subject::of::<P>(), native::$name::<P>, |case| {
                case.mistyped::<P>()
            })
        }
    };
}

run!(demotion, Demotion, DemotionPolicy, "Runs the cases of a folder on a demotion policy.");
run!(budget, Budget, BudgetPolicy, "Runs the cases of a folder on a budget policy.");
run!(curator, Curator, CuratorPolicy, "Runs the cases of a folder on a curator.");
run!(
    provenance,
    Provenance,
    ProvenancePolicy,
    "Runs the cases of a folder on a provenance policy."
);

type Ask = fn(&Question) -> Reply;
type Check = fn(&super::Case) -> Option<super::Problem>;

fn main(folder: &str, slot: Slot, subject: &Subject, ask: Ask, check: Check) -> ExitCode {
    let arguments = Arguments::from_args();
    let blessing = std::env::var_os("SKILLKEEP_BLESS").is_some();
    let mut trials = Vec::new();
    for path in files(Path::new(folder)) {
        let name = path.display().to_string();
        let text = std::fs::read_to_string(&path).map_err(|error| format!("{name}: {error}"));
        let read = text.and_then(|text| {
            let file = parse(&name, &text).map_err(|problem| problem.to_string())?;
            Ok((file, text))
        });
        let (file, text) = match read {
            Ok(read) => read,
            Err(why) => {
                trials.push(Trial::test(name, move || Err(Failed::from(why))));
                continue;
            }
        };
        if blessing {
            let judged = file.cases.iter().map(|case| case.judge(slot, subject, &mut |it| ask(it)));
            if let Ok(judged) = judged.collect::<Result<Vec<_>, _>>() {
                let pairs: Vec<_> = file.cases.iter().zip(&judged).collect();
                let blessed = bless(&text, slot, &pairs);
                if blessed != text {
                    drop(std::fs::write(&path, blessed));
                    // The lines have moved: what is tested below is what stands there now.
                }
            }
        }
        let again = std::fs::read_to_string(&path).unwrap_or(text);
        let Ok(file) = parse(&name, &again) else { continue };
        let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
        for case in file.cases {
            let title = format!("{}: {}", stem.as_deref().unwrap_or_default(), case.name);
            let subject = subject.clone();
            trials.push(Trial::test(title, move || {
                if let Some(problem) = check(&case) {
                    return Err(Failed::from(problem.to_string()));
                }
                let judged = case.judge(slot, &subject, &mut |question| ask(question));
                match judged.map_err(|problem| problem.to_string())?.difference {
                    None => Ok(()),
                    Some(text) => Err(Failed::from(format!("{}:{}\n{text}", case.path, case.line))),
                }
            }));
        }
    }
    if trials.is_empty() {
        let why = format!("`{folder}` has no file of cases, such as `{folder}/rule.md`");
        trials.push(Trial::test("cases", move || Err(Failed::from(why))));
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// The Markdown files of a folder, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let paths = entries.map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
    files.sort();
    files
}
