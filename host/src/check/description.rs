//! Whether a description gets its skill chosen: does it say anything, does it say when, and what is left of it where
//! agents cut. One skill at a time; what it shares with others is `openings` and `twins`.

use std::collections::BTreeSet;

use super::{
    finding::Draft,
    page::Page,
    rule::Rule,
    words::{head, is_single, words},
};
use crate::{
    index::trigger_start,
    skill::{OneLine, Skill},
};

/// Hermes: what is longer than the first is cut to the second, with three dots.
const HERMES_LONGEST: usize = 60;
/// What Hermes shows of a description that it cuts, in Unicode scalars.
pub(super) const HERMES_SHOWN: usize = 57;
/// Claude Code: what it shows of a description with `when_to_use`.
const CLAUDE_CODE_LONGEST: usize = 1_536;

/// Words that say something, below which a description is vague.
const FEWEST_WORDS: usize = 3;

/// Words that say nothing of what a skill is for.
const EMPTY: &[&str] = &[
    "a",
    "about",
    "all",
    "an",
    "and",
    "any",
    "anything",
    "app",
    "are",
    "as",
    "at",
    "be",
    "by",
    "can",
    "code",
    "does",
    "do",
    "everything",
    "file",
    "files",
    "for",
    "from",
    "general",
    "good",
    "handle",
    "handles",
    "help",
    "helper",
    "helpful",
    "helps",
    "how",
    "in",
    "into",
    "is",
    "it",
    "its",
    "manage",
    "manages",
    "misc",
    "more",
    "my",
    "of",
    "on",
    "or",
    "other",
    "provides",
    "related",
    "skill",
    "skills",
    "some",
    "stuff",
    "support",
    "task",
    "tasks",
    "that",
    "the",
    "thing",
    "things",
    "this",
    "to",
    "tool",
    "tools",
    "use",
    "used",
    "useful",
    "user",
    "users",
    "using",
    "utilities",
    "utility",
    "various",
    "way",
    "ways",
    "what",
    "when",
    "with",
    "work",
    "working",
    "works",
    "you",
    "your",
];

/// What templates have where a description belongs, lower case.
const TEMPLATES: [&str; 9] = [
    "todo:",
    "[todo",
    "lorem ipsum",
    "your description",
    "description here",
    "description goes here",
    "description of the skill",
    "description of what this skill does",
    "what this skill does and when to use it",
];

/// Words with which a sentence says when a skill is to be used, wherever they stand.
const WHEN: [&str; 11] = [
    "when",
    "whenever",
    "wenn",
    "falls",
    "cuando",
    "lorsque",
    "quand",
    "quando",
    "когда",
    "wanneer",
    "när",
];
/// Words that say it at the beginning of a sentence.
const ORDERS: [&str; 9] =
    ["use", "invoke", "trigger", "triggers", "activate", "activates", "apply", "call", "run"];
/// Pieces that say it in scripts without spaces, and in Korean, where they are endings.
const PIECES: [&str; 18] = [
    "时使用",
    "時使用",
    "当",
    "當",
    "用于",
    "用於",
    "适用",
    "適用",
    "触发",
    "觸發",
    "とき",
    "時に",
    "場合",
    "際に",
    "使用する",
    "때 ",
    "사용",
    "경우",
];

/// What is wrong with a skill's description, seen alone.
pub(super) fn judge(row: usize, skill: &Skill, page: &Page, found: &mut Vec<Draft>) {
    let facts = &skill.facts;
    let Some(description) = &facts.description else { return };
    let text = description.as_str();
    let line = page.header.line_of("description");
    let mut push = |rule, cause: &str| {
        found.push(Draft::new(row, rule, line, cause).field("description"));
    };
    match vague(text, skill.name.as_str()) {
        Some(cause) => push(Rule::VagueDescription, &cause),
        None if facts.when_to_use.is_none() && !says_when(text) => {
            push(Rule::NoTrigger, "it has no `Use when …`, nor other words for it");
        }
        None => {}
    }
    let length = text.chars().count();
    if length > HERMES_LONGEST {
        let lost = trigger_start(text)
            .filter(|at| *at >= head(text, HERMES_SHOWN).len())
            .map_or("", |_| ", without when to use it");
        let shown = head(text, HERMES_SHOWN);
        push(Rule::HermesCut, &format!("{length} characters; Hermes shows `{shown}...`{lost}"));
    }
    let when = facts.when_to_use.as_ref().map_or(0, |when| when.as_str().chars().count() + 1);
    if length + when > CLAUDE_CODE_LONGEST {
        let with = if when > 0 { " with `when_to_use`" } else { "" };
        let cause =
            format!("{} characters{with}; Claude Code shows {CLAUDE_CODE_LONGEST}", length + when);
        push(Rule::ClaudeCodeCut, &cause);
    }
}

/// Why a description says next to nothing, if it does.
fn vague(text: &str, name: &str) -> Option<String> {
    let lower = text.to_lowercase();
    if let Some(template) = TEMPLATES.iter().find(|template| lower.contains(**template)) {
        return Some(format!("`{template}` is left of a template"));
    }
    let name: BTreeSet<String> = words(name).into_iter().collect();
    let says = |word: &String| !EMPTY.contains(&word.as_str()) && !name.contains(word);
    let said: BTreeSet<String> = words(text).into_iter().filter(says).collect();
    // Two letters of a script without spaces are about one word.
    let letters = said.iter().filter(|word| word.chars().all(is_single)).count();
    let count = said.len() - letters + letters.div_ceil(2);
    (count < FEWEST_WORDS).then(|| {
        let shown = OneLine::capped(text, 80);
        format!(
            "`{shown}` has {} beside the name that {} anything",
            number(count),
            if count == 1 { "says" } else { "say" }
        )
    })
}

fn number(count: usize) -> String {
    match count {
        0 => "no words".to_owned(),
        1 => "one word".to_owned(),
        _ => format!("{count} words"),
    }
}

/// Whether a description says when to use the skill, in any of the ways that authors do.
fn says_when(text: &str) -> bool {
    if trigger_start(text).is_some() || PIECES.iter().any(|piece| text.contains(piece)) {
        return true;
    }
    text.split(['.', '!', '?', ';', ':', '—', '–', '|']).any(|sentence| {
        let words = words(sentence);
        words.first().is_some_and(|first| ORDERS.contains(&first.as_str()))
            || words.iter().any(|word| WHEN.contains(&word.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        library::parse,
        skill::{Place, Standing},
    };

    fn rules(name: &str, header: &str) -> Vec<(Rule, u32, String)> {
        let file = format!("---\nname: {name}\n{header}\n---\nbody\n");
        let facts = parse(file.as_bytes());
        let place = Place {
            root: 0,
            folder: name.to_owned(),
            file: "SKILL.md".to_owned(),
            linked_to: None,
        };
        let (name, category) = (OneLine::new(name), OneLine::new("general"));
        let skill = Skill { facts, name, place, category, standing: Standing::Live };
        let mut found = Vec::new();
        judge(0, &skill, &Page::of(file.as_bytes()), &mut found);
        found.into_iter().map(|d| (d.rule, d.line, d.cause.to_string())).collect()
    }

    fn only(name: &str, description: &str) -> Vec<Rule> {
        let rules = rules(name, &format!("description: {description}")).into_iter();
        rules.map(|(rule, _, _)| rule).filter(|rule| *rule != Rule::HermesCut).collect()
    }

    #[test]
    fn a_description_that_says_nothing_beside_the_name_is_vague() {
        for (name, description, vague) in [
            ("memo", "Notes app", true),
            ("pdf", "Work with PDF files.", true),
            ("tidy", "A useful helper for various tasks.", true),
            ("tidy", "\"TODO: say what it does when used\"", true),
            ("tidy", "Description of the skill", true),
            ("tidy", "Use when needed", true),
            ("todo", "Keep a list of TODO items in a text file. Use when planning.", false),
            ("pdf", "Extract tables from PDF files. Use when given invoices.", false),
            ("lesen", "書籍の内容を要約するときに使う", false),
            ("lesen", "要約", true),
        ] {
            let expected: &[Rule] = if vague { &[Rule::VagueDescription] } else { &[] };
            assert_eq!(only(name, description), expected, "{description}");
        }
    }

    #[test]
    fn when_to_use_it_may_be_said_in_many_ways() {
        for (description, says) in [
            ("Builds small container images in stages.", false),
            ("Explains how to use staged builds of container images.", false),
            ("Builds small container images in stages. Use when an image is large.", true),
            ("Builds container images, for when one is large.", true),
            ("Builds small container images. Invoke before each release.", true),
            ("Baut kleine Abbilder in Stufen, wenn eines zu groß ist.", true),
            ("分段构建小型容器镜像，当镜像过大时使用", true),
            ("컨테이너 이미지를 단계별로 작게 빌드할 때 사용", true),
        ] {
            let expected: &[Rule] = if says { &[] } else { &[Rule::NoTrigger] };
            assert_eq!(only("x", description), expected, "{description}");
        }
        let header = "description: Builds small container images.\nwhen_to_use: before a release";
        assert_eq!(rules("x", header), []);
    }

    #[test]
    fn each_agent_s_cut_is_told_with_what_is_left() {
        let sixty = "Use when counting characters, which this line has sixty of..";
        assert_eq!(sixty.chars().count(), 60);
        assert_eq!(rules("x", &format!("description: {sixty}")), []);
        let found = rules("x", &format!("description: {sixty}!"));
        assert_eq!(
            found,
            [(Rule::HermesCut, 3, format!("61 characters; Hermes shows `{}...`", head(sixty, 57)))]
        );
        let late =
            "Builds images in stages, small ones, and keeps the cache. Use when an image is large";
        let found = rules("x", &format!("license: MIT\ndescription: {late}"));
        let [(Rule::HermesCut, 4, cause)] = found.as_slice() else { panic!("{found:?}") };
        assert!(cause.ends_with("keeps the cache....`, without when to use it"), "{cause}");
        let long =
            |length: usize| format!("Use when counting many letters {}", "y".repeat(length - 31));
        assert_eq!(only("x", &long(1_536)), []);
        assert_eq!(only("x", &long(1_537)), [Rule::ClaudeCodeCut]);
        let both =
            rules("x", &format!("description: {}\nwhen_to_use: {}", long(1_000), "z ".repeat(300)));
        assert_eq!(
            both.last().map(|(rule, _, cause)| (*rule, cause.as_str())),
            Some((
                Rule::ClaudeCodeCut,
                "1600 characters with `when_to_use`; Claude Code shows 1536"
            ))
        );
    }
}
