//! Skills by the words of their texts, as far as whoever asks may see them.

use super::sight::Sight;
use std::sync::Arc;

use crate::{
    search::{Asked, Field, Found, Index, Query, SearchError, State},
    skill::{OneLine, Skill},
    system::System,
    world::{
        Tell, Where, World,
        error::{CommandError, Kind},
        kept::Kept,
    },
};

/// The index's file in the cache.
const FILE: &str = "search.db";

/// What is looked for.
pub struct Wish<'q> {
    /// The words.
    pub query: &'q Query,
    /// Only among these skills, of those that may be seen.
    pub wanted: &'q dyn Fn(usize, &Skill) -> bool,
    /// Only in these texts.
    pub field: Option<Field>,
    /// Hits at most.
    pub limit: usize,
}

/// What was found.
pub struct Hits {
    /// The hits, the best first, and how many there are in all.
    pub found: Found,
    /// Nothing has the words, and these have words that begin with them.
    pub widened: bool,
}

/// What a search starts from.
pub struct Opened<'a> {
    /// The world.
    pub world: Arc<World<'a>>,
    /// What the home knows.
    pub kept: Arc<Kept>,
    /// The index, as it was left.
    pub index: Index,
}

/// Reads the library, what the home knows and the index, side by side.
///
/// # Errors
/// As [`World::open`], and where SQLite can't hold an index in memory.
pub fn open<'a>(system: &'a dyn System, place: &Where<'_>) -> Result<Opened<'a>, CommandError> {
    let mut world = World::unread(system, place)?;
    let file = world.cached(FILE);
    let (library, (kept, index)) = rayon::join(
        || world.read(),
        || rayon::join(|| Kept::read(system, &world.home), || Index::open(system, file.as_deref())),
    );
    world.hold(library);
    // The sample is no library of anybody's: nothing of it is kept.
    let index = if world.is_sample() { Index::open(system, None)? } else { index? };
    Ok(Opened { world: Arc::new(world), kept: Arc::new(kept), index })
}

/// The index beside a world that is there already.
///
/// # Errors
/// Where SQLite can't hold an index in memory.
pub fn beside<'a>(
    system: &dyn System,
    world: Arc<World<'a>>,
    kept: Arc<Kept>,
) -> Result<Opened<'a>, CommandError> {
    let file = world.cached(FILE).filter(|_| !world.is_sample());
    let index = Index::open(system, file.as_deref())?;
    Ok(Opened { world, kept, index })
}

/// The query that a text is.
///
/// # Errors
/// Where there is nothing in it to search for.
pub fn query(text: &str) -> Result<Query, CommandError> {
    let query = Query::parse(text);
    if query.is_empty() {
        let text = OneLine::capped(text, 80);
        let message = format!("`{text}` holds no letter and no digit that could be searched for");
        return Err(CommandError::new(Kind::Finding, message).hint("skillkeep list"));
    }
    Ok(query)
}

/// Brings the index up to date, searches it, and keeps it.
///
/// # Errors
/// Where SQLite fails.
pub fn find(
    sight: &Sight<'_>,
    wish: &Wish<'_>,
    index: &mut Index,
    out: &mut dyn Tell,
) -> Result<Hits, CommandError> {
    let (library, files) = (&sight.world.library, sight.world.files());
    index.update(library, files)?;
    let wanted = |row: usize| {
        library.skills.get(row).is_some_and(|skill| (wish.wanted)(row, skill)) && !sight.hides(row)
    };
    let uses = |row: usize| sight.of(row).map_or(0, |known| known.sums.uses);
    let mut ask = |query: &Query| {
        let (limit, field) = (wish.limit, wish.field);
        let asked = Asked { query, field, limit, wanted: &wanted, uses: &uses };
        index.search(&asked, library, files)
    };
    let mut found = ask(wish.query)?;
    let mut widened = false;
    if found.total == 0
        && let Some(wider) = wish.query.widened()
    {
        found = ask(&wider)?;
        widened = found.total > 0;
    }
    let saved = index.save(sight.world.system);
    tell(sight.world, index.state(), saved, out);
    Ok(Hits { found, widened })
}

/// Names that may have been meant, of skills that count and may be seen.
#[must_use]
pub fn near<'s>(sight: &'s Sight<'_>, query: &Query) -> Vec<&'s str> {
    let skills = sight.world.library.skills.iter().enumerate();
    let seen = skills.filter(|(row, skill)| skill.is_live() && !sight.hides(*row));
    crate::search::near(query, seen.map(|(_, skill)| skill.name.as_str()))
}

/// Says what was wrong with the index's file. What was found is the same whatever it was; only the next search takes longer.
fn tell(world: &World<'_>, state: &State, saved: std::io::Result<bool>, out: &mut dyn Tell) {
    let path = world.cached(FILE).map(|path| world.shorten(&path)).unwrap_or_default();
    let slow = "until then each search reads every skill";
    match state {
        State::Damaged(found) => {
            out.warn(&format!("the search index was damaged ({found}), and is made anew"));
        }
        State::Newer => {
            out.warn(&format!(
                "a newer skillkeep wrote the search index `{path}`, which is left as it is; {slow}"
            ));
            out.hint("use that skillkeep, or another cache: SKILLKEEP_CACHE=FOLDER");
        }
        State::Foreign => {
            out.warn(&format!("`{path}` is no search index, and is left as it is; {slow}"));
            out.hint(&format!("move it out of the way: mv {path} {path}.other"));
        }
        State::Unreadable(reason) => {
            out.warn(&format!("the search index `{path}` can't be read: {reason}; {slow}"));
            out.hint(&format!("ls -l {path}"));
        }
        State::Off | State::Whole | State::Absent | State::Older => {}
    }
    if let Err(error) = saved {
        out.warn(&format!("the search index `{path}` can't be written: {error}; {slow}"));
        out.hint(&format!("ls -ld {path}"));
    }
}

impl From<SearchError> for CommandError {
    fn from(error: SearchError) -> CommandError {
        CommandError::new(Kind::Fault, error.to_string())
    }
}
