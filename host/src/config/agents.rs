//! Where each agent keeps its skills, and which of its files say what it hides.
//!
//! *Invariant*: a place is only offered here; `roots` decides whether it counts. Nothing another agent's file says can
//! stop the search.

use std::path::{Path, PathBuf};

use super::{
    expand::{expand, tilde, user_home},
    roots::{PROJECT, Search},
};
use crate::{
    adapters::{
        ClaudeSettings, ForeignError, InstalledPlugin, Visibility, read_claude_plugins,
        read_claude_settings, read_hermes_settings, read_plugin_manifest,
    },
    skill::OneLine,
    system::{Kind, System},
};

/// Folders of a project that hold skills, by the agents that read them.
const PROJECT_PLACES: [&str; 3] = [".agents/skills", ".claude/skills", ".codex/skills"];
/// Levels of folders above the working folder that are looked at, at most.
const MOST_LEVELS: usize = 64;

/// Offers every known place, in order of precedence.
pub(super) fn search_all(search: &mut Search<'_>, own_home: &Path) {
    let levels = project_levels(search);
    project(search, &levels);
    if !own_home.as_os_str().is_empty() {
        search.offer(&own_home.join("skills"), "skillkeep", "skillkeep".into(), None);
    }
    if user_home(search.system).is_none() {
        search.note(
            "neither `HOME` nor `USERPROFILE` is set: only places named by variables are looked at",
        );
    }
    hermes(search);
    claude(search, &levels);
    if let Some(home) = user_home(search.system) {
        search.offer(&home.join(".agents/skills"), "agents", "agents".into(), None);
    }
    if let Some(codex) = place(search.system, "CODEX_HOME", ".codex") {
        // Its embedded skills are below, in `.system`, and are found with the others.
        search.offer(&codex.join("skills"), "codex", "codex".into(), None);
    }
}

/// An agent's folder: where its variable says, or else in the user's.
pub(super) fn place(system: &dyn System, variable: &str, below_home: &str) -> Option<PathBuf> {
    let home = user_home(system);
    match system.variable(variable) {
        Some(path) => Some(tilde(&path, home.as_deref())),
        None => Some(home?.join(below_home)),
    }
}

/// The working folder and those above it that belong to its project, nearest first: up to the top of its repository, or
/// up to the user's folder (without it: what is there is the user's own). Elsewhere only the working folder, since in a
/// shared folder such as `/tmp` anybody could leave skills for everybody.
fn project_levels(search: &mut Search<'_>) -> Vec<PathBuf> {
    let system = search.system;
    let working = match system.working_folder() {
        Ok(folder) => folder,
        Err(error) => {
            search.note(format!(
                "the working folder can't be told, so no project is looked for: {error}"
            ));
            return Vec::new();
        }
    };
    let home = user_home(system).map(|home| system.resolve(&home).unwrap_or(home));
    let mut levels = Vec::new();
    for folder in working.ancestors().take(MOST_LEVELS) {
        if home.as_deref() == Some(folder) {
            return levels;
        }
        levels.push(folder.to_path_buf());
        // A file in worktrees and submodules, a folder elsewhere.
        if system.stat(&folder.join(".git")).is_ok() {
            return levels;
        }
    }
    levels.truncate(1);
    levels
}

fn project(search: &mut Search<'_>, levels: &[PathBuf]) {
    let top = levels.last();
    for level in levels {
        let below = top.and_then(|top| level.strip_prefix(top).ok()).unwrap_or(Path::new(""));
        for place in PROJECT_PLACES {
            let label = OneLine::new(&format!("project {}", below.join(place).display()));
            search.offer(&level.join(place), PROJECT, label, None);
        }
    }
}

/// Hermes's homes: the one in use first, with its external folders and what it turns off; then the default home and the
/// other profiles. What these turn off is theirs alone.
fn hermes(search: &mut Search<'_>) {
    let Some(named) = place(search.system, "HERMES_HOME", ".hermes") else { return };
    // `HERMES_HOME` may name a profile, `<home>/profiles/NAME`.
    let top = hermes_top(&named);
    let mut profiles = hermes_profiles(search.system, &top);
    let in_use = if named != top {
        Some(named)
    } else if search.system.variable("HERMES_HOME").is_none() {
        // `hermes profile use NAME` is remembered here, and holds where no variable says otherwise.
        search
            .foreign(&top.join("active_profile"), |bytes| {
                Ok::<_, ForeignError>(String::from_utf8_lossy(bytes).trim().to_lowercase())
            })
            .map(|name| top.join("profiles").join(name))
            .filter(|profile| profiles.contains(profile))
    } else {
        None
    };
    profiles.retain(|profile| Some(profile) != in_use.as_ref());
    let homes = in_use.into_iter().chain([top.clone()]).chain(profiles);
    for (at, home) in homes.enumerate() {
        let label = match home.file_name() {
            Some(name) if home != top => format!("hermes profile {}", name.to_string_lossy()),
            _ => "hermes".to_owned(),
        };
        hermes_home(search, &home, &label, at == 0);
    }
}

fn hermes_home(search: &mut Search<'_>, home: &Path, label: &str, in_use: bool) {
    search.offer(&home.join("skills"), "hermes", label.into(), None);
    let file = home.join("config.yaml");
    let Some(settings) = search.foreign(&file, read_hermes_settings) else { return };
    for odd in &settings.odd {
        search.note(format!("`{}`: {odd}", file.display()));
    }
    for folder in &settings.external {
        let path = expand(search.system, folder, home);
        let label = OneLine::new(&format!("{label} external"));
        search.offer(&path, "hermes external", label, None);
    }
    let platform = ["HERMES_PLATFORM", "HERMES_SESSION_PLATFORM"]
        .into_iter()
        .find_map(|variable| search.system.variable(variable));
    let disabled = settings.disabled_in(platform.as_deref());
    if in_use {
        search.disable("hermes", disabled);
    } else if !disabled.is_empty() {
        search.note(format!(
            "{label} turns off {} of its skills; that holds in its own sessions only",
            disabled.len()
        ));
    }
}

/// The home that a home belongs to: its own, or for a profile the one that holds it.
pub(super) fn hermes_top(home: &Path) -> PathBuf {
    match home.parent() {
        Some(profiles) if profiles.ends_with("profiles") => {
            profiles.parent().unwrap_or(profiles).to_path_buf()
        }
        _ => home.to_path_buf(),
    }
}

/// Its profiles' homes, by name.
pub(super) fn hermes_profiles(system: &dyn System, top: &Path) -> Vec<PathBuf> {
    let folder = top.join("profiles");
    let mut names: Vec<String> = system
        .list(&folder)
        .unwrap_or_default()
        .into_iter()
        .filter(|entry| matches!(entry.kind, Kind::Folder | Kind::Link) && !entry.odd_name)
        .map(|entry| entry.name)
        .filter(|name| is_profile_name(name))
        .collect();
    names.sort();
    names.into_iter().map(|name| folder.join(name)).collect()
}

/// Hermes's rule for the name of a profile: other folders there are not profiles.
fn is_profile_name(name: &str) -> bool {
    let word = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    name != "default"
        && name.len() <= 64
        && name.bytes().next().is_some_and(word)
        && name.bytes().all(|b| word(b) || matches!(b, b'_' | b'-'))
}

fn claude(search: &mut Search<'_>, levels: &[PathBuf]) {
    let Some(claude) = place(search.system, "CLAUDE_CONFIG_DIR", ".claude") else { return };
    search.offer(&claude.join("skills"), "claude", "claude".into(), None);

    let mut files = vec![claude.join("settings.json")];
    for level in levels.iter().rev() {
        files.push(level.join(".claude/settings.json"));
        files.push(level.join(".claude/settings.local.json"));
    }
    let mut settings = ClaudeSettings::default();
    for file in files {
        if let Some(nearer) = search.foreign(&file, read_claude_settings) {
            settings.overlay(nearer);
        }
    }
    let skills_with = |wanted: Visibility| {
        settings.skills.iter().filter(move |(_, is)| **is == wanted).map(|(name, _)| name.clone())
    };
    search.disable("claude", skills_with(Visibility::Hidden));
    let name_only = skills_with(Visibility::NameOnly).count();
    if name_only > 0 {
        search.note(format!(
            "claude shows {name_only} of its skills by name only; a form for one skill can't be set here yet"
        ));
    }

    let file = claude.join("plugins/installed_plugins.json");
    for plugin in search.foreign(&file, read_claude_plugins).unwrap_or_default() {
        if settings.plugins.get(&plugin.id) == Some(&false) {
            search.note(format!("claude plugin `{}` is turned off", plugin.id));
        } else if belongs(search.system, &plugin, levels) {
            claude_plugin(search, &plugin, &claude);
        }
    }
}

/// Whether a plugin is installed for everywhere, or for the project at hand.
fn belongs(system: &dyn System, plugin: &InstalledPlugin, levels: &[PathBuf]) -> bool {
    plugin.project.as_deref().is_none_or(|project| {
        let project = PathBuf::from(project);
        levels.contains(&system.resolve(&project).unwrap_or(project))
    })
}

fn claude_plugin(search: &mut Search<'_>, plugin: &InstalledPlugin, claude: &Path) {
    let name = plugin.name();
    let label = OneLine::new(&format!("claude plugin {name}"));
    let category = OneLine::some(name);
    let path = claude.join(&plugin.path);
    let manifest = path.join(".claude-plugin/plugin.json");
    let more = search.foreign(&manifest, read_plugin_manifest).unwrap_or_default();
    // Most plugins bring commands and no skills: that is nothing to report, unless the plugin itself is gone.
    if search.system.stat(&path).is_err() || search.system.stat(&path.join("skills")).is_ok() {
        search.offer(&path.join("skills"), "claude plugin", label.clone(), category.clone());
    }
    for folder in more {
        search.offer(&path.join(folder), "claude plugin", label.clone(), category.clone());
    }
}
