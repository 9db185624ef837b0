//! `skillkeep search`

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::{Global, options::RootArgs, output::Output};
use crate::{
    search::{Field, LONGEST_QUERY, MOST_WORDS, Query},
    skill::{OneLine, Skill},
    system::System,
    tools::{
        find::{self, Hits, Opened, Wish},
        sight::Sight,
    },
    world::{
        error::CommandError,
        naming::{has_category, is_in},
    },
};

mod shown;

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
    let Opened { world, kept, mut index } = find::open(system, &global.at(&args.roots))?;
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
    let query = find::query(&text)?;
    mind(&query, args, out);
    let sight = Sight::new(&world, &kept, args.agent.as_deref());
    let category = args.category.as_deref();
    let wanted = |_: usize, skill: &Skill| {
        category.is_none_or(|wanted| is_in(skill.category.as_str(), wanted))
    };
    let wish = Wish {
        query: &query,
        wanted: &wanted,
        field: args.place.map(Texts::field),
        limit: args.limit as usize,
    };
    let hits = find::find(&sight, &wish, &mut index, out)?;
    Answer { sight: &sight, text: &text, query: &query, hits: &hits }.print(global, out)
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

/// What was asked and what was found.
struct Answer<'a> {
    sight: &'a Sight<'a>,
    text: &'a str,
    query: &'a Query,
    hits: &'a Hits,
}
