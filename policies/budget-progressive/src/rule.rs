//! The rule: which lines are kept. A line is kept as it is or left out; nothing is shortened, and what is left out is counted.

use crate::settings::{Blocks, Misfit, Reason, Settings};
use skillkeep_policy::budget::{Answer, Request};
use skillkeep_policy::{Form, Skill};

/// Decides.
pub fn decide(request: &Request<'_>, settings: &Settings) -> Answer<Reason> {
    let lines: Vec<Line> =
        request.skills().map(|skill| Line::read(skill, request, settings)).collect();
    let mut fill = Fill::new(request, lines.len());
    if fill.all_fit(request, &lines) {
        for (kept, line) in fill.kept.iter_mut().zip(&lines) {
            *kept = line.may_show().then_some(Reason::Whole);
        }
    } else {
        fill.reserve_counts(request);
        for block in blocks(settings, &lines, fill.headers.len()) {
            fill.serve(&block, &lines, settings.misfit);
        }
    }
    answer(&lines, fill.kept)
}

/// One skill's line.
struct Line {
    category: usize,
    cap: Form,
    cost: i64,
    score: f64,
}

impl Line {
    fn read(skill: Skill<'_>, request: &Request<'_>, settings: &Settings) -> Self {
        let cap = skill.form_cap();
        Self {
            category: skill.category().row() as usize,
            cap,
            cost: if cap <= Form::Short { signed(skill.cost(cap)) } else { 0 },
            score: score(skill, request, settings),
        }
    }

    /// A name alone is no line: of a demoted category only the count is told.
    fn may_show(&self) -> bool {
        self.cap <= Form::Short
    }
}

/// Uses, faded since the last one.
fn score(skill: Skill<'_>, request: &Request<'_>, settings: &Settings) -> f64 {
    let (Some(uses), Some(last_used)) = (skill.uses(), skill.last_used()) else { return 0.0 };
    #[allow(clippy::cast_precision_loss, reason = "a count of uses is far below 2^53")]
    let uses = uses as f64;
    uses * settings.decay.left(request.days_since(last_used), settings.decay_days)
}

/// Rows that are served together, in the order in which they stand.
fn blocks(settings: &Settings, lines: &[Line], categories: usize) -> Vec<Vec<usize>> {
    let rows = lines.iter().enumerate().filter(|(_, line)| line.may_show());
    match settings.blocks {
        Blocks::All => vec![rows.map(|(row, _)| row).collect()],
        Blocks::Category => {
            let mut blocks = vec![Vec::new(); categories];
            for (row, line) in rows {
                if let Some(block) = blocks.get_mut(line.category) {
                    block.push(row);
                }
            }
            blocks
        }
    }
}

/// What is kept so far, and the room that is left.
struct Fill {
    room: i64,
    /// What each category's header still costs: nothing once it stands.
    headers: Vec<i64>,
    kept: Vec<Option<Reason>>,
}

impl Fill {
    fn new(request: &Request<'_>, skills: usize) -> Self {
        Self {
            room: signed(request.limit()) - signed(request.fixed()),
            headers: request.categories().map(|category| signed(category.cost_header())).collect(),
            kept: vec![None; skills],
        }
    }

    /// Whether every line that is allowed fits, with counts for the others.
    fn all_fit(&self, request: &Request<'_>, lines: &[Line]) -> bool {
        let (mut shown, mut counted) =
            (vec![false; self.headers.len()], vec![false; self.headers.len()]);
        for line in lines {
            let has = if line.may_show() { &mut shown } else { &mut counted };
            if let Some(has) = has.get_mut(line.category) {
                *has = true;
            }
        }
        let of_lines: i64 = lines.iter().filter(|line| line.may_show()).map(|line| line.cost).sum();
        let of_headers: i64 =
            self.headers.iter().zip(shown).filter(|(_, has)| *has).map(|(cost, _)| cost).sum();
        let of_counts: i64 = request
            .categories()
            .zip(counted)
            .filter(|(_, has)| *has)
            .map(|(category, _)| signed(category.cost_count()))
            .sum();
        of_lines + of_headers + least(of_counts, request) <= self.room
    }

    /// Sets aside what it costs to count whoever is left out. The rule that this one is made after does not pay for that.
    fn reserve_counts(&mut self, request: &Request<'_>) {
        let all = request.categories().map(|category| signed(category.cost_count())).sum();
        self.room -= least(all, request);
    }

    fn serve(&mut self, block: &[usize], lines: &[Line], misfit: Misfit) {
        let line = |row: &usize| lines.get(*row);
        if self.take_whole(block, lines) {
            return;
        }
        let mut used: Vec<(&Line, usize)> = block
            .iter()
            .filter_map(|row| Some((line(row)?, *row)))
            .filter(|(line, _)| line.score > 0.0)
            .collect();
        used.sort_by(|(a, _), (b, _)| b.score.total_cmp(&a.score));
        for (line, row) in used {
            self.take(line, row, &Reason::Used);
        }
        for row in block {
            let Some(line) = line(row) else { continue };
            let taken = self.kept.get(*row).is_some_and(Option::is_some)
                || self.take(line, *row, &Reason::Filled);
            if !taken && misfit == Misfit::Stop {
                return;
            }
        }
    }

    /// Keeps a whole block if it fits; how much its skills are used doesn't matter then.
    fn take_whole(&mut self, block: &[usize], lines: &[Line]) -> bool {
        let (room, headers) = (self.room, self.headers.clone());
        let whole = block
            .iter()
            .all(|row| lines.get(*row).is_some_and(|line| self.take(line, *row, &Reason::Whole)));
        if !whole {
            (self.room, self.headers) = (room, headers);
            for row in block {
                if let Some(kept) = self.kept.get_mut(*row) {
                    *kept = None;
                }
            }
        }
        whole
    }

    fn take(&mut self, line: &Line, row: usize, why: &Reason) -> bool {
        let header = self.headers.get_mut(line.category);
        let cost = line.cost + header.as_deref().copied().unwrap_or(0);
        let (Some(kept), true) = (self.kept.get_mut(row), cost <= self.room) else { return false };
        self.room -= cost;
        *kept = Some(why.clone());
        if let Some(header) = header {
            *header = 0;
        }
        true
    }
}

/// The least that counting costs: a line a category, or one for all.
fn least(count_lines: i64, request: &Request<'_>) -> i64 {
    request.context().cost_rest().map_or(count_lines, |rest| count_lines.min(signed(rest)))
}

fn answer(lines: &[Line], kept: Vec<Option<Reason>>) -> Answer<Reason> {
    let mut answer = Answer::with_capacity(lines.len());
    for (row, (line, kept)) in (0_u32..).zip(lines.iter().zip(kept)) {
        let (form, why) = match kept {
            Some(why) => (line.cap, why),
            None if line.may_show() => (Form::Counted, Reason::NoRoom),
            None => (Form::Counted, Reason::Capped),
        };
        let why = answer.why(why);
        answer.form_of_row(row, form, why);
    }
    answer
}

fn signed(cost: u64) -> i64 {
    // A quarter, so that a few such sums don't overflow.
    i64::try_from(cost).unwrap_or(i64::MAX).min(i64::MAX / 4)
}
