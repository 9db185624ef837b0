//! A home that is made: its files, each private and laid once.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use crate::{
    config,
    ledger::{Access, Ledger},
    system::{At, Disk},
    world::{
        caller::{TOKEN, TOKENS},
        error::{CommandError, Kind},
        store::{ID, LEDGER},
    },
};

/// The file of a home that holds what a client shows to its server. It stands for no person.
const SERVER_TOKEN: &str = "server-token";

/// Bytes of a small file of ours.
const SMALL: u64 = 4 << 10;

/// What a new home's config says.
const CONFIG: &str = "\
# Skillkeep's settings. Everything has a default; `skillkeep` shows what holds.

# Folders that skills are read from, instead of those that are found; the first that has a name counts.
# roots = [\"~/skills\", { path = \"/srv/skills\", label = \"team\" }]

# [store]
# keep-days = 180

# [writes]
# approval = \"on\"    # agents' writes wait for you: skillkeep pending

# [index]
# limit = 2000
# unit = \"tokens\"
";

/// Makes what is missing of a home. Says whether it was not there.
pub fn make(disk: &dyn Disk, home: &Path) -> Result<bool, CommandError> {
    let failed = |error: std::io::Error| {
        CommandError::new(Kind::Fault, format!("`{}` can't be made: {error}", home.display()))
    };
    let id = home.join(ID);
    let new = disk.stat(&id).is_err();
    // The id comes last: where it is, all else is.
    if new {
        drop(Ledger::open(&home.join(LEDGER), Access::Write)?);
    }
    let top = disk.resolve(home).map_err(failed)?;
    let random = || format!("{:016x}{:016x}\n", disk.random(), disk.random());
    lay(disk, &top, config::FILE, CONFIG).map_err(failed)?;
    lay(disk, &top, TOKEN, &random()).map_err(failed)?;
    lay(disk, &top, SERVER_TOKEN, &random()).map_err(failed)?;
    lay(disk, &top, ID, &random()).map_err(failed)?;
    Ok(new)
}

/// What a client shows to this home's server: made where it isn't there, as in a home from before there was a server.
pub fn server_token(disk: &dyn Disk, home: &Path) -> Result<String, CommandError> {
    let failed = |error: std::io::Error| {
        let file = home.join(SERVER_TOKEN);
        CommandError::new(Kind::Fault, format!("`{}` can't be read: {error}", file.display()))
    };
    let random = format!("{:016x}{:016x}\n", disk.random(), disk.random());
    lay(disk, home, SERVER_TOKEN, &random).map_err(failed)?;
    let token = disk.read(&home.join(SERVER_TOKEN), SMALL).map_err(failed)?;
    let token = String::from_utf8_lossy(&token).trim().to_owned();
    if token.len() < 16 {
        let message = format!("`{}` holds no token", home.join(SERVER_TOKEN).display());
        return Err(CommandError::new(Kind::Finding, message)
            .hint("take it away: the next `skillkeep serve --http` makes another one"));
    }
    Ok(token)
}

/// Makes what an actor shows, where it isn't there. Gives back where it lies.
pub fn token(disk: &dyn Disk, home: &Path, actor: &str) -> Result<PathBuf, CommandError> {
    let tokens = home.join(TOKENS);
    let failed = |error: std::io::Error| {
        CommandError::new(Kind::Fault, format!("`{}` can't be made: {error}", tokens.display()))
    };
    match disk.make_folder(At { top: home, below: TOKENS }, 0o700) {
        Err(there) if there.kind() != ErrorKind::AlreadyExists => return Err(failed(there)),
        _ => disk.sync_folder(At { top: home, below: "" }).map_err(failed)?,
    }
    let random = format!("{:016x}{:016x}\n", disk.random(), disk.random());
    lay(disk, &tokens, actor, &random).map_err(failed)?;
    Ok(tokens.join(actor))
}

/// Lays a private file where none is: of several that do it at once, one does, and nobody sees a part of it.
fn lay(disk: &dyn Disk, top: &Path, name: &str, text: &str) -> std::io::Result<()> {
    let at = At { top, below: name };
    if disk.held(at).is_ok() {
        return Ok(());
    }
    let fresh = format!("{name}.{:016x}", disk.random());
    let fresh = At { top, below: &fresh };
    disk.write_new(fresh, text.as_bytes(), 0o600)?;
    match disk.move_to(fresh, at) {
        Ok(()) => disk.sync_folder(At { top, below: "" }),
        Err(error) => {
            disk.remove_file(fresh)?;
            if error.kind() == ErrorKind::AlreadyExists { Ok(()) } else { Err(error) }
        }
    }
}
