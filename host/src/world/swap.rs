//! A change of the policies in use, as what the settings and the lock would be. Nothing is written here.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::{
    World,
    error::{CommandError, Kind},
    gate::{MAX_SIGNATURE, Signed, beside, read_lock},
};
use crate::{
    config::{self, Config, SlotConfig, from_home, with_slots},
    decision::Slot,
    lock::{KEPT, Lock, Made, Pin, SlotSet, Used},
    policy::{Builtin, Loaded, MAX_COMPONENT_BYTES, digest},
    skill::OneLine,
    system::System,
};

/// The largest settings that are changed, in bytes: those that are read.
pub(super) const MOST_BYTES: u64 = 1 << 20;

/// The settings and the lock of a home, as they are.
#[derive(Clone, Debug)]
pub struct Now {
    /// The home.
    pub home: PathBuf,
    /// The settings' file, links resolved: behind a link the file that it leads to is changed.
    pub file: PathBuf,
    /// Its text; empty where there is none.
    pub text: String,
    /// The settings.
    pub config: Config,
    /// The lock.
    pub lock: Lock,
}

/// Who changes the policies, when, and by what command.
#[derive(Clone, Debug)]
pub struct Order {
    /// The command, as it can be typed again.
    pub command: String,
    /// When, in RFC 3339.
    pub at: String,
    /// Who.
    pub by: String,
}

/// What the settings and the lock would be.
#[derive(Clone, Debug)]
pub struct Swap {
    /// As they are.
    pub now: Now,
    /// What was ordered.
    pub order: Order,
    /// The settings' new text.
    pub text: String,
    /// The settings that it holds.
    pub config: Config,
    /// The lock while the change is under way.
    pub begun: Lock,
    /// The lock when it is done.
    pub lock: Lock,
    /// Bytes to keep, by their hash: components and their signatures.
    pub fresh: BTreeMap<String, Kept>,
}

/// A component that is kept, so that it can come back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its signature, where it has one.
    pub signature: Option<Vec<u8>>,
}

impl Now {
    /// Reads both.
    ///
    /// # Errors
    /// Where one can't be read. A lock that is damaged is not written over: what it knew may be mended.
    pub fn read(world: &World<'_>) -> Result<Now, CommandError> {
        let home = world.config.home.clone();
        let file = home.join(config::FILE);
        let file = world.system.resolve(&file).unwrap_or(file);
        let lock = read_lock(world.system, &home)
            .map_err(|why| CommandError::new(Kind::Finding, why.to_string()).hint(why.hint()))?;
        let text = read_text(world.system, &file)?;
        Ok(Now { home, file, text, config: world.config.clone(), lock })
    }

    /// What the settings say of a slot.
    #[must_use]
    pub fn slot(&self, slot: Slot) -> SlotConfig {
        self.config.slots.get(slot.word()).cloned().unwrap_or_default()
    }

    /// What the settings say of all slots, with the hashes that were said yes to.
    #[must_use]
    pub fn sets(&self, system: &dyn System) -> Vec<SlotSet> {
        sets(system, &self.config, &self.lock)
    }
}

/// The settings' text; an empty one where there is no file.
pub(super) fn read_text(system: &dyn System, file: &Path) -> Result<String, CommandError> {
    let failed = |why: String| {
        CommandError::new(Kind::Fault, format!("`{}` can't be read: {why}", file.display()))
    };
    match system.read(file, MOST_BYTES) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| failed("it is no UTF-8".to_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(failed(error.to_string())),
    }
}

/// What settings say of all slots of which they say something.
fn sets(system: &dyn System, config: &Config, lock: &Lock) -> Vec<SlotSet> {
    let mut sets = Vec::new();
    for slot in Slot::ALL {
        let Some(said) = config.slots.get(slot.word()) else { continue };
        let used = said.use_.as_deref().unwrap_or_default().iter().map(|name| {
            let file = from_home(system, &config.home, name);
            let pin = lock.pin(slot, |pinned| from_home(system, &config.home, pinned) == file);
            Used { name: name.clone(), sha256: pin.map(|pin| pin.sha256.clone()) }
        });
        let used: Vec<Used> = used.collect();
        let set = SlotSet {
            used,
            combine: said.combine,
            settings: said.settings.clone(),
            ..SlotSet::empty(slot, 0)
        };
        if !set.is_empty() {
            sets.push(set);
        }
    }
    sets
}

/// A slot as it is to be: what the settings shall say, and the pins of what it names.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The slot.
    pub slot: Slot,
    /// What the settings shall say of it.
    pub config: SlotConfig,
    /// Pins that are new, or others than those in the lock.
    pub pins: Vec<Pin>,
    /// The set that brought what it is to be, where it comes back.
    pub since: u64,
}

impl Swap {
    /// What comes of wanting slots otherwise. Where a whole set comes back, `to` is its number.
    ///
    /// # Errors
    /// Where the settings can't be changed so that they say it.
    pub fn of(
        system: &dyn System,
        now: Now,
        order: Order,
        wanted: &[Wanted],
        to: Option<u64>,
    ) -> Result<Swap, CommandError> {
        let mut text = now.text.clone();
        for it in wanted {
            text = with_slots(&now.file, &text, it.slot, &it.config)?;
        }
        let config = read_again(system, &now, &text, wanted)?;
        let mut begun = now.lock.clone();
        let made = |did: &'static str| Made { at: &order.at, by: &order.by, did };
        // A change that was cut off is no set that somebody wanted.
        if begun.unfinished.is_none() || begun.sets.is_empty() {
            begun.make(now.sets(system), &made("as skillkeep.toml had it"));
        }
        begun.unfinished =
            Some(crate::lock::Unfinished { command: order.command.clone(), at: order.at.clone() });
        let mut lock = begun.clone();
        lock.unfinished = None;
        for it in wanted {
            pin(system, &now.home, &mut begun, it);
            pin(system, &now.home, &mut lock, it);
            let named = it.config.use_.as_deref().unwrap_or_default();
            let files: Vec<String> =
                named.iter().map(|name| from_home(system, &now.home, name)).collect();
            lock.pinned.retain(|pin| {
                pin.slot != it.slot || files.contains(&from_home(system, &now.home, &pin.name))
            });
        }
        match to {
            Some(number) => lock.generation = number,
            None => {
                let mut slots = sets(system, &config, &lock);
                for back in wanted.iter().filter(|it| it.since > 0) {
                    match slots.iter_mut().find(|set| set.slot == back.slot) {
                        Some(set) => set.since = back.since,
                        None => slots.push(SlotSet::empty(back.slot, back.since)),
                    }
                }
                let did = Made { at: &order.at, by: &order.by, did: &order.command };
                lock.make(slots, &did);
            }
        }
        Ok(Swap { now, order, text, config, begun, lock, fresh: BTreeMap::new() })
    }

    /// Whether nothing at all would be otherwise.
    #[must_use]
    pub fn is_nothing(&self) -> bool {
        self.text == self.now.text && self.lock == self.now.lock
    }

    /// The same with bytes that are to be kept.
    #[must_use]
    pub fn keeping(mut self, kept: impl IntoIterator<Item = Kept>) -> Swap {
        self.fresh.extend(kept.into_iter().map(|it| (digest(&it.bytes), it)));
        self
    }

    /// The same without a component's quarantine.
    #[must_use]
    pub fn lifting(mut self, sha256: &str) -> Swap {
        // Only with the last write: a change that is cut off lifts nothing.
        self.lock.lift(sha256);
        self
    }
}

/// Puts new pins in the place of those of the same names.
fn pin(system: &dyn System, home: &Path, lock: &mut Lock, wanted: &Wanted) {
    for new in &wanted.pins {
        let file = from_home(system, home, &new.name);
        let same = |old: &Pin| old.slot == new.slot && from_home(system, home, &old.name) == file;
        lock.pinned.retain(|old| !same(old));
        lock.pinned.push(new.clone());
    }
}

/// The settings that a text holds, where it says what was wanted.
fn read_again(
    system: &dyn System,
    now: &Now,
    text: &str,
    wanted: &[Wanted],
) -> Result<Config, CommandError> {
    let expand = |path: &str| now.home.join(from_home(system, &now.home, path));
    let mut config = config::read(&now.file, text, expand)?;
    for it in wanted {
        let said = config.slots.get(it.slot.word()).cloned().unwrap_or_default();
        let names = |config: &SlotConfig| config.use_.clone().unwrap_or_default();
        let same = names(&said) == names(&it.config)
            && (said.combine, &said.settings) == (it.config.combine, &it.config.settings);
        if !same {
            let file = now.file.display();
            let message =
                format!("`{file}` can't be changed so that it says this of `{}`", it.slot);
            return Err(CommandError::new(Kind::Fault, message)
                .hint(format!("write it there by hand, as a table [slots.{}]", it.slot)));
        }
    }
    // Roots and the like are as they are; only what is about policies is read from here.
    let slots = std::mem::take(&mut config.slots);
    Ok(Config { slots, ..now.config.clone() })
}

/// The pin of a component that passed every step of loading.
#[must_use]
pub fn pin_of(slot: Slot, name: &str, loaded: &Loaded, signed: &Signed, order: &Order) -> Pin {
    Pin {
        slot,
        name: name.to_owned(),
        sha256: loaded.inspection.digest.clone(),
        policy: loaded.info.name.to_string(),
        version: loaded.info.version.to_string(),
        at: order.at.clone(),
        by: order.by.clone(),
        key: match signed {
            Signed::By(key) => Some(key.clone()),
            Signed::Unchecked | Signed::No => None,
        },
    }
}

/// A component that comes back.
#[derive(Clone, Debug)]
pub struct Back {
    /// As the settings are to name it: as they did, or by its kept copy.
    pub name: String,
    /// Where that is.
    pub path: PathBuf,
    /// What is there.
    pub kept: Kept,
}

/// Finds the bytes that somebody said yes to: where they were, or the copy that was kept.
///
/// # Errors
/// Where they are nowhere any more.
pub fn back(
    system: &dyn System,
    home: &Path,
    name: &str,
    sha256: &str,
) -> Result<Back, CommandError> {
    let kept = format!("{KEPT}/{sha256}.wasm");
    let names = [name, kept.as_str()];
    for name in names {
        let path = PathBuf::from(from_home(system, home, name));
        let bytes = system.read(&path, MAX_COMPONENT_BYTES + 1).unwrap_or_default();
        if digest(&bytes) == sha256 {
            let signature = system.read(&beside(&path), MAX_SIGNATURE).ok();
            return Ok(Back { name: name.to_owned(), path, kept: Kept { bytes, signature } });
        }
    }
    let kept = home.join(kept);
    let message = format!(
        "`{}` can't come back: its file is another one by now, and the copy `{}` is damaged or gone",
        OneLine::new(name),
        kept.display()
    );
    Err(CommandError::new(Kind::Finding, message)
        .hint(format!("the bytes with sha256 {sha256}, wherever you have them, can be used anew")))
}

/// How the settings are to name a policy that somebody named where they stand: a built-in's plain name, a file in the home by
/// its path from there, and any other by its whole path.
///
/// # Errors
/// Where it can't be named there.
pub fn name_of(system: &dyn System, home: &Path, given: &str) -> Result<String, CommandError> {
    if let Some(builtin) = Builtin::named(given) {
        return Ok(builtin.name.to_owned());
    }
    let unnameable = |why: &str| {
        let shown = OneLine::capped(given, 200);
        CommandError::new(Kind::Usage, format!("`{shown}` can't be named in skillkeep.toml: {why}"))
    };
    let path = system.working_folder().map_or_else(|_| given.into(), |here| here.join(given));
    let folder = path.parent().and_then(|folder| system.resolve(folder).ok());
    let (Some(folder), Some(file)) = (folder, path.file_name()) else {
        return Err(crate::policy::LoadError::unknown(given).into());
    };
    let path = folder.join(file);
    if !given.contains('/') && !given.ends_with(".wasm") && system.stat(&path).is_err() {
        return Err(crate::policy::LoadError::unknown(given).into());
    }
    let top = system.resolve(home).unwrap_or_else(|_| home.to_owned());
    let name = path.strip_prefix(&top).unwrap_or(&path);
    let name = name.to_str().ok_or_else(|| unnameable("it is no UTF-8"))?;
    let name = match name.contains('/') || name.ends_with(".wasm") {
        true => name.to_owned(),
        false => format!("./{name}"),
    };
    let named = PathBuf::from(from_home(system, home, &name));
    if OneLine::new(&name).as_str() != name
        || system.resolve(&named).ok() != system.resolve(&path).ok()
    {
        return Err(unnameable("move it to a plainer place"));
    }
    Ok(name)
}
