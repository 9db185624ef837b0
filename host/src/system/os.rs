//! The machine itself. It must never hold a rule: what is asked for is done, and errors are the operating system's.

#![allow(clippy::disallowed_methods, reason = "this is the door that the rest must use")]

#[cfg(target_os = "linux")]
mod changes;
mod disk;
mod listing;
mod lock;

use std::{
    fs,
    io::{self, BufRead, IsTerminal, Read, Write},
    os::unix::{
        fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{SystemTime, UNIX_EPOCH},
};

use super::{Disk, Entry, Kind, Looked, Stat, System};
use crate::skill::Instant;

/// The real files, environment and clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct OsSystem;

/// Room for a usual SKILL.md, so that reading one takes a single allocation.
const USUAL_FILE: usize = 8 * 1024;

impl System for OsSystem {
    fn now(&self) -> Instant {
        let seconds = self.now_nanos().div_euclid(1_000_000_000);
        Instant(i64::try_from(seconds).unwrap_or(i64::MAX))
    }

    fn now_nanos(&self) -> i128 {
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => i128::try_from(since.as_nanos()).unwrap_or(i128::MAX),
            Err(before) => -i128::try_from(before.duration().as_nanos()).unwrap_or(i128::MAX),
        }
    }

    fn disk(&self) -> Option<&dyn Disk> {
        Some(self)
    }

    #[cfg(target_os = "linux")]
    fn changes(&self) -> io::Result<Box<dyn super::Changes>> {
        Ok(Box::new(changes::Inotify::new()?))
    }

    fn is_attended(&self) -> bool {
        io::stdin().is_terminal() && io::stderr().is_terminal()
    }

    fn input(&self, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        io::stdin().lock().take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn line(&self) -> io::Result<Option<String>> {
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line)?;
        Ok((read > 0).then_some(line))
    }

    fn attend(&self, command: &str, file: &Path) -> io::Result<Option<i32>> {
        // The file's path is an argument and no part of the line, whatever is in it.
        let status = Command::new("/bin/sh")
            .args(["-c", &format!("{command} \"$@\""), command])
            .arg(file)
            // Standard output may be a pipe that somebody reads the result from.
            .stdout(io::stderr())
            .status()?;
        Ok(status.code())
    }

    fn begin(&self, program: &Path, arguments: &[String]) -> io::Result<()> {
        let mut command = Command::new(program);
        command.args(arguments).process_group(0);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().map(drop)
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok().filter(|value| !value.is_empty())
    }

    fn working_folder(&self) -> io::Result<PathBuf> {
        std::env::current_dir()
    }

    fn list(&self, folder: &Path) -> io::Result<Vec<Entry>> {
        list(folder, |_| false).map(|(entries, _)| entries)
    }

    fn list_and_look(&self, folder: &Path, wanted: fn(&str) -> bool) -> io::Result<Looked> {
        list(folder, wanted)
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let found = fs::metadata(path)?;
        Ok(Stat {
            kind: kind_of(found.file_type()),
            device: found.dev(),
            inode: found.ino(),
            size: found.size(),
            mtime: nanos(found.mtime(), found.mtime_nsec()),
            ctime: nanos(found.ctime(), found.ctime_nsec()),
            mode: found.mode() & 0o7777,
        })
    }

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        fs::canonicalize(path)
    }

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        fs::read_link(path)
    }

    fn read(&self, path: &Path, limit: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(USUAL_FILE);
        let mut file = open_regular(path)?;
        (&mut file).take(limit.min(USUAL_FILE as u64)).read_to_end(&mut bytes)?;
        if bytes.len() == USUAL_FILE {
            // A large one, such as a cache: growing towards megabytes would copy them again and again.
            let size = file.metadata()?.len().min(limit);
            bytes.reserve_exact(usize::try_from(size).unwrap_or(0).saturating_sub(USUAL_FILE) + 1);
            file.take(limit - USUAL_FILE as u64).read_to_end(&mut bytes)?;
        }
        Ok(bytes)
    }

    fn replace(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        replace(path, bytes, true)
    }

    fn replace_cache(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        replace(path, bytes, false)
    }

    fn publish(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let old = fs::metadata(path).map(|found| found.permissions());
        // With all bits asked for, the umask takes away those that the user doesn't give.
        let wanted = old.as_ref().map_or(0o666, |old| old.mode() & 0o7777);
        let mut file = tempfile::Builder::new()
            .permissions(fs::Permissions::from_mode(wanted))
            .tempfile_in(folder)?;
        file.write_all(bytes)?;
        if let Ok(old) = old {
            file.as_file().set_permissions(old)?;
        }
        file.as_file().sync_all()?;
        file.persist(path).map_err(|failed| failed.error)?;
        Ok(())
    }

    fn create(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new()
            .permissions(fs::Permissions::from_mode(0o666))
            .tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist_noclobber(path).map_err(|failed| failed.error)?;
        Ok(())
    }
}

/// Opens a file that is one. A pipe would be waited for, for ever if nobody writes.
fn open_regular(path: &Path) -> io::Result<fs::File> {
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = fs::OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if file.metadata()?.file_type().is_fifo() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is a pipe, and no regular file",
        ));
    }
    Ok(file)
}

fn replace(path: &Path, bytes: &[u8], sync: bool) -> io::Result<()> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // A temporary file of this kind is made with mode 0600, and is removed when it is dropped.
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    if sync {
        file.as_file().sync_all()?;
    }
    file.persist(path).map_err(|failed| failed.error)?;
    Ok(())
}

/// Lists a folder, links on the way followed.
fn list(folder: &Path, wanted: impl Fn(&str) -> bool) -> io::Result<Looked> {
    use rustix::fs::{Mode, OFlags};

    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    listing::list(rustix::fs::open(folder, flags, Mode::empty())?, wanted)
}

fn kind_of(kind: fs::FileType) -> Kind {
    if kind.is_file() {
        Kind::File
    } else if kind.is_dir() {
        Kind::Folder
    } else if kind.is_symlink() {
        Kind::Link
    } else {
        Kind::Other
    }
}

fn nanos(seconds: i64, nanoseconds: i64) -> i128 {
    i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_replaced_file_is_private_whole_and_alone_in_its_folder() {
        let world = tempfile::tempdir().unwrap();
        let path = world.path().join("new/deep/file");
        OsSystem.replace(&path, b"one").unwrap();
        OsSystem.replace(&path, b"two, and longer").unwrap();
        assert_eq!(OsSystem.read(&path, 1000).unwrap(), b"two, and longer");
        assert_eq!(OsSystem.read(&path, 3).unwrap(), b"two");
        let mode = |p: &Path| fs::metadata(p).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), 0o600);
        assert_eq!(mode(path.parent().unwrap()), 0o700);
        let entries = OsSystem.list(path.parent().unwrap()).unwrap();
        assert_eq!(entries, [Entry { name: "file".to_owned(), odd_name: false, kind: Kind::File }]);
    }

    #[test]
    fn what_is_created_is_the_users_and_takes_nobodys_place() {
        let world = tempfile::tempdir().unwrap();
        let path = world.path().join("new/deep/file");
        OsSystem.create(&path, b"one").unwrap();
        let again = OsSystem.create(&path, b"two").unwrap_err();
        assert_eq!(again.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"one");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        fs::write(world.path().join("usual"), "").unwrap();
        let mode = |p: &Path| fs::metadata(p).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), mode(&world.path().join("usual")));
    }

    #[test]
    fn what_is_published_keeps_its_permissions() {
        let world = tempfile::tempdir().unwrap();
        let path = world.path().join("new/deep/file");
        OsSystem.publish(&path, b"one").unwrap();
        let mode = |p: &Path| fs::metadata(p).unwrap().permissions().mode() & 0o777;
        fs::write(world.path().join("usual"), "").unwrap();
        assert_eq!(mode(&path), mode(&world.path().join("usual")));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        OsSystem.publish(&path, b"two").unwrap();
        assert_eq!((OsSystem.read(&path, 9).unwrap(), mode(&path)), (b"two".to_vec(), 0o640));
    }

    #[test]
    fn a_program_is_run_on_a_file_whatever_its_path_and_says_how_it_ended() {
        let world = tempfile::tempdir().unwrap();
        let path = world.path().join("a $HOME; \"b\".md");
        fs::write(&path, "one").unwrap();
        assert_eq!(OsSystem.attend("printf two >", &path).unwrap(), Some(0));
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(OsSystem.attend("exit 3; true", &path).unwrap(), Some(3));
        assert_eq!(OsSystem.attend("kill -9 $$; true", &path).unwrap(), None);
    }

    #[test]
    fn a_failed_replacement_leaves_the_old_file_and_no_other() {
        let world = tempfile::tempdir().unwrap();
        let path = world.path().join("folder");
        fs::create_dir(&path).unwrap();
        assert!(OsSystem.replace(&path, b"bytes").is_err());
        assert_eq!(OsSystem.list(world.path()).unwrap().len(), 1);
    }

    #[test]
    fn a_stat_follows_links_and_a_listing_does_not() {
        let world = tempfile::tempdir().unwrap();
        let root = world.path();
        fs::write(root.join("file"), "12345").unwrap();
        std::os::unix::fs::symlink("file", root.join("link")).unwrap();
        let mut kinds: Vec<_> =
            OsSystem.list(root).unwrap().into_iter().map(|e| (e.name, e.kind)).collect();
        kinds.sort_by(|a, b| a.0.cmp(&b.0));
        assert_eq!(kinds, [("file".to_owned(), Kind::File), ("link".to_owned(), Kind::Link)]);
        let (file, link) = (
            OsSystem.stat(&root.join("file")).unwrap(),
            OsSystem.stat(&root.join("link")).unwrap(),
        );
        assert_eq!(file, link);
        assert_eq!((file.kind, file.size), (Kind::File, 5));
        let (_, looked) = OsSystem.list_and_look(root, |name| name != "other").unwrap();
        assert_eq!(looked, [("file".to_owned(), file)]);
        assert_eq!(OsSystem.read_link(&root.join("link")).unwrap(), Path::new("file"));
        assert!((OsSystem.now_nanos() - file.mtime).abs() < 60_000_000_000);
    }
}
