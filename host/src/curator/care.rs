//! Whose a skill is to the curator: in its care, or why not. One classification, for every command that tells of it.

use super::facts::Subject;
use crate::skill::Origin;

/// Why no pass touches a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outside {
    /// Nobody took its root: it is only read.
    ReadOnly,
    /// The operator protects it by name.
    Protected,
    /// It came with an agent, and the settings don't let these be retired.
    Bundled,
    /// It was installed from elsewhere.
    Installed,
    /// A person made it.
    Person,
    /// An agent made it that worked for a person.
    Foreground,
    /// Nobody said who made it.
    Unknown,
}

impl Outside {
    /// Why, for a reader: what is told of all such skills.
    #[must_use]
    pub fn why(self) -> &'static str {
        match self {
            Outside::ReadOnly => "only read: skillkeep init FOLDER takes a folder into care",
            Outside::Protected => "protected by `curator.protected`",
            Outside::Bundled => "came with an agent: `curator.retire-bundled` is off",
            Outside::Installed => "installed from elsewhere",
            Outside::Person => "made by a person: skillkeep curator adopt NAME",
            Outside::Foreground => {
                "made by an agent at work for a person: skillkeep curator adopt NAME"
            }
            Outside::Unknown => "nobody said who made it: skillkeep curator adopt NAME",
        }
    }
}

/// Why a skill can't be adopted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotAdopted {
    /// It is in the curator's care already.
    Already,
    /// Its root is only read.
    ReadOnly,
    /// The operator protects it by name.
    Protected,
    /// It came with an agent: what becomes of these is a setting's to say.
    Bundled,
    /// It was installed from elsewhere, and whoever keeps it there would bring it back.
    Installed,
}

impl NotAdopted {
    /// Why, for a reader.
    #[must_use]
    pub fn why(self) -> &'static str {
        match self {
            NotAdopted::Already => "it is in the curator's care already",
            NotAdopted::ReadOnly => "its folder is only read",
            NotAdopted::Protected => "`curator.protected` has its name",
            NotAdopted::Bundled => {
                "it came with an agent; `curator.retire-bundled` says what becomes of these"
            }
            NotAdopted::Installed => "it was installed from elsewhere",
        }
    }
}

/// Whether a skill of this origin was given into the curator's care: by the review that made it, by a person who adopted it,
/// or, with an agent, by an operator who lets these be retired.
#[must_use]
pub fn is_declared(origin: Origin, retire_bundled: bool) -> bool {
    match origin {
        Origin::Review | Origin::Adopted => true,
        Origin::Bundled => retire_bundled,
        Origin::Unknown | Origin::Person | Origin::Foreground | Origin::Installed => false,
    }
}

impl Subject {
    /// Why no pass touches it; nothing of one that is in the curator's care.
    #[must_use]
    pub fn outside(&self) -> Option<Outside> {
        let standing = &self.standing;
        if !standing.owned {
            Some(Outside::ReadOnly)
        } else if standing.built_in {
            Some(Outside::Protected)
        } else if standing.declared {
            None
        } else {
            Some(match self.origin {
                Origin::Bundled => Outside::Bundled,
                Origin::Installed => Outside::Installed,
                Origin::Person => Outside::Person,
                Origin::Foreground => Outside::Foreground,
                Origin::Unknown | Origin::Review | Origin::Adopted => Outside::Unknown,
            })
        }
    }

    /// Whether a pass may touch it at all.
    #[must_use]
    pub fn in_care(&self) -> bool {
        self.outside().is_none()
    }

    /// Whether a person may give it into the curator's care.
    ///
    /// # Errors
    /// Why not.
    pub fn may_be_adopted(&self) -> Result<(), NotAdopted> {
        match (self.outside(), self.origin) {
            (None, _) => Err(NotAdopted::Already),
            (Some(Outside::ReadOnly), _) => Err(NotAdopted::ReadOnly),
            (Some(_), Origin::Bundled) => Err(NotAdopted::Bundled),
            (Some(_), Origin::Installed) => Err(NotAdopted::Installed),
            (Some(Outside::Protected), _) => Err(NotAdopted::Protected),
            (Some(_), _) => Ok(()),
        }
    }

    /// The same skill as it would be once a person had adopted it: in the curator's care, and fresh, for its time in care
    /// begins there.
    #[must_use]
    pub fn if_adopted(&self) -> Subject {
        let mut subject = self.clone();
        subject.origin = Origin::Adopted;
        subject.standing.declared = true;
        subject.standing.fresh = true;
        subject
    }
}

#[cfg(test)]
mod tests {
    use super::{NotAdopted, Outside};
    use crate::{
        curator::Subject,
        laws::Standing,
        skill::{Instant, Origin, SkillId},
    };

    fn test_subject() -> Subject {
        Subject::plain(SkillId::from_random(1), "/root", "deploy", Instant(0))
    }

    #[test]
    fn each_kind_of_skill_has_one_class_and_one_answer_to_adopting_it() {
        let free = test_subject().standing;
        let read = Standing { owned: false, ..free };
        let protected = Standing { built_in: true, ..free };
        let none = Standing { declared: false, ..free };
        for (origin, standing, outside, adopted) in [
            (Origin::Review, free, None, Err(NotAdopted::Already)),
            (Origin::Adopted, free, None, Err(NotAdopted::Already)),
            (Origin::Bundled, free, None, Err(NotAdopted::Already)),
            (Origin::Bundled, none, Some(Outside::Bundled), Err(NotAdopted::Bundled)),
            (Origin::Installed, none, Some(Outside::Installed), Err(NotAdopted::Installed)),
            (Origin::Person, none, Some(Outside::Person), Ok(())),
            (Origin::Foreground, none, Some(Outside::Foreground), Ok(())),
            (Origin::Unknown, none, Some(Outside::Unknown), Ok(())),
            (Origin::Person, read, Some(Outside::ReadOnly), Err(NotAdopted::ReadOnly)),
            (Origin::Review, protected, Some(Outside::Protected), Err(NotAdopted::Protected)),
            (Origin::Bundled, protected, Some(Outside::Protected), Err(NotAdopted::Bundled)),
        ] {
            let subject = Subject { origin, standing, ..test_subject() };
            let found = (subject.outside(), subject.may_be_adopted());
            assert_eq!(found, (outside, adopted), "{origin:?} {standing:?}");
        }
    }

    #[test]
    fn an_adopted_one_is_in_care_and_fresh() {
        let standing = Standing { declared: false, ..test_subject().standing };
        let subject = Subject { origin: Origin::Person, standing, ..test_subject() };
        let adopted = subject.if_adopted();
        assert!(adopted.in_care() && adopted.standing.fresh);
        assert_eq!(adopted.active(), subject.active());
    }
}
