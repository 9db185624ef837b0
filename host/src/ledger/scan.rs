//! What a scan comes to, written down: ids for what is new, places and digests as they are now, former names; and names
//! to ids.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::Connection;

use super::{
    Ledger, LedgerError, NewSkill, Origin, RootId,
    identity::{Found, Known, Matched, Sketch, match_up},
    journal::former,
    open::Stop,
    put_back::put_away,
    skills,
    words::Sql,
};
use crate::skill::{Instant, SkillId, State};

/// What a scan came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settled {
    /// The id of each row of the scan, in its order.
    pub ids: Vec<SkillId>,
    /// What became of what was known.
    pub matched: Matched,
}

/// What a root itself remembers of its skills, beside their folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remembered {
    /// What lies in its archive, the newest copy of a skill first: known since when it was put there, and the hash of its
    /// SKILL.md.
    pub archived: Vec<(NewSkill, Option<super::Digest>)>,
    /// What is pinned.
    pub pinned: Vec<NewSkill>,
}

/// Which skill a word means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meant {
    /// This one.
    One(SkillId),
    /// Any of these, by id.
    Many(Vec<SkillId>),
    /// None that is known.
    None,
}

impl Ledger {
    /// Writes down what a scan found in roots that it saw to their ends. What is known already keeps its id, what is new
    /// gets one made of `random` bits; what isn't there any more is gone, and keeps all that is known of it. What lies again
    /// under the name of an archived skill that came with an agent is another one, and the agent's too.
    ///
    /// # Errors
    /// Where a root is not known, or the ledger can't be written. Nothing is written then.
    pub fn settle(
        &self,
        roots: &BTreeSet<RootId>,
        found: &[Found],
        at: Instant,
        random: &mut dyn FnMut() -> u64,
    ) -> Result<Settled, LedgerError> {
        self.write(|all| {
            let mut known = known(all)?;
            let away = put_away(all)?;
            known.retain(|it| !away.ids.contains(&it.id));
            let matched = match_up(&known, found, roots);
            // First all that leave their places, so that nobody meets another one in his.
            let mut leave = all.prepare_cached("UPDATE skills SET state = 'gone' WHERE id = ?1")?;
            for id in &matched.gone {
                leave.execute([Sql(*id)])?;
            }
            // No folder's path begins like this.
            let mut lift =
                all.prepare_cached("UPDATE skills SET folder = '/' || id WHERE id = ?1")?;
            for id in matched.moved.keys() {
                lift.execute([Sql(*id)])?;
            }
            let states: BTreeMap<SkillId, &Known> = known.iter().map(|it| (it.id, it)).collect();
            let mut ids = Vec::with_capacity(found.len());
            for (row, found) in found.iter().enumerate() {
                let id = match matched.same.get(&row) {
                    Some(id) => {
                        if let Some(known) = states.get(id) {
                            rename(all, known, found, at)?;
                        }
                        *id
                    }
                    None => {
                        let shipped = away.names.contains(&(found.root, found.name.clone()));
                        let origin = if shipped { Origin::Bundled } else { Origin::Unknown };
                        add(all, found, origin, at, random)?
                    }
                };
                see(all, id, found, at)?;
                ids.push(id);
            }
            Ok(Settled { ids, matched })
        })
    }

    /// Which skill a word means: an id, a name, `category/name` or a folder of a skill that is in the library; where there
    /// is none, one that was called so.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn meant(&self, word: &str) -> Result<Meant, LedgerError> {
        self.read(|all| {
            if let Ok(id) = word.parse::<SkillId>()
                && skills::one(all, "id = ?1", [Sql(id)])?.is_some()
            {
                return Ok(Meant::One(id));
            }
            for sql in [
                "SELECT id FROM skills WHERE state IN ('active', 'stale')
                   AND (name = ?1 OR folder = ?1 OR category || '/' || name = ?1) ORDER BY id",
                "SELECT DISTINCT id FROM skills LEFT JOIN aliases ON skill = id
                 WHERE state <> 'purged'
                   AND (alias = ?1 OR name = ?1 OR folder = ?1 OR category || '/' || name = ?1)
                 ORDER BY id",
            ] {
                let mut ask = all.prepare_cached(sql)?;
                let found = ask.query_map([word], |row| row.get::<_, Sql<SkillId>>(0))?;
                let found: Vec<Sql<SkillId>> = found.collect::<rusqlite::Result<_>>()?;
                match found.as_slice() {
                    [] => {}
                    [one] => return Ok(Meant::One(one.0)),
                    many => return Ok(Meant::Many(many.iter().map(|it| it.0).collect())),
                }
            }
            Ok(Meant::None)
        })
    }

    /// What skills were called before, and where they lay: each with the skill.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn former_names(&self) -> Result<Vec<(String, SkillId)>, LedgerError> {
        self.read(|all| {
            let mut ask = all.prepare_cached("SELECT alias, skill FROM aliases")?;
            let found = ask.query_map([], |row| Ok((row.get(0)?, row.get::<_, Sql<_>>(1)?.0)))?;
            Ok(found.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Skills that are gone, with what is known of them: listed, and counted nowhere.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn orphans(&self) -> Result<Vec<super::SkillRecord>, LedgerError> {
        Ok(self.skills()?.into_iter().filter(|it| it.state == State::Gone).collect())
    }

    /// Takes over which skills of a root are pinned, as the root's own file says.
    ///
    /// # Errors
    /// Where the ledger can't be written.
    pub fn take_pins(&self, root: RootId, pinned: &BTreeSet<SkillId>) -> Result<(), LedgerError> {
        self.write(|all| {
            let mut ask = all.prepare_cached("SELECT id FROM skills WHERE root = ?1 AND pinned")?;
            let found = ask.query_map([Sql(root)], |row| Ok(row.get::<_, Sql<_>>(0)?.0))?;
            if found.collect::<rusqlite::Result<BTreeSet<SkillId>>>()? == *pinned {
                return Ok(());
            }
            all.execute("UPDATE skills SET pinned = 0 WHERE root = ?1 AND pinned", [Sql(root)])?;
            let mut put =
                all.prepare_cached("UPDATE skills SET pinned = 1 WHERE root = ?1 AND id = ?2")?;
            for id in pinned {
                skills::known(*id, put.execute((Sql(root), Sql(*id)))?)?;
            }
            Ok(())
        })
    }

    /// Takes over what an owned root itself remembers of its skills, before a scan is settled: for a ledger that doesn't know
    /// the root yet, or stands in for one that was lost. Skills that are not known get the ids that the root has for them,
    /// and of the archived ones is known what the archive says. How many were not known so.
    ///
    /// # Errors
    /// Where the root is not known, or the ledger can't be written.
    pub fn take_back(&self, root: RootId, kept: &Remembered) -> Result<usize, LedgerError> {
        self.write(|all| {
            let mut count = 0;
            let mut archived = BTreeSet::new();
            for (skill, digest) in &kept.archived {
                if archived.insert(skill.id) {
                    count += usize::from(take_back_archived(all, skill, *digest)?);
                }
            }
            // What lies in another program's archive, as a hidden folder of the root, is nothing that the root tells of.
            let mut ask = all.prepare_cached(
                "SELECT id FROM skills
                 WHERE root = ?1 AND state = 'archived' AND substr(folder, 1, 1) <> '.'",
            )?;
            let known = ask.query_map([Sql(root)], |row| Ok(row.get::<_, Sql<SkillId>>(0)?.0))?;
            let known: Vec<SkillId> = known.collect::<rusqlite::Result<_>>()?;
            let mut leave = all.prepare_cached(
                "UPDATE skills SET state = 'gone', archived_at = NULL WHERE id = ?1",
            )?;
            for id in known.into_iter().filter(|id| !archived.contains(id)) {
                leave.execute([Sql(id)])?;
            }
            let mut clear = all.prepare_cached(
                "UPDATE skills SET state = 'gone'
                 WHERE root = ?1 AND folder = ?2 AND state IN ('active', 'stale')",
            )?;
            for skill in &kept.pinned {
                if skills::one(all, "id = ?1", [Sql(skill.id)])?.is_none() {
                    clear.execute((Sql(root), &skill.folder))?;
                    skills::insert(all, skill)?;
                    count += 1;
                }
            }
            Ok(count)
        })
    }
}

/// Makes known that a skill lies in the archive; whether that is news.
fn take_back_archived(
    all: &Connection,
    skill: &NewSkill,
    digest: Option<super::Digest>,
) -> Result<bool, Stop> {
    let known = skills::one(all, "id = ?1", [Sql(skill.id)])?;
    match &known {
        None => skills::insert(all, skill)?,
        Some(known) if known.state == State::Archived && known.folder == skill.folder => {
            return Ok(false);
        }
        Some(_) => {
            let mut put = all.prepare_cached(
                "UPDATE skills SET root = ?2, folder = ?3, state = 'archived', archived_at = ?4
                 WHERE id = ?1",
            )?;
            put.execute((Sql(skill.id), Sql(skill.root), &skill.folder, Sql(skill.created)))?;
        }
    }
    let mut put =
        all.prepare_cached("UPDATE skills SET digest = coalesce(?2, digest) WHERE id = ?1")?;
    put.execute((Sql(skill.id), digest.map(Sql)))?;
    Ok(true)
}

/// All that may be found again; what a person erased is not.
pub(super) fn known(all: &Connection) -> Result<Vec<Known>, Stop> {
    let mut ask = all.prepare_cached(
        "SELECT id, state, root, folder, name, device, inode, digest, sketch FROM skills
         WHERE state <> 'purged' ORDER BY id",
    )?;
    let found = ask.query_map([], |row| {
        let state = row.get::<_, Sql<State>>(1)?.0;
        let number =
            |at| Ok::<_, rusqlite::Error>(row.get::<_, Option<Sql<u64>>>(at)?.map(|it| it.0));
        Ok(Known {
            id: row.get::<_, Sql<_>>(0)?.0,
            in_place: matches!(state, State::Active | State::Stale),
            root: row.get::<_, Sql<_>>(2)?.0,
            folder: row.get(3)?,
            name: row.get(4)?,
            inode: number(5)?.zip(number(6)?),
            digest: row.get::<_, Option<Sql<_>>>(7)?.map(|it| it.0),
            sketch: row.get::<_, Option<Vec<u8>>>(8)?.and_then(|bytes| unpack(&bytes)),
        })
    })?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

fn rename(all: &Connection, known: &Known, found: &Found, at: Instant) -> Result<(), Stop> {
    if known.name != found.name {
        former(all, known.id, &known.name, at)?;
    }
    if known.folder != found.folder {
        former(all, known.id, &known.folder, at)?;
    }
    Ok(())
}

fn add(
    all: &Connection,
    found: &Found,
    origin: Origin,
    at: Instant,
    random: &mut dyn FnMut() -> u64,
) -> Result<SkillId, Stop> {
    // Sixty bits meet by chance once in a billion libraries; twice in a row is a broken source.
    for _ in 0..8 {
        let id = SkillId::from_random(random());
        if skills::one(all, "id = ?1", [Sql(id)])?.is_some() {
            continue;
        }
        let skill = NewSkill {
            id,
            root: found.root,
            folder: found.folder.clone(),
            name: found.name.clone(),
            category: found.category.clone(),
            // Not in its place yet: others may still have to leave it.
            state: State::Gone,
            origin,
            created: at,
        };
        skills::insert(all, &skill)?;
        return Ok(id);
    }
    Err(LedgerError::Contradiction { found: "the source of randomness repeats itself".to_owned() }
        .into())
}

/// What is as it was is not written again: a command that changes one skill must not write ten thousand rows.
fn see(all: &Connection, id: SkillId, found: &Found, at: Instant) -> Result<(), Stop> {
    let mut put = all.prepare_cached(
        "UPDATE skills SET root = ?2, folder = ?3, name = ?4, category = ?5, device = ?6, inode = ?7,
           digest = coalesce(?8, digest), sketch = coalesce(?9, sketch), seen = ?10, archived_at = NULL,
           state = CASE state WHEN 'stale' THEN 'stale' ELSE 'active' END
         WHERE id = ?1 AND (root <> ?2 OR folder <> ?3 OR name <> ?4 OR category <> ?5
           OR device IS NOT ?6 OR inode IS NOT ?7 OR digest IS NOT coalesce(?8, digest)
           OR sketch IS NOT coalesce(?9, sketch) OR seen NOT BETWEEN ?10 - 3600 AND ?10
           OR state NOT IN ('active', 'stale') OR archived_at IS NOT NULL)",
    )?;
    put.execute((
        Sql(id),
        Sql(found.root),
        &found.folder,
        &found.name,
        &found.category,
        Sql(found.device),
        Sql(found.inode),
        found.digest.map(Sql),
        found.sketch.map(pack),
        Sql(at),
    ))?;
    Ok(())
}

pub(super) fn pack(sketch: Sketch) -> Vec<u8> {
    sketch.0.map(u32::to_be_bytes).concat()
}

fn unpack(bytes: &[u8]) -> Option<Sketch> {
    let (chunks, _) = bytes.as_chunks::<4>();
    let lowest: Vec<u32> = chunks.iter().map(|chunk| u32::from_be_bytes(*chunk)).collect();
    lowest.try_into().ok().map(Sketch)
}

#[cfg(test)]
mod tests;
