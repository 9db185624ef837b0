//! Steps as lines of text: `write a/f 644 bytes -> ok`. `/` is the top folder itself.

use std::io;

use super::World;
use crate::system::{At, Kind};

/// Plays each line and gives it back with what came of it. Bytes, permissions, kinds and errors are said; inodes are
/// not, since no two worlds have the same.
pub(super) fn play(world: &dyn World, script: &str) -> String {
    let lines = script.lines().map(str::trim).filter(|line| !line.is_empty());
    let told = lines.map(|line| {
        let step = line.split(" -> ").next().unwrap();
        format!("{step} -> {}\n", outcome(world, step))
    });
    told.collect()
}

/// Plays a script that says what comes of it, on each world.
pub(super) fn holds(script: &str) {
    let said: String = script
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| format!("{line}\n"))
        .collect();
    for world in super::worlds() {
        assert_eq!(play(&*world, script), said, "on {}", world.top().display());
    }
}

/// What comes of one step.
pub(super) fn outcome(world: &dyn World, step: &str) -> String {
    match step_on(world, step) {
        Ok(told) if told.is_empty() => "nothing".to_owned(),
        Ok(told) => told,
        Err(failed) => format!("{:?}", failed.kind()),
    }
}

fn step_on(world: &dyn World, step: &str) -> io::Result<String> {
    let disk = world.disk();
    let at = |below: &'_ str| if below == "/" { "" } else { below }.to_owned();
    let octal = |text: &str| u32::from_str_radix(text, 8).unwrap();
    let words: Vec<&str> = step.split(' ').collect();
    let first = at(words[1]);
    let here = At { top: world.top(), below: &first };
    let second = words.get(2).map_or_else(String::new, |word| at(word));
    let there = At { top: world.top(), below: &second };
    match words[0] {
        "folder" => disk.make_folder(here, octal(words[2]))?,
        "write" => {
            let bytes = words.get(3).copied().unwrap_or_default();
            disk.write_new(here, bytes.as_bytes(), octal(words[2]))?;
        }
        "loose" => {
            let bytes = words.get(3).copied().unwrap_or_default();
            disk.write_loose(here, bytes.as_bytes(), octal(words[2]))?;
        }
        "sync-files" => {
            // Enough of them that a system takes them all at once, where it has a way to.
            let times = words.get(3).map_or(1, |word| word.parse().unwrap());
            let files: Vec<&str> = [first.as_str(), &second].repeat(times);
            disk.sync_files(world.top(), &files)?;
        }
        "sync-folders" => {
            let times = words.get(3).map_or(1, |word| word.parse().unwrap());
            let folders: Vec<&str> = [first.as_str(), &second].repeat(times);
            disk.sync_folders(world.top(), &folders)?;
        }
        "sync-all" => {
            let times = words.get(3).map_or(1, |word| word.parse().unwrap());
            let (files, folders) =
                ([first.as_str()].repeat(times), [second.as_str()].repeat(times));
            disk.sync_all(world.top(), &files, &folders)?;
        }
        "move" => disk.move_to(here, there)?,
        "replace" => disk.replace_with(here, there)?,
        "remove" => disk.remove_file(here)?,
        "remove-folder" => disk.remove_folder(here)?,
        "mode" => disk.set_mode(here, octal(words[2]))?,
        "make-link" => disk.make_link(here, std::path::Path::new(words[2]))?,
        "sync" => disk.sync_folder(here)?,
        "link" => world.link(&first, words[2]),
        // As far as nothing is there and a folder could be.
        "new-link" => {
            disk.make_folder(here, 0o755)?;
            disk.remove_folder(here)?;
            world.link(&first, words[2]);
        }
        "held" => {
            let held = disk.held(here)?;
            return Ok(match held.kind {
                Kind::File => format!("file {:o} {}", held.mode, held.size),
                // A folder's size and a link's permissions are each file system's own.
                Kind::Folder => format!("folder {:o}", held.mode),
                Kind::Link => "link".to_owned(),
                Kind::Other => "other".to_owned(),
            });
        }
        "bytes" => {
            let limit = words.get(2).map_or(100, |word| word.parse().unwrap());
            return Ok(String::from_utf8(disk.bytes(here, limit)?).unwrap());
        }
        "target" => return Ok(disk.target(here)?.display().to_string()),
        "entries" => {
            let mut entries: Vec<_> = disk
                .entries(here)?
                .into_iter()
                .map(|entry| format!("{}:{:?}", entry.name, entry.kind))
                .collect();
            entries.sort();
            return Ok(entries.join(" "));
        }
        other => panic!("no step `{other}`"),
    }
    Ok("ok".to_owned())
}
