//! What the SDK says that a block costs is what the contract says, however skills come and go.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use skillkeep_policy::budget::{Answer, Block, BudgetPolicy, Request, longest_cut};
use skillkeep_policy::testkit::{Library, budget};
use skillkeep_policy::{Form, Key, NoSettings, Policy, Refusal, key};

skillkeep_policy::reasons! {
    enum Reason { Sum { cost: u64 } = "the block costs {0}" }
}

const FORMS: [Form; 4] = [Form::Full, Form::Short, Form::Name, Form::Counted];

/// Puts every skill in under other forms first, then under those that its row and the seed give, and says what that costs.
struct Adding;

impl Policy for Adding {
    type Settings = NoSettings;
    type Reason = Reason;
    const NAME: &'static str = "adding";
    const VERSION: &'static str = "0.1.0";
    const SUMMARY: &'static str = "for tests";
    const NEEDS: &'static [Key] = &[
        key::CATEGORY,
        key::COST_FULL,
        key::COST_SHORT,
        key::COST_NAME,
        key::COST_HEADER,
        key::COST_NAMES,
        key::COST_COUNT,
    ];
    const WANTS: &'static [Key] = &[key::COST_REST];
}

impl BudgetPolicy for Adding {
    fn decide(request: &Request<'_>, _: &NoSettings) -> Result<Answer<Reason>, Refusal<Reason>> {
        let form = |row: u32, turn: u64| {
            let mixed =
                request.context().seed().wrapping_mul(31).wrapping_add(u64::from(row) * 7 + turn);
            FORMS[usize::try_from(mixed / 3 % 4).unwrap()]
        };
        let mut block = Block::empty(request);
        for skill in request.skills() {
            let first = form(skill.row(), 5);
            block.put(skill, first, skill.cost(first));
        }
        for skill in request.skills() {
            let (first, last) = (form(skill.row(), 5), form(skill.row(), 0));
            // One that does not fit leaves everything as it was.
            assert!(!block.exchange(
                skill,
                (first, skill.cost(first)),
                (last, u64::MAX / 2),
                1_000_000
            ));
            assert!(block.exchange(
                skill,
                (first, skill.cost(first)),
                (last, skill.cost(last)),
                1_000_000
            ));
        }
        let mut answer = Answer::with_capacity(request.skills().len());
        for skill in request.skills() {
            answer.form(skill, form(skill.row(), 0), Reason::Sum { cost: block.cost() });
        }
        Ok(answer)
    }
}

#[test]
fn a_block_costs_the_sum_of_its_pieces_whatever_was_put_in_before() {
    for seed in 0..60 {
        let library = (0..9).fold(Library::new().seed(seed).fixed(100), |library, n| {
            library.skill(&format!("c{}", n % 3), &format!("s{n}"), |skill| {
                skill.costs(30 + n, 20 + n, 5 + n)
            })
        });
        let library = (0..3).fold(library, |library, n| {
            library.category(&format!("c{n}"), |category| category.costs(7 + n, 5 + n, 11 + n))
        });
        let budgeted = budget::<Adding>(&library, &[]).unwrap();
        let said = format!("the block costs {}", budgeted.cost);
        assert!(budgeted.lines.iter().all(|line| line.why == said), "{seed}: {said}: {budgeted:?}");
    }
}

#[test]
fn the_longest_cut_is_the_last_that_fits() {
    for fitting in 0..=20_u64 {
        let found = longest_cut(4..=20, |cut| cut <= fitting);
        assert_eq!(found, (fitting >= 4).then_some(fitting), "{fitting}");
    }
    let (low, high) = (2, 1);
    assert_eq!(longest_cut(low..=high, |_| true), None);
    assert_eq!(longest_cut(0..=u64::MAX, |_| true), Some(u64::MAX));
}
