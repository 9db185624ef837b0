//! Which components may be loaded: what the settings name, held against `policies.lock`, the quarantine and signatures.
//!
//! The names come from the home's settings alone. No project's file is read for them, and none of them is looked for in the
//! folder that somebody works in.

use std::{
    borrow::Cow,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use minisign_verify::{PublicKey, Signature};

use super::{World, policies::component};
use crate::{
    config::{Config, from_home},
    decision::Slot,
    lock::{FILE, Lock},
    policy::{Builtin, LoadError, Source, Withheld, digest},
    skill::OneLine,
    system::System,
};

/// The largest lock that is read, in bytes: fifty sets have some ten thousand.
const MOST_BYTES: u64 = 4 << 20;
/// The largest signature, in bytes.
pub const MAX_SIGNATURE: u64 = 16 << 10;

/// What stands between a component's bytes and their loading.
pub struct Gate<'a> {
    system: &'a dyn System,
    config: &'a Config,
    lock: Result<Lock, Withheld>,
    dev: bool,
}

/// A component that may be loaded.
#[derive(Clone, Debug)]
pub struct Admitted {
    /// Where it is from.
    pub source: Source,
    /// Its bytes.
    pub bytes: Cow<'static, [u8]>,
    /// Why it would not be loaded, were it not for `dev`.
    pub despite: Option<Withheld>,
}

/// What is known of a component's signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signed {
    /// By this key of the settings.
    By(String),
    /// There is a signature, and no key to check it with.
    Unchecked,
    /// There is none.
    No,
}

impl<'a> Gate<'a> {
    /// The gate of a home, as its settings and its lock have it. `dev` lets in what nobody said yes to.
    #[must_use]
    pub fn open(world: &'a World<'_>, dev: bool) -> Gate<'a> {
        let lock = read_lock(world.system, &world.config.home);
        Gate::of(world.system, &world.config, lock, dev)
    }

    /// The same with other settings or another lock than those of the home, to see what would be.
    #[must_use]
    pub fn of(
        system: &'a dyn System,
        config: &'a Config,
        lock: Result<Lock, Withheld>,
        dev: bool,
    ) -> Gate<'a> {
        Gate { system, config, lock, dev: dev || config.policies.dev }
    }

    /// The lock.
    ///
    /// # Errors
    /// Where it can't be read.
    pub fn lock(&self) -> Result<&Lock, &Withheld> {
        self.lock.as_ref()
    }

    /// A component that the settings name, where it may be loaded in that slot.
    ///
    /// # Errors
    /// Where it can't be read, or why it may not.
    pub fn admit(&self, slot: Slot, name: &str) -> Result<Admitted, LoadError> {
        if Builtin::named(name).is_some() {
            return self.given(slot, name);
        }
        let file = from_home(self.system, &self.config.home, name);
        if !Path::new(&file).is_absolute() {
            // A name that is none of the host's: no file of that name is looked for, wherever somebody stands.
            return Err(LoadError::unknown(name));
        }
        let (source, bytes) = component(self.system, &file)?;
        let found = digest(&bytes);
        self.quarantine(slot, &file, &found)?;
        self.signature(Path::new(&file), &bytes)?;
        let despite = self.unpinned(slot, &file, &found);
        match despite {
            Some(why) if !(self.dev && why.wants_a_yes()) => Err(why.into()),
            despite => Ok(Admitted { source, bytes, despite }),
        }
    }

    /// A component that somebody named for this one run, or that comes with the host: nobody has to have said yes to it, but
    /// what is in quarantine stays there.
    ///
    /// # Errors
    /// Where it can't be read, or is in quarantine.
    pub fn given(&self, slot: Slot, name: &str) -> Result<Admitted, LoadError> {
        let (source, bytes) = component(self.system, name)?;
        if self.lock.as_ref().is_ok_and(|lock| !lock.quarantined.is_empty()) {
            self.quarantine(slot, name, &digest(&bytes))?;
        }
        Ok(Admitted { source, bytes, despite: None })
    }

    /// Whose signature a component has.
    ///
    /// # Errors
    /// Where it is wrong, or there is none and the settings want one.
    pub fn signature(&self, file: &Path, bytes: &[u8]) -> Result<Signed, LoadError> {
        let beside = beside(file);
        let shown = || OneLine::new(&beside.display().to_string());
        let wrong = |reason: &str| Withheld::BadSignature {
            signature: shown(),
            reason: OneLine::capped(reason, 300),
        };
        let keys = &self.config.policies.keys;
        let text = match self.system.read(&beside, MAX_SIGNATURE) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return match self.config.policies.require_signature {
                    true => Err(Withheld::Unsigned { signature: shown() }.into()),
                    false => Ok(Signed::No),
                };
            }
            Err(error) => return Err(wrong(&error.to_string()).into()),
        };
        if keys.is_empty() {
            return Ok(Signed::Unchecked);
        }
        let signature = std::str::from_utf8(&text)
            .ok()
            .and_then(|text| Signature::decode(text).ok())
            .ok_or_else(|| wrong("it is no signature of minisign"))?;
        let mut by_another = true;
        for key in keys {
            let Ok(public) = PublicKey::from_base64(key) else { continue };
            match public.verify(bytes, &signature, true) {
                Ok(()) => return Ok(Signed::By(key.clone())),
                Err(minisign_verify::Error::UnexpectedKeyId) => {}
                Err(_) => by_another = false,
            }
        }
        Err(wrong(match by_another {
            true => "it is by none of the keys under `[policies]` in skillkeep.toml",
            false => "it is of other bytes than these",
        })
        .into())
    }

    /// Since when bytes are in quarantine, and why, if they are. `slot` and `name` are how a person would lift that.
    #[must_use]
    pub fn quarantined(&self, slot: Slot, name: &str, sha256: &str) -> Option<Withheld> {
        let it = self.lock.as_ref().ok()?.quarantined(sha256)?;
        Some(Withheld::Quarantined {
            slot,
            name: OneLine::new(name),
            sha256: sha256.to_owned(),
            reason: OneLine::capped(&it.reason, 400),
            at: OneLine::capped(&it.at, 40),
        })
    }

    fn quarantine(&self, slot: Slot, name: &str, sha256: &str) -> Result<(), Withheld> {
        self.quarantined(slot, name, sha256).map_or(Ok(()), Err)
    }

    /// Why nobody said yes to a component, if nobody did.
    fn unpinned(&self, slot: Slot, file: &str, found: &str) -> Option<Withheld> {
        let lock = match &self.lock {
            Ok(lock) => lock,
            Err(why) => return Some(why.clone()),
        };
        let (name, found) = (OneLine::new(file), found.to_owned());
        let same = |pinned: &str| from_home(self.system, &self.config.home, pinned) == file;
        match lock.pin(slot, same) {
            None => Some(Withheld::NotPinned { slot, name, found }),
            Some(pin) if pin.sha256 != found => {
                Some(Withheld::Changed { slot, name, found, pinned: pin.sha256.clone() })
            }
            Some(_) => None,
        }
    }
}

/// Where a component's signature lies.
#[must_use]
pub fn beside(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".minisig");
    PathBuf::from(name)
}

/// The lock of a home; an empty one where none was written yet.
///
/// # Errors
/// Where it can't be read.
pub fn read_lock(system: &dyn System, home: &Path) -> Result<Lock, Withheld> {
    let file = home.join(FILE);
    let failed = |reason: String| Withheld::NoLock {
        lock: OneLine::new(&file.display().to_string()),
        reason: OneLine::capped(&reason, 300),
    };
    match system.read(&file, MOST_BYTES) {
        Ok(bytes) => Lock::read(&bytes).map_err(|error| failed(error.to_string())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Lock::default()),
        Err(error) => Err(failed(error.to_string())),
    }
}
