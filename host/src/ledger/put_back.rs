//! Skills that came with an agent, were put into our archive, and lie in their root again though nobody brought them back: the
//! agent's next update put them there. Such a one is known by its name, stays what it was, and is kept out until a person
//! says otherwise.

use std::collections::{BTreeMap, BTreeSet};

use rusqlite::{Connection, OptionalExtension};

use super::{Ledger, LedgerError, PassId, RootId, open::Stop, passes, schema, skills, words::Sql};
use crate::skill::SkillId;

/// Those in the archive, with the root and the name by which an update brings them again. One that is about to be restored
/// is not among them, nor what lies in another program's archive: that program may bring it back.
const PUT_AWAY: &str =
    "gone.state = 'archived' AND gone.origin = 'bundled' AND substr(gone.folder, 1, 1) <> '.'";

/// What lies in a root under such a name and came there after it was put away. A person who brought the archived one back, or
/// chose that this one be shown, has the last word.
const THERE: &str =
    "there.root = gone.root AND there.name = gone.name AND there.state IN ('active', 'stale')
   AND there.origin = 'bundled' AND there.created >= gone.archived_at
   AND NOT EXISTS (SELECT 1 FROM choices
     WHERE choices.skill = there.id AND agent = '' AND choice IN ('full', 'name'))
   AND NOT EXISTS (SELECT 1 FROM skills AS back
     WHERE back.root = gone.root AND back.name = gone.name AND back.returned >= gone.archived_at)";

impl Ledger {
    /// What somebody else put back into a root, each with the archived skill that it was before.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn put_back(&self) -> Result<BTreeMap<SkillId, SkillId>, LedgerError> {
        self.read(put_back)
    }

    /// What somebody else put back of an archived skill, if anybody did.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn put_back_of(
        &self,
        archived: SkillId,
    ) -> Result<Option<super::SkillRecord>, LedgerError> {
        self.read(|all| {
            let found = put_back(all)?.into_iter().find(|(_, gone)| *gone == archived);
            match found {
                Some((there, _)) => skills::one(all, "id = ?1", [Sql(there)]),
                None => Ok(None),
            }
        })
    }

    /// The pass that put a skill into the archive, when this copy or the newest one was put there; nothing where somebody
    /// else did.
    ///
    /// # Errors
    /// Where the ledger can't be read.
    pub fn put_away_by(
        &self,
        skill: SkillId,
        copy: Option<&str>,
    ) -> Result<Option<PassId>, LedgerError> {
        self.read(|all| {
            let mut ask = all.prepare_cached(
                "SELECT session FROM changes WHERE skill = ?1 AND verb = 'archive' AND phase = 'done'
                 AND (?2 IS NULL OR instr(steps, '/' || ?2 || '.json') > 0) ORDER BY id DESC LIMIT 1",
            )?;
            let found: Option<Option<String>> =
                ask.query_row((Sql(skill), copy), |row| row.get(0)).optional()?;
            Ok(found.flatten().as_deref().and_then(PassId::of_session))
        })
    }
}

/// The same by id, in a transaction.
pub(super) fn put_back(all: &Connection) -> Result<BTreeMap<SkillId, SkillId>, Stop> {
    // A reader may meet a file from before there were passes.
    if schema::version(all)? < passes::VERSION {
        return Ok(BTreeMap::new());
    }
    let mut ask = all.prepare_cached(&format!(
        "SELECT there.id, gone.id FROM skills AS gone INDEXED BY skills_put_away
         CROSS JOIN skills AS there ON {THERE}
         WHERE {PUT_AWAY} ORDER BY gone.archived_at, gone.id"
    ))?;
    let found =
        ask.query_map([], |row| Ok((row.get::<_, Sql<_>>(0)?.0, row.get::<_, Sql<_>>(1)?.0)))?;
    // Of several archived ones of a name the newest counts.
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

/// What lies in the archive and is not to be found again in a root by its text: whatever an update brings under its name is
/// another one.
pub(super) struct PutAway {
    /// The archived ones.
    pub ids: BTreeSet<SkillId>,
    /// Where an update would bring them, and under which name.
    pub names: BTreeSet<(RootId, String)>,
}

pub(super) fn put_away(all: &Connection) -> Result<PutAway, Stop> {
    let mut ask = all.prepare_cached(&format!(
        "SELECT id, root, name FROM skills AS gone WHERE {PUT_AWAY}
         AND NOT EXISTS (SELECT 1 FROM changes WHERE changes.skill = gone.id AND phase = 'open')"
    ))?;
    let mut rows = ask.query([])?;
    let mut found = PutAway { ids: BTreeSet::new(), names: BTreeSet::new() };
    while let Some(row) = rows.next()? {
        found.ids.insert(row.get::<_, Sql<_>>(0)?.0);
        found.names.insert((row.get::<_, Sql<_>>(1)?.0, row.get(2)?));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::collections::BTreeSet;

    use crate::{
        ledger::{
            Digest, Found, Ledger, Origin, RootId, Sketch,
            tests::{fill, id},
        },
        skill::{Instant, SkillId},
    };

    const TEXT: &str = "Read the paper and say what it found";

    fn found(root: RootId, folder: &str, text: &str) -> Found {
        Found {
            root,
            folder: folder.to_owned(),
            name: "pdf".to_owned(),
            category: "general".to_owned(),
            device: 1,
            inode: 77,
            digest: Some(Digest::of(text.as_bytes())),
            sketch: Some(Sketch::of(text)),
        }
    }

    /// A ledger with `pdf` in the archive since 50, whose origin is this.
    fn archived(origin: Origin) -> (Ledger, RootId) {
        let ledger = Ledger::in_memory().unwrap();
        let root = fill(&ledger, 1);
        let sql = "UPDATE skills SET state = 'archived', archived_at = 50, name = 'pdf', folder = 'pdf', digest = ?1";
        let all = ledger.connection();
        all.execute(sql, [Digest::of(TEXT.as_bytes()).0.to_vec()]).unwrap();
        drop(all);
        ledger.declare(id(1), origin).unwrap();
        (ledger, root)
    }

    fn settle(ledger: &Ledger, root: RootId, folder: &str, text: &str, at: i64) -> SkillId {
        let found = [found(root, folder, text)];
        let mut bits = 1_000;
        let settled = ledger.settle(&BTreeSet::from([root]), &found, Instant(at), &mut || {
            bits += 1;
            bits
        });
        settled.unwrap().ids.first().copied().unwrap()
    }

    #[test]
    fn what_an_update_brings_again_is_kept_apart_and_stays_the_agent_s() {
        for (folder, text) in
            [("pdf", TEXT), ("office/pdf", TEXT), ("office/pdf", "Quite another text")]
        {
            let (ledger, root) = archived(Origin::Bundled);
            let there = settle(&ledger, root, folder, text, 60);
            assert_ne!(there, id(1), "{folder} {text}");
            assert_eq!(ledger.skill(there).unwrap().unwrap().origin, Origin::Bundled);
            assert_eq!(ledger.put_back().unwrap().get(&there), Some(&id(1)));
            assert_eq!(ledger.put_back_of(id(1)).unwrap().unwrap().id, there);
            let at_hand = ledger.at_hand().unwrap();
            assert_eq!(at_hand.iter().map(|it| it.put_back).collect::<Vec<_>>(), [Some(id(1))]);
            // The next scan says the same, and a person's choice more.
            assert_eq!(settle(&ledger, root, folder, text, 70), there);
            let choose = "INSERT INTO choices (skill, agent, choice) SELECT id, '', 'full' FROM skills WHERE state = 'active'";
            ledger.connection().execute_batch(choose).unwrap();
            assert!(ledger.put_back().unwrap().is_empty());
        }
    }

    #[test]
    fn what_a_person_brought_back_or_others_made_is_not_kept_out() {
        let (ledger, root) = archived(Origin::Bundled);
        let there = settle(&ledger, root, "pdf", TEXT, 60);
        assert_eq!(ledger.put_back().unwrap().len(), 1);
        let back = "UPDATE skills SET state = 'gone', returned = 65 WHERE state = 'archived';
                    UPDATE skills SET state = 'archived', archived_at = 65 WHERE state = 'active'";
        ledger.connection().execute_batch(back).unwrap();
        let again = settle(&ledger, root, "pdf", "Quite another text", 70);
        assert_ne!(again, there);
        assert!(ledger.put_back().unwrap().is_empty());

        let (ledger, root) = archived(Origin::Review);
        assert_eq!(settle(&ledger, root, "pdf", TEXT, 60), id(1), "found again by its text");
        assert!(ledger.put_back().unwrap().is_empty());
    }
}
