//! The rule: who climbs first. Names for all where they fit; then pins, the user's choice, a share for the never used, and
//! everybody else by worth per cost.

use crate::account::{Account, Counting, Shelf};
use crate::climb::Ladder;
use crate::rungs::{Rung, mix};
use crate::settings::{Reason, Settings};
use skillkeep_policy::Form;
use skillkeep_policy::budget::{Answer, Request};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Decides.
pub fn decide(request: &Request<'_>, settings: &Settings) -> Answer<Reason> {
    let rungs: Vec<Rung> =
        request.skills().map(|skill| Rung::read(skill, request, settings)).collect();
    let marks: Vec<u64> = rungs.iter().map(Rung::mark).collect();
    let sharing = sharing(request.categories().len(), &rungs);
    let start = Start::choose(request, &rungs, settings);
    let mut account = start.account;
    let mut ladder =
        Ladder { settings, rungs: &rungs, marks: &marks, sharing: &sharing, forms: start.forms };

    let group = |wanted: fn(&Rung) -> bool| {
        (0_u32..).zip(&rungs).filter(move |(_, rung)| wanted(rung)).map(|(row, _)| row)
    };
    ladder.climb(&mut account, group(|rung| rung.pinned));
    ladder.climb(&mut account, group(|rung| rung.chosen));
    let explored = explore(&mut ladder, &mut account, request.context().seed(), start.names_fit);
    ladder.climb(&mut account, group(|_| true));
    answer(&rungs, &ladder.forms, &explored)
}

/// How many skills may stand under each category's header.
fn sharing(categories: usize, rungs: &[Rung]) -> Vec<u32> {
    let mut sharing = vec![0_u32; categories];
    for rung in rungs.iter().filter(|rung| rung.cap <= Form::Short) {
        if let Some(skills) = sharing.get_mut(rung.category as usize) {
            *skills += 1;
        }
    }
    sharing
}

/// Where everybody stands before anybody climbs.
struct Start {
    forms: Vec<Form>,
    account: Account,
    names_fit: bool,
}

impl Start {
    /// All as names if that fits; else all counted, by category if that leaves room for anything else.
    fn choose(request: &Request<'_>, rungs: &[Rung], settings: &Settings) -> Self {
        let room = signed(request.limit()) - signed(request.fixed());
        let shelves: Vec<Shelf> = request
            .categories()
            .map(|category| {
                let [header, names, count] =
                    [category.cost_header(), category.cost_names(), category.cost_count()];
                Shelf::new(signed(header), signed(names), signed(count))
            })
            .collect();
        let open = |counting, lowest: Form| {
            let mut account = Account::new(shelves.clone(), room, counting);
            let forms: Vec<Form> = rungs.iter().map(|rung| rung.cap.max(lowest)).collect();
            for (rung, form) in rungs.iter().zip(&forms) {
                account.open(rung.category, *form, rung.cost(*form));
            }
            Self { forms, account, names_fit: lowest == Form::Name }
        };
        let rest = request.context().cost_rest().map(signed);
        let together = rest.map(|rest| Counting::Together { rest });

        let names = open(Counting::ByCategory, Form::Name);
        if names.account.room() >= 0 {
            return names;
        }
        let counted = open(Counting::ByCategory, Form::Counted);
        let (Some(rest), Some(together)) = (rest, together) else { return counted };
        // Some categories may be counted by the user's choice while all other names fit beside one line for those.
        if rungs.iter().any(|rung| rung.cap == Form::Counted) {
            let names = open(together, Form::Name);
            if names.account.room() >= 0 {
                return names;
            }
        }
        let lines = room - counted.account.room();
        #[allow(clippy::cast_precision_loss, reason = "a limit and its costs have 32 bits")]
        let few = lines as f64 <= room as f64 * settings.counts_share;
        if few || lines <= rest { counted } else { open(together, Form::Counted) }
    }
}

/// Gives a share of the room to skills that were never used, drawn by the session's seed: what is hidden can still be found.
/// Where names fit, they are given a line; where not, a name.
fn explore(
    ladder: &mut Ladder<'_>,
    account: &mut Account,
    seed: u64,
    names_fit: bool,
) -> Vec<bool> {
    let mut explored = vec![false; ladder.rungs.len()];
    #[allow(clippy::cast_precision_loss, reason = "a limit has 32 bits")]
    #[allow(clippy::cast_possible_truncation, reason = "a share of the room is not more than it")]
    let share = (account.room().max(0) as f64 * ladder.settings.exploration) as i64;
    let floor = account.room() - share;
    let to = if names_fit { Form::Short } else { Form::Name };
    let drawn: Vec<(u64, u64, u32)> = (0_u32..)
        .zip(ladder.rungs.iter().zip(ladder.marks))
        .zip(&ladder.forms)
        .filter(|((_, (rung, _)), form)| !rung.used && **form > to && rung.cap <= to)
        .map(|((row, (rung, mark)), _)| {
            let [category, place] = [rung.category, row].map(|it| mix(seed ^ u64::from(it)));
            (mix(seed ^ mark), category >> 32 << 32 | place >> 32, row)
        })
        .collect();
    let cheapest: Option<i64> = drawn
        .iter()
        .filter_map(|(.., row)| ladder.rungs.get(*row as usize))
        .map(|rung| rung.cost(to) - if names_fit { rung.cost(Form::Name) } else { 0 })
        .min();
    let Some(cheapest) = cheapest else { return explored };
    // Only the first few are ever taken: a heap gives them without ordering all the others.
    let mut heap: BinaryHeap<_> = drawn.into_iter().map(Reverse).collect();
    while account.room() - cheapest >= floor {
        let Some(Reverse((.., row))) = heap.pop() else { break };
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
        } else if rung.used {
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
