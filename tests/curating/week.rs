//! The first week with the curator, as a person sees it: the transcript `curator-week`.

use super::{Curating, text, unmarked, used};

/// A library of a year's work.
pub fn library() -> Curating {
    let pinned = used("ops/incident", 210).with("pinned", serde_json::json!(true));
    let skills = [
        used("ops/rollback-by-hand", 140),
        used("ops/deploy", 2).with("view_count", serde_json::json!(31)),
        used("web/old-forms", 64),
        pinned,
        used("mail/weekly-report", 120),
        unmarked("minutes", 170),
    ];
    let jobs =
        serde_json::json!([{ "name": "friday", "skills": ["weekly-report"], "enabled": false }]);
    Curating::new(&skills, &[], &[], &jobs)
}

impl Curating {
    /// What is another on each day and for each library: dates as if the test had begun on 30 November 2026, names of plans, ids.
    pub fn steady(&self, printed: &str) -> String {
        let mut printed = printed.to_owned();
        let day = |at: i64| skillkeep::skill::Instant(at).to_string()[..10].to_owned();
        // Whoever runs over midnight sees the day after.
        for ahead in [7, 0] {
            printed = printed.replace(
                &day(self.now + (ahead + 1) * super::DAY),
                &day(self.now + ahead * super::DAY),
            );
        }
        for ago in -7..400 {
            printed = printed.replace(&self.ago(ago)[..10], &format!("\u{1}{ago}\u{1}"));
        }
        for ago in -7..400 {
            printed = printed
                .replace(&format!("\u{1}{ago}\u{1}"), &day(1_796_000_000 - ago * super::DAY));
        }
        let lines = printed.lines().map(|line| {
            let words = line.split(' ').map(|word| {
                let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
                let is_time = bare.len() == 20 && bare.ends_with('Z') && bare.contains('T');
                let is_plan = bare.len() == 12 && bare.bytes().all(|it| it.is_ascii_hexdigit());
                let is_id = bare.parse::<skillkeep::skill::SkillId>().is_ok();
                match (is_time, is_plan, is_id) {
                    (true, _, _) => word.replace(&bare[10..], "T09:00:00Z"),
                    (_, true, _) => word.replace(bare, "5f0c1d9ab27e"),
                    (_, _, true) => word.replace(bare, "[ID]"),
                    _ => word.to_owned(),
                }
            });
            let mut line = words.collect::<Vec<_>>().join(" ");
            if let Some(at) = line.find("reports/20") {
                line.replace_range(at + 18..at + 28, "T09-00-00Z");
            }
            match line.strip_prefix("- run by ") {
                Some(_) => {
                    line.rsplit_once(", ").map_or(line.clone(), |(run, _)| format!("{run}, 0 s"))
                }
                None => line,
            }
        });
        lines.collect::<Vec<_>>().join("\n") + "\n"
    }
}

#[test]
#[cfg(target_os = "linux")]
fn the_first_week_as_a_person_sees_it() {
    let it = library();
    let mut transcript = String::new();
    let mut told = |it: &Curating, line: &str, printed: &str| {
        transcript.push_str(&format!("$ skillkeep {line}\n{}\n", it.steady(printed)));
    };
    let both = |line: &str| {
        let arguments: Vec<&str> = line.split(' ').collect();
        let ran = it.ok(&arguments);
        format!("{}{}", ran.stdout, ran.stderr)
    };
    it.ok(&["curator", "tick"]);
    for line in [
        "curator status",
        "curator list-unmanaged",
        "curator adopt minutes",
        "curator run --dry-run",
    ] {
        told(&it, line, &both(line));
    }
    let ran = it.seated("y\n", &["curator", "run"]);
    assert_eq!(ran.status, 0, "{ran:#?}");
    told(&it, "curator run", &ran.stdout);
    told(&it, "curator status", &both("curator status"));
    let id = text(&it.archived()[0]["copy"]);
    told(&it, "curator list-archived", &both("curator list-archived").replace(&id, "[ID]"));
    told(&it, "log rollback-by-hand", &both("log rollback-by-hand"));
    told(&it, "log old-forms", &both("log old-forms"));
    told(&it, "curator restore rollback-by-hand", &both("curator restore rollback-by-hand"));
    transcript.push_str(&format!("The report of pass 1:\n\n{}", it.steady(&it.report())));
    insta::with_settings!(
        { snapshot_path => "../transcripts", prepend_module_to_snapshot => false, omit_expression => true },
        { insta::assert_snapshot!("curator-week", transcript) }
    );
}
