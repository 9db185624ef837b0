//! The rule: a line for everybody, cut at one length. What a limit leaves no room for is the request's affair: names stay as
//! long as they fit, and lines are filled in from the first on.

use crate::settings::{Reason, Settings};
use skillkeep_policy::budget::{Answer, Block, Request};
use skillkeep_policy::{Form, Skill};

/// Decides.
pub fn decide(request: &Request<'_>, settings: &Settings) -> Answer<Reason> {
    let cut = u64::try_from(settings.cut).unwrap_or(0);
    let skills: Vec<Skill<'_>> = request.skills().collect();
    let mut block = Block::empty(request);
    let mut forms: Vec<Form> =
        skills.iter().map(|skill| skill.form_cap().max(Form::Name)).collect();
    for (skill, form) in skills.iter().zip(&forms) {
        block.put(*skill, *form, skill.cost(*form));
    }
    for (skill, form) in skills.iter().zip(&mut forms).rev() {
        if block.cost() > request.limit() && *form == Form::Name {
            block.take(*skill, Form::Name, skill.cost(Form::Name));
            block.put(*skill, Form::Counted, 0);
            *form = Form::Counted;
        }
    }
    let mut cuts = false;
    let mut answer = Answer::with_capacity(skills.len());
    for (skill, form) in skills.into_iter().zip(forms) {
        let line = line(skill, cut);
        let price = match line {
            Form::Full => skill.cost(Form::Full),
            _ => request.cost_cut(skill, cut),
        };
        let (form, why) = if skill.form_cap() > Form::Short {
            (form, if form == skill.form_cap() { Reason::Capped } else { Reason::NoRoomForName })
        } else if form == Form::Counted {
            (form, Reason::NoRoomForName)
        } else if block.exchange(skill, (form, skill.cost(form)), (line, price), request.limit()) {
            let why = match line {
                _ if skill.description_length() == 0 => Reason::Silent,
                Form::Full => Reason::Whole { cut },
                _ => Reason::Cut { cut },
            };
            (line, why)
        } else {
            (form, Reason::NoRoom)
        };
        cuts |= form == Form::Short;
        answer.form(skill, form, why);
    }
    if cuts {
        answer.cut(cut);
    }
    answer
}

fn line(skill: Skill<'_>, cut: u64) -> Form {
    let form = if skill.description_length() <= cut { Form::Full } else { Form::Short };
    form.max(skill.form_cap())
}
