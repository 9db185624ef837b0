//! `skillkeep policy backtest`

mod print;

use std::{path::PathBuf, process::ExitCode, time::Duration};

use clap::Args;

use super::{
    super::{Global, output::Output},
    rules::{FORM, Rule, combine},
};
use crate::{
    config::StaleForm,
    decision::Slot,
    past::{Contender, Generated, History, Kind as HistoryKind, Point, Score, Terms, replay, svg},
    policy::{BUILTINS, Engine},
    skill::nearest,
    world::{
        Where, World, counted,
        error::{CommandError, Kind},
        kept,
        past::lived,
        policies::{engine, in_use},
    },
};

/// Arguments of `policy backtest`.
#[derive(Debug, Args)]
#[command(after_help = format!("{FORM}\n\n\
A retirement is regretted if the skill is wanted within the window after it; then it is brought back, as a person would. \
Waste is what is carried in the index and not wanted for a whole window, in tokens · days; a stale skill is carried with the \
tokens of its name. `oracle` sees the future: it has no regret, and waste only up to the next pass and where laws \
make it carry. `never` retires nothing: it has no regret, and all the waste. Laws hold as in a pass that you asked for.\n\n\
Example: skillkeep policy backtest curator-inactivity curator-inactivity,archive-after-days=60 --generated all"))]
pub struct BacktestArgs {
    /// Rules to try [default: those that are used, and those that come with the host]
    #[arg(value_name = "RULE")]
    rules: Vec<String>,

    /// Try them on made-up histories instead of the home's: zipf, drift, seasons, bursts, mixed, or all of them
    #[arg(long, value_name = "KIND")]
    generated: Option<String>,

    /// With --generated, how many skills there are
    #[arg(long, value_name = "COUNT", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=100_000), requires = "generated")]
    skills: u32,

    /// With --generated, for how many days there are passes
    #[arg(long, value_name = "DAYS", default_value_t = 365, value_parser = clap::value_parser!(u32).range(1..=3_650), requires = "generated")]
    days: u32,

    /// With --generated, what the histories are drawn from
    #[arg(long, value_name = "NUMBER", default_value_t = 1, requires = "generated")]
    seed: u64,

    /// For how many days after a retirement it may be regretted
    #[arg(long, value_name = "DAYS", default_value_t = 90, value_parser = clap::value_parser!(u32).range(1..=3_650))]
    window: u32,

    /// Days from one pass to the next
    #[arg(long, value_name = "DAYS", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=365))]
    every: u32,

    /// Take all skills of the home as if they were in the curator's care
    #[arg(long, conflicts_with = "generated")]
    all: bool,

    /// Give examples of what was regretted, by reason
    #[arg(long)]
    explain: bool,

    /// Draw regret against waste into this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// One rule on one history.
struct Tried {
    name: String,
    is_bound: bool,
    score: Score,
    elapsed: Duration,
}

/// One history, with all that were tried on it.
struct Board {
    history: History,
    tried: Vec<Tried>,
}

/// Runs the command.
pub fn backtest(
    world: &World<'_>,
    global: &Global,
    args: &BacktestArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let terms = Terms {
        window: args.window,
        every: args.every,
        combine: combine(world),
        stale_is_named: world.config.curator.stale != StaleForm::Count,
    };
    let histories = histories(world, global, args, &terms, out)?;
    let engine = engine(world)?;
    let rules = rules(world, &engine, args, out)?;
    let mut boards = Vec::new();
    for history in histories {
        out.note(&format!(
            "{}: {}, {}, {}",
            history.name,
            counted(history.lives.len(), "skill"),
            counted(history.deeds.len(), "event"),
            match terms.passes(&history) {
                1 => "1 pass".to_owned(),
                passes => format!("{passes} passes"),
            },
        ));
        let bounds = [("oracle", Contender::Oracle), ("never", Contender::Never)];
        let theirs = rules.iter().map(|rule| (rule.name.as_str(), rule.contender(&engine), false));
        let ours = bounds.into_iter().map(|(name, it)| (name, it, true));
        let tried = theirs.chain(ours).map(|(name, contender, is_bound)| {
            let began = std::time::Instant::now();
            let score = replay(&history, terms, &contender, &mut |_| {});
            Tried { name: name.to_owned(), is_bound, score, elapsed: began.elapsed() }
        });
        let tried = tried.collect();
        boards.push(Board { history, tried });
    }
    if let Some(file) = &args.svg {
        draw(world, file, &boards, &terms)?;
        out.note(&format!("drawn into {}", world.shorten(file)));
    }
    if global.json {
        out.json(&print::record(&boards, &terms, args))?;
    } else {
        out.text(&print::text(&boards, args))?;
        for board in &boards {
            for it in board.tried.iter().filter(|it| !it.is_bound) {
                let seconds = it.elapsed.as_secs_f64();
                out.note(&format!("{} on {}: {seconds:.2} s", it.name, board.history.name));
            }
        }
    }
    Ok(failures(&boards, out))
}

/// Says who gave no answer that counts.
fn failures(boards: &[Board], out: &mut Output<'_>) -> ExitCode {
    let mut code = ExitCode::SUCCESS;
    for board in boards {
        for it in &board.tried {
            if let Some((who, why)) = &it.score.failure {
                let failed = it.score.totals.failed;
                out.warn(&format!(
                    "`{who}` failed in {} on {}, which changed nothing: {why}",
                    if failed == 1 { "1 pass".to_owned() } else { format!("{failed} passes") },
                    board.history.name
                ));
                code = ExitCode::from(Kind::Finding.status());
            }
        }
    }
    code
}

/// The rules that were named; else those that are used, and those that come with the host.
fn rules(
    world: &World<'_>,
    engine: &Engine,
    args: &BacktestArgs,
    out: &mut Output<'_>,
) -> Result<Vec<Rule>, CommandError> {
    let mut names = args.rules.clone();
    if names.is_empty() {
        let ours = BUILTINS.into_iter().filter(|it| it.slot == Slot::Curator);
        let used = in_use(&world.config, Slot::Curator);
        names = used.into_iter().chain(ours.map(|it| it.name.to_owned())).collect();
        let mut seen = std::collections::BTreeSet::new();
        names.retain(|name| seen.insert(name.clone()));
    }
    names.iter().map(|name| Rule::load(world, engine, Slot::Curator, name, out)).collect()
}

/// The histories that were asked for.
fn histories(
    world: &World<'_>,
    global: &Global,
    args: &BacktestArgs,
    terms: &Terms,
    out: &mut Output<'_>,
) -> Result<Vec<History>, CommandError> {
    let Some(word) = &args.generated else {
        return Ok(vec![of_home(world, global, args.all, terms, out)?]);
    };
    let kinds = match HistoryKind::from_word(word) {
        Some(kind) => vec![kind],
        None if word == "all" => HistoryKind::ALL.to_vec(),
        None => return Err(no_kind(word)),
    };
    if kinds.len() > 1 && args.svg.is_some() {
        let message = "found `--svg` with several histories, expected one to draw";
        return Err(CommandError::new(Kind::Usage, message).hint("--generated mixed"));
    }
    let drawn = kinds.into_iter().map(|kind| {
        let (skills, days, seed) = (args.skills, args.days, args.seed);
        Generated { kind, skills, days, after: args.window, seed }.history()
    });
    Ok(drawn.collect())
}

/// That no history is called so.
pub fn no_kind(word: &str) -> CommandError {
    let words = HistoryKind::ALL.map(HistoryKind::word);
    let message = format!("found `{word}`, expected one of `{}` or `all`", words.join("`, `"));
    let near = nearest(word, words);
    CommandError::new(Kind::Usage, message)
        .maybe_hint(near.map(|near| format!("did you mean `{near}`?")))
}

/// The home's own history, where it is long enough for anything to be judged.
pub fn of_home(
    world: &World<'_>,
    global: &Global,
    all: bool,
    terms: &Terms,
    out: &mut Output<'_>,
) -> Result<History, CommandError> {
    let place = Where { home: global.home.as_deref(), ..Where::default() };
    let own = World::own(world.system, &place)?;
    let ledger = kept::needed_ledger(&own)?;
    let lived = lived(&own, &ledger, all, own.system.now())?;
    let history = lived.history;
    if terms.passes(&history) == 0 || history.deeds.is_empty() {
        let days = history.days();
        let message = format!(
            "there is too little history here: {} with {}; what a rule does is judged {} later",
            days_of(days),
            counted(history.deeds.len(), "event"),
            days_of(i64::from(terms.window)),
        );
        return Err(CommandError::new(Kind::Finding, message)
            .hint("on a made-up history: `--generated mixed`")
            .hint("with a shorter window, such as `--window 14`"));
    }
    let skills = history.lives.len();
    if lived.in_care < skills {
        out.note(&format!(
            "{} of {} in the curator's care",
            lived.in_care,
            match skills {
                1 => "1 skill is".to_owned(),
                many => format!("{many} skills are"),
            }
        ));
        if lived.in_care == 0 {
            out.hint("what rules would make of all of them: `--all`");
        }
    }
    Ok(history)
}

/// So many days, in words.
fn days_of(days: i64) -> String {
    if days == 1 { "1 day".to_owned() } else { format!("{days} days") }
}

fn draw(
    world: &World<'_>,
    file: &std::path::Path,
    boards: &[Board],
    terms: &Terms,
) -> Result<(), CommandError> {
    let Some(board) = boards.first() else { return Ok(()) };
    let point = |it: &Tried| Point {
        name: it.name.clone(),
        totals: it.score.totals,
        is_bound: it.is_bound,
    };
    let points: Vec<Point> = board.tried.iter().map(point).collect();
    let title = format!("Regret and waste: {}", board.history.name);
    let note = format!(
        "{}, {} passes, regret within {} days. `oracle` sees the future, `never` retires nothing.",
        counted(board.history.lives.len(), "skill"),
        terms.passes(&board.history),
        terms.window
    );
    let drawn = svg(&points, &title, &note);
    let file = match world.system.working_folder() {
        Ok(folder) => folder.join(file),
        Err(_) => file.to_owned(),
    };
    world.system.replace(&file, drawn.as_bytes()).map_err(|error| {
        CommandError::new(Kind::Fault, format!("can't write `{}`: {error}", file.display()))
    })
}
