//! A lock as TOML, which a person can read.

use super::data::Lock;
use crate::skill::OneLine;

/// What the file begins with.
const HEAD: &str = "\
# policies.lock: the policies that a person said yes to, and those that were used before.
# Written by `skillkeep policy use`, `add`, `off` and `rollback`; look at it with `skillkeep policy list`.
";

/// Why a text is no lock.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadLock {
    /// It is no text.
    #[error("it is no UTF-8 text")]
    NotText,
    /// It is no TOML, or says something that no lock says.
    #[error("line {line}: {message}")]
    Wrong {
        /// Counted from 1.
        line: usize,
        /// The parser's words.
        message: OneLine,
    },
    /// A hash that is none.
    #[error("`{0}` is no sha256 in hex")]
    NoHash(OneLine),
}

impl Lock {
    /// The lock that a file's bytes hold.
    ///
    /// # Errors
    /// Where they hold none.
    pub fn read(bytes: &[u8]) -> Result<Lock, BadLock> {
        let text = std::str::from_utf8(bytes).map_err(|_| BadLock::NotText)?;
        let lock: Lock = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            let line = text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1;
            BadLock::Wrong { line, message: OneLine::capped(error.message(), 200) }
        })?;
        let quarantined = lock.quarantined.iter().map(|it| it.sha256.as_str());
        let hashes: Vec<&str> = lock.wanted().into_iter().chain(quarantined).collect();
        // A kept copy is named by its hash: one that is none would be a path.
        match hashes.into_iter().find(|hash| !is_hash(hash)) {
            Some(hash) => Err(BadLock::NoHash(OneLine::capped(hash, 80))),
            None => Ok(lock),
        }
    }

    /// The file, sorted: the same lock gives the same bytes.
    ///
    /// # Errors
    /// Where a setting can't be written.
    pub fn text(&self) -> Result<String, String> {
        let mut sorted = self.clone();
        sorted.pinned.sort_by(|a, b| (a.slot, &a.name).cmp(&(b.slot, &b.name)));
        sorted.quarantined.sort_by(|a, b| a.sha256.cmp(&b.sha256));
        sorted.sets.sort_by_key(|set| set.number);
        let body = toml::to_string(&sorted).map_err(|error| error.to_string())?;
        Ok(format!("{HEAD}\n{body}"))
    }
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
