//! What links lead to. Each target is searched once, whatever leads there; it must never be searched if it holds the
//! link, or a root.

use std::path::PathBuf;

use super::{
    Found, Link, Tops, Walk,
    file::unreadable,
    folder::{Folder, broken},
    place, problem,
};
use crate::{
    library::Located,
    skill::{Place, Problem},
    system::Kind,
};

/// Links that are followed in one scan: a bound against a hostile tree.
const MOST_LINKS: usize = 10_000;

impl Walk<'_> {
    /// Follows all links, also those behind links, in the order of roots and paths.
    pub(super) fn follow_links(&self, tops: &mut Tops, found: &mut Vec<Found>) {
        let mut left = MOST_LINKS;
        loop {
            let mut links = take_links(found);
            if links.is_empty() {
                return;
            }
            links.sort_by(|a, b| (a.root, &a.folder).cmp(&(b.root, &b.folder)));
            if self.entering.is_some() {
                let followed =
                    |link: &Link| Found::Followed { root: link.root, folder: link.folder.clone() };
                found.extend(links.iter().map(followed));
            }
            for link in links {
                if left == 0 {
                    let cause = format!("more than {MOST_LINKS} links were followed before it");
                    let diagnostic = problem(Problem::TooDeep, &cause, "remove links");
                    let place = place(link.root, link.folder);
                    found.push(Found::Problem(Box::new(Located { place, diagnostic })));
                    continue;
                }
                left -= 1;
                self.follow(&link, tops, found);
            }
        }
    }

    fn follow(&self, link: &Link, tops: &mut Tops, found: &mut Vec<Found>) {
        let target = match self.system.resolve(&link.path) {
            Ok(target) => target,
            Err(error) => {
                let written = self.system.read_link(&link.path).ok();
                let mut diagnostic = unreadable(&error);
                if let Some(written) = &written
                    && diagnostic.problem == Problem::DanglingLink
                {
                    let cause =
                        format!("the link leads to `{}`, and nothing is there", written.display());
                    diagnostic.cause = cause.as_str().into();
                }
                let place = Place {
                    linked_to: written.map(shown),
                    ..place(link.root, link.folder.clone())
                };
                return self.nowhere(link, place, diagnostic, found);
            }
        };
        let kind = self.system.stat(&target).map(|stat| stat.kind);
        if kind.is_ok_and(|kind| kind != Kind::Folder) {
            // A link to a file that is no SKILL.md is somebody's own business.
            return;
        }
        let place = Place {
            linked_to: Some(shown(target.clone())),
            ..place(link.root, link.folder.clone())
        };
        let holds_link = link.path.starts_with(&target);
        if holds_link || tops.0.iter().any(|top| *top != target && top.starts_with(&target)) {
            let what =
                if holds_link { "the link itself" } else { "a root or another link's target" };
            let cause = format!("the link leads to `{}`, which holds {what}", target.display());
            let diagnostic = problem(Problem::LinkLoop, &cause, "let it lead to a skill's folder");
            found.push(Found::Problem(Box::new(Located { place, diagnostic })));
            return;
        }
        if link.inside && !self.holds_skill(&target) {
            return;
        }
        if self.covering(&target, tops).is_some() {
            let cause =
                format!("the link leads to `{}`, which was found without it", target.display());
            let diagnostic = problem(Problem::FoundTwice, &cause, "nothing, if that is meant");
            found.push(Found::Problem(Box::new(Located { place, diagnostic })));
            return;
        }
        let start = Folder::behind(link, target.clone());
        found.append(&mut self.tree(start, tops));
        tops.0.insert(target);
    }

    /// A link that leads nowhere stands for a skill, unless it lies inside one or is named like a file.
    fn nowhere(
        &self,
        link: &Link,
        place: Place,
        diagnostic: crate::skill::Diagnostic,
        found: &mut Vec<Found>,
    ) {
        let name = link.folder.rsplit('/').next().unwrap_or_default();
        if link.inside || name.starts_with('.') || name.ends_with(".md") {
            if !name.starts_with('.') {
                found.push(Found::Problem(Box::new(Located { place, diagnostic })));
            }
        } else {
            found.push(broken(self, place, diagnostic));
        }
    }
}

fn shown(path: PathBuf) -> String {
    path.to_string_lossy().into_owned()
}

fn take_links(found: &mut Vec<Found>) -> Vec<Link> {
    if !found.iter().any(|item| matches!(item, Found::Link(_))) {
        return Vec::new();
    }
    let mut links = Vec::new();
    let mut rest = Vec::with_capacity(found.len());
    for item in found.drain(..) {
        match item {
            Found::Link(link) => links.push(*link),
            other => rest.push(other),
        }
    }
    *found = rest;
    links
}
