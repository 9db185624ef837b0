//! What a trial found, as text for people and as JUnit for machines. A component's own words are made one line each.

use super::{CaseRun, LawRun, Point, Verdict};
use crate::skill::OneLine;

/// Cases by file: each with its outcome, and what differs below it.
#[must_use]
pub fn sheets_text(runs: &[CaseRun]) -> String {
    let mut text = String::new();
    let mut file = "";
    for run in runs {
        if run.file != file {
            text.push_str(&format!("{}\n", OneLine::new(&run.file)));
            file = &run.file;
        }
        let name = OneLine::new(&run.name);
        match &run.failed {
            None => text.push_str(&format!("  ok      {name}\n")),
            Some(difference) => {
                text.push_str(&format!("  FAILED  {name} (line {})\n", run.line));
                text.push_str(&indented(difference));
            }
        }
    }
    let failed = runs.iter().filter(|run| run.failed.is_some()).count();
    text.push_str(&format!("{}: {} ok, {failed} failed\n", cases(runs.len()), runs.len() - failed));
    text
}

fn cases(count: usize) -> String {
    if count == 1 { "1 case".to_owned() } else { format!("{count} cases") }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("      {}\n", cleaned(line))).collect()
}

/// A line without what steers a terminal; its spaces stay, since tables are read by them.
fn cleaned(line: &str) -> String {
    let words: Vec<String> = line.split(' ').map(|word| OneLine::new(word).to_string()).collect();
    words.join(" ")
}

/// Cases in the format that CI systems read.
#[must_use]
pub fn junit(policy: &str, runs: &[CaseRun]) -> String {
    let failed = runs.iter().filter(|run| run.failed.is_some()).count();
    let seconds: f64 = runs.iter().map(|run| run.elapsed.as_secs_f64()).sum();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" failures=\"{failed}\" time=\"{seconds:.3}\">\n",
        escaped(policy),
        runs.len()
    );
    for run in runs {
        text.push_str(&format!(
            "  <testcase classname=\"{}\" name=\"{}\" file=\"{}\" line=\"{}\" time=\"{:.3}\"",
            escaped(&run.file),
            escaped(&run.name),
            escaped(&run.file),
            run.line,
            run.elapsed.as_secs_f64()
        ));
        match &run.failed {
            None => text.push_str("/>\n"),
            Some(why) => text.push_str(&format!(
                ">\n    <failure message=\"the answer is not what the case expects\">{}</failure>\n  </testcase>\n",
                escaped(why)
            )),
        }
    }
    text.push_str("</testsuite>\n");
    text
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(letter),
            letter if letter.is_control() => out.push('\u{fffd}'),
            letter => out.push(letter),
        }
    }
    out
}

/// Laws with their outcome; below a broken one, the snapshot that breaks it.
#[must_use]
pub fn laws_text(runs: &[LawRun]) -> String {
    let mut text = String::new();
    for LawRun { law, verdict } in runs {
        match verdict {
            Verdict::Kept { snapshots, unanswered: 0 } => {
                text.push_str(&format!(
                    "  ok      {:<14}{} ({snapshots} asked)\n",
                    law.name, law.says
                ));
            }
            Verdict::Kept { snapshots, unanswered } => {
                text.push_str(&format!(
                    "  ok      {:<14}{} ({snapshots} asked, {unanswered} unanswered)\n",
                    law.name, law.says
                ));
            }
            Verdict::Silent(why) => {
                text.push_str(&format!("  -       {:<14}says nothing here: {why}\n", law.name));
            }
            Verdict::Broken(broken) => {
                text.push_str(&format!("  BROKEN  {:<14}{}\n", law.name, law.says));
                text.push_str(&format!("      but {}\n", OneLine::new(&broken.what)));
                if let Some(case) = &broken.case {
                    text.push_str(&indented(case));
                }
            }
        }
    }
    let broken = runs.iter().filter(|run| matches!(run.verdict, Verdict::Broken(_))).count();
    let silent = runs.iter().filter(|run| matches!(run.verdict, Verdict::Silent(_))).count();
    let kept = runs.len() - broken - silent;
    text.push_str(&format!("{} laws: {kept} kept, {silent} silent, {broken} broken\n", runs.len()));
    text
}

/// Costs by size, a policy's beside those of the slot's default where that is another. `rows` says what is counted.
#[must_use]
pub fn bench_table(rows: &str, columns: &[(String, Vec<Point>)]) -> Vec<Vec<String>> {
    let mut heading = vec![rows.to_uppercase()];
    for (name, _) in columns {
        heading.extend([
            OneLine::new(name).to_string(),
            "FUEL".to_owned(),
            "OF LIMIT".to_owned(),
            "MEMORY".to_owned(),
            "OF LIMIT".to_owned(),
        ]);
    }
    let mut table = vec![heading];
    let sizes = columns.first().map(|(_, points)| points.len()).unwrap_or(0);
    for place in 0..sizes {
        let mut row = Vec::new();
        for (number, (_, points)) in columns.iter().enumerate() {
            let Some(point) = points.get(place) else { continue };
            if number == 0 {
                row.push(point.rows.to_string());
            }
            let time = match &point.fault {
                None => milliseconds(point.elapsed),
                Some(fault) => format!("FAULT: {}", OneLine::new(fault)),
            };
            row.extend([
                time,
                point.fuel.to_string(),
                share(point.fuel, point.fuel_limit),
                format!("{:.1} MiB", point.memory as f64 / f64::from(1 << 20)),
                share(point.memory as u64, point.memory_limit as u64),
            ]);
        }
        table.push(row);
    }
    table
}

fn milliseconds(time: std::time::Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1_000.0)
}

fn share(used: u64, limit: u64) -> String {
    format!("{:.1} %", used as f64 * 100.0 / limit.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{CaseRun, junit, sheets_text};

    fn runs() -> Vec<CaseRun> {
        let run = |name: &str, failed: Option<&str>| CaseRun {
            file: "cases/a.md".to_owned(),
            line: 3,
            name: name.to_owned(),
            failed: failed.map(str::to_owned),
            elapsed: Duration::from_millis(2),
        };
        vec![run("one <b>", None), run("two", Some("    9 - | a |\n      + | \u{1b}[31mb |\n"))]
    }

    #[test]
    fn a_report_says_each_case_and_below_it_what_differs() {
        let expected = "cases/a.md\n  ok      one <b>\n  FAILED  two (line 3)\n          9 - | a |\n            + | [31mb |\n2 cases: 1 ok, 1 failed\n";
        assert_eq!(sheets_text(&runs()).replace('\u{fffd}', ""), expected);
    }

    #[test]
    fn junit_is_escaped() {
        let text = junit("p & q", &runs());
        assert!(
            text.contains(
                "<testsuite name=\"p &amp; q\" tests=\"2\" failures=\"1\" time=\"0.004\">"
            ),
            "{text}"
        );
        assert!(
            text.contains("name=\"one &lt;b&gt;\" file=\"cases/a.md\" line=\"3\" time=\"0.002\"/>"),
            "{text}"
        );
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
