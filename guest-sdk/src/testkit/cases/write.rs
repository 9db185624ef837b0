//! Writes a library as a file of one case, for what a search found: a person reads it, and it runs like any other.

use super::table;
use super::value;
use crate::key;
use crate::testkit::library::{Facts, Library};
use std::collections::BTreeSet;

/// A case of that name about this library, without an expectation. `note` says what it is about; `settings` are keys with
/// values as a case writes them.
#[must_use]
pub fn write(
    title: &str,
    name: &str,
    note: &str,
    library: &Library,
    settings: &[(&str, &str)],
) -> String {
    let now = library.now;
    let mut text = format!("# {title}\n\n## {name}\n\n{note}\n\n- now: {}\n", instant(now));
    if library.seed != 0 {
        text.push_str(&format!("- seed: {}\n", library.seed));
    }
    if library.limit != u32::MAX {
        text.push_str(&format!("- limit: {}\n", library.limit));
    }
    if library.fixed != 0 {
        text.push_str(&format!("- fixed: {}\n", library.fixed));
    }
    for (key, value) in settings {
        text.push_str(&format!("- set {key} = {value}\n"));
    }
    let usual = Library::new().context;
    for (key, value) in library.context.iter().filter(|(key, value)| usual.get(*key) != Some(value))
    {
        text.push_str(&format!("- fact {key} = {}\n", value::render(key, value, now)));
    }
    let categories: Vec<(String, &Facts)> =
        library.categories.iter().map(|it| (it.name.clone(), &it.facts)).collect();
    // Names alone stand in the table of skills too.
    if library.skills.is_empty() || categories.iter().any(|(_, facts)| !facts.is_empty()) {
        text.push_str(&format!("\n{}", facts_table("category", &categories, None, now)));
    }
    let category = |row: usize| library.categories.get(row).map_or("", |it| it.name.as_str());
    let in_categories: Vec<&str> = library.skills.iter().map(|it| category(it.category)).collect();
    let skills: Vec<(String, &Facts)> =
        library.skills.iter().map(|it| (it.name.clone(), &it.facts)).collect();
    if !skills.is_empty() {
        text.push_str(&format!("\n{}", facts_table("skill", &skills, Some(&in_categories), now)));
    }
    text
}

fn facts_table(
    first: &str,
    rows: &[(String, &Facts)],
    categories: Option<&[&str]>,
    now: crate::facts::Instant,
) -> String {
    let keys: BTreeSet<&str> =
        rows.iter().flat_map(|(_, facts)| facts.keys().map(AsRef::as_ref)).collect();
    let mut headings = vec![first];
    headings.extend(categories.map(|_| key::CATEGORY.name));
    headings.extend(&keys);
    let rows: Vec<Vec<String>> = rows
        .iter()
        .enumerate()
        .map(|(place, (name, facts))| {
            let mut cells = vec![name.clone()];
            cells.extend(categories.and_then(|it| it.get(place)).map(|it| (*it).to_owned()));
            let cell = |key: &&str| facts.get(*key).map(|value| value::render(key, value, now));
            cells.extend(keys.iter().map(|key| cell(key).unwrap_or_default()));
            cells
        })
        .collect();
    table::render(&headings, &rows)
}

/// A time of the calendar, in UTC.
fn instant(at: crate::facts::Instant) -> String {
    let (days, seconds) = (at.div_euclid(86_400), at.rem_euclid(86_400));
    // The inverse of reading one: eras of 400 years, whose years begin in March.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let shifted = (5 * day + 2) / 153;
    let day = day - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = era * 400 + year + i64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3_600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}
