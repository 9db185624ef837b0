//! From what is known of skills to what one policy is told: columns of the dictionary that it asks for, and no more.

use serde::{Deserialize, Serialize};

use crate::{
    claims::Claims,
    decision::{Column, Context, CuratorRequest, Table, Values},
    laws::{Standing, not_after},
    skill::{Instant, Origin, SkillId, State},
};

/// Facts for which every text has to be read.
pub const CLAIMS: &[&str] = &[
    "negative-claims",
    "negative-evidence",
    "negative-checked",
    "negative-expiry",
    "negative-claim",
];

/// Facts for which every outcome has to be looked at.
pub const OUTCOMES: &[&str] = &["last-success", "last-failure"];

/// A skill that a pass looks at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Subject {
    /// Its id.
    pub id: SkillId,
    /// Its root: absolute, links resolved.
    pub root: String,
    /// Its folder below the root.
    pub folder: String,
    /// Its name, as surfaces show it.
    pub name: String,
    /// Who made it.
    pub origin: Origin,
    /// What the laws look at.
    pub standing: Standing,
    /// Jobs that name it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<String>,
    /// Since when it is known.
    pub created: Instant,
    /// When a person took it into the curator's care.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adopted: Option<Instant>,
    /// When it last came back from the archive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored: Option<Instant>,
    /// How often its text was shown.
    pub views: u64,
    /// How often it was opened for a task.
    pub uses: u64,
    /// How often it was written to.
    pub writes: u64,
    /// When its text was last shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_viewed: Option<Instant>,
    /// When it was last opened for a task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used: Option<Instant>,
    /// When it was last written to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_written: Option<Instant>,
    /// What became of its use.
    #[serde(default, skip_serializing_if = "Outcomes::is_empty")]
    pub outcomes: Outcomes,
    /// What its text says that doesn't work, where somebody asked for that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claims: Option<Claims>,
    /// What tells the state of its file from any other.
    pub file: String,
}

/// What became of a skill's use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Outcomes {
    /// How often somebody said that it helped.
    pub successes: u64,
    /// How often somebody said that it didn't.
    pub failures: u64,
    /// How often it was corrected or undone soon after it was used.
    pub corrected: u64,
    /// When it last helped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_success: Option<Instant>,
    /// When it last didn't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_failure: Option<Instant>,
}

impl Outcomes {
    fn is_empty(&self) -> bool {
        *self == Outcomes::default()
    }
}

impl Subject {
    /// A skill in the curator's care with which nothing was ever done and of which nothing is special: a review made it, and
    /// it lies in a folder of its name. What is another way is changed in it.
    #[must_use]
    pub fn plain(id: SkillId, root: &str, name: &str, created: Instant) -> Subject {
        Subject {
            id,
            root: root.to_owned(),
            folder: name.to_owned(),
            name: name.to_owned(),
            origin: Origin::Review,
            standing: Standing {
                state: State::Active,
                owned: true,
                declared: true,
                built_in: false,
                pinned: false,
                referenced: false,
                fresh: false,
            },
            jobs: Vec::new(),
            created,
            adopted: None,
            restored: None,
            views: 0,
            uses: 0,
            writes: 0,
            last_viewed: None,
            last_used: None,
            last_written: None,
            outcomes: Outcomes::default(),
            claims: None,
            file: String::new(),
        }
    }

    /// The newest time at which something was done with it; since when it is known, where nothing ever was.
    #[must_use]
    pub fn active(&self) -> Instant {
        let all = [self.last_used, self.last_viewed, self.last_written, self.restored];
        all.into_iter().flatten().max().unwrap_or(self.created)
    }
}

/// The question, with the facts that `asked` wants. Times that are after `now` count as `now`: law `clock`.
#[must_use]
pub fn question(
    subjects: &[Subject],
    now: Instant,
    seed: u64,
    asked: &dyn Fn(&str) -> bool,
) -> CuratorRequest {
    let number = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let at = |at: Instant| not_after(now, at).0.0;
    // Of a skill that nothing was ever done with nothing is known.
    let counted = |it: &Subject, count: u64| {
        (it.views + it.uses + it.writes > 0 || it.last_used.is_some()).then(|| number(count))
    };
    let judged = |it: &Subject, count: u64| {
        let Outcomes { successes, failures, corrected, .. } = it.outcomes;
        (successes + failures + corrected > 0).then(|| number(count))
    };
    let claims = |it: &Subject, of: fn(&Claims) -> Option<i64>| it.claims.as_ref().and_then(of);
    type Boolean = (&'static str, fn(&Subject) -> bool);
    type Text = (&'static str, fn(&Subject) -> &str);
    type Integer<'a> = (&'static str, Box<dyn Fn(&Subject) -> Option<i64> + 'a>);
    let integers: [Integer<'_>; 18] = [
        ("created", Box::new(|it| Some(at(it.created)))),
        ("adopted", Box::new(|it| it.adopted.map(at))),
        ("restored", Box::new(|it| it.restored.map(at))),
        ("uses", Box::new(|it| counted(it, it.uses))),
        ("views", Box::new(|it| counted(it, it.views))),
        ("writes", Box::new(|it| counted(it, it.writes))),
        ("last-used", Box::new(|it| it.last_used.map(at))),
        ("last-viewed", Box::new(|it| it.last_viewed.map(at))),
        ("last-written", Box::new(|it| it.last_written.map(at))),
        ("successes", Box::new(|it| judged(it, it.outcomes.successes))),
        ("failures", Box::new(|it| judged(it, it.outcomes.failures))),
        ("corrected", Box::new(|it| judged(it, it.outcomes.corrected))),
        ("last-success", Box::new(|it| it.outcomes.last_success.map(at))),
        ("last-failure", Box::new(|it| it.outcomes.last_failure.map(at))),
        ("negative-claims", Box::new(|it| claims(it, |c| Some(i64::from(c.count))))),
        ("negative-evidence", Box::new(|it| claims(it, |c| Some(i64::from(c.with_evidence))))),
        (
            "negative-checked",
            Box::new(|it| claims(it, |c| c.checked.map(|it| it.0)).map(|it| at(Instant(it)))),
        ),
        // An end that is still to come is in the future by its nature.
        ("negative-expiry", Box::new(|it| claims(it, |c| c.expiry.map(|it| it.0)))),
    ];
    let booleans: [Boolean; 3] = [
        ("candidate", Subject::in_care),
        ("pinned", |it| it.standing.pinned),
        ("referenced", |it| it.standing.referenced),
    ];
    let texts: [Text; 3] = [
        ("name", |it| &it.name),
        ("state", |it| if it.standing.state == State::Stale { "stale" } else { "active" }),
        ("origin", |it| it.origin.word()),
    ];
    let mut columns = Vec::new();
    for (key, of) in texts.into_iter().filter(|(key, _)| asked(key)) {
        let values = subjects.iter().map(|it| of(it).to_owned()).collect();
        columns.push(Column { key, rows: None, values: Values::Texts(values) });
    }
    for (key, of) in booleans.into_iter().filter(|(key, _)| asked(key)) {
        let values = subjects.iter().map(of).collect();
        columns.push(Column { key, rows: None, values: Values::Booleans(values) });
    }
    for (key, of) in integers.into_iter().filter(|(key, _)| asked(key)) {
        columns.push(known(key, subjects, |it| of(it), Values::Integers));
    }
    if asked("negative-claim") {
        let first = |it: &Subject| it.claims.as_ref().map(|it| it.first.to_string());
        columns.push(known("negative-claim", subjects, first, Values::Texts));
    }
    CuratorRequest {
        context: Context { now, seed, facts: Vec::new() },
        skills: Table { len: u32::try_from(subjects.len()).unwrap_or(u32::MAX), columns },
    }
}

/// A column of what is known of some rows, or of all.
fn known<T>(
    key: &'static str,
    subjects: &[Subject],
    of: impl Fn(&Subject) -> Option<T>,
    values: fn(Vec<T>) -> Values,
) -> Column {
    let (mut rows, mut found) = (Vec::new(), Vec::new());
    for (row, subject) in subjects.iter().enumerate() {
        if let Some(value) = of(subject) {
            rows.push(u32::try_from(row).unwrap_or(u32::MAX));
            found.push(value);
        }
    }
    let rows = (rows.len() < subjects.len()).then_some(rows);
    Column { key, rows, values: values(found) }
}
