//! Where Skillkeep's own files are. Only names are made here: whoever writes creates the folders.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use super::{
    ConfigError,
    expand::{tilde, user_home},
};
use crate::system::{Kind, System};

/// Skillkeep's own folders; they need not exist. Where nothing says where they would be, there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Home {
    /// Configuration, policies and ledger.
    pub path: Option<PathBuf>,
    /// What can be made again.
    pub cache: Option<PathBuf>,
}

/// The home: `--home`, then `SKILLKEEP_HOME`, then `XDG_DATA_HOME/skillkeep`, then `~/.local/share/skillkeep`. Its
/// caches: `SKILLKEEP_CACHE`, or `cache` inside it.
///
/// # Errors
/// Where something else than a folder is there.
pub fn home(system: &dyn System, flag: Option<&Path>) -> Result<Home, ConfigError> {
    let named = flag.map(Path::to_path_buf).or_else(|| named_by(system, "SKILLKEEP_HOME"));
    let path = match named {
        Some(path) => Some(absolute(system, path)?),
        None => data_folder(system).map(|folder| folder.join("skillkeep")),
    };
    if let Some(path) = &path {
        check(system, path)?;
    }
    let cache = match named_by(system, "SKILLKEEP_CACHE") {
        Some(cache) => Some(absolute(system, cache)?),
        None => path.as_ref().map(|path| path.join("cache")),
    };
    Ok(Home { path, cache })
}

fn check(system: &dyn System, path: &Path) -> Result<(), ConfigError> {
    let no_folder = || Err(ConfigError::HomeIsNoFolder { path: path.to_path_buf() });
    match system.stat(path) {
        Ok(stat) if stat.kind != Kind::Folder => no_folder(),
        Err(error) if error.kind() == ErrorKind::NotADirectory => no_folder(),
        // Not there yet, or not readable: the first file that is read in it tells better.
        Ok(_) | Err(_) => Ok(()),
    }
}

fn named_by(system: &dyn System, variable: &str) -> Option<PathBuf> {
    let value = system.variable(variable)?;
    Some(tilde(&value, user_home(system).as_deref()))
}

/// XDG's data folder. A relative `XDG_DATA_HOME` is to be ignored, its specification says.
fn data_folder(system: &dyn System) -> Option<PathBuf> {
    system
        .variable("XDG_DATA_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(user_home(system)?.join(".local/share")))
}

fn absolute(system: &dyn System, path: PathBuf) -> Result<PathBuf, ConfigError> {
    if path.is_absolute() {
        return Ok(path);
    }
    match system.working_folder() {
        Ok(folder) => Ok(folder.join(path)),
        Err(source) => Err(ConfigError::NoWorkingFolder { path, source }),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::path::Path;

    use super::{Home, home};
    use crate::{config::load, system::MemorySystem};

    fn world(variables: &[(&str, &str)]) -> MemorySystem {
        let system = MemorySystem::new();
        system.folder("/u/work");
        system.set_working_folder("/u/work");
        for (name, value) in variables {
            system.set_variable(name, value);
        }
        system
    }

    #[test]
    fn the_home_is_where_the_nearest_word_says() {
        let all = [
            ("HOME", "/u"),
            ("XDG_DATA_HOME", "/xdg"),
            ("SKILLKEEP_HOME", "~/keep"),
            ("SKILLKEEP_CACHE", "cache-here"),
        ];
        let odd = [("XDG_DATA_HOME", "relative"), ("HOME", "/u")];
        let default = ["/u/.local/share/skillkeep", "/u/.local/share/skillkeep/cache"];
        for (flag, variables, [path, cache]) in [
            (Some("/flag"), &all[..], ["/flag", "/u/work/cache-here"]),
            (Some("flag"), &all[..3], ["/u/work/flag", "/u/work/flag/cache"]),
            (None, &all[..3], ["/u/keep", "/u/keep/cache"]),
            (None, &all[..2], ["/xdg/skillkeep", "/xdg/skillkeep/cache"]),
            (None, &all[..1], default),
            (None, &odd[..], default),
            (None, &[("USERPROFILE", "/u")], default),
        ] {
            let found = home(&world(variables), flag.map(Path::new)).unwrap();
            assert_eq!(
                found,
                Home { path: Some(path.into()), cache: Some(cache.into()) },
                "{flag:?} {variables:?}"
            );
        }
    }

    #[test]
    fn a_home_that_cannot_be_is_refused_with_a_hint() {
        let system = world(&[]);
        system.write("/u/file", "");
        let error = home(&system, Some(Path::new("/u/file"))).unwrap_err();
        assert_eq!(error.to_string(), "the home `/u/file` is no folder");
        assert_eq!(error.hint(), Some("name a folder with `--home PATH` or `SKILLKEEP_HOME`"));
    }

    #[test]
    fn without_a_word_on_it_there_is_no_home_and_the_defaults_hold() {
        for variables in [&[][..], &[("HOME", "")], &[("XDG_DATA_HOME", "relative")]] {
            let system = world(variables);
            let none = home(&system, None).unwrap();
            assert_eq!(none, Home::default(), "{variables:?}");
            assert_eq!(load(&system, &none).unwrap(), crate::config::Config::default());
        }
        let cached = home(&world(&[("SKILLKEEP_CACHE", "/c")]), None).unwrap();
        assert_eq!(cached, Home { path: None, cache: Some("/c".into()) });
    }

    #[test]
    fn the_file_in_the_home_is_read_if_it_is_there() {
        let system = world(&[("HOME", "/u"), ("TEAM", "/srv/team")]);
        let keep = home(&system, Some(Path::new("/u/keep"))).unwrap();
        assert_eq!(load(&system, &keep).unwrap().home, Path::new("/u/keep"));
        assert_eq!(load(&system, &keep).unwrap().roots, None);

        let roots = "\u{feff}roots = ['~/a', '$TEAM/b', '${TEAM}x/${NONE}', 'c', '/d']\n";
        system.write("/u/keep/skillkeep.toml", roots);
        let config = load(&system, &keep).unwrap();
        let paths: Vec<_> = config.roots.unwrap().into_iter().map(|root| root.path).collect();
        let expected = ["/u/a", "/srv/team/b", "/srv/teamx/${NONE}", "/u/keep/c", "/d"];
        assert_eq!(paths, expected.map(std::path::PathBuf::from));

        system.write("/u/keep/skillkeep.toml", b"roots = ['\xff']");
        let error = load(&system, &keep).unwrap_err();
        assert_eq!(error.to_string(), "`/u/keep/skillkeep.toml` is no UTF-8 text");
        system.write("/u/keep/skillkeep.toml", vec![b'#'; (1 << 20) + 1]);
        let error = load(&system, &keep).unwrap_err();
        assert_eq!(error.to_string(), "`/u/keep/skillkeep.toml` can't be read");
    }
}
