//! Making an index: ask the demotion slot, cap, ask the budget slot, put both under the laws, fall back where one fails.

use super::{
    ask::{ask_details, ask_forms},
    baseline::baseline,
    entries::{Candidates, Entry},
    layout::{Style, ToolWords},
    meter::Meter,
    prices::{Fit, fit, price, price_of_cut},
    render::{Block, render},
    snapshot::{self, Costs, budget_request, demotion_request},
};
use crate::{
    decision::{Allowance, Detail, Form, Prices, Reasoned, Resource, Slot},
    laws::{Bite, Breach, Caps, Choices, Cut, Forms, Law, Wanted},
    policy::{Engine, Fault, LoadError, Loaded, wider},
    roster::{After, Came, Generation, Held, Member},
    skill::{Choice, Instant, OneLine, Session},
};

/// Who decides in one slot.
pub enum InCharge<'a> {
    /// A policy.
    Policy(&'a Loaded),
    /// A policy of a generation, asked under its watch.
    Seated {
        /// The policy, loaded or not.
        member: &'a Member,
        /// The generation's number.
        generation: u64,
    },
    /// A policy that could not be loaded.
    Failed {
        /// Its name or file.
        name: String,
        /// Why.
        error: &'a LoadError,
    },
    /// A rule of the host's own, for comparison, or nobody in the demotion slot: our own index is never printed by it.
    Host {
        /// What it is called.
        name: &'a str,
        /// The rule. In the demotion slot it isn't asked, and everything is shown.
        rule: HostRule,
    },
}

/// Forms for the budget slot, one a skill, from prices, caps, and the rows in the order in which the baseline names them.
/// The limit holds for it as for a policy.
pub type HostRule = fn(&Prices, &[Form], &[usize]) -> Vec<Form>;

/// What an index is made from.
pub struct Request<'a> {
    /// Visible skills and their categories.
    pub candidates: &'a Candidates,
    /// How it is laid out.
    pub layout: Style,
    /// Counts texts in the unit of the limit.
    pub meter: &'a dyn Meter,
    /// What the block may cost.
    pub limit: u32,
    /// The session.
    pub session: &'a Session,
    /// The time of the decision.
    pub now: Instant,
    /// The session's seed.
    pub seed: u64,
    /// Whether the skills are the sample.
    pub sample: bool,
}

/// Policies in charge, and the engine that runs them.
pub struct Policies<'a> {
    /// The engine.
    pub engine: &'a Engine,
    /// The demotion slot: of several, each category is shown as the one has it that shows most of it.
    pub demotion: Vec<InCharge<'a>>,
    /// The budget slot.
    pub budget: InCharge<'a>,
}

impl<'a> Policies<'a> {
    /// Those of a generation. A slot that has none is left to the host: everything is shown, by the plain baseline.
    #[must_use]
    pub fn of(generation: &'a Generation) -> Policies<'a> {
        let number = generation.number();
        let seated = |member| InCharge::Seated { member, generation: number };
        let nobody = || InCharge::Host { name: "nobody", rule: baseline };
        let mut demotion: Vec<InCharge<'a>> =
            generation.of(Slot::Demotion).map(|member| seated(member)).collect();
        if demotion.is_empty() {
            demotion.push(nobody());
        }
        let budget =
            generation.of(Slot::Budget).next().map_or_else(nobody, |member| seated(member));
        Policies { engine: generation.engine(), demotion, budget }
    }
}

/// How one slot came to its decision.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotNote {
    /// The slot.
    pub slot: Slot,
    /// The policy's name and version, or its file where it didn't load.
    pub policy: String,
    /// Where it comes from.
    pub source: String,
    /// SHA-256 of the component, where it was read.
    pub digest: Option<String>,
    /// The number of the generation that the policy is of, where it is of one.
    pub generation: Option<u64>,
    /// Why the slot's fallback decided instead; none where the policy did.
    pub fallback: Option<Fallback>,
    /// How much of the usual limits it might have used.
    pub allowance: Allowance,
    /// Fuel that the decision took.
    pub fuel: u64,
    /// Fuel that it might have taken.
    pub fuel_limit: u64,
    /// Rows that it was about.
    pub rows: usize,
    /// Microseconds that it took, instance and copying included.
    pub micros: u128,
}

/// Why a slot's fallback decided.
#[derive(Clone, Debug, PartialEq)]
pub enum Fallback {
    /// The policy could not be loaded.
    Load(LoadError),
    /// It refused.
    Refused(Reasoned),
    /// It did what no policy may.
    Fault(Fault),
    /// A law threw its answer away.
    Breach(Breach),
    /// It was not asked, because of how it behaved before.
    Held(Held),
}

impl Fallback {
    /// What a call says of its policy, if that is why the slot fell back, or nothing is.
    #[must_use]
    pub fn came(why: Option<&Fallback>) -> Came {
        match why {
            None => Came::Answered,
            Some(Fallback::Refused(_)) => Came::Refused,
            Some(Fallback::Fault(fault)) => Came::of_fault(fault),
            Some(Fallback::Breach(breach)) => {
                let text = format!("law `{}`: {breach}", breach.law().word());
                Came::Faulted(OneLine::capped(&text, 400))
            }
            // Nobody was asked.
            Some(why @ (Fallback::Load(_) | Fallback::Held(_))) => {
                Came::Unknown(OneLine::capped(&why.to_string(), 400))
            }
        }
    }
}

impl Fallback {
    /// What to do about it, where there is something.
    #[must_use]
    pub fn hint(&self, slot: Slot) -> Option<String> {
        match self {
            Fallback::Load(error) => error.hint_in(slot),
            Fallback::Fault(fault) => fault.hint(slot),
            Fallback::Held(Held::Open { after: After::Stalls, .. }) => {
                Some(wider(Resource::Time, slot))
            }
            Fallback::Refused(_) | Fallback::Breach(_) | Fallback::Held(_) => None,
        }
    }
}

impl From<Held> for Fallback {
    fn from(held: Held) -> Fallback {
        match held {
            Held::NotLoaded(error) => Fallback::Load(error),
            held @ (Held::Quarantined(_) | Held::Open { .. }) => Fallback::Held(held),
        }
    }
}

impl std::fmt::Display for Fallback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fallback::Load(error) => write!(f, "{error}"),
            Fallback::Refused(reason) => write!(f, "it refused: {}", reason.text),
            Fallback::Fault(fault) => write!(f, "{fault}"),
            Fallback::Breach(breach) => write!(f, "law `{}`: {breach}", breach.law().word()),
            Fallback::Held(held) => write!(f, "{held}"),
        }
    }
}

/// A decided index.
#[derive(Clone, Debug)]
pub struct Decided {
    /// What each category may show, and why.
    pub details: Choices<Detail>,
    /// The most telling form allowed, a skill.
    pub caps: Vec<Form>,
    /// The form of each skill, and why.
    pub forms: Choices<Form>,
    /// Where short lines are cut, if a policy said so; else they are as the request had them.
    pub cut: Option<Cut>,
    /// What everything costs.
    pub prices: Prices,
    /// The frame, and whether all names fit.
    pub fit: Fit,
    /// How each slot decided.
    pub notes: Vec<SlotNote>,
    /// Laws that bit.
    pub bites: Vec<Bite>,
    /// The block.
    pub block: Block,
}

impl Decided {
    /// Whether any slot fell back.
    #[must_use]
    pub fn fell_back(&self) -> bool {
        self.notes.iter().any(|note| note.fallback.is_some())
    }

    /// The number of the generation that decided, where one did: all slots of an index are asked of the same one.
    #[must_use]
    pub fn generation(&self) -> Option<u64> {
        self.notes.iter().find_map(|note| note.generation)
    }
}

/// The limit is below what even the shortest block costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the limit is {limit}, and the shortest block costs {least}")]
pub struct TooSmall {
    /// The limit.
    pub limit: u32,
    /// The least that will do.
    pub least: u64,
}

/// Makes an index. Whatever a policy does, this ends with a whole block within the limit.
///
/// # Errors
/// Where the limit is below what even one line costs.
pub fn decide(request: &Request<'_>, policies: &Policies<'_>) -> Result<Decided, TooSmall> {
    let Request { candidates, layout, meter, limit, .. } = *request;
    let words = ToolWords::of(request.session.tools.as_ref(), request.sample);
    let mut prices = price(candidates, layout, meter, limit);
    let user: Vec<Option<Detail>> =
        candidates.categories.iter().map(|category| category.user).collect();
    let user_caps = caps(candidates, user.iter().map(|detail| detail.unwrap_or(Detail::Full)));
    let too_small = |least| TooSmall { limit, least };
    let before = fit(&mut prices, &least(candidates, &user_caps), layout, &words, meter)
        .map_err(too_small)?;

    let mut bites = clock_bites(candidates);
    let (details, mut notes, bitten) =
        demote(request, policies, &Caps { user, names_do_not_fit: !before.names_fit });
    bites.extend(bitten);
    let caps = caps(candidates, details.rows.iter().map(|row| row.choice));
    let fit =
        fit(&mut prices, &least(candidates, &caps), layout, &words, meter).map_err(too_small)?;

    let forms = if fit.frame == super::layout::Frame::Count {
        Forms::by_host(caps.iter().map(|_| Form::Counted))
    } else {
        let (wanted, left, without) = Wanted::pay(&prices, &wanted_in_full(candidates));
        let (forms, note, bitten) = budget(request, policies, (&left, &wanted), &caps);
        notes.push(note);
        bites.extend(bitten.into_iter().chain(without));
        wanted.raise(forms)
    };
    let Forms { choices: forms, cut } = forms;
    let chosen: Vec<Form> = forms.rows.iter().map(|row| row.choice).collect();
    let block = match cut {
        None => render(candidates, &chosen, &prices, fit.frame, layout, &words),
        Some(cut) => {
            let cut_to_size = candidates.clone().cut(cut.scalars, layout);
            let rows: Vec<usize> = (0..prices.skills.len()).collect();
            let short = price_of_cut(candidates, layout, meter, cut.scalars, &rows);
            for (skill, short) in prices.skills.iter_mut().zip(short) {
                skill.short = short;
            }
            render(&cut_to_size, &chosen, &prices, fit.frame, layout, &words)
        }
    };
    Ok(Decided { details, caps, forms, cut, prices, fit, notes, bites, block })
}

fn caps(candidates: &Candidates, details: impl Iterator<Item = Detail>) -> Vec<Form> {
    let details: Vec<Detail> = details.collect();
    let cap =
        |category: u32| details.get(category as usize).map_or(Form::Full, |detail| detail.cap());
    let of = |entry: &Entry| match entry.choice {
        // What is asked of one skill says more than what is said of its category.
        Choice::Full => Form::Full,
        Choice::Name => cap(entry.category).max(Form::Name),
        Choice::Auto | Choice::Manual | Choice::Off => {
            cap(entry.category).max(entry.stale.unwrap_or(Form::Full))
        }
    };
    candidates.entries.iter().map(of).collect()
}

/// The least that each skill is shown as while there is room: its name, or all that the user wants of it.
fn least(candidates: &Candidates, caps: &[Form]) -> Vec<Form> {
    let of = |(entry, cap): (&Entry, &Form)| match entry.choice {
        Choice::Full => Form::Full,
        _ => (*cap).max(Form::Name),
    };
    candidates.entries.iter().zip(caps).map(of).collect()
}

/// Rows that the user always wants in full, those first that would be named first.
fn wanted_in_full(candidates: &Candidates) -> Vec<usize> {
    if candidates.entries.iter().all(|entry| entry.choice != Choice::Full) {
        return Vec::new();
    }
    let mut rows = by_use(candidates);
    rows.retain(|row| {
        candidates.entries.get(*row).is_some_and(|entry| entry.choice == Choice::Full)
    });
    rows
}

fn clock_bites(candidates: &Candidates) -> Vec<Bite> {
    let rows: Vec<u32> = (0..)
        .zip(&candidates.entries)
        .filter(|(_, entry)| entry.usage.is_some_and(|usage| usage.raw_last_used.is_some()))
        .map(|(row, _)| row)
        .collect();
    if rows.is_empty() {
        return Vec::new();
    }
    let what = format!("{} last used in the future; that counts as now", rows.len());
    vec![Bite { law: Law::Clock, about: OneLine::new("usage"), what: OneLine::new(&what), rows }]
}

fn demote(
    request: &Request<'_>,
    policies: &Policies<'_>,
    caps: &Caps,
) -> (Choices<Detail>, Vec<SlotNote>, Vec<Bite>) {
    let (mut least, mut notes, mut bites) = (None::<Choices<Detail>>, Vec::new(), Vec::new());
    for in_charge in &policies.demotion {
        let (details, note, bitten) = ask_details(policies.engine, in_charge, caps, |asked| {
            demotion_request(request.candidates, &frame(request), asked)
        });
        notes.push(note);
        bites.extend(bitten);
        least = Some(match least {
            None => details,
            // The least form is the one that shows most.
            Some(others) => others.least(details, |detail| detail.cap()),
        });
    }
    let shown = || Choices::by_host(caps.user.iter().map(|user| user.unwrap_or(Detail::Full)));
    (least.unwrap_or_else(shown), notes, bites)
}

/// Asks the budget slot, at the prices that are left once what the user wants in full is paid.
fn budget(
    request: &Request<'_>,
    policies: &Policies<'_>,
    (prices, wanted): (&Prices, &Wanted),
    caps: &[Form],
) -> (Forms, SlotNote, Vec<Bite>) {
    let recut = |cut: u32, rows: &[usize]| {
        let mut short = price_of_cut(request.candidates, request.layout, request.meter, cut, rows);
        for (short, row) in short.iter_mut().zip(rows) {
            if wanted.has(*row) {
                *short = 0;
            }
        }
        short
    };
    let first = || by_use(request.candidates);
    let question = |asked: snapshot::Asked<'_>| {
        let bare = || bare_prices(request);
        let costs = Costs { prices, unit: request.meter.unit(), caps, bare: &bare };
        budget_request(request.candidates, &frame(request), &costs, asked)
    };
    ask_forms(policies.engine, &policies.budget, prices, caps, &recut, first, question)
}

/// What a line costs that says nothing but the name.
fn bare_prices(request: &Request<'_>) -> Vec<u32> {
    let rows: Vec<usize> = (0..request.candidates.entries.len()).collect();
    price_of_cut(request.candidates, request.layout, request.meter, 0, &rows)
}

fn frame<'a>(request: &Request<'a>) -> snapshot::Frame<'a> {
    snapshot::Frame { now: request.now, seed: request.seed, session: request.session }
}

/// Rows in the order in which the baseline names them: pinned ones, then the most used, then as they are printed.
fn by_use(candidates: &Candidates) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..candidates.entries.len()).collect();
    rows.sort_by_key(|row| {
        let usage = candidates.entries.get(*row).and_then(|entry| entry.usage);
        let (pinned, uses) = usage.map_or((false, 0), |usage| (usage.pinned, usage.uses));
        (std::cmp::Reverse(pinned), std::cmp::Reverse(uses), *row)
    });
    rows
}
