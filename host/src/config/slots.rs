//! What the file says of policies: which of them decide, how several become one, with what settings, and whose signatures
//! count.

use std::collections::BTreeMap;

use minisign_verify::PublicKey;
use serde::{Deserialize, Serialize};

use super::{
    ConfigError,
    table::{Placed, Reader, dotted, number},
};
use crate::decision::{Allowance, Factor, Resource, Slot};

const SLOTS: [&str; 4] = ["demotion", "budget", "curator", "provenance"];
const SLOT: [&str; 4] = ["use", "combine", "settings", "limits"];
const LIMITS: [&str; 5] = ["fuel", "time", "memory", "table", "copied"];
const POLICIES: [&str; 3] = ["keys", "require-signature", "dev"];

/// What the file says of a slot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SlotConfig {
    /// The policies to use, by name or file; nothing where the defaults hold.
    pub use_: Option<Vec<String>>,
    /// How several become one, where the slot lets the user say so.
    pub combine: Option<Combine>,
    /// Settings, flat, as the policy declares them: truth values, numbers, texts, lists of texts.
    pub settings: BTreeMap<String, toml::Value>,
    /// How much of the usual limits its policies may use. They are the slot's, whoever decides in it.
    pub limits: Allowance,
}

/// How many of several policies must propose something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Combine {
    /// One is enough.
    Any,
    /// Each of them.
    All,
}

impl Combine {
    /// The word in the file.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Combine::Any => "any",
            Combine::All => "all",
        }
    }
}

/// What the file says of policies of all slots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PoliciesConfig {
    /// Public keys of minisign, in base64: whose signatures count.
    pub keys: Vec<String>,
    /// Whether a component without a signature by one of them is not loaded.
    pub require_signature: bool,
    /// Whether a component is loaded that nobody said yes to, or that is another one by now.
    pub dev: bool,
}

/// Whether a slot's answers can be made one of several policies.
#[must_use]
pub fn takes_several(slot: Slot) -> bool {
    matches!(slot, Slot::Demotion | Slot::Curator | Slot::Provenance)
}

pub(super) fn slots(
    reader: &mut Reader<'_>,
    value: &Placed<'_>,
) -> Result<BTreeMap<String, SlotConfig>, ConfigError> {
    let mut slots = BTreeMap::new();
    for (word, value) in reader.table("slots", value, "a table of slots")? {
        let (Some(slot), true) =
            (Slot::from_word(word.get_ref()), SLOTS.contains(&word.get_ref().as_ref()))
        else {
            reader.unknown("slots", word, &SLOTS);
            continue;
        };
        let at = dotted("slots", word.get_ref());
        let mut config = SlotConfig::default();
        for (key, value) in reader.table(&at, value, "a table with `use` and `settings`")? {
            let key_at = dotted(&at, key.get_ref());
            match key.get_ref().as_ref() {
                "use" => config.use_ = Some(used(reader, slot, &key_at, value)?),
                "combine" => config.combine = Some(combine(reader, slot, &key_at, value)?),
                "settings" => {
                    let table = reader.table(&key_at, value, "a table of settings")?;
                    reader.settings(&key_at, "", table, &mut config.settings)?;
                }
                "limits" => config.limits = limits(reader, &key_at, value)?,
                _ => reader.unknown(&at, key, &SLOT),
            }
        }
        slots.insert(word.get_ref().to_string(), config);
    }
    Ok(slots)
}

/// The policies of a slot: each once, and where their answers can't be made one, one of them.
fn used(
    reader: &Reader<'_>,
    slot: Slot,
    key: &str,
    value: &Placed<'_>,
) -> Result<Vec<String>, ConfigError> {
    let names = reader.texts(key, value)?;
    let items = value.get_ref().as_array();
    let item = |place: usize| items.and_then(|list| list.get(place)).unwrap_or(value);
    if names.len() > 1 && !takes_several(slot) {
        let expected = "only the first, since a budget takes exactly one,";
        return Err(reader.wrong(key, item(1), expected));
    }
    let plain = |name: &String| name.strip_prefix("builtin:").unwrap_or(name).to_owned();
    for (place, name) in names.iter().enumerate() {
        if names.iter().take(place).any(|other| plain(other) == plain(name)) {
            return Err(reader.wrong(key, item(place), "each policy once"));
        }
    }
    Ok(names)
}

fn combine(
    reader: &Reader<'_>,
    slot: Slot,
    key: &str,
    value: &Placed<'_>,
) -> Result<Combine, ConfigError> {
    if slot != Slot::Curator {
        let expected = match slot {
            Slot::Provenance => "no such key, since of several judges the strictest holds,",
            Slot::Demotion => "no such key, since of several the least demotion holds,",
            _ => "no such key, since this slot takes one policy,",
        };
        return Err(reader.wrong(key, value, expected));
    }
    match value.get_ref().as_str() {
        Some("any") => Ok(Combine::Any),
        Some("all") => Ok(Combine::All),
        _ => Err(reader.wrong(key, value, "`any` or `all`")),
    }
}

fn limits(reader: &mut Reader<'_>, at: &str, value: &Placed<'_>) -> Result<Allowance, ConfigError> {
    let mut limits = Allowance::default();
    for (key, value) in reader.table(at, value, "a table of limits, each a factor of the usual,")? {
        let Some(resource) = Resource::from_word(key.get_ref()) else {
            reader.unknown(at, key, &LIMITS);
            continue;
        };
        let key_at = dotted(at, key.get_ref());
        let factor = number(value.get_ref()).and_then(|it| Factor::new(resource, it));
        let wrong = || reader.wrong(&key_at, value, expected(resource));
        limits = limits.with(resource, factor.ok_or_else(wrong)?);
    }
    Ok(limits)
}

/// What a limit may be, for people. A test holds it to what is taken.
fn expected(resource: Resource) -> &'static str {
    match resource {
        Resource::Fuel | Resource::Table => "a factor of the usual limit, from 0.1 to 100,",
        Resource::Time => "a factor of the usual limit, from 0.1 to 30,",
        Resource::Memory => "a factor of the usual limit, from 0.1 to 64,",
        Resource::Copied => "a factor of the usual limit, from 0.1 to 16,",
    }
}

pub(super) fn policies(
    reader: &mut Reader<'_>,
    value: &Placed<'_>,
) -> Result<PoliciesConfig, ConfigError> {
    let mut config = PoliciesConfig::default();
    let mut required = None;
    for (key, value) in reader.table("policies", value, "a table")? {
        let at = dotted("policies", key.get_ref());
        match key.get_ref().as_ref() {
            "keys" => config.keys = keys(reader, &at, value)?,
            "require-signature" => {
                config.require_signature = truth(reader, &at, value)?;
                required = Some(value);
            }
            "dev" => config.dev = truth(reader, &at, value)?,
            _ => reader.unknown("policies", key, &POLICIES),
        }
    }
    if let (true, Some(value), true) = (config.require_signature, required, config.keys.is_empty())
    {
        let expected = "`policies.keys` beside it, without which nothing can be checked,";
        return Err(reader.wrong("policies.require-signature", value, expected));
    }
    Ok(config)
}

fn keys(reader: &Reader<'_>, at: &str, value: &Placed<'_>) -> Result<Vec<String>, ConfigError> {
    let keys = reader.texts(at, value)?;
    let items = value.get_ref().as_array();
    for (place, key) in keys.iter().enumerate() {
        if PublicKey::from_base64(key).is_err() {
            let item = items.and_then(|list| list.get(place)).unwrap_or(value);
            return Err(reader.wrong(at, item, "a public key of minisign, such as `RW…`"));
        }
    }
    Ok(keys)
}

fn truth(reader: &Reader<'_>, at: &str, value: &Placed<'_>) -> Result<bool, ConfigError> {
    value.get_ref().as_bool().ok_or_else(|| reader.wrong(at, value, "`true` or `false`"))
}

#[cfg(test)]
mod tests {
    use super::{LIMITS, expected};
    use crate::decision::{Factor, Resource};

    #[test]
    fn what_is_said_of_limits_is_what_is_taken() {
        assert_eq!(LIMITS, Resource::ALL.map(Resource::word));
        for resource in Resource::ALL {
            let most = resource.most();
            assert!(expected(resource).ends_with(&format!(" from 0.1 to {most},")), "{resource:?}");
            assert!(Factor::new(resource, 0.1).is_some());
            assert!(Factor::new(resource, f64::from(most)).is_some());
        }
    }
}
