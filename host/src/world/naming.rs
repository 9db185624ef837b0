//! From what somebody calls a skill to its row: by the library, then by what the home knows of ids and former names. No
//! other file of this room resolves a name.

use super::{
    Tell, World, counted,
    error::{CommandError, Kind},
    kept,
};
use crate::{
    ledger::Meant,
    library::{Own, Resolution},
    skill::{OneLine, SkillId, State, nearest},
};

/// The row that a name means: by the library's one resolver, else by what the home knows of ids and former names. Every
/// command that takes a skill's name asks here.
///
/// # Errors
/// Where it means none or several; with the near names, or the forms that tell them apart.
pub fn one(world: &World<'_>, name: &str, out: &mut dyn Tell) -> Result<usize, CommandError> {
    match world.library.resolve(name) {
        Resolution::One(row) => Ok(row),
        Resolution::Several(rows) => {
            let mut error = CommandError::new(
                Kind::Finding,
                format!("`{name}` is {} skills; the category tells them apart", rows.len()),
            );
            for row in rows {
                if let Some(skill) = world.library.skills.get(row) {
                    let path = world
                        .library
                        .path_of(row)
                        .map_or(String::new(), |path| world.shorten(&path));
                    error = error.hint(format!("{} is {path}", skill.qualified()));
                }
            }
            Err(error)
        }
        Resolution::None { near } => match formerly(world, name)? {
            Formerly::Row(row) => {
                let skill = world.library.skills.get(row);
                let now = skill.map_or("", |skill| skill.name.as_str());
                if name.parse::<SkillId>().is_err() {
                    out.note(&format!("`{}` is called `{now}` now", OneLine::capped(name, 80)));
                }
                Ok(row)
            }
            Formerly::Archived(is) => {
                let message = format!("`{}` is in the archive", OneLine::capped(name, 80));
                Err(CommandError::new(Kind::Finding, message)
                    .hint(format!("skillkeep restore {is}")))
            }
            Formerly::Nobody => Err(not_found(world, name, &near)),
        },
    }
}

/// What the home knows of a word that is no name of today.
enum Formerly {
    Row(usize),
    Archived(SkillId),
    Nobody,
}

/// Asks the home. A ledger that can't be read knows nobody: whoever opens it for more than a name says what is wrong.
fn formerly(world: &World<'_>, word: &str) -> Result<Formerly, CommandError> {
    let asked = match kept::ledger(world.system, &world.home) {
        Ok(Some(ledger)) => ledger.meant(word).map(|meant| (ledger, meant)),
        Ok(None) | Err(_) => return Ok(Formerly::Nobody),
    };
    let Ok((ledger, meant)) = asked else { return Ok(Formerly::Nobody) };
    let id = match meant {
        Meant::One(id) => id,
        Meant::None => return Ok(Formerly::Nobody),
        Meant::Many(ids) => {
            let word = OneLine::capped(word, 80);
            let message = format!("`{word}` was {} skills; the id tells them apart", ids.len());
            let error = CommandError::new(Kind::Finding, message);
            return Err(ids.iter().fold(error, |error, id| match ledger.skill(*id) {
                Ok(Some(it)) => error.hint(format!("{id} is {} ({})", it.name, it.state.word())),
                _ => error,
            }));
        }
    };
    let Ok(Some(record)) = ledger.skill(id) else { return Ok(Formerly::Nobody) };
    let Ok(roots) = ledger.roots() else { return Ok(Formerly::Nobody) };
    let root = roots.into_iter().find(|root| root.id == record.root).map(|root| root.root.path);
    let here = |own: &Own<'_>| Some(own.path) == root.as_deref() && own.folder == record.folder;
    Ok(match (record.state, world.library.own().into_iter().find(here)) {
        (State::Active | State::Stale, Some(own)) => Formerly::Row(own.row),
        (State::Archived, _) => Formerly::Archived(id),
        _ => Formerly::Nobody,
    })
}

/// That nothing has the name; with those that are like it.
pub fn not_found(world: &World<'_>, name: &str, near: &[String]) -> CommandError {
    let error = CommandError::new(
        Kind::Finding,
        format!(
            "no skill is called `{name}` among {} in {}",
            counted(world.library.skills.len(), "skill"),
            counted(world.library.roots.len(), "root")
        ),
    );
    if near.is_empty() {
        error.hint("`skillkeep list` shows all")
    } else {
        error.hint(format!(
            "did you mean {}?",
            near.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ")
        ))
    }
}

/// An empty list would say that there are no skills; what is wrong is the name.
///
/// # Errors
/// Where no skill is in the category or below it.
pub fn has_category(world: &World<'_>, wanted: &str) -> Result<(), CommandError> {
    let all = || world.library.skills.iter().map(|skill| skill.category.as_str());
    if all().any(|category| is_in(category, wanted)) {
        return Ok(());
    }
    let message = format!("no skill is in the category `{}`", OneLine::capped(wanted, 80));
    let error = CommandError::new(Kind::Finding, message);
    Err(match nearest(wanted, all()) {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error.hint("`skillkeep list` shows all, with their categories"),
    })
}

/// Whether a category is one or below it.
pub fn is_in(category: &str, wanted: &str) -> bool {
    category.strip_prefix(wanted).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
