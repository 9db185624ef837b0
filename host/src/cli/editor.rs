//! A person's editor on a private copy of a skill's file.

use crate::{
    change::Draft,
    system::System,
    world::{
        error::{CommandError, Kind},
        store::Store,
    },
};

/// What became of a copy.
pub enum Edited<'a> {
    /// Nothing was changed. The copy is gone.
    Same,
    /// It has these bytes now, and lies there until it is discarded.
    Text(Vec<u8>, Draft<'a>),
}

/// Opens the person's editor on a copy of a file: `(skill, path)` with these bytes. `again` is the command that the
/// copy's path ends, told where the copy is kept.
///
/// # Errors
/// Where the editor can't be started or fails; nothing is written then.
pub fn edit<'a>(
    system: &dyn System,
    store: &'a Store<'_>,
    (skill, path): (&str, &str),
    bytes: &[u8],
    again: &str,
) -> Result<Edited<'a>, CommandError> {
    let draft = Draft::lay(store.disk, &store.home.path, skill, path, bytes)?;
    let named = ["VISUAL", "EDITOR"].into_iter().find_map(|name| system.variable(name));
    let command = named.unwrap_or_else(|| "vi".to_owned());
    let ended = system.attend(&command, &draft.path());
    let now = draft.bytes();
    let (kind, failed) = match ended {
        Ok(Some(0)) => {
            let now = now?;
            if now == bytes {
                draft.discard()?;
                return Ok(Edited::Same);
            }
            return Ok(Edited::Text(now, draft));
        }
        // What a shell says where there is no such program, or none that can be run.
        Ok(Some(status @ (126 | 127))) => {
            (Kind::Fault, format!("can't be started: the shell ended with status {status}"))
        }
        Ok(Some(status)) => (Kind::Finding, format!("ended with status {status}")),
        Ok(None) => (Kind::Finding, "was ended by a signal".to_owned()),
        Err(error) => (Kind::Fault, format!("can't be started: {error}")),
    };
    let error =
        CommandError::new(kind, format!("the editor `{command}` {failed}; nothing was written"));
    if now.is_ok_and(|now| now != bytes) {
        return Err(kept(error, &draft, again));
    }
    draft.discard()?;
    let other = (kind == Kind::Fault).then_some("name another one in `VISUAL` or `EDITOR`");
    Err(error.maybe_hint(other))
}

/// The error, and where the text is that it was about.
pub fn kept(error: CommandError, draft: &Draft<'_>, again: &str) -> CommandError {
    let path = draft.path();
    error.hint(format!("your text is kept; mend it, then: {again}{}", path.display()))
}
