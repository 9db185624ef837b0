//! The reading half of the simulated disk, beside the machine's own.

use std::path::Path;

use super::{Real, Simulated, World, script::outcome};
use crate::{
    library,
    skill::{OneLine, Root},
    system::Kind,
};

/// What both say of some paths, with links on the way.
fn told(world: &dyn World) -> Vec<String> {
    for step in [
        "folder a 755",
        "folder a/b 750",
        "write a/b/f 640 text",
        "link l a/b",
        "link a/up ../l/f",
        "link gone nowhere",
        "link ring ring",
    ] {
        assert_eq!(outcome(world, step), "ok");
    }
    let disk = world.disk();
    let mut told = Vec::new();
    for below in [
        "a/b/f",
        "l/f",
        "a/up",
        "l/../b",
        "a/b/../up",
        "l",
        "gone",
        "ring",
        "a",
        "x",
        "a/b/f/x",
        "a/b/f/..",
    ] {
        let path = world.top().join(below);
        let under =
            |path: &Path| path.strip_prefix(world.top()).unwrap_or(path).display().to_string();
        let stat = disk.stat(&path).map(|stat| {
            let size = if stat.kind == Kind::File { stat.size } else { 0 };
            (stat.kind, size, stat.mode)
        });
        let list = disk.list(&path).map(|mut entries| {
            entries.sort_by(|a, b| a.name.cmp(&b.name));
            entries
        });
        let resolved = disk.resolve(&path).map(|path| under(&path));
        let link = disk.read_link(&path);
        let bytes = disk.read(&path, 3);
        told.push(format!(
            "{below}: {:?} {:?} {:?} {:?} {:?}",
            stat.map_err(|e| e.kind()),
            list.map_err(|e| e.kind()),
            resolved.map_err(|e| e.kind()),
            link.map_err(|e| e.kind()),
            bytes.map_err(|e| e.kind()),
        ));
    }
    told
}

#[test]
fn both_say_the_same_of_paths_and_links() {
    assert_eq!(told(&Simulated::new()), told(&Real::new()));
}

/// What both make of whole files, published, created and replaced.
fn made(world: &dyn World) -> Vec<String> {
    let disk = world.disk();
    let path = |below: &str| world.top().join(below);
    let mut said = Vec::new();
    let mut note = |what: &str, done: std::io::Result<()>| {
        said.push(format!("{what}: {:?}", done.map_err(|failed| failed.kind())));
    };
    note("new", disk.replace(&path("n/deep/f"), b"one"));
    note("again", disk.replace(&path("n/deep/f"), b"two"));
    note("created", disk.create(&path("c"), b"x"));
    note("created again", disk.create(&path("c"), b"y"));
    assert_eq!(outcome(world, "mode c 640"), "ok");
    note("published", disk.publish(&path("c"), b"z"));
    note("cache", disk.replace_cache(&path("n/cache"), b"facts"));
    note("in a folder's place", disk.replace(&path("n"), b"x"));
    note("below a file", disk.replace(&path("c/f"), b"x"));
    world.link("l", "n");
    note("through a link", disk.replace(&path("l/g"), b"g"));
    note("in a link's place", disk.replace(&path("l"), b"l"));
    for below in ["n", "n/deep", "n/deep/f", "c", "n/cache", "n/g", "l"] {
        said.push(format!("{below}: {}", outcome(world, &format!("held {below}"))));
        said.push(outcome(world, &format!("bytes {below}")));
    }
    said.push(outcome(world, "entries /"));
    said.push(outcome(world, "entries n"));
    said
}

#[test]
fn both_replace_publish_and_create_alike() {
    assert_eq!(made(&Simulated::new()), made(&Real::new()));
}

#[test]
fn a_library_is_found_on_it_and_a_cache_is_kept_on_it() {
    let world = Simulated::new();
    let text = "---\nname: one\ndescription: Does one.\n---\nbody\n";
    for (folder, file) in [("cat", None), ("cat/one", Some("cat/one/SKILL.md"))] {
        assert_eq!(outcome(&world, &format!("folder {folder} 755")), "ok");
        if let Some(file) = file {
            let at = crate::system::At { top: world.top(), below: file };
            world.disk().write_new(at, text.as_bytes(), 0o644).unwrap();
        }
    }
    world.0.advance(3600);
    let root = Root { path: Simulated::TOP.into(), label: OneLine::new("test"), category: None };
    let scan =
        || library::scan(&world.0, std::slice::from_ref(&root), Some(Path::new("/cache/facts")));
    let (cold, warm) = (scan(), scan());
    let names = |library: &library::Library| {
        library.skills.iter().map(|skill| skill.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!((names(&cold), names(&warm)), (vec!["one".to_owned()], vec!["one".to_owned()]));
    assert_eq!((cold.stats.files_read, warm.stats.files_read), (1, 0));
}
