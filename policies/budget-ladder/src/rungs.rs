//! A skill as the ladder sees it: plain numbers, read once from the request. No choice is made here.

use crate::settings::Settings;
use skillkeep_policy::budget::Request;
use skillkeep_policy::{Detail, Form, Skill};

/// One skill.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// Its category's row.
    pub category: u32,
    /// What its line costs by form; counted costs nothing.
    pub costs: [u32; 3],
    /// The most telling form allowed.
    pub cap: Form,
    /// The form it had before.
    pub previous: Option<Form>,
    /// A person pinned it.
    pub pinned: bool,
    /// The user asked for its category in full.
    pub chosen: bool,
    /// It was used at least once.
    pub used: bool,
    /// What it is worth to find it.
    pub worth: f64,
}

impl Rung {
    /// Reads a skill.
    pub fn read(skill: Skill<'_>, request: &Request<'_>, settings: &Settings) -> Self {
        let uses = skill.uses().unwrap_or(0);
        let left = match skill.last_used() {
            Some(then) if uses > 0 => {
                settings.decay.left(request.days_since(then), settings.decay_days)
            }
            _ => 0.0,
        };
        #[allow(clippy::cast_precision_loss, reason = "a count of uses is far below 2^53")]
        let score = uses as f64 * left;
        let category = skill.category();
        let user = category.user_detail();
        let asked = match user {
            None | Some(Detail::Full) => Form::Full,
            Some(Detail::Names) => Form::Name,
            Some(Detail::Count) => Form::Counted,
        };
        Self {
            category: category.row(),
            costs: [Form::Full, Form::Short, Form::Name].map(|form| small(skill.cost(form))),
            cap: skill.form_cap().max(asked),
            previous: skill.previous_form(),
            pinned: skill.pinned(),
            chosen: user == Some(Detail::Full),
            used: uses > 0,
            // Logarithmic: the hundredth use says less than the first.
            worth: settings.unused_worth + settings.use_weight * score.ln_1p(),
        }
    }

    /// What its own line costs in a form.
    pub const fn cost(&self, form: Form) -> i64 {
        let [full, short, name] = self.costs;
        let cost = match form {
            Form::Full => full,
            Form::Short => short,
            Form::Name => name,
            Form::Counted => 0,
        };
        cost as i64
    }

    /// Numbers that tell this skill from others without its name or row, mixed: ties are settled by it, so that the order
    /// of the rows decides only between skills that are alike in everything.
    pub fn mark(&self) -> u64 {
        let [full, short, name] = self.costs;
        let forms = (self.cap as u64) << 8 | self.previous.map_or(9, |form| form as u64);
        let flags =
            u64::from(self.pinned) << 2 | u64::from(self.chosen) << 1 | u64::from(self.used);
        let costs = u64::from(full) << 40 ^ u64::from(short) << 20 ^ u64::from(name);
        mix(mix(costs) ^ self.worth.to_bits() ^ forms << 32 ^ flags << 48)
    }
}

/// Costs beyond 32 bits are beyond every limit anyway.
fn small(cost: u64) -> u32 {
    u32::try_from(cost).unwrap_or(u32::MAX)
}

/// Spreads the bits of a number (the finaliser of SplitMix64).
pub const fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
