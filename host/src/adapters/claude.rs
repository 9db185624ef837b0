//! Claude Code's files: installed plugins, a plugin's own skill folders, and what its settings hide.
//! Only these few fields are read; permissions, hooks and keys in the same files are not looked at.

use std::collections::BTreeMap;

use serde_json::Value;

use super::text::{ForeignError, json_of, kind_of};

/// One plugin that `plugins/installed_plugins.json` names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstalledPlugin {
    /// `NAME@MARKETPLACE`, as the settings name it.
    pub id: String,
    /// Where it is installed.
    pub path: String,
    /// The project that it is installed for; nothing means everywhere.
    pub project: Option<String>,
}

impl InstalledPlugin {
    /// The name without its marketplace.
    #[must_use]
    pub fn name(&self) -> &str {
        self.id.split('@').next().unwrap_or(&self.id)
    }
}

/// What the settings say of one skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visibility {
    /// Shown with its description.
    On,
    /// Shown by its name.
    NameOnly,
    /// Hidden from the model: `off`, or `user-invocable-only`.
    Hidden,
}

/// What a `settings.json` says about skills.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClaudeSettings {
    /// `enabledPlugins`, by id.
    pub plugins: BTreeMap<String, bool>,
    /// `skillOverrides`, by skill; words that aren't known are left out.
    pub skills: BTreeMap<String, Visibility>,
}

impl ClaudeSettings {
    /// Lets the settings of a nearer place win.
    pub fn overlay(&mut self, nearer: ClaudeSettings) {
        self.plugins.extend(nearer.plugins);
        self.skills.extend(nearer.skills);
    }
}

/// Reads `installed_plugins.json`: version 2, with a list of installations a plugin, or version 1, with one.
///
/// # Errors
/// Where it is no JSON mapping. Entries without a path are left out.
pub fn read_claude_plugins(bytes: &[u8]) -> Result<Vec<InstalledPlugin>, ForeignError> {
    let file = mapping(bytes)?;
    let mut plugins = Vec::new();
    for (id, installed) in file.get("plugins").and_then(Value::as_object).into_iter().flatten() {
        let installations = match installed {
            Value::Array(list) => list.as_slice(),
            one => std::slice::from_ref(one),
        };
        for installation in installations {
            let text = |field| installation.get(field).and_then(Value::as_str).map(str::to_owned);
            if let Some(path) = text("installPath") {
                plugins.push(InstalledPlugin {
                    id: id.clone(),
                    path,
                    project: text("projectPath"),
                });
            }
        }
    }
    plugins.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(plugins)
}

/// Reads a `settings.json`.
///
/// # Errors
/// Where it is no JSON mapping.
pub fn read_claude_settings(bytes: &[u8]) -> Result<ClaudeSettings, ForeignError> {
    let file = mapping(bytes)?;
    let part = |key| file.get(key).and_then(Value::as_object).into_iter().flatten();
    let plugins =
        part("enabledPlugins").filter_map(|(id, on)| Some((id.clone(), on.as_bool()?))).collect();
    let skills = part("skillOverrides")
        .filter_map(|(name, word)| {
            let visibility = match word.as_str()? {
                "on" => Visibility::On,
                "name-only" => Visibility::NameOnly,
                "off" | "user-invocable-only" => Visibility::Hidden,
                _ => return None,
            };
            Some((name.clone(), visibility))
        })
        .collect();
    Ok(ClaudeSettings { plugins, skills })
}

/// Reads which folders a plugin's `.claude-plugin/plugin.json` adds to its `skills/`: relative ones that stay inside it.
///
/// # Errors
/// Where it is no JSON mapping.
pub fn read_plugin_manifest(bytes: &[u8]) -> Result<Vec<String>, ForeignError> {
    let file = mapping(bytes)?;
    let folders = match file.get("skills") {
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(one)) => vec![one.as_str()],
        _ => Vec::new(),
    };
    Ok(folders.into_iter().filter_map(inside).collect())
}

/// A relative path without `.` parts; nothing if it leads out, or nowhere.
fn inside(path: &str) -> Option<String> {
    let mut parts = Vec::new();
    for part in path.split(['/', '\\']) {
        match part {
            "." => {}
            ".." => return None,
            // An empty first part is an absolute path; a later one is a doubled or closing slash.
            "" if parts.is_empty() => return None,
            "" => {}
            other if other.contains(':') => return None,
            other => parts.push(other),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

fn mapping(bytes: &[u8]) -> Result<serde_json::Map<String, Value>, ForeignError> {
    match json_of(bytes)? {
        Value::Object(fields) => Ok(fields),
        other => Err(ForeignError::NotMapping { place: "the whole", found: kind_of(&other) }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::{
        ClaudeSettings, InstalledPlugin, Visibility, read_claude_plugins, read_claude_settings,
        read_plugin_manifest,
    };

    fn plugin(id: &str, path: &str, project: Option<&str>) -> InstalledPlugin {
        InstalledPlugin { id: id.into(), path: path.into(), project: project.map(str::to_owned) }
    }

    #[test]
    fn installed_plugins_are_read_in_both_versions() {
        let two = br#"{"version": 2, "plugins": {
            "pdf@market": [
                {"scope": "user", "installPath": "/p/pdf/1.0", "version": "1.0"},
                {"scope": "project", "projectPath": "/work", "installPath": "/p/pdf/0.9"},
                {"scope": "user"}],
            "a@market": []}}"#;
        let expected = [
            plugin("pdf@market", "/p/pdf/1.0", None),
            plugin("pdf@market", "/p/pdf/0.9", Some("/work")),
        ];
        assert_eq!(read_claude_plugins(two).unwrap(), expected);

        let one = br#"{"version": 1, "plugins": {"z@m": {"installPath": "/z"}, "b@m": {"installPath": "/b"}}}"#;
        let expected = [plugin("b@m", "/b", None), plugin("z@m", "/z", None)];
        assert_eq!(read_claude_plugins(one).unwrap(), expected);
        assert_eq!(expected[0].name(), "b");
        assert_eq!(read_claude_plugins(b"{}").unwrap(), []);
        let error = read_claude_plugins(b"[]").unwrap_err();
        assert_eq!(error.to_string(), "the whole is a list, and a mapping was expected");
    }

    #[test]
    fn the_nearer_settings_win() {
        let mut settings = read_claude_settings(
            br#"{"enabledPlugins": {"a@m": true, "b@m": false, "c@m": "odd"}, "permissions": {},
                 "skillOverrides": {"x": "off", "y": "name-only", "z": "user-invocable-only", "w": "later"}}"#,
        )
        .unwrap();
        let nearer = read_claude_settings(
            br#"{"enabledPlugins": {"a@m": false}, "skillOverrides": {"x": "on"}}"#,
        );
        settings.overlay(nearer.unwrap());
        let skills =
            [("x", Visibility::On), ("y", Visibility::NameOnly), ("z", Visibility::Hidden)];
        assert_eq!(
            settings,
            ClaudeSettings {
                plugins: [("a@m".to_owned(), false), ("b@m".to_owned(), false)].into(),
                skills: skills.map(|(name, visibility)| (name.to_owned(), visibility)).into(),
            }
        );
    }

    #[test]
    fn a_manifest_adds_only_folders_inside_its_plugin() {
        for (skills, folders) in [
            (r#""./extra/""#, &["extra"][..]),
            (r#"["./a/b", "c//d", 3]"#, &["a/b", "c/d"]),
            (r#"["../out", "/abs", "a/../../b", "C:\\x", "", "."]"#, &[]),
            ("{}", &[]),
        ] {
            let manifest = format!(r#"{{"name": "p", "skills": {skills}}}"#);
            assert_eq!(read_plugin_manifest(manifest.as_bytes()).unwrap(), folders, "{skills}");
        }
    }
}
