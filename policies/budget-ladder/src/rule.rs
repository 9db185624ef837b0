//! The rule: who climbs first. Names for all where they fit; then pins, the user's choice, a share for the never used, and
//! everybody else by worth per cost.

use crate::account::{Account, Counting, Shelf, Totals};
use crate::climb::{Ladder, Wanted};
use crate::rungs::{Rung, mix, read, read_sharers};
use crate::settings::{Reason, Settings};
use crate::share::Lengths;
use skillkeep_policy::Form;
use skillkeep_policy::budget::{Answer, Request};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Decides.
pub fn decide(request: &Request<'_>, settings: &Settings) -> Answer<Reason> {
    let mut rungs = read(request, settings);
    let totals = Totals::of(&rungs, request.categories().len());
    let Start { mut account, named, lined } = Start::choose(request, &totals, settings);
    // Where all are named, nothing hangs on how much a name tells.
    if !named {
        read_sharers(&mut rungs, request);
    }
    let shares = account.shares(&totals);
    let in_tokens = request.context().unit() == Some("tokens");
    let ladder = |lowest: Form| {
        let forms = rungs.iter().map(|rung| rung.cap.max(lowest)).collect();
        Ladder::new(settings, &rungs, &shares, forms, &totals, in_tokens)
    };
    if let Some(mut account) = lined
        && let Some(answer) = share(request, &mut ladder(Form::Short), &mut account)
    {
        return answer;
    }
    let mut ladder = ladder(if named { Form::Name } else { Form::Counted });
    climb_first(&mut ladder, &mut account);
    let explored = explore(&mut ladder, &mut account, request.context().seed(), named);
    ladder.climb(&mut account, Wanted::All);
    answer(&rungs, &ladder.forms, &explored, false)
}

/// Pins, and then what the user asked for in full.
fn climb_first(ladder: &mut Ladder<'_>, account: &mut Account) {
    ladder.climb(account, Wanted::Pinned);
    ladder.climb(account, Wanted::Chosen);
}

/// Everybody has a short line, and what is left is shared: whoever is worth far more than the others has it all, and for the
/// others the cut is moved. Nothing if that is hardly further than where short lines are cut anyhow.
fn share(
    request: &Request<'_>,
    ladder: &mut Ladder<'_>,
    account: &mut Account,
) -> Option<Answer<Reason>> {
    let lengths = Lengths::read(request, ladder.rungs.len())?;
    climb_first(ladder, account);
    let settings = ladder.settings;
    if ladder.rungs.iter().any(Rung::used) {
        let far_more = FAR_MORE * mean_worth(ladder.rungs, settings);
        ladder.climb(account, Wanted::UsedAndWorth(far_more));
    }
    let cut = lengths.longest(ladder.rungs, &ladder.forms, account)?;
    if cut < LEAST_CUT {
        return None;
    }
    for (row, (form, rung)) in ladder.forms.iter_mut().zip(ladder.rungs).enumerate() {
        if *form == Form::Short && rung.cap == Form::Full && lengths.is_whole(row, cut) {
            *form = Form::Full;
        }
    }
    let mut answer = answer(ladder.rungs, &ladder.forms, &vec![false; ladder.rungs.len()], true);
    answer.cut(u64::try_from(cut).unwrap_or(0));
    Some(answer)
}

/// Where the host cuts short lines, if nobody says otherwise: what it shows of a description within that, it chose better.
const LEAST_CUT: i64 = 120;

/// How many times as much as the mean a skill is worth that has its whole line before the others' lines grow.
const FAR_MORE: f64 = 2.0;

/// In whole numbers, so that the order of rows doesn't change the sum.
#[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "7 digits do")]
fn mean_worth(rungs: &[Rung], settings: &Settings) -> f64 {
    const UNIT: f64 = 1e6;
    let sum: i64 = rungs.iter().map(|rung| (rung.worth(settings) * UNIT) as i64).sum();
    sum as f64 / UNIT / rungs.len().max(1) as f64
}

/// Where everybody stands before anybody climbs.
struct Start {
    account: Account,
    /// With a name, where one is allowed; else counted.
    named: bool,
    /// All with short lines, if that fits and not all fit in full.
    lined: Option<Account>,
}

impl Start {
    /// All as names if that fits; else all counted, by category if that leaves room for anything else.
    fn choose(request: &Request<'_>, totals: &Totals, settings: &Settings) -> Self {
        let room = signed(request.limit()) - signed(request.fixed());
        let shelves: Vec<Shelf> = request
            .categories()
            .map(|category| {
                let [header, names, count] =
                    [category.cost_header(), category.cost_names(), category.cost_count()];
                Shelf::new(signed(header), signed(names), signed(count))
            })
            .collect();
        let all = |counting, form| Account::open(&shelves, totals, room, counting, form);
        let open = |counting, named| {
            let form = if named { Form::Name } else { Form::Counted };
            Self { account: all(counting, form), named, lined: None }
        };
        let mut names = open(Counting::ByCategory, true);
        if names.account.room() >= 0 {
            let [full, short] =
                [Form::Full, Form::Short].map(|form| all(Counting::ByCategory, form));
            names.lined = (full.room() < 0 && short.room() >= 0).then_some(short);
            return names;
        }
        let counted = open(Counting::ByCategory, false);
        let Some(rest) = request.context().cost_rest().map(signed) else { return counted };
        // Some categories may be counted by the user's choice while all other names fit beside one line for those.
        if totals.some_are_counted() {
            let names = open(Counting::Together { rest }, true);
            if names.account.room() >= 0 {
                return names;
            }
        }
        let lines = room - counted.account.room();
        #[allow(clippy::cast_precision_loss, reason = "a limit and its costs have 32 bits")]
        let few = lines as f64 <= room as f64 * settings.counts_share;
        if few || lines <= rest { counted } else { open(Counting::Together { rest }, false) }
    }
}

/// A skill that might be given a chance. Its key is drawn from the seed and what is known of it; where skills are alike in
/// everything and so have one key, their places decide, mixed with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Drawn {
    key: u64,
    row: u32,
    before: u8,
}

impl Ord for Drawn {
    fn cmp(&self, other: &Self) -> Ordering {
        let place = |drawn: &Self| mix(drawn.key ^ u64::from(drawn.row));
        (self.key, self.before)
            .cmp(&(other.key, other.before))
            .then_with(|| place(self).cmp(&place(other)))
    }
}

impl PartialOrd for Drawn {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Gives a share of the room to skills that were never used, drawn by the session's seed: what is hidden can still be found.
/// Where names fit, they are given a line; where not, a name.
fn explore(ladder: &mut Ladder<'_>, account: &mut Account, seed: u64, named: bool) -> Vec<bool> {
    let mut explored = vec![false; ladder.rungs.len()];
    #[allow(clippy::cast_precision_loss, reason = "a limit has 32 bits")]
    #[allow(clippy::cast_possible_truncation, reason = "a share of the room is not more than it")]
    let share = (account.room().max(0) as f64 * ladder.settings.exploration) as i64;
    let floor = account.room() - share;
    let to = if named { Form::Short } else { Form::Name };
    let rungs = ladder.rungs;
    let candidate = |rung: &Rung, form: Form| !rung.used() && form > to && rung.cap <= to;
    let mut cheapest = i32::MAX;
    for (rung, form) in rungs.iter().zip(&ladder.forms) {
        if candidate(rung, *form) {
            cheapest = cheapest.min(rung.cost(to) - rung.cost(*form));
        }
    }
    if account.room() - i64::from(cheapest) < floor {
        return explored;
    }
    let mut drawn = Vec::with_capacity(rungs.len());
    for (row, (rung, form)) in (0..ladder.rows()).zip(rungs.iter().zip(&ladder.forms)) {
        if candidate(rung, *form) {
            let category = ladder.shares.get(rung.category as usize).map_or(0, |it| it.mark);
            let key = rung.mark(seed ^ category);
            drawn.push(Reverse(Drawn { key, row, before: rung.before() }));
        }
    }
    // Only the first few are ever taken: a heap gives them without ordering all the others.
    let mut heap = BinaryHeap::from(drawn);
    while account.room() - i64::from(cheapest) >= floor {
        let Some(Reverse(Drawn { row, .. })) = heap.pop() else { break };
        let taken = within(ladder, account, row, to, floor);
        if let Some(mark) = explored.get_mut(row as usize) {
            *mark = taken;
        }
    }
    explored
}

/// Takes a step if it leaves the floor untouched.
fn within(ladder: &mut Ladder<'_>, account: &mut Account, row: u32, to: Form, floor: i64) -> bool {
    account.lend(floor);
    let taken = ladder.step(account, row, to);
    account.lend(-floor);
    taken
}

fn answer(rungs: &[Rung], forms: &[Form], explored: &[bool], shared: bool) -> Answer<Reason> {
    let mut answer = Answer::with_capacity(rungs.len());
    let [pinned, chosen, explored_why, used, fits, capped, no_room, no_name, share] = [
        Reason::Pinned,
        Reason::Chosen,
        Reason::Explored,
        Reason::Used,
        Reason::Fits,
        Reason::Capped,
        Reason::NoRoom,
        Reason::NoRoomForName,
        Reason::Shared,
    ]
    .map(|reason| answer.why(reason));
    // Where nobody had to go short, nobody was given a chance either.
    let all_fit = rungs.iter().zip(forms).all(|(rung, form)| *form == rung.cap);
    for (row, ((rung, form), explored)) in (0_u32..).zip(rungs.iter().zip(forms).zip(explored)) {
        let why = if *form == rung.cap && *form > Form::Short {
            capped
        } else if *form == Form::Counted {
            no_name
        } else if *form == Form::Name && !explored {
            no_room
        } else if shared && *form == Form::Short {
            share
        } else if rung.pinned {
            pinned
        } else if rung.chosen {
            chosen
        } else if *explored && !all_fit {
            explored_why
        } else if rung.used() {
            used
        } else {
            fits
        };
        answer.form_of_row(row, *form, why);
    }
    answer
}

fn signed(cost: u64) -> i64 {
    i64::try_from(cost).unwrap_or(i64::MAX / 4)
}
