//! Writes that waited for a person in another program, which wait here from now on: checked and judged as if their writer
//! asked now. None is made at once, whatever a judge says, since somebody wanted to see it.
//!
//! The other program doesn't say what its writer had read. So the base is what lies there when it is taken, which a person
//! is told who looks at it.

use super::{
    Base, ChangeError, Edit, Fresh, NewSkill,
    keeper::{By, Keeper, Target},
    stage::{LIMITS, Ready},
    wanted::Wanted,
};
use crate::{
    decision::{Successor, Verdict},
    ledger::{Digest, NewPending, Origin, Took, Verb, WriteRecord},
    library::Library,
    skill::Instant,
};

/// What a write would do.
#[derive(Clone, Copy, Debug)]
pub enum Act<'a> {
    /// Make a skill.
    Create(NewSkill<'a>),
    /// Write files of a skill. What the edits say of what was read doesn't count.
    Write(Target<'a>, &'a [Edit]),
    /// Put a skill away.
    Archive(Target<'a>),
}

/// What will be known of its skill by the time that it waits, since it is taken over in the same go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Foreseen {
    /// Who made it, where nobody has said yet.
    pub origin: Option<Origin>,
    /// Whether it is pinned then.
    pub pinned: bool,
    /// Whether a job names it then.
    pub referenced: bool,
    /// What takes its place where it is put away.
    pub successor: Option<Successor>,
}

/// A write that waited elsewhere.
#[derive(Clone, Debug)]
pub struct WaitedElsewhere<'a> {
    /// What it would do.
    pub act: Act<'a>,
    /// What will be known of its skill.
    pub foreseen: Foreseen,
    /// Who asked there, and why.
    pub by: By,
    /// When, and not in the future.
    pub at: Instant,
    /// For people: the program that it waited in.
    pub program: &'a str,
}

/// A write that could wait here.
struct Fitting {
    ready: Ready,
    wanted: Wanted,
    texts: Fresh,
    origin: Origin,
}

impl Keeper<'_> {
    /// What would be written down of a write that waited elsewhere: two of which the same is written are the same write.
    /// Nothing is written, and no lock is waited for.
    ///
    /// # Errors
    /// Where its writer would be refused here.
    pub fn would_wait(
        &self,
        write: &WaitedElsewhere<'_>,
        library: &Library,
    ) -> Result<String, ChangeError> {
        Ok(self.fitting(write, library)?.wanted.text())
    }

    /// Has it wait here, with a mark of the record that it comes from.
    ///
    /// # Errors
    /// Where its writer would be refused here, or it can't be kept.
    pub fn have_wait(
        &self,
        write: &WaitedElsewhere<'_>,
        record: &WriteRecord,
        library: &Library,
    ) -> Result<Took, ChangeError> {
        let lock = self.lock("import")?;
        let Fitting { mut ready, wanted, texts, origin } = self.fitting(write, library)?;
        let new = NewPending {
            at: write.at,
            why: format!("it waited for a person in {}", write.program),
            judge: "the host".to_owned(),
            ..self.to_wait(&ready, &write.by, &wanted, origin)
        };
        let held = self.keep_for(&mut ready, &new, &texts)?;
        let took = self.ledger.take_write(&new, record, LIMITS)?;
        drop((held, lock));
        Ok(took)
    }

    fn fitting(
        &self,
        write: &WaitedElsewhere<'_>,
        library: &Library,
    ) -> Result<Fitting, ChangeError> {
        let WaitedElsewhere { act, by, foreseen, .. } = write;
        let mut texts = Fresh::new();
        let (ready, wanted) = match *act {
            Act::Create(new) => {
                let folder = new.folder(library)?;
                let me = Target { id: self.id_for(&folder)?, folder: &folder };
                let (ready, _) = self.ready_to_put(me, Verb::Create, new.files, by)?;
                (ready, Wanted::create(&folder, new.clash, new.files, &mut texts))
            }
            Act::Write(skill, edits) => {
                self.is_skill(skill.folder, "written")?;
                let edits = self.on_what_is_there(skill.folder, edits)?;
                let (ready, bases) = self.ready_to_put(skill, Verb::Write, &edits, by)?;
                (ready, Wanted::write(skill.folder, &edits, &bases, &mut texts))
            }
            Act::Archive(skill) => {
                self.may_archive(skill.folder, by)?;
                let (ready, tree) = self.ready_to_archive(skill, by)?;
                (ready, Wanted::Archive { tree })
            }
        };
        let judgement = self.judgement_with(&ready, by, *foreseen)?;
        match judgement.verdict {
            Verdict::Allow(origin) | Verdict::Stage(origin) => {
                Ok(Fitting { ready, wanted, texts, origin })
            }
            Verdict::Deny => {
                Err(ChangeError::Denied { reason: judgement.reason.text, by: judgement.by })
            }
        }
    }

    /// The same edits of what is there now.
    fn on_what_is_there(&self, folder: &str, edits: &[Edit]) -> Result<Vec<Edit>, ChangeError> {
        let mut based = edits.to_vec();
        for edit in &mut based {
            let there = self.file(folder, edit.path())?;
            let base = there.map_or(Base::Absent, |bytes| Base::Read(Digest::of(&bytes)));
            edit.rebase(base);
        }
        Ok(based)
    }
}
