//! SUMMARY

use skillkeep_policy::budget::{Answer, BudgetPolicy, Request};
use skillkeep_policy::{Form, Key, NoSettings, Policy, Refusal, key};

skillkeep_policy::reasons! {
    /// Why a skill has its form.
    pub enum Reason {
        Fits = "this form fits for every skill",
        Capped = "no more is allowed",
        NoRoom = "not even the names fit",
    }
}

/// The policy.
#[derive(Clone, Copy, Debug)]
pub struct TYPE;

impl Policy for TYPE {
    type Settings = NoSettings;
    type Reason = Reason;
    const NAME: &'static str = env!("CARGO_PKG_NAME");
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &'static str = env!("CARGO_PKG_DESCRIPTION");
    const NEEDS: &'static [Key] = &[
        key::CATEGORY,
        key::COST_FULL,
        key::COST_SHORT,
        key::COST_NAME,
        key::COST_HEADER,
        key::COST_NAMES,
        key::COST_COUNT,
    ];
    const WANTS: &'static [Key] = &[key::FORM_CAP];
}

impl BudgetPolicy for TYPE {
    fn decide(request: &Request<'_>, _: &NoSettings) -> Result<Answer<Reason>, Refusal<Reason>> {
        let forms = [Form::Full, Form::Short, Form::Name];
        let fitting = forms.into_iter().find(|form| cost(request, *form) <= request.limit());
        let form = fitting.unwrap_or(Form::Counted);
        let mut answer = Answer::with_capacity(request.skills().len());
        for skill in request.skills() {
            // Forms are in order from the most telling to the least.
            let (form, why) = match form.max(skill.form_cap()) {
                capped if capped > form => (capped, Reason::Capped),
                Form::Counted => (Form::Counted, Reason::NoRoom),
                form => (form, Reason::Fits),
            };
            answer.form(skill, form, why);
        }
        Ok(answer)
    }
}

/// What the block costs with every skill in this form, or in less where no more is allowed.
fn cost(request: &Request<'_>, form: Form) -> u64 {
    let mut has = vec![[false; 3]; request.categories().len()];
    let mut cost = request.fixed();
    for skill in request.skills() {
        let form = form.max(skill.form_cap());
        cost += skill.cost(form);
        if let Some([header, names, count]) = has.get_mut(skill.category().row() as usize) {
            match form {
                Form::Full | Form::Short => *header = true,
                Form::Name => *names = true,
                Form::Counted => *count = true,
            }
        }
    }
    for (category, [header, names, count]) in request.categories().zip(has) {
        cost += u64::from(header) * category.cost_header();
        cost += u64::from(names) * category.cost_names();
        cost += u64::from(count) * category.cost_count();
    }
    cost
}

skillkeep_policy::export_budget!(TYPE);
