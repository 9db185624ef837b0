//! How many names share their words: who is shown by name alone is told from the others by a word that few of them have.

use std::collections::HashMap;

use crate::skill::is_dense;

/// For each name, how many of the names have the one of its words that the fewest have, itself among them; none where that
/// word stands in no other name, and where a name has no word.
///
/// Letters and digits make words, whatever their case; everything else parts them. In scripts that put no spaces between
/// words each letter is one.
pub fn sharers<'a>(names: impl Iterator<Item = &'a str>) -> Vec<Option<i64>> {
    let names: Vec<String> = names.map(str::to_lowercase).collect();
    // How many names have a word, and the last of them, so that a name which says it twice counts once.
    let mut having: HashMap<&str, (i64, usize)> = HashMap::with_capacity(names.len());
    for (row, name) in names.iter().enumerate() {
        for word in words(name) {
            let (count, last) = having.entry(word).or_insert((0, usize::MAX));
            if *last != row {
                (*count, *last) = (*count + 1, row);
            }
        }
    }
    let fewest = |name: &String| words(name).filter_map(|word| Some(having.get(word)?.0)).min();
    names.iter().map(|name| fewest(name).filter(|count| *count > 1)).collect()
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|c: char| !c.is_alphanumeric())
        .flat_map(|run| run.split_inclusive(is_dense))
        .flat_map(|part| {
            // What ends with such a letter may begin with a word of another script.
            let last = part.char_indices().next_back().filter(|(_, c)| is_dense(*c));
            let (before, letter) = part.split_at(last.map_or(part.len(), |(at, _)| at));
            [before, letter]
        })
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_name_is_shared_by_those_that_have_its_rarest_word() {
        for (names, expected) in [
            (&["pdf-forms", "pdf-scans", "mail"][..], &[None, None, None][..]),
            (&["pdf-forms", "PDF forms", "mail"], &[Some(2), Some(2), None]),
            (&["azure-ai", "azure-storage", "azure", "ai"], &[Some(2), None, Some(3), Some(2)]),
            (&["go-go-go", "to-go"], &[Some(2), None]),
            (&["---", "", "x"], &[None, None, None]),
            (&["書類", "書く", "PDF書"], &[None, None, None]),
            (&["書", "書く", "PDF書"], &[Some(3), None, None]),
            (&["Ärzte", "ärzte"], &[Some(2), Some(2)]),
            (&[], &[]),
        ] {
            assert_eq!(sharers(names.iter().copied()), expected, "{names:?}");
        }
    }

    #[test]
    fn scripts_without_spaces_part_from_words() {
        for (name, expected) in [("pdf書類a", "pdf 書 類 a"), ("a_b.c--d", "a b c d"), ("", "")]
        {
            assert_eq!(words(name).collect::<Vec<_>>().join(" "), expected);
        }
    }

    proptest! {
        /// The order of names changes nothing, and a name that is added makes no other name's words rarer.
        #[test]
        fn order_says_nothing_and_more_names_never_share_less(
            names in prop::collection::vec("[ab]{0,2}-[abc書]{0,2}", 1..12), added in "[ab]{1,2}",
        ) {
            let told = sharers(names.iter().map(String::as_str));
            let mut back = sharers(names.iter().rev().map(String::as_str));
            back.reverse();
            prop_assert_eq!(&told, &back);
            let more = sharers(names.iter().map(String::as_str).chain([added.as_str()]));
            prop_assert!(told.iter().zip(&more).all(|(before, after)| before <= after));
            let most = i64::try_from(names.len()).unwrap();
            prop_assert!(told.iter().flatten().all(|count| (2..=most).contains(count)));
        }
    }
}
