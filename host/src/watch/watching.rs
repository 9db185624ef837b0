//! The thread that looks when something may have changed.

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, PoisonError, RwLock,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::{Builder, JoinHandle},
    time::{Duration, Instant},
};

use super::{
    InForce, Looked,
    hints::{Hint, Hints, NotWatched, Source},
    interest::{About, Interest},
    report::Watched,
    telling::Telling,
};
use crate::system::System;

/// Messages that are taken together, where somebody sends them without end.
const MOST_HEARD: usize = 100_000;

/// How long is waited for what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// How long nothing has to happen before a look.
    pub quiet: Duration,
    /// How long a look is put off at most, by somebody who never stops writing.
    pub longest: Duration,
    /// The time between two looks that nobody asked for.
    pub poll: Duration,
}

impl Default for Pace {
    /// 50 ms, half a second, and five seconds.
    fn default() -> Pace {
        Pace {
            quiet: Duration::from_millis(50),
            longest: Duration::from_millis(500),
            poll: Duration::from_secs(5),
        }
    }
}

/// Who is told. All of it is called on the watching thread.
pub struct Told {
    /// Something came of a look.
    pub looked: Box<dyn Fn(&Looked) + Send>,
    /// Skills may have changed: the library's walk knows whether, and is cheap.
    pub skills: Box<dyn Fn() + Send>,
    /// Somebody should know of something that is wrong and that no look would find, in a line.
    pub warned: Box<dyn Fn(&str) + Send>,
}

enum Message {
    /// Something may have changed, then.
    About(About, Instant),
    Roots(Vec<PathBuf>),
    Stop,
}

impl Message {
    fn about(about: About) -> Message {
        Message::About(about, Instant::now())
    }
}

/// Watches for as long as it lives. Dropping it ends the thread and removes the report from the home.
pub struct Watching {
    messages: Sender<Message>,
    thread: Option<JoinHandle<()>>,
}

impl Watching {
    /// Begins to watch the settings, the lock, the components and these roots of skills. The report of the policies in force
    /// lies in the home from now on, as far as that can be written.
    ///
    /// # Errors
    /// Where no thread can be had.
    pub fn begin(
        in_force: Arc<InForce>,
        roots: Vec<PathBuf>,
        pace: Pace,
        told: Told,
        source: Source,
    ) -> io::Result<Watching> {
        let (messages, inbox) = channel();
        let wake = messages.clone();
        let policies = About { policies: true, skills: false };
        in_force.when_needed(move || drop(wake.send(Message::about(policies))));
        let interest = Arc::new(RwLock::new(Interest::default()));
        let hints = hints(source, messages.clone(), Arc::clone(&interest));
        let mut watcher =
            Watcher { in_force, roots, pace, told, interest, hints, watched: BTreeMap::new() };
        // Before the first look at what is there: what changes in between is told.
        let _ = watcher.follow(About { policies: true, skills: true });
        let thread = Builder::new().name("watch".to_owned()).spawn(move || watcher.run(&inbox))?;
        // What changed since the policies were loaded, and before anybody watched.
        drop(messages.send(Message::about(policies)));
        Ok(Watching { messages, thread: Some(thread) })
    }

    /// Watches these roots of skills from here on.
    pub fn roots(&self, roots: Vec<PathBuf>) {
        drop(self.messages.send(Message::Roots(roots)));
    }

    /// Has it look soon, as if something had changed.
    pub fn hint(&self) {
        drop(self.messages.send(Message::about(About { policies: true, skills: true })));
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        drop(self.messages.send(Message::Stop));
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// Hints that are about anything, sent on as messages.
fn hints(
    source: Source,
    messages: Sender<Message>,
    interest: Arc<RwLock<Interest>>,
) -> Result<Box<dyn Hints>, NotWatched> {
    source(Box::new(move |hint: Hint| {
        let about = interest.read().unwrap_or_else(PoisonError::into_inner).about(&hint);
        if about != About::default() {
            drop(messages.send(Message::about(about)));
        }
    }))
}

struct Watcher {
    in_force: Arc<InForce>,
    roots: Vec<PathBuf>,
    pace: Pace,
    told: Told,
    interest: Arc<RwLock<Interest>>,
    hints: Result<Box<dyn Hints>, NotWatched>,
    /// Folders that are watched, with device and inode: another folder of the same name is not.
    watched: BTreeMap<PathBuf, (u64, u64)>,
}

impl Watcher {
    fn run(&mut self, inbox: &Receiver<Message>) {
        let in_force = Arc::clone(&self.in_force);
        let mut telling = Telling::new(&in_force);
        self.tell(&mut telling);
        while let Some(about) = self.wait(inbox) {
            if about.policies {
                self.look(&mut telling);
            }
            if self.follow(about) {
                // What changed after it was read and before it was watched.
                self.look(&mut telling);
            }
            if about.skills {
                (self.told.skills)();
            }
            self.tell(&mut telling);
        }
    }

    fn tell(&self, telling: &mut Telling<'_>) {
        if let Some(line) = telling.tell() {
            (self.told.warned)(&line);
        }
    }

    fn look(&self, telling: &mut Telling<'_>) {
        let looked = self.in_force.look_and_tell(&mut || self.tell(telling));
        if !looked.is_nothing() {
            (self.told.looked)(&looked);
        }
    }

    /// What to look at next, once it is quiet or the time has come; nothing where it is the end. What is there already is
    /// compiled meanwhile.
    fn wait(&mut self, inbox: &Receiver<Message>) -> Option<About> {
        let (mut about, mut last) = match inbox.recv_timeout(self.pace.poll) {
            Ok(message) => self.heard(message)?,
            // Somebody may be writing right now.
            Err(RecvTimeoutError::Timeout) => (self.due(), Instant::now()),
            Err(RecvTimeoutError::Disconnected) => return None,
        };
        let longest = last + self.pace.longest;
        if about.policies {
            self.in_force.warm();
        }
        loop {
            let until = longest.min(last + self.pace.quiet);
            let left = until.saturating_duration_since(Instant::now());
            match inbox.recv_timeout(left) {
                Ok(message) => last = self.heard_more(message, &mut about)?,
                Err(RecvTimeoutError::Timeout) => return Some(about),
                Err(RecvTimeoutError::Disconnected) => return None,
            }
            if Instant::now() >= longest {
                // What was heard by now is looked at once, and not each by itself.
                for message in inbox.try_iter().take(MOST_HEARD) {
                    self.heard_more(message, &mut about)?;
                }
                return Some(about);
            }
        }
    }

    fn heard_more(&mut self, message: Message, about: &mut About) -> Option<Instant> {
        let (more, at) = self.heard(message)?;
        about.policies |= more.policies;
        about.skills |= more.skills;
        Some(at)
    }

    fn heard(&mut self, message: Message) -> Option<(About, Instant)> {
        match message {
            Message::About(about, at) => Some((about, at)),
            Message::Roots(roots) => {
                self.roots = roots;
                Some((About { policies: false, skills: true }, Instant::now()))
            }
            Message::Stop => None,
        }
    }

    /// What is looked at when nobody asked: skills only where nobody would tell.
    fn due(&self) -> About {
        About { policies: true, skills: self.warning().is_some() }
    }

    /// Watches the folders that matter now, and no others. Whether there are some that were not watched before.
    fn follow(&mut self, about: About) -> bool {
        let in_force = Arc::clone(&self.in_force);
        let system = &*in_force.setup.system;
        let mut interest = self.interest().clone();
        interest.of_files(system, &in_force.files());
        if about.skills {
            interest.of_roots(system, &self.roots);
        }
        let folders = interest.folders();
        *self.interest.write().unwrap_or_else(PoisonError::into_inner) = interest;
        let (added, failed) = self.watch(system, &folders);
        self.in_force.watched(self.described(failed.as_ref()));
        added
    }

    /// Whether a folder was added, and why one could not be: who can't hear of all looks for itself.
    fn watch(&mut self, system: &dyn System, folders: &[PathBuf]) -> (bool, Option<NotWatched>) {
        let Ok(hints) = &mut self.hints else { return (false, None) };
        self.watched.retain(|folder, known| {
            let stays = folders.contains(folder) && inode(system, folder) == Some(*known);
            if !stays {
                hints.unwatch(folder);
            }
            stays
        });
        let (mut added, mut failed) = (false, None);
        for folder in folders {
            let (false, Some(now)) = (self.watched.contains_key(folder), inode(system, folder))
            else {
                continue;
            };
            match hints.watch(folder) {
                Ok(()) => {
                    self.watched.insert(folder.clone(), now);
                    added = true;
                }
                Err(NotWatched::Gone) => {}
                Err(why) => {
                    let is_end = why == NotWatched::Exhausted;
                    failed = Some(why);
                    if is_end {
                        break;
                    }
                }
            }
        }
        (added, failed)
    }

    fn interest(&self) -> std::sync::RwLockReadGuard<'_, Interest> {
        self.interest.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn warning(&self) -> Option<String> {
        self.in_force.told().watched.warning.clone()
    }

    fn described(&self, failed: Option<&NotWatched>) -> Watched {
        let every_ms = u64::try_from(self.pace.poll.as_millis()).unwrap_or(u64::MAX);
        let why = self.hints.as_ref().err().or(failed);
        let often = format!("changes are found by looking every {every_ms} ms");
        let warning = match why {
            Some(why) => Some(format!("not all is watched: {why}; {often}")),
            None if self.interest().more => {
                Some(format!("there are more folders of skills than are watched; {often}"))
            }
            None => None,
        };
        let hint = (why == Some(&NotWatched::Exhausted))
            .then(|| "sysctl fs.inotify.max_user_watches fs.inotify.max_user_instances".to_owned());
        let how = if warning.is_some() { "looking" } else { "watching" };
        Watched { how, every_ms: Some(every_ms), folders: self.watched.len(), warning, hint }
    }
}

fn inode(system: &dyn System, folder: &Path) -> Option<(u64, u64)> {
    system.stat(folder).ok().map(|stat| (stat.device, stat.inode))
}
