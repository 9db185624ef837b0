//! What wasmtime's cache keeps of a component, and whether that is still what was compiled.
//!
//! wasmtime runs what its cache holds without a doubt: a flipped bit there is a crash, or a fault that stays until
//! somebody deletes the folder. So a mark of ours stands beside it for each component and each way of compiling it, with
//! the file's name and a checksum. A file without a mark that fits is removed, and compiled again. This is against
//! damage, not against malice: whoever can write there can write the mark as well.
//!
//! The mark also keeps what the steps of loading found: the same bytes would have the same found again.
//!
//! Several processes may do all this at once. The worst that can come of it is that one compiles again.

#![allow(
    clippy::disallowed_methods,
    reason = "beside wasmtime's cache, which reads and writes there by itself"
)]

use std::{
    fs,
    hash::{Hash as _, Hasher},
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

use super::{engine::Engine, info::Info, inspect::Inspection, limits::Limits};
use crate::decision::Settings;

/// The folder of wasmtime's own, within the cache: from time to time it removes from there what it doesn't know, and a
/// mark would be such.
pub(super) const CODE: &str = "code";
/// Where wasmtime keeps its files in that, a folder for each of its versions.
const MODULES: &str = "code/modules";

/// What a passport was given for, beside the component and the compiler: a host that asks for other types or reads the
/// mark otherwise must not believe it.
const CONTRACT_TEXT: &str = include_str!("../../../wit/policy-0.1/policy.wit");
const MARK_VERSION: u32 = 1;

/// What a component proved once, and needs not prove again: that its exports have the contract's types, what it says of
/// itself, and settings that it takes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Passport {
    pub(super) inspection: Inspection,
    pub(super) info: Info,
    pub(super) takes: Settings,
    /// Within which limits it proved that.
    pub(super) limits: Limits,
}

/// What stands in a mark, behind its own checksum.
#[derive(Serialize, Deserialize)]
struct Mark {
    file: PathBuf,
    sum: u64,
    passport: Option<Passport>,
}

/// What the cache keeps of one component.
pub(super) struct Artefact<'a> {
    engine: &'a Engine,
    folder: &'a Path,
    bytes: &'a [u8],
    /// One name for each component and each way of compiling it.
    mark: String,
}

impl<'a> Artefact<'a> {
    /// Of a component with that digest, where the engine has a cache.
    pub(super) fn of(engine: &'a Engine, bytes: &'a [u8], digest: &str) -> Option<Artefact<'a>> {
        let folder = engine.cache_folder()?;
        let mut hasher = Xxh3Default::new();
        engine.wasmtime().precompile_compatibility_hash().hash(&mut hasher);
        (MARK_VERSION, CONTRACT_TEXT).hash(&mut hasher);
        let mark = format!("compiled-{digest}-{:016x}", hasher.finish());
        Some(Artefact { engine, folder, bytes, mark })
    }

    /// Whether it is there, and what was compiled; and what the component proved, if it came to that.
    pub(super) fn whole(&self) -> Option<Option<Passport>> {
        let bytes = fs::read(self.folder.join(&self.mark)).ok()?;
        let (sum, mark) = bytes.split_first_chunk()?;
        if u64::from_le_bytes(*sum) != xxh3_64(mark) {
            return None;
        }
        let mark: Mark = serde_json::from_slice(mark).ok()?;
        (self.sum(&mark.file)? == mark.sum).then_some(mark.passport)
    }

    /// Removes it. Says whether wasmtime will find nothing in its place.
    pub(super) fn forget(&self) -> bool {
        drop(fs::remove_file(self.folder.join(&self.mark)));
        let name = self.name();
        self.versions().into_iter().all(|version| {
            let file = self.folder.join(version).join(&name);
            // What a killed process left half written would keep wasmtime from ever writing it whole.
            drop(fs::remove_file(file.with_extension("wip-atomic-write-mod")));
            fs::remove_file(&file).is_ok() || fs::read(&file).is_err()
        })
    }

    /// Marks what is there as whole: to be called as soon as it has been compiled, and again with what it proved. Where
    /// that fails, it costs another compilation, no more.
    pub(super) fn remember(&self, passport: Option<Passport>) {
        let name = self.name();
        let found = self.versions().into_iter().find_map(|version| {
            let file = version.join(&name);
            Some((self.sum(&file)?, file))
        });
        let Some((sum, file)) = found else { return };
        if let Ok(mark) = serde_json::to_vec(&Mark { file, sum, passport }) {
            let bytes = [&xxh3_64(&mark).to_le_bytes()[..], &mark].concat();
            drop(fs::write(self.folder.join(&self.mark), bytes));
        }
    }

    /// The checksum of a file of the cache: of what it is kept for too, so that no mark fits another component's file.
    fn sum(&self, file: &Path) -> Option<u64> {
        let mut hasher = Xxh3Default::new();
        hasher.update(self.mark.as_bytes());
        hasher.update(file.as_os_str().as_encoded_bytes());
        // Piece by piece: fresh memory for the whole would cost more than the reading.
        let mut file = fs::File::open(self.folder.join(file)).ok()?;
        let mut piece = [0; 16 << 10];
        loop {
            match file.read(&mut piece) {
                Ok(0) => return Some(hasher.digest()),
                Ok(count) => hasher.update(piece.get(..count)?),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return None,
            }
        }
    }

    /// The folders of wasmtime's versions, within the cache's.
    fn versions(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.join(MODULES)).into_iter().flatten();
        entries.filter_map(|entry| Some(Path::new(MODULES).join(entry.ok()?.file_name()))).collect()
    }

    /// The name that wasmtime gives it: a hash of what it compiles and how, debug information and intrinsics being the
    /// two that are never given here. wasmtime doesn't promise it; a test holds it to what is there.
    fn name(&self) -> String {
        let mut hasher = Sha256Hasher(Sha256::new());
        let environment = self.engine.wasmtime().precompile_compatibility_hash();
        environment.hash(&mut hasher);
        (self.bytes, None::<&[u8]>, None::<&str>).hash(&mut hasher);
        base64_url(&hasher.0.finalize())
    }
}

/// The same component in other bytes, with an empty section more: wasmtime finds nothing under their name.
pub(super) fn renamed(bytes: &[u8]) -> Vec<u8> {
    const NAME: &[u8] = b"renamed";
    let mut renamed = bytes.to_vec();
    // A custom section: its id, its size, and a name with its length.
    renamed.extend([0, NAME.len() as u8 + 1, NAME.len() as u8]);
    renamed.extend(NAME);
    renamed
}

struct Sha256Hasher(Sha256);

impl Hasher for Sha256Hasher {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Not asked for: the whole digest is taken.
    fn finish(&self) -> u64 {
        0
    }
}

/// Base64 in the alphabet for file names, without padding.
fn base64_url(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let at = |i: usize| u32::from(chunk.get(i).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for digit in 0..=chunk.len() {
            let six = bits >> (18 - 6 * digit) & 63;
            text.extend(ALPHABET.get(six as usize).map(|&byte| char::from(byte)));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

    use std::fs;

    use super::{Artefact, base64_url, renamed};
    use crate::{
        decision::{Slot, Value},
        policy::{Assignment, Builtin, Engine, LoadError, Loaded, Source},
    };

    #[test]
    fn base64_is_the_one_of_rfc_4648() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let expected = ["", "Zg", "Zm8", "Zm9v", "Zm9vYg", "Zm9vYmE", "Zm9vYmFy"];
        assert_eq!(texts.map(|text| base64_url(text.as_bytes())), expected);
        assert_eq!(base64_url(&[0xfb, 0xff, 0xbf]), "-_-_");
    }

    fn load(engine: &Engine, bytes: &[u8]) -> String {
        let loaded = Loaded::load(engine, Source::Builtin("any"), bytes, Some(Slot::Budget), &[]);
        loaded.unwrap().inspection.digest
    }

    #[test]
    fn its_name_is_the_one_that_wasmtime_gives() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::new(Some(folder.path()), None).unwrap();
        let bytes = Builtin::of_slot(Slot::Budget).unwrap().bytes;
        let digest = load(&engine, bytes);
        let artefact = Artefact::of(&engine, bytes, &digest).unwrap();
        let versions = artefact.versions();
        assert_eq!(versions.len(), 1, "{versions:?}");
        let names: Vec<String> = fs::read_dir(folder.path().join(&versions[0]))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !name.contains('.'))
            .collect();
        assert_eq!(names, [artefact.name()]);
        assert!(artefact.whole().is_some());
    }

    #[test]
    fn a_mark_fits_one_component_alone() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::new(Some(folder.path()), None).unwrap();
        let one = Builtin::of_slot(Slot::Budget).unwrap().bytes;
        let other = renamed(one);
        let [a, b] = [one, &other].map(|bytes| {
            let digest = load(&engine, bytes);
            Artefact::of(&engine, bytes, &digest).unwrap()
        });
        assert!(a.whole().is_some() && b.whole().is_some());
        fs::copy(folder.path().join(&a.mark), folder.path().join(&b.mark)).unwrap();
        assert!(a.whole().is_some() && b.whole().is_none());
        assert!(b.forget() && a.whole().is_some());
        load(&engine, &other);
        assert!(b.whole().is_some());
    }

    #[test]
    fn what_was_proved_is_not_proved_again_but_other_settings_are() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::new(Some(folder.path()), None).unwrap();
        let bytes = Builtin::of_slot(Slot::Budget).unwrap().bytes;
        let first = Loaded::load(&engine, Source::Builtin("any"), bytes, None, &[]).unwrap();
        let digest = first.inspection.digest.clone();
        let artefact = Artefact::of(&engine, bytes, &digest).unwrap();
        let mut passport = artefact.whole().unwrap().unwrap();
        assert_eq!(passport.info, first.info);
        assert_eq!(passport.inspection, first.inspection);
        assert_eq!(passport.takes, first.settings);

        // It is believed: what it says and not what the component would say is what a second load gives.
        passport.info.summary = crate::skill::OneLine::new("believed");
        artefact.remember(Some(passport.clone()));
        let second = Loaded::load(&engine, Source::Builtin("any"), bytes, None, &[]).unwrap();
        assert_eq!(second.info.summary.as_str(), "believed");
        assert_eq!(second.settings, first.settings);

        let key = first.info.parameters.iter().find(|it| it.default == Value::Real(30.0)).unwrap();
        let given = Assignment {
            key: key.key.as_str().to_owned(),
            value: Value::Real(-1.0),
            untyped: false,
            from: "--set".to_owned(),
        };
        let refused = Loaded::load(&engine, Source::Builtin("any"), bytes, None, &[given]);
        assert!(matches!(refused, Err(LoadError::Settings { .. })), "{:?}", refused.err());
        assert_eq!(artefact.whole().unwrap().unwrap().takes, first.settings);
    }

    #[test]
    fn any_damage_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let engine = Engine::new(Some(folder.path()), None).unwrap();
        let bytes = Builtin::of_slot(Slot::Budget).unwrap().bytes;
        let digest = load(&engine, bytes);
        let artefact = Artefact::of(&engine, bytes, &digest).unwrap();
        let version = folder.path().join(&artefact.versions()[0]);
        for file in [version.join(artefact.name()), folder.path().join(&artefact.mark)] {
            let whole = fs::read(&file).unwrap();
            let step = whole.len().div_ceil(300);
            for (count, at) in (0..whole.len()).step_by(step).enumerate() {
                let mut damaged = whole.clone();
                damaged[at] ^= 1 << (count % 8);
                fs::write(&file, &damaged).unwrap();
                assert!(artefact.whole().is_none(), "bit {} of byte {at}", count % 8);
                fs::write(&file, &whole[..at]).unwrap();
                assert!(artefact.whole().is_none(), "cut to {at}");
            }
            fs::write(&file, [&whole[..], b"0"].concat()).unwrap();
            assert!(artefact.whole().is_none(), "longer");
            fs::write(&file, &whole).unwrap();
            assert!(artefact.whole().is_some());
        }
        fs::remove_file(version.join(artefact.name())).unwrap();
        assert!(artefact.whole().is_none());
    }
}
