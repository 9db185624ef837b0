//! The rule: identities first, then the longest cut that all descriptions can have.

use crate::settings::{Reason, Settings};
use skillkeep_policy::budget::{Answer, Block, Request, longest_cut};
use skillkeep_policy::{Form, Skill};

/// Decides.
pub fn decide(request: &Request<'_>, settings: &Settings) -> Answer<Reason> {
    let catalogue = Catalogue::read(request, settings);
    if catalogue.fits(catalogue.listed, WHOLE) {
        return catalogue.answer(catalogue.listed, WHOLE);
    }
    let count = |skills: usize| u64::try_from(skills).unwrap_or(u64::MAX);
    let listed = longest_cut(0..=count(catalogue.listed), |listed| {
        catalogue.fits(usize::try_from(listed).unwrap_or(usize::MAX), 0)
    });
    let listed = listed.and_then(|listed| usize::try_from(listed).ok()).unwrap_or(0);
    let cuts = whole(settings.min_cut)..=whole(settings.max_cut);
    let cut = longest_cut(cuts, |cut| catalogue.fits(listed, cut)).unwrap_or(0);
    catalogue.answer(listed, cut)
}

/// No cut at all.
const WHOLE: u64 = u64::MAX;

struct Catalogue<'a> {
    request: &'a Request<'a>,
    /// By the alphabet.
    skills: Vec<Skill<'a>>,
    /// How many of them may be listed.
    listed: usize,
    most: u64,
    room: u64,
}

impl<'a> Catalogue<'a> {
    fn read(request: &'a Request<'a>, settings: &Settings) -> Self {
        let mut skills: Vec<Skill<'_>> = request.skills().collect();
        skills.sort_by_key(|skill| (skill.name(), skill.row()));
        let most = whole(settings.max_skills);
        let per_unit = match request.context().unit() {
            Some("tokens") => settings.chars_per_token,
            _ => 1,
        };
        let own = whole(settings.max_chars / per_unit.max(1));
        let listed = skills.len().min(usize::try_from(most).unwrap_or(usize::MAX));
        Self { request, skills, listed, most, room: own.min(request.limit()) }
    }

    /// The form of the skill at a place, where so many are listed with such a cut.
    fn form(skill: Skill<'_>, listed: bool, cut: u64) -> Form {
        let form = match (skill.description_length(), cut) {
            _ if !listed => Form::Counted,
            (0, _) | (_, 0) => Form::Name,
            (length, cut) if length <= cut => Form::Full,
            _ => Form::Short,
        };
        form.max(skill.form_cap())
    }

    fn fits(&self, listed: usize, cut: u64) -> bool {
        let mut block = Block::empty(self.request);
        for (place, skill) in self.skills.iter().enumerate() {
            let form = Self::form(*skill, place < listed, cut);
            let cost = match form {
                Form::Full | Form::Name => skill.cost(form),
                Form::Short => self.request.cost_cut(*skill, cut),
                Form::Counted => 0,
            };
            block.put(*skill, form, cost);
        }
        block.cost() <= self.room
    }

    fn answer(&self, listed: usize, cut: u64) -> Answer<Reason> {
        let mut answer = Answer::with_capacity(self.skills.len());
        for (place, skill) in self.skills.iter().enumerate() {
            let form = Self::form(*skill, place < listed, cut);
            let why = match form {
                _ if place >= self.listed => Reason::Beyond { most: self.most },
                _ if place >= listed => Reason::NoRoom,
                _ if skill.form_cap() > Form::Short => Reason::Capped,
                _ if skill.description_length() == 0 => Reason::Silent,
                _ if cut == WHOLE => Reason::Fits,
                Form::Full => Reason::Shorter,
                Form::Short => Reason::Cut { scalars: cut },
                Form::Name | Form::Counted => Reason::NamesOnly,
            };
            answer.form(*skill, form, why);
        }
        if 0 < cut && cut < WHOLE {
            answer.cut(cut);
        }
        answer
    }
}

fn whole(setting: i64) -> u64 {
    u64::try_from(setting).unwrap_or(0)
}
