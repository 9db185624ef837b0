//! `skillkeep.toml`: which keys it has and what they mean.
//!
//! ```toml
//! roots = ["~/skills", { path = "/srv/skills", label = "team" }]   # instead of what is found
//! more-roots = ["/srv/more"]     # beside these or what is found, after them
//! untrusted = "hide"             # or "show": skills of a project that nobody trusts yet
//!
//! [index]
//! limit = 2000
//! unit = "tokens"                # or "chars"
//! short = 120                    # characters of a short line
//! compact = { media = "names", gifs = "count" }   # or a list, for `names`
//! disabled = ["old-deploy"]
//!
//! [store]
//! keep-days = 180                # former bytes of a file, after the change that replaced them
//!
//! [writes]
//! approval = "on"                # agents' writes wait for a person
//! outside = "hold"               # or "show": what others changed meanwhile, until a person accepts it
//!
//! [curator]
//! enabled = true
//! automatic = true               # passes begin by themselves, once a person said yes to one
//! interval-hours = 168
//! min-idle-hours = 2
//! retire-bundled = false         # whether skills may be retired that came with an agent
//! protected = ["plan"]           # never retired
//! jobs = ["nightly-report"]      # skills that jobs of other programs load: never retired
//! blast-radius = 50              # skills that one automatic pass retires at most
//! stale = "lower"                # or "name" or "count": what a stale skill has in the index
//! snapshots = 5                  # that are kept, and as many reports
//! reports = 52
//!
//! [policies]
//! keys = ["RW…"]                 # whose signatures count
//! require-signature = true       # a component without one is not loaded
//! dev = true                     # components are loaded that nobody said yes to
//!
//! [slots.budget]
//! use = ["budget-ladder"]        # a budget takes one; `curator` and `provenance` may have several
//! settings.exploration = 0.1
//! limits.fuel = 4                # what a policy of the slot may use, as a factor of the usual: see below
//!
//! [slots.curator]
//! use = ["policies/mine.wasm", "policies/other.wasm"]
//! combine = "all"                # or "any": how many of them must propose it
//! ```
//!
//! A policy may use so much and no more, and its limits grow with the rows that it is asked about. `limits` of a slot makes them
//! wider or narrower, each by a factor from 0.1; what is not named is as usual, and there is no word for none.
//!
//! | key | what | usual base, and a row | up to |
//! | --- | --- | --- | --- |
//! | `fuel` | work, counted the same on every machine | 20,000,000, and 15,000 (`budget` 30,000) | 100 |
//! | `time` | time by the clock | 2 s, and 0.1 ms | 30 |
//! | `memory` | memory | 16 MiB, and 8 KiB | 64 |
//! | `table` | elements of a table | 10,000 | 100 |
//! | `copied` | bytes of an answer | 1 MiB, and 512 bytes | 16 |

use std::{
    collections::BTreeMap,
    io::{self, ErrorKind},
    path::{Path, PathBuf},
};

use toml::de::{DeTable, DeValue};

use super::{
    ConfigError, ConfigWarning, Home,
    curator::{CuratorConfig, curator},
    expand::expand,
    slots::{PoliciesConfig, SlotConfig, policies, slots},
    table::{Placed, Reader, dotted},
};
use crate::{
    decision::{Detail, Unit},
    skill::OneLine,
    system::System,
};

/// Its name in the home.
pub const FILE: &str = "skillkeep.toml";
/// Nobody writes a megabyte of settings by hand: a larger file is another one.
const MOST_BYTES: u64 = 1 << 20;

const TOP: [&str; 9] = [
    "roots",
    "more-roots",
    "untrusted",
    "index",
    "store",
    "writes",
    "curator",
    "policies",
    "slots",
];
const ROOT: [&str; 2] = ["path", "label"];
const INDEX: [&str; 5] = ["limit", "unit", "short", "compact", "disabled"];
const STORE: [&str; 1] = ["keep-days"];
const WRITES: [&str; 2] = ["approval", "outside"];

/// What the user set up. Without a file, everything is as by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// The home that it belongs to; its `skills` folder is a root where none are named.
    pub home: PathBuf,
    /// Roots that are read instead of those that would be found.
    pub roots: Option<Vec<NamedRoot>>,
    /// Roots that are read beside these, or beside those that are found, after them.
    pub more_roots: Vec<NamedRoot>,
    /// What becomes of a project's skills that nobody trusts yet.
    pub untrusted: Untrusted,
    /// What holds for all policies.
    pub policies: PoliciesConfig,
    /// By slot.
    pub slots: BTreeMap<String, SlotConfig>,
    /// For the index.
    pub index: IndexConfig,
    /// Days for which former bytes are kept, from 1.
    pub keep_days: Option<u32>,
    /// For what is written.
    pub writes: WritesConfig,
    /// For the curator's passes.
    pub curator: CuratorConfig,
    /// Keys that mean nothing.
    pub warnings: Vec<ConfigWarning>,
}

/// What becomes of the skills in a project's root that nobody trusts yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Untrusted {
    /// They are shown as all others, and the root is marked.
    #[default]
    Show,
    /// The root is not read.
    Hide,
}

/// A root that the file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRoot {
    /// Absolute: `~` and variables are replaced, a relative path is below the home.
    pub path: PathBuf,
    /// What it is called; the path as written where the file gives no label.
    pub label: OneLine,
}

/// What the file says of the index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexConfig {
    /// What the whole block may cost, from 1.
    pub limit: Option<u32>,
    /// In what the limit is counted.
    pub unit: Option<Unit>,
    /// Unicode scalars of a short line's text, from 1.
    pub short: Option<u32>,
    /// By category.
    pub compact: BTreeMap<String, Detail>,
    /// Skills that are turned off: by name, folder, or `category/name`.
    pub disabled: Vec<String>,
}

/// What the file says of writing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WritesConfig {
    /// Whether agents' writes wait for a person.
    pub approval: bool,
    /// Whether what others change while that is so stays in the index before a person accepted it.
    pub show_outside: bool,
}

impl WritesConfig {
    /// Whether a skill that others changed is kept out of the index until a person accepts that.
    #[must_use]
    pub fn holds(self) -> bool {
        self.approval && !self.show_outside
    }
}

/// Reads `skillkeep.toml`, if it is there.
///
/// # Errors
/// Where it can't be read, is no TOML, or a value is of another kind; keys that aren't known are only warned of.
pub fn load(system: &dyn System, home: &Home) -> Result<Config, ConfigError> {
    let Some(path) = &home.path else { return Ok(Config::default()) };
    let file = path.join(FILE);
    let bytes = match system.read(&file, MOST_BYTES + 1) {
        Ok(bytes) if bytes.len() as u64 > MOST_BYTES => {
            let source = io::Error::new(ErrorKind::FileTooLarge, "it is larger than 1 MiB");
            return Err(ConfigError::Unreadable { file, source });
        }
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok(Config { home: path.clone(), ..Config::default() });
        }
        Err(source) => return Err(ConfigError::Unreadable { file, source }),
    };
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(ConfigError::NotText { file });
    };
    let mut config = read(&file, text, |text| expand(system, text, path))?;
    config.home.clone_from(path);
    Ok(config)
}

/// The settings that a text holds. `file` is named in errors; `expand` makes paths of what stands for roots.
///
/// # Errors
/// As [`load`].
pub fn read(
    file: &Path,
    text: &str,
    expand: impl Fn(&str) -> PathBuf,
) -> Result<Config, ConfigError> {
    let mut reader = Reader::new(file, text);
    let mut config = Config::default();
    for (key, value) in &reader.parse()? {
        match key.get_ref().as_ref() {
            "roots" => config.roots = Some(roots(&mut reader, "roots", value, &expand)?),
            "more-roots" => config.more_roots = roots(&mut reader, "more-roots", value, &expand)?,
            "untrusted" => {
                config.untrusted = match value.get_ref().as_str() {
                    Some("show") => Untrusted::Show,
                    Some("hide") => Untrusted::Hide,
                    _ => return Err(reader.wrong("untrusted", value, "`show` or `hide`")),
                };
            }
            "index" => config.index = index(&mut reader, value)?,
            "store" => {
                for (key, value) in reader.table("store", value, "a table")? {
                    match key.get_ref().as_ref() {
                        "keep-days" => {
                            config.keep_days = Some(reader.count("store.keep-days", value)?);
                        }
                        _ => reader.unknown("store", key, &STORE),
                    }
                }
            }
            "writes" => config.writes = writes(&mut reader, value)?,
            "curator" => config.curator = curator(&mut reader, value)?,
            "policies" => config.policies = policies(&mut reader, value)?,
            "slots" => config.slots = slots(&mut reader, value)?,
            _ => reader.unknown("", key, &TOP),
        }
    }
    config.warnings = reader.warnings;
    config.warnings.sort_by_key(|warning| warning.line);
    Ok(config)
}

fn roots(
    reader: &mut Reader<'_>,
    key: &str,
    value: &Placed<'_>,
    expand: &impl Fn(&str) -> PathBuf,
) -> Result<Vec<NamedRoot>, ConfigError> {
    let expected = "a list of paths, or of tables with `path` and `label`";
    let list = value.get_ref().as_array().ok_or_else(|| reader.wrong(key, value, expected))?;
    let mut roots = Vec::with_capacity(list.len());
    for item in list {
        let (path, label) = match item.get_ref() {
            DeValue::Table(table) => root(reader, key, item, table)?,
            _ => (reader.text(key, item).map_err(|_| reader.wrong(key, item, expected))?, None),
        };
        let label = label.as_deref().and_then(OneLine::some).unwrap_or_else(|| OneLine::new(&path));
        roots.push(NamedRoot { path: expand(&path), label });
    }
    Ok(roots)
}

fn root(
    reader: &mut Reader<'_>,
    of: &str,
    item: &Placed<'_>,
    table: &DeTable<'_>,
) -> Result<(String, Option<String>), ConfigError> {
    let (mut path, mut label) = (None, None);
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "path" => path = Some(reader.text(&dotted(of, "path"), value)?),
            "label" => label = Some(reader.text(&dotted(of, "label"), value)?),
            _ => reader.unknown(of, key, &ROOT),
        }
    }
    let path = path.ok_or_else(|| reader.wrong(of, item, "a `path` in it"))?;
    Ok((path, label))
}

fn index(reader: &mut Reader<'_>, value: &Placed<'_>) -> Result<IndexConfig, ConfigError> {
    let mut index = IndexConfig::default();
    for (key, value) in reader.table("index", value, "a table")? {
        match key.get_ref().as_ref() {
            "limit" => index.limit = Some(reader.count("index.limit", value)?),
            "short" => index.short = Some(reader.count("index.short", value)?),
            "unit" => {
                let unit = value.get_ref().as_str().and_then(Unit::from_word);
                let wrong = || reader.wrong("index.unit", value, "`tokens`, `chars` or `bytes`");
                index.unit = Some(unit.ok_or_else(wrong)?);
            }
            "compact" => index.compact = compact(reader, value)?,
            "disabled" => index.disabled = reader.texts("index.disabled", value)?,
            _ => reader.unknown("index", key, &INDEX),
        }
    }
    Ok(index)
}

fn compact(
    reader: &Reader<'_>,
    value: &Placed<'_>,
) -> Result<BTreeMap<String, Detail>, ConfigError> {
    let key = "index.compact";
    let Some(table) = value.get_ref().as_table() else {
        let names = reader.texts(key, value).map_err(|_| {
            reader.wrong(key, value, "a list of categories, or a table of `names` and `count`")
        })?;
        return Ok(names.into_iter().map(|category| (category, Detail::Names)).collect());
    };
    let mut details = BTreeMap::new();
    for (category, value) in table {
        let detail = value.get_ref().as_str().and_then(Detail::from_word).ok_or_else(|| {
            reader.wrong(&dotted(key, category.get_ref()), value, "`full`, `names` or `count`")
        })?;
        details.insert(category.get_ref().to_string(), detail);
    }
    Ok(details)
}

fn writes(reader: &mut Reader<'_>, value: &Placed<'_>) -> Result<WritesConfig, ConfigError> {
    let mut writes = WritesConfig::default();
    for (key, value) in reader.table("writes", value, "a table")? {
        match key.get_ref().as_ref() {
            "approval" => {
                writes.approval = match value.get_ref() {
                    DeValue::Boolean(on) => *on,
                    DeValue::String(word) if word == "on" => true,
                    DeValue::String(word) if word == "off" => false,
                    _ => return Err(reader.wrong("writes.approval", value, "`on` or `off`")),
                }
            }
            "outside" => {
                writes.show_outside = match value.get_ref().as_str() {
                    Some("hold") => false,
                    Some("show") => true,
                    _ => return Err(reader.wrong("writes.outside", value, "`hold` or `show`")),
                }
            }
            _ => reader.unknown("writes", key, &WRITES),
        }
    }
    Ok(writes)
}

#[cfg(test)]
mod tests;
