//! The rule: everybody described, then the least worth by name alone until the list fits.

use crate::settings::{Reason, Settings};
use skillkeep_policy::budget::{Answer, Block, Request};
use skillkeep_policy::{Decay, Form, Skill};

/// Decides.
pub fn decide(request: &Request<'_>, settings: &Settings) -> Answer<Reason> {
    let own = request.fixed().saturating_add(budget(request, settings));
    let room = own.min(request.limit());
    let mut lines: Vec<Line<'_>> =
        request.skills().map(|skill| Line::read(skill, request, settings)).collect();
    let mut block = Block::empty(request);
    for line in &lines {
        block.put(line.skill, line.form, line.cost(line.form));
    }
    let all_fit = block.cost() <= room;
    if !all_fit {
        drop_descriptions(&mut lines, &mut block, room);
        // Its own budget never costs Claude Code a name; the limit that is asked for may.
        for line in lines.iter_mut().rev() {
            if block.cost() <= request.limit() {
                break;
            }
            line.change(&mut block, Form::Counted, Reason::NoRoom);
        }
    }
    answer(&lines, all_fit, settings)
}

/// What the list may cost, in the unit of the limit.
fn budget(request: &Request<'_>, settings: &Settings) -> u64 {
    let per_token = match request.context().unit() {
        Some("tokens") => 1,
        _ => settings.chars_per_token,
    };
    #[allow(clippy::cast_precision_loss, reason = "a window is far below 2^53")]
    let budget = settings.window as f64 * settings.share * per_token as f64;
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is no less than 0"
    )]
    let whole = (budget + 1e-6).floor() as u64;
    whole
}

/// One skill with the form that it has so far.
struct Line<'a> {
    skill: Skill<'a>,
    form: Form,
    why: Reason,
    described: u64,
    worth: f64,
}

impl<'a> Line<'a> {
    fn read(skill: Skill<'a>, request: &Request<'_>, settings: &Settings) -> Self {
        let longest = u64::try_from(settings.max_description).unwrap_or(0);
        let length = skill.description_length();
        let cap = skill.form_cap();
        let (form, why) = if cap > Form::Short {
            (cap, Reason::Capped)
        } else if length == 0 {
            (Form::Name, Reason::Silent)
        } else if length > longest || cap == Form::Short {
            (Form::Short, Reason::Kept)
        } else {
            (Form::Full, Reason::Kept)
        };
        let described = request.cost_cut(skill, longest);
        Self { skill, form, why, described, worth: worth(skill, request, settings) }
    }

    fn cost(&self, form: Form) -> u64 {
        match form {
            Form::Full | Form::Short => self.described,
            Form::Name => self.skill.cost(Form::Name),
            Form::Counted => 0,
        }
    }

    fn change(&mut self, block: &mut Block, to: Form, why: Reason) {
        block.take(self.skill, self.form, self.cost(self.form));
        block.put(self.skill, to, self.cost(to));
        (self.form, self.why) = (to, why);
    }
}

/// `uses · max(0.5^(days / 7), 0.1)`; nothing where it was never used.
fn worth(skill: Skill<'_>, request: &Request<'_>, settings: &Settings) -> f64 {
    let Some(uses) = skill.uses() else { return 0.0 };
    let left = skill.last_used().map_or(0.0, |last_used| {
        Decay::HalfLife.left(request.days_since(last_used), settings.half_life_days)
    });
    #[allow(clippy::cast_precision_loss, reason = "a count of uses is far below 2^53")]
    let uses = uses as f64;
    uses * left.max(settings.floor)
}

/// Drops whole descriptions, those of the least worth first; of two that are worth the same, the later one's.
fn drop_descriptions(lines: &mut [Line<'_>], block: &mut Block, room: u64) {
    let mut order: Vec<usize> = (0..lines.len()).rev().collect();
    let worth = |row: &usize| lines.get(*row).map_or(0.0, |line| line.worth);
    order.sort_by(|a, b| worth(a).total_cmp(&worth(b)));
    for row in order {
        if block.cost() <= room {
            return;
        }
        let Some(line) = lines.get_mut(row).filter(|line| line.form <= Form::Short) else {
            continue;
        };
        let why = if line.worth > 0.0 { Reason::Dropped } else { Reason::Unused };
        line.change(block, Form::Name, why);
    }
}

fn answer(lines: &[Line<'_>], all_fit: bool, settings: &Settings) -> Answer<Reason> {
    let mut answer = Answer::with_capacity(lines.len());
    for line in lines {
        let why = match &line.why {
            Reason::Kept if all_fit => Reason::Fits,
            why => why.clone(),
        };
        answer.form(line.skill, line.form, why);
    }
    if lines.iter().any(|line| line.form == Form::Short) {
        answer.cut(u64::try_from(settings.max_description).unwrap_or(0));
    }
    answer
}
