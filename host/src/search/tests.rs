//! What a search promises: what is found by which words and in which order, that an index is what its library is, and that no damage
//! to its file is ever seen in what is found.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "tests"
)]

mod damage;
mod finding;
mod laws;
mod updating;

use std::path::Path;

use super::{Asked, Field, Found, Index, Query};
use crate::{
    library::{Library, scan},
    skill::{OneLine, Root},
    system::MemorySystem,
};

const FILE: &str = "/cache/search.db";

/// Some skills in a world of memory, an hour ago.
struct World {
    system: MemorySystem,
    roots: Vec<Root>,
}

impl World {
    /// With the skills, each a folder, a description and a body.
    fn new(skills: &[(&str, &str, &str)]) -> World {
        let system = MemorySystem::new();
        let roots = ["/a", "/b"].map(|path| Root {
            path: path.into(),
            label: OneLine::new(path),
            category: None,
        });
        system.folder("/a");
        system.folder("/b");
        let world = World { system, roots: roots.to_vec() };
        for (folder, description, body) in skills {
            world.lay(folder, description, body);
        }
        world.system.advance(3_600);
        world
    }

    fn lay(&self, folder: &str, description: &str, body: &str) {
        let name = folder.rsplit('/').next().unwrap();
        let text = format!("---\nname: {name}\ndescription: {description}\n---\n{body}\n");
        self.system.write(format!("{folder}/SKILL.md"), text);
    }

    fn library(&self) -> Library {
        scan(&self.system, &self.roots, None)
    }

    fn open(&self) -> Index {
        Index::open(&self.system, Some(Path::new(FILE))).unwrap()
    }

    /// Opens the index, brings it up to date, and keeps it.
    fn index(&self) -> Index {
        let mut index = self.open();
        index.update(&self.library(), &self.system).unwrap();
        index.save(&self.system).unwrap();
        index
    }

    /// What a search finds, whole.
    fn found(&self, index: &mut Index, query: &str) -> Found {
        self.found_in(index, query, None)
    }

    fn found_in(&self, index: &mut Index, query: &str, field: Option<Field>) -> Found {
        let library = self.library();
        let query = Query::parse(query);
        let asked = Asked { query: &query, field, limit: 50, wanted: &|_| true, uses: &|_| 0 };
        index.search(&asked, &library, &self.system).unwrap()
    }

    /// The names of what is found, in their order.
    fn names(&self, index: &mut Index, query: &str) -> Vec<String> {
        self.named(&self.found(index, query))
    }

    fn named(&self, found: &Found) -> Vec<String> {
        let library = self.library();
        found.hits.iter().map(|hit| library.skills[hit.row].name.to_string()).collect()
    }
}

/// A small library with a little of everything.
fn small() -> World {
    World::new(&[
        (
            "/a/devops/docker-build",
            "Builds images in stages. Use when a Dockerfile is slow.",
            "Run docker build, then docker push.",
        ),
        (
            "/a/devops/compose",
            "Starts several containers at once.",
            "Needs docker, and a compose file.",
        ),
        (
            "/a/books/wrong-book",
            "Finds mistakes in a wrong book.",
            "See ticket POL-358 and a--b; it's -x.",
        ),
        ("/a/books/nimble", "A nimble reader, for cafés.", "The quick brown fox. OR so it says."),
        ("/a/cjk/kaoqin", "PPT徐继观", "每月考勤表，见PPT模板。"),
        ("/a/cjk/guangxi", "广西旅行", "去南宁。秃发"),
        ("/a/cjk/guilin", "桂林 and 漓江", "山水"),
    ])
}
