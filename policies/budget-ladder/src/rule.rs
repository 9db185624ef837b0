//! The rule: who climbs first. Names for all where they fit; then pins, the user's choice, a share for the never used, and
//! everybody else by worth per cost.

use crate::account::{Account, Counting, Shelf, Totals};
use crate::climb::Ladder;
use crate::rungs::{Rung, mix, read};
use crate::settings::{Reason, Settings};
use skillkeep_policy::Form;
use skillkeep_policy::budget::{Answer, Request};
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Decides.
pub fn decide(request: &Request<'_>, settings: &Settings) -> Answer<Reason> {
    let rungs = read(request, settings);
    let totals = Totals::of(&rungs, request.categories().len());
    let Start { mut account, named } = Start::choose(request, &totals, settings);
    let shares = account.shares(&totals);
    let lowest = if named { Form::Name } else { Form::Counted };
    let forms = rungs.iter().map(|rung| rung.cap.max(lowest)).collect();
    let mut ladder = Ladder::new(settings, &rungs, &shares, forms, totals.mean_name());

    for first in [|rung: &Rung| rung.pinned, |rung: &Rung| rung.chosen] {
        if rungs.iter().any(first) {
            ladder.climb(&mut account, first);
        }
    }
    let explored = explore(&mut ladder, &mut account, request.context().seed(), named);
    ladder.climb(&mut account, |_| true);
    answer(&rungs, &ladder.forms, &explored)
}

/// Where everybody stands before anybody climbs.
struct Start {
    account: Account,
    /// With a name, where one is allowed; else counted.
    named: bool,
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
        let open = |counting, named| Self {
            account: Account::open(&shelves, totals, room, counting, named),
            named,
        };
        let names = open(Counting::ByCategory, true);
        if names.account.room() >= 0 {
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
    let mut cheapest = i32::MAX;
    let mut drawn = Vec::with_capacity(ladder.rungs.len());
    for (row, (rung, form)) in (0_u32..).zip(ladder.rungs.iter().zip(&ladder.forms)) {
        if !rung.used() && *form > to && rung.cap <= to {
            cheapest = cheapest.min(rung.cost(to) - rung.cost(*form));
            drawn.push(Reverse(Drawn { key: rung.mark(seed), row, before: rung.before() }));
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

fn answer(rungs: &[Rung], forms: &[Form], explored: &[bool]) -> Answer<Reason> {
    let mut answer = Answer::with_capacity(rungs.len());
    let [pinned, chosen, explored_why, used, fits, capped, no_room, no_name] = [
        Reason::Pinned,
        Reason::Chosen,
        Reason::Explored,
        Reason::Used,
        Reason::Fits,
        Reason::Capped,
        Reason::NoRoom,
        Reason::NoRoomForName,
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
