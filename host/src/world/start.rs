//! What every command starts from: the home, the config, the roots, and the library in them.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use include_dir::{Dir, DirEntry, include_dir};

use super::{Tell, error::CommandError, remembered::Remembered};
use crate::{
    change::is_kept,
    config::{self, Config, FoundRoots, Home, Untrusted},
    decision::Unit,
    index::{ByteMeter, CharMeter, Lines, Meter, TokenMeter},
    ledger::{Access, Ledger},
    library::{Library, scan},
    skill::{OneLine, Root, Session},
    system::{MemorySystem, System},
};

/// Skills that are shown where a machine has none.
static SAMPLE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/sample");
/// Where the sample lies, in a system of its own.
const SAMPLE_ROOT: &str = "/sample";

/// Where to look, as far as somebody said.
#[derive(Clone, Copy, Debug, Default)]
pub struct Where<'a> {
    /// The home.
    pub home: Option<&'a Path>,
    /// The folders of skills, the first with precedence; all that are found where none is named.
    pub roots: &'a [PathBuf],
    /// Whoever calls works for a person and is none, whatever this process shows and wherever it runs.
    pub for_agents: bool,
}

/// What a command starts from.
pub struct World<'a> {
    /// The outside.
    pub system: &'a dyn System,
    /// The home.
    pub home: Home,
    /// The config.
    pub config: Config,
    /// The roots, and what was seen on the way to them.
    pub found: FoundRoots,
    /// The library in them. Whoever has it keeps it as it is.
    pub library: Arc<Library>,
    /// This program's file, where it can be told.
    pub program: Option<PathBuf>,
    /// Whether no caller is a person.
    pub for_agents: bool,
    /// Whether somebody said which roots there are.
    named: bool,
    /// The system that the skills lie in: another one for the sample.
    sample: Option<MemorySystem>,
    /// What is remembered, where somebody does.
    pub(super) remembered: Option<Arc<Remembered>>,
}

impl<'a> World<'a> {
    /// Files of the cache that hold texts of skills.
    pub const TEXTS: [&'static str; 2] = ["skills.bin", "search.db"];

    /// Reads the config, finds the roots and scans them.
    ///
    /// # Errors
    /// Where the config is wrong or a root that was named is not there.
    pub fn open(system: &'a dyn System, place: &Where<'_>) -> Result<World<'a>, CommandError> {
        let mut world = World::unread(system, place)?;
        world.hold(world.read());
        Ok(world)
    }

    /// As [`World::open`], with the roots too that are hidden because nobody trusts them: for who may trust them.
    ///
    /// # Errors
    /// Where the config is wrong.
    pub fn open_all(
        system: &'a dyn System,
        home: Option<&Path>,
    ) -> Result<World<'a>, CommandError> {
        let mut world = World::without_library(system, home)?;
        world.found = config::find_roots(system, &world.config, &[])?;
        world.library = Arc::new(world.read());
        Ok(world)
    }

    /// As [`World::open`], and never with the sample: for commands that write. A root whose skills all lie in the archive
    /// is no machine without skills.
    ///
    /// # Errors
    /// Where the config is wrong or a root that was named is not there.
    pub fn own(system: &'a dyn System, place: &Where<'_>) -> Result<World<'a>, CommandError> {
        let mut world = World::unread(system, place)?;
        world.library = Arc::new(world.read());
        Ok(world)
    }

    /// Reads the config and finds the roots: for what can be done while [`World::read`] is at work, whose library
    /// [`World::hold`] takes.
    ///
    /// # Errors
    /// Where the config is wrong or a root that was named is not there.
    pub fn unread(system: &'a dyn System, place: &Where<'_>) -> Result<World<'a>, CommandError> {
        let mut world = World::without_library(system, place.home)?;
        world.for_agents = place.for_agents;
        world.found = config::find_roots(system, &world.config, place.roots)?;
        world.named = !place.roots.is_empty()
            || world.config.roots.is_some()
            || !world.config.more_roots.is_empty();
        if world.config.untrusted == Untrusted::Hide {
            for path in world.untrusted() {
                let text = world.shorten(&path);
                world.found.roots.retain(|root| root.path != path);
                world.found.notes.push(format!(
                    "the project's root `{text}` is not read: nobody trusts it yet; `skillkeep init --trust {text}`"
                ));
            }
        }
        Ok(world)
    }

    /// The library in the roots.
    #[must_use]
    pub fn read(&self) -> Library {
        scan(self.system, &self.found.roots, self.cached("skills.bin").as_deref())
    }

    /// Takes the library that was read, or the sample where nothing was found and nothing named.
    pub fn hold(&mut self, library: Library) {
        self.library = Arc::new(library);
        // A root that is there and can't be read is not the same as a machine without skills.
        let lost = self.library.roots.iter().any(|report| report.problem.is_some());
        // Nor is one that somebody keeps, with all its skills in the archive.
        let mut roots = self.library.roots.iter().filter_map(|report| report.resolved.as_ref());
        let kept = roots.any(|root| is_kept(self.system, root));
        if self.library.skills.is_empty() && !self.named && !lost && !kept {
            self.show_sample();
        }
    }

    /// Reads the config alone: for what has to do with no skill.
    ///
    /// # Errors
    /// Where the config is wrong.
    pub fn without_library(
        system: &'a dyn System,
        home: Option<&Path>,
    ) -> Result<World<'a>, CommandError> {
        let home = config::home(system, home)?;
        let config = config::load(system, &home)?;
        Ok(World {
            program: program(),
            system,
            home,
            config,
            found: FoundRoots::default(),
            library: Arc::default(),
            for_agents: false,
            named: false,
            sample: None,
            remembered: None,
        })
    }

    /// The same over another system, which is the same machine.
    pub(super) fn over<'b>(self, system: &'b dyn System) -> World<'b> {
        World {
            system,
            home: self.home,
            config: self.config,
            found: self.found,
            library: self.library,
            program: self.program,
            for_agents: self.for_agents,
            named: self.named,
            sample: self.sample,
            remembered: self.remembered,
        }
    }

    /// The same with another library, that is no sample.
    pub(super) fn with_library(&self, library: Arc<Library>) -> World<'a> {
        World {
            system: self.system,
            home: self.home.clone(),
            config: self.config.clone(),
            found: self.found.clone(),
            library,
            program: self.program.clone(),
            for_agents: self.for_agents,
            named: self.named,
            sample: None,
            remembered: self.remembered.clone(),
        }
    }

    /// Whether another world has the same home, settings and roots.
    pub(super) fn is_set_as(&self, other: &World<'_>) -> bool {
        (&self.home, &self.config, &self.found, self.named)
            == (&other.home, &other.config, &other.found, other.named)
    }

    fn show_sample(&mut self) {
        let sample = MemorySystem::from_files(sample_files().into_iter());
        let root = Root {
            path: PathBuf::from(SAMPLE_ROOT),
            label: OneLine::new("sample"),
            category: None,
        };
        self.library = Arc::new(scan(&sample, std::slice::from_ref(&root), None));
        self.found.roots = vec![root];
        self.found.disabled = BTreeSet::new();
        self.found.compact = BTreeMap::new();
        self.sample = Some(sample);
    }

    /// Whether the skills are the sample.
    #[must_use]
    pub fn is_sample(&self) -> bool {
        self.sample.is_some()
    }

    /// The system that the skills lie in.
    #[must_use]
    pub fn files(&self) -> &dyn System {
        match &self.sample {
            Some(sample) => sample,
            None => self.system,
        }
    }

    /// Roots of the project at hand that nobody trusts yet, in their order. Only a home can know of trust.
    #[must_use]
    pub fn untrusted(&self) -> Vec<PathBuf> {
        let projects = &self.found.projects;
        let mut roots =
            self.found.roots.iter().filter(|root| projects.contains(&root.path)).peekable();
        if roots.peek().is_none() {
            return Vec::new();
        }
        let ledger = self.home.path.as_ref().and_then(|home| {
            Some(Ledger::open(&home.join(super::store::LEDGER), Access::Read).ok()?.ledger)
        });
        let is_trusted = |path: &Path| {
            let path = self.system.resolve(path).ok()?;
            Some(ledger.as_ref()?.root_at(&path).ok()??.root.trusted)
        };
        roots
            .filter(|root| is_trusted(&root.path) != Some(true))
            .map(|root| root.path.clone())
            .collect()
    }

    /// Name and category of the skill that is in a folder of a root.
    #[must_use]
    pub fn called(&self, root: usize, folder: &str) -> Option<(String, String)> {
        let mut skills = self.library.skills.iter();
        let skill = skills.find(|it| it.place.root == root && it.place.folder == folder)?;
        Some((skill.name.as_str().to_owned(), skill.category.as_str().to_owned()))
    }

    /// A session on this machine of which nothing more is known.
    #[must_use]
    pub fn session(&self) -> Session {
        Session {
            platform: std::env::consts::OS.to_owned(),
            environments: environments(self.system),
            toolsets: None,
            tools: None,
            disabled: self.found.disabled.clone(),
        }
    }

    /// Folders that a file of a skill may lie in, links resolved: the roots, and where linked skills really are.
    #[must_use]
    pub fn allowed_folders(&self) -> Vec<PathBuf> {
        self.library.roots.iter().filter_map(|report| report.resolved.clone()).collect()
    }

    /// The folder of the caches, where it can be used: made private to the user by whatever writes there first.
    #[must_use]
    pub fn private_cache(&self) -> Option<&Path> {
        let cache = self.home.cache.as_deref()?;
        let mark = cache.join("README");
        let there = self.system.stat(&mark).is_ok()
            || self
                .system
                .replace(
                    &mark,
                    b"Caches of skillkeep. All of this can be deleted; it is made again.\n",
                )
                .is_ok();
        there.then_some(cache)
    }

    /// A file of the cache, where there is a place for one.
    #[must_use]
    pub fn cached(&self, name: &str) -> Option<PathBuf> {
        Some(self.home.cache.as_ref()?.join(name))
    }

    /// A meter for a unit.
    #[must_use]
    pub fn meter(&self, unit: Unit) -> AnyMeter {
        match unit {
            Unit::Chars => AnyMeter::Chars(CharMeter),
            Unit::Bytes => AnyMeter::Bytes(ByteMeter),
            Unit::Tokens => AnyMeter::Tokens(match &self.remembered {
                Some(remembered) => Arc::clone(&remembered.tokens),
                None => Arc::new(self.token_meter()),
            }),
        }
    }

    /// Lines that somebody keeps.
    #[must_use]
    pub fn lines(&self) -> Option<&Lines> {
        Some(&self.remembered.as_ref()?.lines)
    }

    /// A meter of tokens by what its file knows.
    pub(super) fn token_meter(&self) -> TokenMeter {
        TokenMeter::open(self.system, self.cached("tokens.bin").as_deref())
    }

    /// Says what the user should know before any result: that this is the sample, what the config has too much.
    pub fn announce(&self, out: &mut dyn Tell) {
        if self.is_sample() {
            out.warn("no skills were found on this machine: this is the SAMPLE library that comes with skillkeep");
            let looked: Vec<String> =
                self.found.looked.iter().map(|(path, _, _)| self.shorten(path)).take(6).collect();
            out.hint(&format!("`--root FOLDER` reads your own; looked in {}", looked.join(", ")));
        }
        for report in &self.library.roots {
            if let Some(problem) = &report.problem
                && problem.problem.is_error()
            {
                out.warn(&format!("root `{}`: {}", report.root.label, problem.cause));
                out.hint(problem.fix.as_str());
            }
        }
        if self.home.cache.is_none() {
            out.warn("there is no place for a home, so nothing is cached: `HOME` is not set");
            out.hint("name a folder with `--home FOLDER` or `SKILLKEEP_HOME`");
        }
        for warning in &self.config.warnings {
            out.warn(&warning.to_string());
        }
        for note in &self.found.notes {
            out.warn(note);
        }
    }

    /// A path as people write it, with `~` for their home.
    #[must_use]
    pub fn shorten(&self, path: &Path) -> String {
        let home = self.system.variable("HOME").filter(|home| !home.is_empty());
        let text = match home.as_deref().and_then(|home| path.strip_prefix(home).ok()) {
            Some(rest) => format!("~/{}", rest.display()),
            None => path.display().to_string(),
        };
        // A folder's name may hold anything, and this goes to a terminal.
        OneLine::new(&text).to_string()
    }
}

/// A meter of any unit.
pub enum AnyMeter {
    /// Bytes.
    Bytes(ByteMeter),
    /// Unicode scalars.
    Chars(CharMeter),
    /// Tokens, with a memory.
    Tokens(Arc<TokenMeter>),
}

impl AnyMeter {
    /// The meter.
    #[must_use]
    pub fn get(&self) -> &dyn Meter {
        match self {
            AnyMeter::Bytes(meter) => meter,
            AnyMeter::Chars(meter) => meter,
            AnyMeter::Tokens(meter) => &**meter,
        }
    }

    /// Keeps what was counted. Where that can't be written, the next run counts again.
    pub fn save(&self, system: &dyn System) {
        if let AnyMeter::Tokens(meter) = self {
            drop(meter.save(system));
        }
    }
}

/// Environments that Hermes's headers may ask for, told as Hermes tells them.
fn environments(system: &dyn System) -> BTreeSet<String> {
    let there = |path: &str| system.stat(Path::new(path)).is_ok();
    let mut environments = BTreeSet::new();
    if there("/.dockerenv") || there("/run/.containerenv") {
        environments.insert("docker".to_owned());
    }
    if there("/run/s6") || there("/run/s6-rc") {
        environments.insert("s6".to_owned());
    }
    if system.variable("HERMES_KANBAN_TASK").is_some() {
        environments.insert("kanban".to_owned());
    }
    environments
}

fn sample_files() -> Vec<(String, Vec<u8>)> {
    fn walk(folder: &Dir<'_>, files: &mut Vec<(String, Vec<u8>)>) {
        for entry in folder.entries() {
            match entry {
                DirEntry::Dir(folder) => walk(folder, files),
                DirEntry::File(file) => {
                    files.push((
                        format!("{SAMPLE_ROOT}/{}", file.path().display()),
                        file.contents().to_vec(),
                    ));
                }
            }
        }
    }
    let mut files = Vec::new();
    walk(&SAMPLE, &mut files);
    files
}

#[allow(
    clippy::disallowed_methods,
    reason = "where the program lies is asked once, for compiling in a child of it"
)]
fn program() -> Option<PathBuf> {
    std::env::current_exe().ok()
}
