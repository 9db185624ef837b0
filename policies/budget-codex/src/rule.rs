//! The rule: the longest cut that all descriptions can have.

use crate::settings::{Reason, Settings};
use skillkeep_policy::budget::{Answer, Block, Request, longest_cut};
use skillkeep_policy::{Form, Skill};

/// Decides.
pub fn decide(request: &Request<'_>, settings: &Settings) -> Answer<Reason> {
    let list = List::read(request, settings);
    let longest = list.lines.iter().map(|line| line.length).max().unwrap_or(0);
    if let Some(cut) = longest_cut(0..=longest, |cut| list.fits(cut)) {
        list.described(cut, longest)
    } else {
        list.in_order()
    }
}

/// The list and what it may cost.
struct List<'a> {
    request: &'a Request<'a>,
    lines: Vec<Line<'a>>,
    room: u64,
    /// Each line is counted in steps of so many.
    step: u64,
}

struct Line<'a> {
    skill: Skill<'a>,
    cap: Form,
    /// Of the description, in scalars.
    length: u64,
}

impl<'a> List<'a> {
    fn read(request: &'a Request<'a>, settings: &Settings) -> Self {
        let lines = request.skills().map(|skill| {
            let cap = skill.form_cap();
            let length = if cap <= Form::Short { skill.description_length() } else { 0 };
            Line { skill, cap, length }
        });
        let in_bytes = request.context().unit() == Some("bytes");
        let step = if in_bytes { settings.bytes_per_token } else { 1 };
        let own = request.fixed().saturating_add(budget(request, settings));
        Self {
            request,
            lines: lines.collect(),
            room: own.min(request.limit()),
            step: u64::try_from(step).unwrap_or(1).max(1),
        }
    }

    /// Whether every line fits with a description of so many scalars; with none, whether every name does.
    fn fits(&self, cut: u64) -> bool {
        let mut block = Block::empty(self.request);
        for line in &self.lines {
            let form = line.form(cut);
            block.put(line.skill, form, self.cost(line, form, cut));
        }
        block.cost() <= self.room
    }

    fn cost(&self, line: &Line<'_>, form: Form, cut: u64) -> u64 {
        let cost = match form {
            Form::Full | Form::Name => line.skill.cost(form),
            Form::Short => self.cut(line, cut),
            Form::Counted => return 0,
        };
        cost.div_ceil(self.step).saturating_mul(self.step)
    }

    /// A line whose description is cut. In bytes, what is cut off is looked at: not every character has one.
    fn cut(&self, line: &Line<'_>, cut: u64) -> u64 {
        let text = line.skill.description().filter(|_| self.step > 1);
        let Some(text) = text else { return self.request.cost_cut(line.skill, cut) };
        let kept = usize::try_from(cut).ok().and_then(|cut| text.char_indices().nth(cut));
        let lost = kept.map_or(0, |(at, _)| text.len() - at);
        line.skill.cost(Form::Full).saturating_sub(u64::try_from(lost).unwrap_or(0))
    }

    fn described(&self, cut: u64, longest: u64) -> Answer<Reason> {
        let mut answer = Answer::with_capacity(self.lines.len());
        for line in &self.lines {
            let form = line.form(cut);
            let why = match form {
                _ if line.cap > Form::Short => Reason::Capped,
                _ if line.length == 0 => Reason::Silent,
                _ if cut >= longest => Reason::Fits,
                Form::Full => Reason::Shorter,
                Form::Short => Reason::Cut { scalars: cut },
                Form::Name | Form::Counted => Reason::NamesOnly,
            };
            answer.form(line.skill, form, why);
        }
        if 0 < cut && cut < longest {
            answer.cut(cut);
        }
        answer
    }

    /// Names in their order as long as there is room, each that doesn't fit being passed over.
    fn in_order(&self) -> Answer<Reason> {
        let mut block = Block::empty(self.request);
        for line in &self.lines {
            block.put(line.skill, Form::Counted, 0);
        }
        let mut order: Vec<&Line<'_>> = self.lines.iter().collect();
        order.sort_by_key(|line| (line.skill.name(), line.skill.row()));
        let mut answer = Answer::with_capacity(order.len());
        for line in order {
            let name = (Form::Name, self.cost(line, Form::Name, 0));
            let counted = (Form::Counted, 0);
            let (form, why) = if line.cap == Form::Counted {
                (Form::Counted, Reason::Capped)
            } else if block.exchange(line.skill, counted, name, self.room) {
                (Form::Name, Reason::Filled)
            } else {
                (Form::Counted, Reason::Omitted)
            };
            answer.form(line.skill, form, why);
        }
        answer
    }
}

impl Line<'_> {
    fn form(&self, cut: u64) -> Form {
        let form = match (self.length, cut) {
            (0, _) | (_, 0) => Form::Name,
            (length, cut) if length <= cut => Form::Full,
            _ => Form::Short,
        };
        form.max(self.cap)
    }
}

/// What the list may cost, in the unit of the limit.
fn budget(request: &Request<'_>, settings: &Settings) -> u64 {
    let in_tokens = request.context().unit() == Some("tokens");
    if settings.window == 0 {
        let chars = settings.unknown_window_chars;
        let budget = if in_tokens { chars / settings.bytes_per_token } else { chars };
        return u64::try_from(budget).unwrap_or(0);
    }
    #[allow(clippy::cast_precision_loss, reason = "a window is far below 2^53")]
    let tokens = settings.window as f64 * settings.share;
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "it is no less than 0"
    )]
    let tokens = ((tokens + 1e-6).floor() as u64).max(1);
    let per_token = if in_tokens { 1 } else { settings.bytes_per_token };
    tokens.saturating_mul(u64::try_from(per_token).unwrap_or(1))
}
