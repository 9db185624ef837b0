//! From rows of a library to pages: the one file of this room that opens any, through a `System`. It has no rules.

use std::path::Path;

use rayon::prelude::*;

use super::{
    links::{Lead, Link},
    page::Page,
};
use crate::{
    index::Meter,
    library::{LARGEST_FILE, Library},
    skill::Place,
    system::System,
};

/// A body shorter than this, in bytes, is not over the limit of tokens, whatever it says: no token is empty.
const COUNTED_FROM: usize = super::size::MOST_TOKENS as usize;

/// The pages of all rows, in their order; none for a row that has no file that can be read. Bodies that may be over the
/// limit are counted in tokens.
#[must_use]
pub fn read(system: &dyn System, library: &Library, meter: &dyn Meter) -> Vec<Option<Page>> {
    let rows: Vec<usize> = (0..library.skills.len()).collect();
    let mut pages: Vec<Option<Page>> =
        rows.into_par_iter().map(|row| page(system, library, row)).collect();
    let long = |page: &&mut Page| page.body.len() > COUNTED_FROM;
    let mut counted: Vec<&mut Page> = pages.iter_mut().flatten().filter(long).collect();
    let tokens =
        meter.count_all(&counted.iter().map(|page| page.body.as_str()).collect::<Vec<_>>());
    for (page, tokens) in counted.iter_mut().zip(tokens) {
        page.tokens = Some(tokens);
    }
    pages
}

fn page(system: &dyn System, library: &Library, row: usize) -> Option<Page> {
    let skill = library.skills.get(row)?;
    // What the library did not read is not read here either: it may be a link out of all roots.
    if skill.facts.bytes == 0 && skill.standing == crate::skill::Standing::Broken {
        return None;
    }
    let bytes = system.read(&library.path_of(row)?, LARGEST_FILE).ok()?;
    // The library takes nothing from what is no text, so there is nothing to judge.
    let mut page = (!bytes.contains(&0)).then(|| Page::of(&bytes))?;
    let root = library.roots.get(skill.place.root)?.resolved.as_ref()?;
    for link in &mut page.links {
        link.lead = lead(system, root, &skill.place, link);
    }
    Some(page)
}

/// Where a link leads. One that climbs out of the root is not followed: what lies there is nobody's business.
fn lead(system: &dyn System, root: &Path, place: &Place, link: &Link) -> Lead {
    let Some((below, inside)) = super::links::target(&place.folder, &link.path) else {
        return Lead::Outside;
    };
    match (system.stat(&root.join(below)), inside) {
        (Ok(_), true) => Lead::Inside,
        (Ok(_), false) => Lead::Beside,
        (Err(_), _) => Lead::Nowhere,
    }
}
