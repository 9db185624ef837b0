//! The rule as a table: what a session knows, what was used, and which categories show names only.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, reason = "tests")]

use demotion_toolset::Toolset;
use skillkeep_policy::facts::Entry;
use skillkeep_policy::testkit::{Demoted, Library, Refused, demotion, setting};
use skillkeep_policy::{DAY, Detail};

/// A skill in each of eleven categories.
fn library() -> Library {
    with_use(&[])
}

/// The same, some of them used: name, uses, seconds since the last.
fn with_use(used: &[(&str, i64, i64)]) -> Library {
    let skills = [
        ("books/comfy", "graphs"),
        ("computer-use", "clicking"),
        ("creative", "ascii-art"),
        ("devops", "docker"),
        ("devops/git", "rebase"),
        ("github", "pr-review"),
        ("hermes", "hermes-agent"),
        ("leadership", "one-on-one"),
        ("note-taking", "obsidian"),
        ("research", "arxiv"),
        ("software-development", "tdd"),
    ];
    skills.iter().fold(Library::new(), |library, (category, name)| {
        let record = used.iter().find(|(used, _, _)| used == name);
        library.skill(category, name, |skill| match record {
            Some((_, uses, ago)) => skill.used(*uses, *ago),
            None => skill,
        })
    })
}

fn demoted(library: &Library, settings: &[Entry]) -> Vec<String> {
    let demoted = demotion::<Toolset>(library, settings).unwrap();
    assert!(demoted.iter().all(|it| it.detail == Detail::Names), "counts are never proposed");
    demoted.into_iter().map(|it| it.category).collect()
}

const EVERY: [&str; 11] = [
    "books/comfy",
    "computer-use",
    "creative",
    "devops",
    "devops/git",
    "github",
    "hermes",
    "leadership",
    "note-taking",
    "research",
    "software-development",
];

/// All categories but these, by the first segment.
fn all_but(kept: &[&str]) -> Vec<String> {
    let top = |path: &str| path.split('/').next().unwrap_or_default().to_owned();
    let demoted = EVERY.iter().filter(|path| !kept.contains(&top(path).as_str()));
    demoted.map(|path| (*path).to_owned()).collect()
}

#[test]
fn toolsets_and_tools_keep_the_categories_they_are_linked_to() {
    let always = ["general", "hermes", "software-development"];
    for (note, library, kept) in [
        ("terminal", library().toolsets(["terminal"]), &["devops", "github"][..]),
        ("file", library().toolsets(["file"]), &[]),
        ("web", library().toolsets(["web"]), &["research"]),
        ("browser", library().toolsets(["browser"]), &["research", "computer-use"]),
        ("skills", library().toolsets(["skills"]), &[]),
        ("memory", library().toolsets(["memory"]), &["note-taking"]),
        ("two", library().toolsets(["terminal", "file"]), &["devops", "github"]),
        ("a tool", library().tools(["process"]), &["devops", "github"]),
        ("tools", library().tools(["firecrawl", "session_search"]), &["research", "note-taking"]),
        (
            "both",
            library().toolsets(["web"]).tools(["patch", "memory"]),
            &["research", "note-taking"],
        ),
        ("a known and an unknown", library().toolsets(["web", "mystery"]), &["research"]),
        ("known to be none", library().toolsets([]).tools([]), &[]),
        ("known to have no toolsets", library().toolsets([]), &[]),
    ] {
        let kept: Vec<&str> = kept.iter().chain(&always).copied().collect();
        assert_eq!(demoted(&library, &[]), all_but(&kept), "{note}");
    }
}

#[test]
fn unknown_tools_demote_nothing() {
    for library in [
        library(),
        with_use(&[("arxiv", 9, 0)]),
        library().toolsets(["mystery"]),
        library().toolsets(["mystery"]).tools(["other"]),
        library().tools(["other"]),
    ] {
        assert_eq!(demoted(&library, &[]), Vec::<String>::new());
    }
}

#[test]
fn unlinked_tools_demote_all_but_the_always_relevant_where_that_is_asked_for() {
    let settings = [setting("unlinked", "demote")];
    let expected = all_but(&["hermes", "software-development"]);
    assert_eq!(demoted(&library().toolsets(["mystery"]), &settings), expected);
    assert_eq!(demoted(&library(), &settings), Vec::<String>::new());
}

#[test]
fn use_promotes_a_category_by_its_best_skill() {
    for (note, used, promoted) in [
        ("two uses just now", (2, 0), true),
        ("two uses a second ago", (2, 1), true),
        ("two uses two seconds ago", (2, 2), true),
        ("two uses a minute ago", (2, 60), true),
        ("two uses an hour ago", (2, 3_600), true),
        ("two uses a day ago", (2, DAY), true),
        ("two uses two days ago", (2, 2 * DAY), true),
        ("two uses three days ago", (2, 3 * DAY), false),
        ("two uses in a year", (2, -365 * DAY), true),
        ("one use just now", (1, 0), false),
        ("three uses twelve days ago", (3, 12 * DAY), true),
        ("three uses thirteen days ago", (3, 13 * DAY), false),
        ("ten uses 48 days ago", (10, 48 * DAY), true),
        ("ten uses 49 days ago", (10, 49 * DAY), false),
        ("no use", (0, 0), false),
    ] {
        let library = with_use(&[("one-on-one", used.0, used.1)]).toolsets(["web"]);
        let mut kept = vec!["hermes", "software-development", "research"];
        if promoted {
            kept.push("leadership");
        }
        assert_eq!(demoted(&library, &[]), all_but(&kept), "{note}");
    }
}

#[test]
fn many_warm_skills_do_not_promote_what_none_of_them_does() {
    let library = (0..10).fold(library().toolsets(["web"]), |library, n| {
        library.skill("creative", &format!("warm-{n}"), |skill| skill.used(2, 4 * DAY))
    });
    assert!(demoted(&library, &[]).contains(&"creative".to_owned()));
}

#[test]
fn a_skill_below_promotes_its_whole_top_category() {
    let library = with_use(&[("graphs", 4, 0)]).toolsets(["web"]);
    assert!(!demoted(&library, &[]).contains(&"books/comfy".to_owned()));
    let library = library.skill("books/prose", "editing", |skill| skill);
    assert!(!demoted(&library, &[]).contains(&"books/prose".to_owned()));
}

#[test]
fn the_same_name_in_two_categories_is_two_skills() {
    let library = Library::new()
        .toolsets(["web"])
        .skill("creative", "x", |skill| skill.used(5, 0))
        .skill("leadership", "x", |skill| skill);
    assert_eq!(demoted(&library, &[]), ["leadership"]);
}

#[test]
fn a_category_shown_in_full_stays_so_on_less_than_it_takes_to_become_so() {
    for (note, previous, ago, kept) in [
        ("was full, 1.87", Some(Detail::Full), 2 * DAY + 1, true),
        ("was full, 1.53", Some(Detail::Full), 8 * DAY, true),
        ("was full, 1.48", Some(Detail::Full), 9 * DAY, false),
        ("was names, 1.87", Some(Detail::Names), 2 * DAY + 1, false),
        ("was counted, 1.87", Some(Detail::Count), 2 * DAY + 1, false),
        ("unknown, 1.87", None, 2 * DAY + 1, false),
        ("was names, 2.00", Some(Detail::Names), 2 * DAY, true),
    ] {
        let library = with_use(&[("one-on-one", 2, ago)]).toolsets(["web"]).category(
            "leadership",
            |category| match previous {
                Some(detail) => category.previous_detail(detail),
                None => category,
            },
        );
        assert_eq!(!demoted(&library, &[]).contains(&"leadership".to_owned()), kept, "{note}");
    }
}

#[test]
fn what_the_user_asked_for_is_left_to_the_user() {
    let library = with_use(&[("one-on-one", 9, 0)])
        .toolsets(["terminal"])
        .category("hermes", |category| category.user_detail(Detail::Names))
        .category("leadership", |category| category.user_detail(Detail::Count))
        .category("creative", |category| category.user_detail(Detail::Full));
    let expected = ["books/comfy", "computer-use", "note-taking", "research"];
    assert_eq!(demoted(&library, &[]), expected);
}

#[test]
fn settings_replace_links_thresholds_and_what_is_always_relevant() {
    let web = || library().toolsets(["web"]);
    let used = with_use(&[("one-on-one", 1, 0)]).toolsets(["web"]);
    let custom = library().toolsets(["kitchen"]);
    let bash = library().tools(["Bash"]);
    for (note, library, settings, kept) in [
        (
            "a lower threshold and another list",
            used,
            vec![
                setting("promote-score", 1_i64),
                setting("keep-score", 1_i64),
                setting("always-relevant", ["creative"]),
            ],
            &["creative", "hermes", "leadership", "research"][..],
        ),
        (
            "a link replaced",
            web(),
            vec![setting("links.web", ["creative"])],
            &["creative", "hermes", "software-development"],
        ),
        (
            "a link added",
            custom,
            vec![setting("links.kitchen", ["books"])],
            &["books", "hermes", "software-development"],
        ),
        (
            "a tool added",
            bash,
            vec![setting("tool-toolsets.Bash", "terminal")],
            &["devops", "github", "hermes", "software-development"],
        ),
    ] {
        assert_eq!(demoted(&library, &settings), all_but(kept), "{note}");
    }
}

#[test]
fn a_half_life_keeps_a_category_longer_than_an_e_folding() {
    let library = with_use(&[("one-on-one", 4, 25 * DAY)]).toolsets(["web"]);
    let leadership = "leadership".to_owned();
    assert!(demoted(&library, &[]).contains(&leadership));
    assert!(!demoted(&library, &[setting("decay", "half-life")]).contains(&leadership));
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    for settings in [
        setting("decay-days", 0.0),
        setting("decay", "linear"),
        setting("keep-score", 3.0),
        setting("always-relevant", "dev"),
        setting("promote-score", f64::NAN),
    ] {
        let library = library().toolsets(["web"]);
        let expected = Err(Refused::BadSetting(settings.key.clone()));
        assert_eq!(demotion::<Toolset>(&library, &[settings]), expected);
    }
}

#[test]
fn each_proposal_says_why() {
    let web = Library::new().skill("creative", "ascii-art", |skill| skill).toolsets(["web"]);
    let none = web.clone().toolsets([]);
    for (library, why) in [
        (web, "no toolset of the session is linked to `creative`"),
        (none, "the session has no tools that `creative` could be for"),
    ] {
        let expected =
            Demoted { category: "creative".to_owned(), detail: Detail::Names, why: why.to_owned() };
        assert_eq!(demotion::<Toolset>(&library, &[]), Ok(vec![expected]));
    }
}

#[test]
fn a_library_without_skills_is_no_fault() {
    assert_eq!(demotion::<Toolset>(&Library::new().toolsets(["web"]), &[]), Ok(Vec::new()));
}
