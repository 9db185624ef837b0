//! What rules did on the past, for people and for programs.

use serde_json::{Value as Json, json};

use super::{BacktestArgs, Board, Tried, days_of};
use crate::{
    cli::output::columns,
    decision::Slot,
    eval::percent,
    past::{History, Regret, Score, Terms, dominated},
    policy::Builtin,
    skill::OneLine,
};

/// For people.
pub fn text(boards: &[Board], args: &BacktestArgs) -> String {
    let head = ["HISTORY", "RULE", "RETIRED", "REGRETTED", "LATER", "WASTE", "OF CARRIED"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for board in boards {
        rows.extend(board.tried.iter().map(|it| row(&board.history, it)));
    }
    let mut text = columns(&rows);
    text.push_str(&format!(
        "\nREGRETTED: wanted within {} after they were retired; LATER: wanted after that. WASTE: tokens · days of what was\n\
         carried and not wanted within {}.\n",
        days_of(i64::from(args.window)),
        days_of(i64::from(args.window)),
    ));
    for board in boards {
        text.push_str(&verdict(board));
    }
    if args.explain {
        for board in boards {
            for it in &board.tried {
                text.push_str(&explained(&board.history, it));
            }
        }
    }
    text
}

fn row(history: &History, it: &Tried) -> Vec<String> {
    let totals = &it.score.totals;
    let share = |share: Option<f64>| share.map_or("-".to_owned(), |it| percent(it) + " %");
    let regretted = match totals.regret_share() {
        Some(part) => format!("{} ({} %)", totals.regretted, percent(part)),
        None => totals.regretted.to_string(),
    };
    vec![
        history.name.clone(),
        it.name.clone(),
        totals.retired.to_string(),
        regretted,
        totals.late.to_string(),
        totals.waste().to_string(),
        share(totals.waste_share()),
    ]
}

/// Whether another rule does better than the default in both. Of one that failed nothing can be said.
fn verdict(board: &Board) -> String {
    let name = Builtin::of_slot(Slot::Curator).map_or("", |builtin| builtin.name);
    let counts = |it: &&Tried| !it.is_bound && it.score.failure.is_none();
    let rules: Vec<&Tried> = board.tried.iter().filter(counts).collect();
    let Some(default) = rules.iter().find(|it| it.name == name) else { return String::new() };
    let better: Vec<&str> = rules
        .iter()
        .filter(|it| dominated(&default.score.totals, &it.score.totals))
        .map(|it| it.name.as_str())
        .collect();
    let history = &board.history.name;
    match (better.as_slice(), rules.len()) {
        (_, 1) => String::new(),
        ([], _) => format!("{history}: no other rule beats `{name}`, the default, in both\n"),
        (better, _) => {
            format!(
                "{history}: in both `{name}`, the default, is beaten by {}\n",
                better.join(", ")
            )
        }
    }
}

/// As many examples of a reason are given.
const EXAMPLES: usize = 3;

/// Retirements by one reason.
type ByReason<'a> = Vec<(&'a str, Vec<&'a Regret>)>;

fn by_reason(score: &Score) -> ByReason<'_> {
    let mut found: ByReason<'_> = Vec::new();
    for regret in &score.regrets {
        let code = regret.reason.code.as_str();
        match found.iter_mut().find(|(it, _)| *it == code) {
            Some((_, some)) => some.push(regret),
            None => found.push((code, vec![regret])),
        }
    }
    found.sort_by_key(|(code, some)| (std::cmp::Reverse(some.len()), *code));
    found
}

fn explained(history: &History, it: &Tried) -> String {
    let mut text = String::new();
    for (code, some) in by_reason(&it.score) {
        text.push_str(&format!(
            "\n{} on {}, `{code}`: {} regretted\n",
            it.name,
            history.name,
            some.len()
        ));
        let rows: Vec<Vec<String>> = some
            .iter()
            .take(EXAMPLES)
            .map(|regret| {
                vec![
                    format!("  {}", OneLine::new(&regret.name)),
                    format!("retired {}", regret.retired),
                    format!("wanted {}", regret.wanted),
                    regret.reason.text.to_string(),
                ]
            })
            .collect();
        text.push_str(&columns(&rows));
    }
    text
}

/// For programs.
pub fn record(boards: &[Board], terms: &Terms, args: &BacktestArgs) -> Json {
    let tried = |it: &Tried| {
        let totals = &it.score.totals;
        json!({
            "rule": it.name,
            "bound": it.is_bound,
            "passes": totals.passes,
            "failed": totals.failed,
            "failure": it.score.failure.as_ref().map(|(who, why)| json!({ "policy": who, "why": why })),
            "retired": totals.retired,
            "regretted": totals.regretted,
            "regretted-share": totals.regret_share(),
            "wanted-later": totals.late,
            "went-stale": totals.stale,
            "reactivated": totals.reactivated,
            "held": totals.held,
            "waste": totals.waste(),
            "carried": totals.carried_days(),
            "waste-share": totals.waste_share(),
            "milliseconds": it.elapsed.as_millis(),
            "reasons": by_reason(&it.score).into_iter().map(|(code, some)| json!({
                "code": code,
                "regretted": some.len(),
                "examples": some.iter().take(EXAMPLES).map(|regret| json!({
                    "skill": regret.name, "retired": regret.retired.to_string(),
                    "wanted": regret.wanted.to_string(), "by": regret.by,
                    "why": regret.reason.text,
                })).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
        })
    };
    json!({
        "schema": "skillkeep.policy-backtest/1",
        "window-days": terms.window,
        "every-days": terms.every,
        "combine": terms.combine.word(),
        "seed": args.generated.as_ref().map(|_| args.seed),
        "histories": boards.iter().map(|board| json!({
            "name": board.history.name,
            "skills": board.history.lives.len(),
            "events": board.history.deeds.len(),
            "from": board.history.from.to_string(),
            "until": board.history.until.to_string(),
            "rules": board.tried.iter().map(tried).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    })
}
