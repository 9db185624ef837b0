//! An answer as rows of text, the way a case expects it; or what of the contract it breaks.

use super::ask::{Question, Reply, Subject};
use super::table::Slot;
use crate::bindings::slots::{curator, provenance};
use crate::facts::{RawReason, RawRefusal};
use crate::slots::{Detail, Form};
use crate::testkit::library::Library;

/// What came of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// Who, what and why, in the order of the rows. Of a provenance policy, what and why.
    Rows(Vec<Vec<String>>),
    /// A considered no.
    Refused(String),
    /// What no policy may do: it trapped, or its answer breaks the contract.
    Broken(String),
}

/// What came of a question, with names instead of rows.
pub(crate) fn tell(
    library: &Library,
    question: &Question,
    reply: &Reply,
    subject: &Subject,
) -> Told {
    let (rows, reasons) = match (question, reply) {
        (_, Reply::Failed(why)) => return Told::Broken(why.clone()),
        (Question::Demotion(_), Reply::Demotion(Ok(answer))) => (
            answer
                .proposals
                .iter()
                .map(|it| (it.category, detail(it.detail).to_owned(), it.why))
                .collect::<Vec<_>>(),
            &answer.reasons,
        ),
        (Question::Budget(_), Reply::Budget(Ok(answer))) => (
            answer
                .proposals
                .iter()
                .map(|it| (it.skill, form(it.form, answer.cut), it.why))
                .collect(),
            &answer.reasons,
        ),
        (Question::Curator(_), Reply::Curator(Ok(answer))) => {
            return curated(library, answer, subject);
        }
        (Question::Provenance(_), Reply::Provenance(Ok(answer))) => {
            let why = match fill(&answer.why, subject) {
                Ok(why) => why,
                Err(broken) => return Told::Broken(broken),
            };
            let verdict = match &answer.verdict {
                provenance::Verdict::Allow(origin) => format!("allow as {origin}"),
                provenance::Verdict::Stage(origin) => format!("stage as {origin}"),
                provenance::Verdict::Deny => "deny".to_owned(),
            };
            return Told::Rows(vec![vec![verdict, why]]);
        }
        (
            _,
            Reply::Demotion(Err(refusal))
            | Reply::Budget(Err(refusal))
            | Reply::Curator(Err(refusal))
            | Reply::Provenance(Err(refusal)),
        ) => return refused(refusal, subject),
        _ => return Told::Broken("it answered another slot's question".to_owned()),
    };
    let slot = question.slot();
    let names = match slot {
        Slot::Demotion => library.categories.iter().map(|it| it.name.clone()).collect(),
        _ => skill_names(library),
    };
    let all = slot == Slot::Budget;
    in_order(rows, &names, reasons, subject, all).map_or_else(Told::Broken, Told::Rows)
}

fn curated(library: &Library, answer: &curator::Answer, subject: &Subject) -> Told {
    let names = skill_names(library);
    let proposals = answer
        .proposals
        .iter()
        .map(|it| {
            let verdict = match it.verdict {
                curator::Verdict::Keep => "keep",
                curator::Verdict::Activate => "activate",
                curator::Verdict::MarkStale => "mark stale",
                curator::Verdict::Archive => "archive",
            };
            (it.skill, verdict.to_owned(), it.why)
        })
        .collect();
    let told = in_order(proposals, &names, &answer.reasons, subject, false).and_then(|mut rows| {
        for notice in &answer.notices {
            let name = names
                .get(notice.skill as usize)
                .ok_or_else(|| beyond(notice.skill, names.len()))?;
            let why = reason(notice.why, &answer.reasons, subject)?;
            rows.push(vec![name.clone(), format!("notice {}", notice.kind), why]);
        }
        Ok(rows)
    });
    told.map_or_else(Told::Broken, Told::Rows)
}

/// Each row at most once, or exactly once; none beyond the table; reasons declared.
fn in_order(
    mut rows: Vec<(u32, String, u32)>,
    names: &[String],
    reasons: &[RawReason],
    subject: &Subject,
    all: bool,
) -> Result<Vec<Vec<String>>, String> {
    rows.sort_by_key(|(row, ..)| *row);
    if let Some(twice) = rows.windows(2).find_map(|pair| match pair {
        [(first, ..), (second, ..)] if first == second => Some(*first),
        _ => None,
    }) {
        return Err(format!("it answers twice for row {twice}"));
    }
    if all && rows.len() < names.len() {
        return Err(format!("it gives a form to {} of {} skills", rows.len(), names.len()));
    }
    rows.into_iter()
        .map(|(row, choice, why)| {
            let name = names.get(row as usize).ok_or_else(|| beyond(row, names.len()))?;
            Ok(vec![name.clone(), choice, reason(why, reasons, subject)?])
        })
        .collect()
}

fn beyond(row: u32, len: usize) -> String {
    format!("it answers for row {row}, and was asked about {len}")
}

/// The name of each skill; with its category where several have it.
pub(crate) fn skill_names(library: &Library) -> Vec<String> {
    let mut count = std::collections::BTreeMap::<&str, usize>::new();
    for skill in &library.skills {
        *count.entry(skill.name.as_str()).or_default() += 1;
    }
    let name = |skill: &crate::testkit::SkillFacts| {
        let category = library.categories.get(skill.category).map(|it| it.name.as_str());
        match category.filter(|_| count.get(skill.name.as_str()).is_some_and(|count| *count > 1)) {
            Some(category) => format!("{category}/{}", skill.name),
            None => skill.name.clone(),
        }
    };
    library.skills.iter().map(name).collect()
}

fn reason(place: u32, reasons: &[RawReason], subject: &Subject) -> Result<String, String> {
    let reason = reasons.get(place as usize).ok_or_else(|| {
        format!("it points to reason {place}, and its answer has {}", reasons.len())
    })?;
    fill(reason, subject)
}

fn fill(reason: &RawReason, subject: &Subject) -> Result<String, String> {
    let template = subject.reasons.iter().find(|(code, _)| *code == reason.code);
    let Some((_, template)) = template else {
        return Err(format!("it gives the reason `{}`, which it does not declare", reason.code));
    };
    let mut text = template.clone();
    for (place, arg) in reason.args.iter().enumerate() {
        let hole = format!("{{{place}}}");
        if !text.contains(&hole) {
            return Err(format!("`{template}` has no place for `{arg}`"));
        }
        text = text.replace(&hole, arg);
    }
    Ok(text)
}

fn refused(refusal: &RawRefusal, subject: &Subject) -> Told {
    match refusal {
        RawRefusal::BadSetting(entry) => Told::Refused(format!("bad setting `{}`", entry.key)),
        RawRefusal::MissingFact(key) => Told::Refused(format!("missing fact `{key}`")),
        RawRefusal::Other(reason) => fill(reason, subject).map_or_else(Told::Broken, Told::Refused),
    }
}

/// A form; of a short one also where the policy has it cut, if it says so.
fn form(form: Form, cut: Option<u32>) -> String {
    match (form, cut) {
        (Form::Full, _) => "full".to_owned(),
        (Form::Short, None) => "short".to_owned(),
        (Form::Short, Some(cut)) => format!("short at {cut}"),
        (Form::Name, _) => "name".to_owned(),
        (Form::Counted, _) => "counted".to_owned(),
    }
}

const fn detail(detail: Detail) -> &'static str {
    match detail {
        Detail::Full => "full",
        Detail::Names => "names",
        Detail::Count => "count",
    }
}
