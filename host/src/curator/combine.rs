//! How the opinions of several policies become one.

use crate::{config::Combine, decision::Fate, laws::Opinion, skill::State};

/// What the policies want of one skill together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The row.
    pub row: u32,
    /// What it shall be.
    pub to: State,
    /// Who wants that: the number of the policy, and the position of its reason.
    pub by: Vec<(usize, u32)>,
    /// Who voted against retiring it, where that is why it is not.
    pub vetoed: Option<(usize, u32)>,
}

/// What comes of the opinions about each row. With `any` the hardest that one of them proposes holds; with `all` the gentlest
/// that all propose who say anything of it. A vote to keep it turns a retirement away, and nothing else. Who is silent
/// abstains.
///
/// Of a retirement that was turned away it holds what the others propose beside it; where that is nothing, the verdict is
/// the retirement itself, with who turned it away.
#[must_use]
pub fn combine(opinions: &[&Opinion], rows: usize, how: Combine) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for row in 0..rows {
        let votes: Vec<(usize, Fate, u32)> = opinions
            .iter()
            .enumerate()
            .filter_map(|(policy, opinion)| {
                let (fate, why) = (*opinion.fates.get(row)?)?;
                Some((policy, fate, why))
            })
            .collect();
        let row = u32::try_from(row).unwrap_or(u32::MAX);
        verdicts.extend(of_votes(row, &votes, how));
    }
    verdicts
}

fn of_votes(row: u32, votes: &[(usize, Fate, u32)], how: Combine) -> Option<Verdict> {
    let keeps = votes.iter().find(|(_, fate, _)| *fate == Fate::Keep);
    let mut levels: Vec<Fate> =
        votes.iter().map(|(_, fate, _)| *fate).filter(|fate| *fate != Fate::Keep).collect();
    levels.sort_unstable();
    let of = |levels: &[Fate]| match how {
        Combine::Any => levels.last().copied(),
        Combine::All => levels.first().copied(),
    };
    let verdict = |fate: Fate, vetoed| {
        let by = votes.iter().filter(|(_, it, _)| *it == fate).map(|(who, _, why)| (*who, *why));
        let to = match fate {
            Fate::Keep | Fate::Activate => State::Active,
            Fate::MarkStale => State::Stale,
            Fate::Archive => State::Archived,
        };
        Verdict { row, to, by: by.collect(), vetoed }
    };
    let fate = of(&levels)?;
    match keeps {
        Some((who, _, why)) if fate == Fate::Archive => {
            let milder: Vec<Fate> =
                levels.iter().copied().filter(|fate| *fate != Fate::Archive).collect();
            Some(match of(&milder) {
                Some(fate) => verdict(fate, None),
                None => verdict(Fate::Archive, Some((*who, *why))),
            })
        }
        _ => Some(verdict(fate, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Verdict, combine};
    use crate::{config::Combine, decision::Fate, laws::Opinion, skill::State};

    /// The votes of policies on one skill: `k`eep, `a`ctive, `s`tale, archive (`x`), or silence (`-`).
    fn of(votes: &str, how: Combine) -> Option<Verdict> {
        let opinions: Vec<Opinion> = votes
            .chars()
            .map(|vote| {
                let fate = match vote {
                    'k' => Some(Fate::Keep),
                    'a' => Some(Fate::Activate),
                    's' => Some(Fate::MarkStale),
                    'x' => Some(Fate::Archive),
                    _ => None,
                };
                Opinion { fates: vec![fate.map(|fate| (fate, 0))], ..Opinion::default() }
            })
            .collect();
        let opinions: Vec<&Opinion> = opinions.iter().collect();
        combine(&opinions, 1, how).pop()
    }

    #[test]
    fn several_opinions_become_one() {
        use State::{Active, Archived, Stale};
        for (votes, any, all) in [
            ("-", None, None),
            ("x", Some(Archived), Some(Archived)),
            ("x-", Some(Archived), Some(Archived)),
            ("xs", Some(Archived), Some(Stale)),
            ("sx", Some(Archived), Some(Stale)),
            ("xa", Some(Archived), Some(Active)),
            ("sa", Some(Stale), Some(Active)),
            ("xx", Some(Archived), Some(Archived)),
            ("k", None, None),
            ("ks", Some(Stale), Some(Stale)),
            ("ka", Some(Active), Some(Active)),
            ("kxs", Some(Stale), Some(Stale)),
        ] {
            for (how, expected) in [(Combine::Any, any), (Combine::All, all)] {
                let found = of(votes, how);
                assert_eq!(found.as_ref().map(|it| it.to), expected, "{votes} by {how:?}");
                assert!(found.is_none_or(|it| it.vetoed.is_none()), "{votes} by {how:?}");
            }
        }
    }

    #[test]
    fn one_vote_to_keep_turns_every_retirement_away_and_is_told() {
        for (votes, who) in [("kx", 0), ("xk", 1), ("xxk", 2)] {
            for how in [Combine::Any, Combine::All] {
                let found = of(votes, how);
                let told = found.map(|it| (it.to, it.vetoed));
                assert_eq!(told, Some((State::Archived, Some((who, 0)))), "{votes} by {how:?}");
            }
        }
    }

    #[test]
    fn who_proposed_it_is_told_and_nobody_else() {
        let found = of("xsx", Combine::Any);
        assert_eq!(found.map(|it| it.by), Some(vec![(0, 0), (2, 0)]));
    }
}
