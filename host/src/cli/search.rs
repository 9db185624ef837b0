//! `skillkeep search`

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::{
    Global,
    list::{has_category, is_in},
    options::RootArgs,
    output::Output,
};
use crate::{
    ledger::AtHand,
    search::{Asked, Field, Found, Index, LONGEST_QUERY, MOST_WORDS, Query, SearchError, State},
    skill::{Actor, Choice, OneLine, Standing},
    system::System,
    world::{
        World,
        caller::caller,
        error::{CommandError, Kind},
        kept::Kept,
    },
};

mod shown;

/// The index's file in the cache.
const FILE: &str = "search.db";

/// Search the skills' names, descriptions and texts, the best hits first.
#[derive(Debug, Args)]
#[command(
    after_help = "All words have to be there, each in any of a skill's texts:\n  wrong book        both words\n  book OR mistakes  one or the other; a b OR c is both a and b, or c\n  \"wrong book\"      the words behind one another; so do words that are glued, such as wrong-book\n  nimb*             words that begin so\nAll else is text: case, accents on Latin letters and punctuation make no difference, AND changes nothing, NOT is a word. Chinese, Japanese, Korean and Thai are found letter by letter, wherever they stand. Where nothing has the words, those that begin with them are taken.\n\nA name counts for more than a description, and that for more than a text; a name that is the query comes first, and skills that don't count come last.\n\nExample: skillkeep search '\"error budget\" OR postmortem' --in descriptions"
)]
pub struct SearchArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// What to search for; in the shell, put quotes around "a phrase" and word*
    #[arg(allow_hyphen_values = true)]
    query: String,

    /// More of it; before what begins with a hyphen goes `--`
    words: Vec<String>,

    /// Hits that are shown at most
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    limit: u32,

    /// Only skills of this category and the categories below it
    #[arg(long, value_name = "CATEGORY")]
    category: Option<String>,

    /// Look only there
    #[arg(long = "in", value_name = "TEXTS")]
    place: Option<Texts>,

    /// The agent that asks, such as codex: what a person turned off for it is not found
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
}

/// What is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Texts {
    /// Skills' names
    Names,
    /// What their headers say of them: description, when_to_use, tags
    Descriptions,
    /// All that comes after the header
    Bodies,
}

impl Texts {
    fn field(self) -> Field {
        match self {
            Texts::Names => Field::Name,
            Texts::Descriptions => Field::Description,
            Texts::Bodies => Field::Body,
        }
    }
}

/// Searches, and prints what was found.
pub fn search(
    system: &dyn System,
    global: &Global,
    args: &SearchArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let mut world = World::unread(system, &global.at(&args.roots))?;
    let file = world.cached(FILE);
    let (library, (kept, index)) = rayon::join(
        || world.read(),
        || rayon::join(|| Kept::read(system, &world.home), || Index::open(system, file.as_deref())),
    );
    world.hold(library);
    world.announce(out);
    kept.announce(out);
    if let Some(category) = &args.category {
        has_category(&world, category)?;
    }
    let mut text = args.query.clone();
    for word in &args.words {
        text.push(' ');
        text.push_str(word);
    }
    let query = Query::parse(&text);
    if query.is_empty() {
        let text = OneLine::capped(&text, 80);
        let message = format!("`{text}` holds no letter and no digit that could be searched for");
        return Err(CommandError::new(Kind::Finding, message).hint("skillkeep list"));
    }
    mind(&query, args, out);
    // The sample is no library of anybody's: nothing of it is kept.
    let index = if world.is_sample() { Index::open(system, None) } else { index };
    let search = Search::new(&world, &kept, args.agent.as_deref());
    let (found, widened) = search.find(args, &query, &mut index?, out)?;
    search.print(global, &Answer { text: &text, query: &query, found: &found, widened }, out)
}

/// Says what of a query was not taken as it may have been meant.
fn mind(query: &Query, args: &SearchArgs, out: &mut Output<'_>) {
    let begun = args.query.strip_prefix("--");
    if begun.is_some_and(|rest| rest.starts_with(|c: char| c.is_alphabetic())) {
        let word = OneLine::capped(&args.query, 40);
        out.warn(&format!("`{word}` is no option here, and is searched for"));
        out.hint("skillkeep search --help");
    }
    if query.is_cut() {
        out.warn(&format!(
            "only the beginning of the query was read: {LONGEST_QUERY} characters and {MOST_WORDS} words at most"
        ));
    }
}

/// A search in a world.
struct Search<'a> {
    world: &'a World<'a>,
    kept: &'a Kept,
    known: Vec<Option<&'a AtHand>>,
    agent: Option<&'a str>,
    /// By row: whether whoever asks must not see it.
    hidden: Vec<bool>,
}

/// What was asked and what was found.
struct Answer<'a> {
    text: &'a str,
    query: &'a Query,
    found: &'a Found,
    widened: bool,
}

impl<'a> Search<'a> {
    fn new(world: &'a World<'a>, kept: &'a Kept, agent: Option<&'a str>) -> Search<'a> {
        let known = kept.rows(&world.library);
        let mut search = Search { world, kept, known, agent, hidden: Vec::new() };
        search.hidden = search.hidden_rows();
        search
    }

    /// Brings the index up to date, searches it, and keeps it.
    fn find(
        &self,
        args: &SearchArgs,
        query: &Query,
        index: &mut Index,
        out: &mut Output<'_>,
    ) -> Result<(Found, bool), CommandError> {
        let (library, files) = (&self.world.library, self.world.files());
        index.update(library, files)?;
        let wanted = |row: usize| {
            let category = args.category.as_deref();
            let here = library.skills.get(row).is_some_and(|skill| {
                category.is_none_or(|wanted| is_in(skill.category.as_str(), wanted))
            });
            here && !self.hidden.get(row).copied().unwrap_or(true)
        };
        let uses = |row: usize| self.of(row).map_or(0, |known| known.sums.uses);
        let mut ask = |query: &Query| {
            let (limit, field) = (args.limit as usize, args.place.map(Texts::field));
            let asked = Asked { query, field, limit, wanted: &wanted, uses: &uses };
            index.search(&asked, library, files)
        };
        let mut found = ask(query)?;
        let mut widened = false;
        if found.total == 0
            && let Some(wider) = query.widened()
        {
            found = ask(&wider)?;
            widened = found.total > 0;
        }
        let saved = index.save(self.world.system);
        tell(self.world, index.state(), saved, out);
        Ok((found, widened))
    }

    fn of(&self, row: usize) -> Option<&AtHand> {
        self.known.get(row).copied().flatten()
    }

    /// What is off for an agent, and what waits to be accepted, is found by people only, and so are files that lie in its
    /// folder and look like skills.
    fn hidden_rows(&self) -> Vec<bool> {
        let (system, home) = (self.world.system, &self.world.home.path);
        let person = match (system.disk(), home) {
            (Some(disk), Some(home)) => caller(disk, home) == Actor::Person,
            _ => false,
        };
        let holds = self.world.config.writes.holds();
        let off = |row: usize| {
            let held = holds && self.of(row).is_some_and(|known| known.held);
            !person && (held || self.choice(row) == Choice::Off)
        };
        let skills = self.world.library.skills.iter().enumerate();
        skills
            .map(|(row, skill)| match skill.standing {
                Standing::Support { inside } => off(inside),
                _ => off(row),
            })
            .collect()
    }

    fn choice(&self, row: usize) -> Choice {
        self.of(row).map_or(Choice::Auto, |known| known.choice(self.agent))
    }
}

/// Says what was wrong with the index's file. What was found is the same whatever it was; only the next search takes longer.
fn tell(world: &World<'_>, state: &State, saved: std::io::Result<bool>, out: &mut Output<'_>) {
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
            out.hint("use that skillkeep, or another cache: SKEEP_CACHE=FOLDER");
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
