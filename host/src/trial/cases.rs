//! Runs files of cases on a policy in its sandbox.

use std::time::{Duration, Instant};

use skillkeep_policy::testkit::cases::{self, File, Judged, bless};

use super::Sandboxed;

/// A file of cases, as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// As it is named in messages.
    pub name: String,
    /// Its text; nothing where its bytes are no text in UTF-8.
    pub text: String,
    /// Whether they are.
    pub is_text: bool,
}

impl Sheet {
    /// A file as it was read.
    #[must_use]
    pub fn of(name: String, bytes: Vec<u8>) -> Sheet {
        let text = String::from_utf8(bytes);
        Sheet { name, is_text: text.is_ok(), text: text.unwrap_or_default() }
    }
}

/// What became of a case, or of a file that can't be read as cases.
#[derive(Clone, Debug)]
pub struct CaseRun {
    /// Its file.
    pub file: String,
    /// The line of its heading.
    pub line: usize,
    /// Its name; the file's where that is wrong as a whole.
    pub name: String,
    /// What is wrong, if anything is.
    pub failed: Option<String>,
    /// Time that it took.
    pub elapsed: Duration,
}

/// Runs all cases. Beside them comes each sheet's text with its expectations as they were found, where those differ.
#[must_use]
pub fn run_sheets(policy: &Sandboxed<'_>, sheets: &[Sheet]) -> (Vec<CaseRun>, Vec<Option<String>>) {
    let (mut runs, mut blessed) = (Vec::new(), Vec::new());
    for sheet in sheets {
        if !sheet.is_text {
            runs.push(of_file(sheet, 1, "found bytes that are no text, expected UTF-8".to_owned()));
            blessed.push(None);
            continue;
        }
        match cases::parse(&sheet.name, &sheet.text) {
            Ok(file) => blessed.push(run_file(policy, &file, &sheet.text, &mut runs)),
            Err(problem) => {
                runs.push(of_file(sheet, problem.line, problem.to_string()));
                blessed.push(None);
            }
        }
    }
    (runs, blessed)
}

/// A file that is wrong as a whole.
fn of_file(sheet: &Sheet, line: usize, wrong: String) -> CaseRun {
    CaseRun {
        file: sheet.name.clone(),
        line,
        name: sheet.name.clone(),
        failed: Some(wrong),
        elapsed: Duration::ZERO,
    }
}

fn run_file(
    policy: &Sandboxed<'_>,
    file: &File,
    text: &str,
    runs: &mut Vec<CaseRun>,
) -> Option<String> {
    let mut judged: Vec<(&cases::Case, Judged)> = Vec::new();
    for case in &file.cases {
        let started = Instant::now();
        let result = case.judge(policy.sdk_slot(), &policy.subject, &mut |it| policy.ask(it));
        let failed = match &result {
            Ok(judged) => judged.difference.clone(),
            Err(problem) => Some(problem.to_string()),
        };
        runs.push(CaseRun {
            file: file.path.clone(),
            line: case.line,
            name: case.name.clone(),
            failed,
            elapsed: started.elapsed(),
        });
        judged.extend(result.ok().map(|judged| (case, judged)));
    }
    let pairs: Vec<_> = judged.iter().map(|(case, judged)| (*case, judged)).collect();
    let written = bless(text, policy.sdk_slot(), &pairs);
    (written != text).then_some(written)
}
