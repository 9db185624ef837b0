//! Which skills jobs name: what was imported, what the settings list, and what the jobs of Hermes homes say now. Who can't be
//! asked protects everybody.

use std::collections::BTreeMap;

use crate::{
    adapters::{JOBS_FILE, read_job_mentions, read_jobs},
    config::HermesHome,
    ledger::{Ledger, LedgerError, Meant},
    skill::SkillId,
    system::System,
    world::World,
};

/// The largest file of jobs that is read, in bytes.
const MOST: u64 = 64 << 20;

/// What jobs name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Jobs {
    /// By id, as far as that is known: the jobs' names.
    by_id: BTreeMap<SkillId, Vec<String>>,
    /// By the last part of how it is spelled, in small letters.
    by_word: BTreeMap<String, Vec<String>>,
    /// Why nobody can tell what jobs name, where that is so.
    pub unknown: Option<String>,
}

/// What jobs name now.
///
/// # Errors
/// Where the ledger can't be read.
pub fn jobs(world: &World<'_>, ledger: &Ledger) -> Result<Jobs, LedgerError> {
    let mut jobs = Jobs::default();
    for it in ledger.references()? {
        match it.skill {
            Some(skill) => jobs.by_id.entry(skill).or_default().push(it.job),
            None => jobs.name(&it.spelling, it.job),
        }
    }
    for spelling in &world.config.curator.jobs {
        jobs.name(spelling, "curator.jobs".to_owned());
    }
    if let Some(home) = HermesHome::find(world.system, None) {
        for home in home.others.iter().chain([&home.path]) {
            jobs.read(world.system, home);
        }
    }
    jobs.called_before(ledger)?;
    Ok(jobs)
}

impl Jobs {
    fn read(&mut self, system: &dyn System, home: &std::path::Path) {
        let file = home.join(JOBS_FILE);
        let bytes = match system.read(&file, MOST) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return,
            Err(error) => {
                self.unknown = Some(format!("`{}` can't be read: {error}", file.display()));
                return;
            }
        };
        let mut left = Vec::new();
        let named = read_jobs(&bytes, &mut left);
        match named.and_then(|named| Ok((named, read_job_mentions(&bytes)?))) {
            Ok((named, mentioned)) => {
                for it in named.into_iter().chain(mentioned) {
                    self.name(&it.spelling, it.job);
                }
            }
            Err(error) => {
                self.unknown = Some(format!("`{}` can't be read: {error}", file.display()));
            }
        }
        // What can't be understood may name any skill.
        if let Some(left) = left.first() {
            self.unknown = Some(format!("`{}`, {}: {}", file.display(), left.at, left.why));
        }
    }

    /// Who a job's spelling may mean is told by its last part alone, so that no way of writing it (`name`, `category/name`, a
    /// path, one with `SKILL.md` behind it) leaves anybody unprotected.
    fn name(&mut self, spelling: &str, job: String) {
        let jobs = self.by_word.entry(word(spelling)).or_default();
        if !jobs.contains(&job) {
            jobs.push(job);
        }
    }

    /// A job that names a skill as it was called before will not find it, and means it all the same; unless another skill is
    /// called so by now.
    fn called_before(&mut self, ledger: &Ledger) -> Result<(), LedgerError> {
        for (alias, id) in ledger.former_names()? {
            let Some(jobs) = self.by_word.get(&word(&alias)) else { continue };
            let is_meant = match ledger.meant(&alias)? {
                Meant::None => false,
                Meant::One(one) => one == id,
                Meant::Many(all) => all.contains(&id),
            };
            if is_meant {
                self.by_id.entry(id).or_default().extend(jobs.iter().cloned());
            }
        }
        Ok(())
    }

    /// The jobs that may mean this skill.
    #[must_use]
    pub fn of(&self, id: SkillId, name: &str, folder: &str) -> Vec<String> {
        let mut jobs = self.by_id.get(&id).cloned().unwrap_or_default();
        for word in [word(name), word(folder)] {
            jobs.extend(self.by_word.get(&word).into_iter().flatten().cloned());
        }
        if let Some(why) = &self.unknown {
            jobs.push(why.clone());
        }
        jobs.sort();
        jobs.dedup();
        jobs
    }
}

fn word(spelling: &str) -> String {
    // Qualified by a plugin as by a category.
    path(spelling).rsplit(['/', ':']).next().unwrap_or_default().to_lowercase()
}

/// A spelling as a path of folders, without the file.
fn path(spelling: &str) -> String {
    let spelling = spelling.trim().replace('\\', "/");
    let spelling = spelling.trim_end_matches('/');
    let is_file = |file: &str| file.eq_ignore_ascii_case("SKILL.md");
    match spelling.rsplit_once('/') {
        Some((folder, file)) if is_file(file) => folder,
        _ if spelling.to_lowercase().ends_with(".md") => {
            spelling.get(..spelling.len().saturating_sub(3)).unwrap_or(spelling)
        }
        _ => spelling,
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Jobs, word};
    use crate::skill::SkillId;

    #[test]
    fn however_a_job_spells_a_skill_it_is_meant() {
        for spelling in [
            "pdf",
            " PDF ",
            "media/pdf",
            "media/pdf/",
            "/home/u/.hermes/skills/media/pdf",
            "~/.hermes/skills/media/pdf/SKILL.md",
            "C:\\skills\\media\\pdf",
            "plugin:pdf",
            "media/pdf.MD",
        ] {
            assert_eq!(word(spelling), "pdf", "{spelling}");
        }
    }

    #[test]
    fn a_name_and_a_folder_are_both_looked_for_and_who_can_not_be_asked_protects_all() {
        let id = SkillId::from_random(1);
        let mut jobs = Jobs::default();
        jobs.name("cat/pdf-tools", "nightly".to_owned());
        jobs.name("pdf", "weekly".to_owned());
        assert_eq!(jobs.of(id, "pdf", "cat/pdf-tools"), ["nightly", "weekly"]);
        assert!(jobs.of(id, "other", "cat/other").is_empty());
        jobs.unknown = Some("no".to_owned());
        assert_eq!(jobs.of(id, "other", "cat/other"), ["no"]);
    }
}
