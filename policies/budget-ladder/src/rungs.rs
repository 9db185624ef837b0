//! A skill as the ladder sees it: plain numbers, read once from the request. No choice is made here.

use crate::settings::Settings;
use skillkeep_policy::budget::Request;
use skillkeep_policy::{Cell, Detail, Form, Key, form, key};

/// One skill. Ten thousand of them are gone through several times, so it is kept small.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// Its category's row.
    pub category: u32,
    /// What its line costs by form; counted costs nothing.
    pub costs: [i32; 4],
    /// How often it was used.
    pub uses: f32,
    /// How far its uses have faded, as an exponent of e.
    pub faded: f32,
    /// How many names have the word of its name that the fewest have; 0 where no other has it.
    pub sharers: u32,
    /// The most telling form allowed.
    pub cap: Form,
    /// The form it had before.
    pub previous: Option<Form>,
    /// A person pinned it.
    pub pinned: bool,
    /// The user asked for its category in full.
    pub chosen: bool,
    /// A pass let it go stale.
    pub stale: bool,
}

/// Reads the skills of a request, one column after the other. Of a use without a time it is not known how far it has
/// faded, so it counts as faded whole.
#[allow(clippy::cast_possible_truncation, reason = "7 digits are enough to rank by")]
#[allow(clippy::cast_precision_loss, reason = "7 digits are enough to rank by")]
pub fn read(request: &Request<'_>, settings: &Settings) -> Vec<Rung> {
    let mut rungs = vec![Rung::NEW; request.skills().len()];
    fill(&mut rungs, request, &key::CATEGORY, |rung, row| rung.category = number(*row));
    fill(&mut rungs, request, &key::COST_FULL, |rung, cost| rung.costs[0] = small(*cost));
    fill(&mut rungs, request, &key::COST_SHORT, |rung, cost| rung.costs[1] = small(*cost));
    fill(&mut rungs, request, &key::COST_NAME, |rung, cost| rung.costs[2] = small(*cost));
    fill(&mut rungs, request, &key::PINNED, |rung, pinned| rung.pinned = *pinned);
    fill(&mut rungs, request, &key::STALE, |rung, stale| rung.stale = *stale);
    fill(&mut rungs, request, &key::USES, |rung, uses: &i64| rung.uses = (*uses).max(0) as f32);
    fill(&mut rungs, request, &key::LAST_USED, |rung, then| {
        let age = request.days_since(*then);
        rung.faded = settings.decay.exponent(age, settings.decay_days) as f32;
    });
    fill(&mut rungs, request, &key::PREVIOUS_FORM, |rung, code| rung.previous = form(*code));
    fill(&mut rungs, request, &key::FORM_CAP, |rung, code| {
        rung.cap = form(*code).unwrap_or(Form::Full);
    });
    let asked: Vec<Option<Detail>> =
        request.categories().map(|category| category.user_detail()).collect();
    if asked.iter().any(Option::is_some) {
        for rung in &mut rungs {
            match asked.get(rung.category as usize).copied().flatten() {
                Some(Detail::Full) => rung.chosen = true,
                Some(Detail::Names) => rung.cap = rung.cap.max(Form::Name),
                Some(Detail::Count) => rung.cap = Form::Counted,
                None => {}
            }
        }
    }
    rungs
}

/// Reads how many share each name's words.
pub fn read_sharers(rungs: &mut [Rung], request: &Request<'_>) {
    fill(rungs, request, &key::NAME_SHARERS, |rung, sharers| rung.sharers = number(*sharers));
}

fn fill<'a, T: Cell + 'a>(
    rungs: &mut [Rung],
    request: &Request<'a>,
    key: &Key,
    set: impl Fn(&mut Rung, &'a T),
) {
    request.tables().column(key).fill(rungs, set);
}

impl Rung {
    /// A skill of which nothing is known.
    const NEW: Self = Self {
        category: u32::MAX,
        costs: [0; 4],
        uses: 0.0,
        faded: f32::INFINITY,
        sharers: 0,
        cap: Form::Full,
        previous: None,
        pinned: false,
        chosen: false,
        stale: false,
    };

    /// What its own line costs in a form.
    pub fn cost(&self, form: Form) -> i32 {
        of(&self.costs, form)
    }

    /// How much more the cheapest line costs that it may have above a form.
    pub fn cheapest_line(&self, from: Form) -> i32 {
        let longest = self.cost(self.cap);
        let short = self.cost(Form::Short);
        let both = self.cap == Form::Full && from > Form::Short;
        (if both && short < longest { short } else { longest }) - self.cost(from)
    }

    /// How much more the cheapest form costs that it may have above a form, a name being one.
    pub fn cheapest_step(&self, from: Form) -> i32 {
        let line = self.cheapest_line(from);
        if from == Form::Counted { line.min(self.cost(Form::Name)) } else { line }
    }

    /// How much its name tells beside one that has a word to itself. A name all of whose words stand in others leads to all of
    /// those: where sixteen share it, it tells half as much.
    pub fn rarity(&self) -> f64 {
        if self.sharers > 1 { f64::from(self.sharers).sqrt().sqrt().recip() } else { 1.0 }
    }

    /// Whether it was used at least once.
    pub fn used(&self) -> bool {
        self.uses > 0.0
    }

    /// What it is worth to find it. Logarithmic: the hundredth use says less than the first.
    pub fn worth(&self, settings: &Settings) -> f64 {
        let score = self.uses * (-self.faded).exp();
        self.aged(settings.unused_worth + settings.use_weight * f64::from(score.ln_1p()), settings)
    }

    /// A worth, less for what is stale.
    fn aged(&self, worth: f64, settings: &Settings) -> f64 {
        if self.stale { worth * settings.stale_worth } else { worth }
    }

    /// It is worth no more than this, which takes a tenth of the time to work out: the exponential is above the beginning
    /// of its series, and the logarithm of 1 + x is below x / sqrt(1 + x).
    pub fn most_worth(&self, settings: &Settings) -> f64 {
        const ROUNDING: f64 = 1.000_01;
        if !self.used() {
            return self.aged(settings.unused_worth, settings);
        }
        let (uses, faded) = (f64::from(self.uses), f64::from(self.faded));
        let score = uses / (1.0 + faded * (1.0 + faded * (0.5 + faded / 6.0)));
        let most =
            settings.unused_worth + settings.use_weight * (score / (1.0 + score).sqrt()) * ROUNDING;
        self.aged(most, settings)
    }

    /// Numbers that tell this skill from others without its name or row, mixed with another: ties are settled by it, so that
    /// the order of the rows decides only between skills that are alike in everything. The form that it had before is not
    /// among them: what a session draws must not hang on what it drew before.
    pub fn mark(&self, seed: u64) -> u64 {
        let [full, short, name, _] = self.costs.map(|cost| u64::from(cost.unsigned_abs()));
        let costs = (full << 40 ^ short << 20 ^ name).wrapping_mul(0xD6E8_FEB8_6659_FD93);
        let usage = u64::from(self.uses.to_bits()) << 32 | u64::from(self.faded.to_bits());
        let flags = (self.cap as u64) << 2 | u64::from(self.pinned) << 1 | u64::from(self.chosen);
        let sharers = u64::from(self.sharers).rotate_left(50);
        let stale = u64::from(self.stale) << 33;
        mix(seed ^ costs ^ usage.rotate_left(17) ^ flags << 40 ^ sharers ^ stale)
    }

    /// The form that it had before, as a number.
    pub fn before(&self) -> u8 {
        self.previous.map_or(9, |form| form as u8)
    }
}

/// The value of a form.
#[inline]
pub fn of<T: Copy + Default>(table: &[T; 4], form: Form) -> T {
    table.get(form as usize).copied().unwrap_or_default()
}

/// Costs are not negative, and beyond 31 bits they are beyond every limit that a block of text can have.
#[allow(clippy::cast_possible_truncation, reason = "it was cut to fit")]
fn small(cost: i64) -> i32 {
    cost.clamp(0, i64::from(i32::MAX)) as i32
}

/// Beyond every table where it is no row.
#[allow(clippy::cast_sign_loss, reason = "what is below 0 is far beyond as well")]
#[allow(clippy::cast_possible_truncation, reason = "it was cut to fit")]
const fn number(row: i64) -> u32 {
    if row as u64 > u32::MAX as u64 { u32::MAX } else { row as u32 }
}

/// Spreads the bits of a number (the finaliser of SplitMix64).
pub const fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
