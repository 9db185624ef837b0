//! A Hermes home as something is taken over from it: one home, not all that are found.

use std::path::{Path, PathBuf};

use super::{
    agents::{hermes_profiles, hermes_top, place},
    expand::{expand, tilde, user_home},
};
use crate::system::System;

/// One home of Hermes's: the default one, or a profile's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HermesHome {
    /// Where it is: absolute, links resolved.
    pub path: PathBuf,
    /// As it was named.
    pub named: PathBuf,
    /// The other homes of the same installation.
    pub others: Vec<PathBuf>,
}

impl HermesHome {
    /// The home that is named, else that of `HERMES_HOME`, else `~/.hermes`. None where nothing says where it is, or nothing
    /// is there.
    #[must_use]
    pub fn find(system: &dyn System, named: Option<&Path>) -> Option<HermesHome> {
        let named = match named {
            Some(named) => {
                let named = tilde(named.to_str()?, user_home(system).as_deref());
                system.working_folder().map_or(named.clone(), |folder| folder.join(&named))
            }
            None => place(system, "HERMES_HOME", ".hermes")?,
        };
        let path = system.resolve(&named).ok()?;
        let top = hermes_top(&path);
        let mut others = hermes_profiles(system, &top);
        others.insert(0, top);
        others.retain(|other| *other != path);
        Some(HermesHome { path, named, others })
    }

    /// The folders that it reads skills from: its own, then the external ones that its settings name.
    #[must_use]
    pub fn roots(&self, system: &dyn System, external: &[String]) -> Vec<PathBuf> {
        let external = external.iter().map(|folder| expand(system, folder, &self.path));
        std::iter::once(self.path.join("skills")).chain(external).collect()
    }

    /// Its folders of skills as a job may write them: as named, resolved, and with `~`.
    #[must_use]
    pub fn spellings(&self, system: &dyn System, roots: &[PathBuf]) -> Vec<String> {
        let own = [self.named.join("skills")];
        let mut all: Vec<PathBuf> = own.iter().chain(roots).cloned().collect();
        all.extend(roots.iter().filter_map(|root| system.resolve(root).ok()));
        if let Some(user) = user_home(system) {
            let below = |path: &PathBuf| Some(Path::new("~").join(path.strip_prefix(&user).ok()?));
            let short: Vec<PathBuf> = all.iter().filter_map(below).collect();
            all.extend(short);
        }
        let mut texts: Vec<String> =
            all.iter().filter_map(|path| path.to_str().map(str::to_owned)).collect();
        texts.sort();
        texts.dedup();
        texts
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::path::Path;

    use super::HermesHome;
    use crate::system::MemorySystem;

    fn machine() -> MemorySystem {
        let system = MemorySystem::new();
        system.set_variable("HOME", "/u");
        system.folder("/u/.hermes/skills");
        system.folder("/u/.hermes/profiles/dev/skills");
        system.folder("/u/.hermes/profiles/Not A Profile");
        system.folder("/other");
        system.set_working_folder("/u");
        system
    }

    #[test]
    fn a_home_is_the_named_one_or_the_variable_s_or_the_user_s() {
        let system = machine();
        let found = |named: Option<&str>| {
            HermesHome::find(&system, named.map(Path::new)).map(|it| (it.path, it.others))
        };
        let dev = "/u/.hermes/profiles/dev";
        let user = Some(("/u/.hermes".into(), vec![dev.into()]));
        assert_eq!(found(None), user);
        assert_eq!(found(Some("~/.hermes")), user);
        assert_eq!(
            found(Some(".hermes/profiles/dev")),
            Some((dev.into(), vec!["/u/.hermes".into()]))
        );
        assert_eq!(found(Some("/nowhere")), None);
        system.set_variable("HERMES_HOME", "/other");
        let home = HermesHome::find(&system, None).unwrap();
        assert_eq!(home.path, Path::new("/other"));
    }

    #[test]
    fn its_folders_are_spelled_in_every_way() {
        let system = machine();
        let home = HermesHome::find(&system, None).unwrap();
        let roots = home.roots(&system, &["~/more".to_owned(), "/srv/skills".to_owned()]);
        assert_eq!(
            home.spellings(&system, &roots),
            ["/srv/skills", "/u/.hermes/skills", "/u/more", "~/.hermes/skills", "~/more"]
        );
    }
}
