//! Homes as people have them, in memory: what is found, in which order, and what is said on the way.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::path::{Path, PathBuf};

use super::{FoundRoots, RootError, find_roots};
use crate::{
    config::{Config, IndexConfig, NamedRoot},
    decision::Detail,
    skill::OneLine,
    system::MemorySystem,
};

/// A user `/u`, at work in `/u/work`.
fn world(files: &[(&str, &str)], folders: &[&str]) -> MemorySystem {
    let system = MemorySystem::new();
    system.set_variable("HOME", "/u");
    system.folder("/u/work");
    system.set_working_folder("/u/work");
    for folder in folders {
        system.folder(folder);
    }
    for (path, text) in files {
        system.write(path, text);
    }
    system
}

fn config() -> Config {
    Config { home: "/u/.local/share/skillkeep".into(), ..Config::default() }
}

fn find(system: &MemorySystem) -> FoundRoots {
    find_roots(system, &config(), &[]).unwrap()
}

/// Path and label of each root.
fn roots(found: &FoundRoots) -> Vec<(&str, &str)> {
    let roots = found.roots.iter();
    roots.map(|root| (root.path.to_str().unwrap(), root.label.as_str())).collect()
}

#[test]
fn without_anything_there_nothing_is_found_and_every_place_is_named() {
    let found = find(&world(&[], &[]));
    assert_eq!(roots(&found), []);
    let looked: Vec<(&str, &str, bool)> = found
        .looked
        .iter()
        .map(|(path, what, there)| (path.to_str().unwrap(), *what, *there))
        .collect();
    assert_eq!(
        looked,
        [
            ("/u/work/.agents/skills", "project", false),
            ("/u/work/.claude/skills", "project", false),
            ("/u/work/.codex/skills", "project", false),
            ("/u/.local/share/skillkeep/skills", "skillkeep", false),
            ("/u/.hermes/skills", "hermes", false),
            ("/u/.claude/skills", "claude", false),
            ("/u/.agents/skills", "agents", false),
            ("/u/.codex/skills", "codex", false),
        ]
    );
    assert_eq!(found.notes, [""; 0]);
}

#[test]
fn agents_come_in_their_order() {
    let found = find(&world(
        &[],
        &[
            "/u/.codex/skills/.system/skill-creator",
            "/u/.agents/skills",
            "/u/.claude/skills",
            "/u/.hermes/skills",
            "/u/.local/share/skillkeep/skills",
            "/u/work/.claude/skills",
            "/u/work/.agents/skills",
        ],
    ));
    assert_eq!(
        roots(&found),
        [
            ("/u/work/.agents/skills", "project .agents/skills"),
            ("/u/work/.claude/skills", "project .claude/skills"),
            ("/u/.local/share/skillkeep/skills", "skillkeep"),
            ("/u/.hermes/skills", "hermes"),
            ("/u/.claude/skills", "claude"),
            ("/u/.agents/skills", "agents"),
            ("/u/.codex/skills", "codex"),
        ]
    );
}

#[test]
fn a_project_is_looked_for_from_the_working_folder_up_to_the_top_of_its_repository() {
    let system = world(
        &[("/u/src/app/.git", "gitdir: elsewhere")],
        &[
            "/u/src/.claude/skills",
            "/u/src/app/.agents/skills",
            "/u/src/app/crates/core/.claude/skills",
            "/u/src/app/crates/core/src",
        ],
    );
    system.set_working_folder("/u/src/app/crates/core/src");
    assert_eq!(
        roots(&find(&system)),
        [
            ("/u/src/app/crates/core/.claude/skills", "project crates/core/.claude/skills"),
            ("/u/src/app/.agents/skills", "project .agents/skills"),
        ]
    );
}

#[test]
fn without_a_repository_a_project_ends_below_the_users_folder() {
    let system = world(
        &[("/u/.git/HEAD", "x")],
        &["/u/.agents/skills", "/u/src/.agents/skills", "/u/src/app", "/.agents/skills"],
    );
    system.set_working_folder("/u/src/app");
    assert_eq!(
        roots(&find(&system)),
        [("/u/src/.agents/skills", "project .agents/skills"), ("/u/.agents/skills", "agents"),]
    );
    system.set_working_folder("/u");
    assert_eq!(roots(&find(&system)), [("/u/.agents/skills", "agents")]);
}

#[test]
fn outside_of_the_users_folder_and_of_a_repository_only_the_working_folder_counts() {
    let system = world(&[], &["/tmp/.claude/skills", "/tmp/x/.claude/skills"]);
    system.set_working_folder("/tmp/x");
    assert_eq!(roots(&find(&system)), [("/tmp/x/.claude/skills", "project .claude/skills")]);
}

const PROFILES: [&str; 6] = [
    "/u/.hermes/skills",
    "/u/.hermes/profiles/coder/skills",
    "/u/.hermes/profiles/writer/skills",
    "/u/.hermes/profiles/Not A Profile/skills",
    "/srv/shared",
    "/u/.hermes/more",
];
const HERMES_CONFIG: &str = "skills:\n  disabled: [noisy]\n  platform_disabled:\n    telegram: '[\"wide\"]'\n  external_dirs: [$SHARED, more, ~/gone]\n";
const CODER_CONFIG: &str = "skills: {disabled: [prose], external_dirs: /srv/shared}\n";

fn hermes() -> MemorySystem {
    let system = world(
        &[
            ("/u/.hermes/config.yaml", HERMES_CONFIG),
            ("/u/.hermes/profiles/coder/config.yaml", CODER_CONFIG),
        ],
        &PROFILES,
    );
    system.set_variable("SHARED", "/srv/shared");
    system
}

#[test]
fn hermes_is_found_with_its_external_folders_and_its_profiles() {
    let found = find(&hermes());
    assert_eq!(
        roots(&found),
        [
            ("/u/.hermes/skills", "hermes"),
            ("/srv/shared", "hermes external"),
            ("/u/.hermes/more", "hermes external"),
            ("/u/.hermes/profiles/coder/skills", "hermes profile coder"),
            ("/u/.hermes/profiles/writer/skills", "hermes profile writer"),
        ]
    );
    assert!(found.looked.contains(&("/u/gone".into(), "hermes external", false)));
    assert_eq!(found.disabled, ["noisy".to_owned()].into());
    assert_eq!(found.disabled_by, [("noisy".to_owned(), vec!["hermes"])].into());
    assert_eq!(
        found.notes,
        ["hermes profile coder turns off 1 of its skills; that holds in its own sessions only"]
    );
}

#[test]
fn hermes_hides_more_on_a_platform() {
    let system = hermes();
    system.set_variable("HERMES_PLATFORM", "telegram");
    assert_eq!(find(&system).disabled, ["noisy".to_owned(), "wide".to_owned()].into());
}

#[test]
fn the_profile_in_use_comes_first_and_says_what_is_off() {
    let by_variable = hermes();
    by_variable.set_variable("HERMES_HOME", "/u/.hermes/profiles/coder");
    let by_file = hermes();
    by_file.write("/u/.hermes/active_profile", "coder\n");
    for system in [by_variable, by_file] {
        let found = find(&system);
        assert_eq!(
            roots(&found),
            [
                ("/u/.hermes/profiles/coder/skills", "hermes profile coder"),
                ("/srv/shared", "hermes profile coder external"),
                ("/u/.hermes/skills", "hermes"),
                ("/u/.hermes/more", "hermes external"),
                ("/u/.hermes/profiles/writer/skills", "hermes profile writer"),
            ]
        );
        assert_eq!(found.disabled, ["prose".to_owned()].into());
    }
}

#[test]
fn hermes_home_may_be_anywhere() {
    let system =
        world(&[], &["/opt/data/skills", "/opt/data/profiles/a/skills", "/u/.hermes/skills"]);
    system.set_variable("HERMES_HOME", "/opt/data");
    assert_eq!(
        roots(&find(&system)),
        [("/opt/data/skills", "hermes"), ("/opt/data/profiles/a/skills", "hermes profile a")]
    );
}

#[test]
fn an_active_profile_that_is_gone_changes_nothing() {
    let system = hermes();
    system.write("/u/.hermes/active_profile", "../../etc");
    assert_eq!(roots(&find(&system)).first(), Some(&("/u/.hermes/skills", "hermes")));
}

const PLUGINS: &str = r#"{"version": 2, "plugins": {
    "pdf@market": [{"scope": "user", "installPath": "/u/.claude/plugins/cache/pdf/1.0"}],
    "off@market": [{"scope": "user", "installPath": "/u/.claude/plugins/cache/off"}],
    "here@market": [{"scope": "project", "projectPath": "/u/work", "installPath": "/u/.claude/plugins/cache/here"}],
    "there@market": [{"scope": "project", "projectPath": "/u/other", "installPath": "/u/.claude/plugins/cache/there"}],
    "bare@market": [{"scope": "user", "installPath": "/u/.claude/plugins/cache/bare"}],
    "gone@market": [{"scope": "user", "installPath": "/u/.claude/plugins/cache/gone"}]}}"#;

#[test]
fn claude_is_found_with_its_plugins() {
    let found = find(&world(
        &[
            ("/u/.claude/plugins/installed_plugins.json", PLUGINS),
            (
                "/u/.claude/settings.json",
                r#"{"enabledPlugins": {"off@market": false, "pdf@market": true}}"#,
            ),
            (
                "/u/.claude/plugins/cache/pdf/1.0/.claude-plugin/plugin.json",
                r#"{"name": "pdf", "skills": ["./extra", "../../out"]}"#,
            ),
        ],
        &[
            "/u/.claude/skills",
            "/u/.claude/plugins/cache/pdf/1.0/skills",
            "/u/.claude/plugins/cache/pdf/1.0/extra",
            "/u/.claude/plugins/cache/off/skills",
            "/u/.claude/plugins/cache/here/skills",
            "/u/.claude/plugins/cache/there/skills",
            "/u/.claude/plugins/cache/bare/commands",
        ],
    ));
    assert_eq!(
        roots(&found),
        [
            ("/u/.claude/skills", "claude"),
            ("/u/.claude/plugins/cache/here/skills", "claude plugin here"),
            ("/u/.claude/plugins/cache/pdf/1.0/skills", "claude plugin pdf"),
            ("/u/.claude/plugins/cache/pdf/1.0/extra", "claude plugin pdf"),
        ]
    );
    let categories: Vec<Option<&str>> =
        found.roots.iter().map(|root| root.category.as_ref().map(OneLine::as_str)).collect();
    assert_eq!(categories, [None, Some("here"), Some("pdf"), Some("pdf")]);
    let plugins: Vec<(&Path, bool)> = found
        .looked
        .iter()
        .filter(|(_, what, there)| *what == "claude plugin" && !there)
        .map(|(path, _, there)| (path.as_path(), *there))
        .collect();
    assert_eq!(plugins, [(Path::new("/u/.claude/plugins/cache/gone/skills"), false)]);
    assert_eq!(found.notes, ["claude plugin `off@market` is turned off"]);
}

#[test]
fn claude_hides_what_its_settings_override_and_the_project_has_the_last_word() {
    let found = find(&world(
        &[
            (
                "/u/.claude/settings.json",
                r#"{"skillOverrides": {"a": "off", "b": "off", "c": "name-only", "d": "on"}}"#,
            ),
            ("/u/work/.claude/settings.json", r#"{"skillOverrides": {"b": "on", "d": "off"}}"#),
            (
                "/u/work/.claude/settings.local.json",
                r#"{"skillOverrides": {"e": "user-invocable-only"}}"#,
            ),
        ],
        &[],
    ));
    assert_eq!(found.disabled, ["a".to_owned(), "d".to_owned(), "e".to_owned()].into());
    assert_eq!(
        found.notes,
        ["claude shows 1 of its skills by name only; a form for one skill can't be set here yet"]
    );
}

#[test]
fn broken_settings_of_another_agent_are_a_note() {
    let found = find(&world(
        &[
            ("/u/.hermes/config.yaml", "- a list\n"),
            ("/u/.claude/settings.json", "{\"skillOverrides\""),
            ("/u/.claude/plugins/installed_plugins.json", "[]"),
            ("/u/.codex/skills", "a file"),
        ],
        &["/u/.hermes/skills", "/u/.claude/skills"],
    ));
    assert_eq!(roots(&found), [("/u/.hermes/skills", "hermes"), ("/u/.claude/skills", "claude")]);
    let starts: Vec<&str> =
        found.notes.iter().map(|note| note.split_once(": ").unwrap().0).collect();
    assert_eq!(
        starts,
        [
            "`/u/.hermes/config.yaml` is left aside",
            "`/u/.claude/settings.json` is left aside",
            "`/u/.claude/plugins/installed_plugins.json` is left aside",
        ]
    );
}

#[test]
fn a_folder_that_links_lead_to_twice_is_listed_once() {
    let system = world(&[], &["/srv/hub/skills", "/u/.claude"]);
    system.link("/u/.claude/skills", "/srv/hub/skills");
    system.link("/u/.agents", "/srv/hub");
    let found = find(&system);
    assert_eq!(roots(&found), [("/u/.claude/skills", "claude")]);
    assert!(found.looked.contains(&("/u/.agents/skills".into(), "agents", true)));
}

#[test]
fn other_agents_folders_are_where_their_variables_say() {
    let system = world(&[], &["/x/claude/skills", "/u/y/codex/skills", "/u/.claude/skills"]);
    system.set_variable("CLAUDE_CONFIG_DIR", "/x/claude");
    system.set_variable("CODEX_HOME", "~/y/codex");
    assert_eq!(
        roots(&find(&system)),
        [("/x/claude/skills", "claude"), ("/u/y/codex/skills", "codex")]
    );
}

#[test]
fn named_roots_are_the_only_ones_and_other_agents_hide_nothing_there() {
    let system = hermes();
    let explicit: Vec<PathBuf> = vec!["../.hermes/skills".into(), "/u/.hermes/skills".into()];
    let index = IndexConfig {
        disabled: vec!["mine".to_owned()],
        compact: [("media".to_owned(), Detail::Names)].into(),
        ..IndexConfig::default()
    };
    let found = find_roots(&system, &Config { index, ..config() }, &explicit).unwrap();
    assert_eq!(roots(&found), [("/u/work/../.hermes/skills", "../.hermes/skills")]);
    assert_eq!(found.looked.len(), 2);
    assert_eq!(found.disabled_by, [("mine".to_owned(), vec!["skillkeep.toml"])].into());
    assert_eq!(found.compact, [("media".to_owned(), Detail::Names)].into());
}

#[test]
fn roots_of_the_file_are_the_only_ones_and_a_missing_one_is_said() {
    let root = |path: &str| NamedRoot { path: path.into(), label: "team".into() };
    let named = Config { roots: Some(vec![root("/srv/shared"), root("/srv/none")]), ..config() };
    let found = find_roots(&hermes(), &named, &[]).unwrap();
    assert_eq!(roots(&found), [("/srv/shared", "team")]);
    assert_eq!(found.notes, ["the root `/srv/none` of `skillkeep.toml` is not there"]);

    let none = Config { roots: Some(Vec::new()), ..config() };
    let found = find_roots(&hermes(), &none, &[]).unwrap();
    assert_eq!((roots(&found), found.looked.len()), (Vec::new(), 0));
}

#[test]
fn a_named_root_that_is_no_folder_is_an_error_with_a_hint() {
    let system = world(&[("/u/work/a/SKILL.md", "---\nname: a\n---\n")], &[]);
    let refused = |path: &str| {
        let error: RootError = find_roots(&system, &config(), &[path.into()]).unwrap_err();
        (error.to_string(), error.hint())
    };
    assert_eq!(
        refused("b"),
        (
            "the root `/u/work/b` can't be found".to_owned(),
            "name a folder that holds skills, or leave `--root` out to see what is found"
                .to_owned()
        )
    );
    assert_eq!(
        refused("a/SKILL.md"),
        (
            "the root `/u/work/a/SKILL.md` is a file, and a folder of skills was expected"
                .to_owned(),
            "skillkeep index --root /u/work/a".to_owned()
        )
    );
}

#[test]
fn without_a_users_folder_variables_still_name_places() {
    let system = MemorySystem::new();
    system.folder("/opt/data/skills");
    system.set_variable("HERMES_HOME", "/opt/data");
    let found = find(&system);
    assert_eq!(roots(&found), [("/opt/data/skills", "hermes")]);
    assert_eq!(
        found.notes,
        ["neither `HOME` nor `USERPROFILE` is set: only places named by variables are looked at"]
    );
}
