#![allow(clippy::unwrap_used, reason = "tests")]

use proptest::prelude::*;

use super::{BadPatch, How, Patch, Tolerance};

fn patched(text: &str, old: &str, new: &str, how: How) -> Result<(String, Tolerance), BadPatch> {
    let patch = Patch::new(Some(old), Some(new), how)?;
    patch.apply(text).map(|patched| (patched.text, patched.by))
}

#[test]
fn a_passage_is_replaced_exactly_or_by_a_named_tolerance() {
    use Tolerance::{Exact, Indentation, LineEnds, TrailingSpace, Typography};
    for (text, old, new, how, after, by) in [
        ("one two", "two", "2", How::Once, "one 2", Exact),
        ("a a a", "a", "b", How::All, "b b b", Exact),
        ("one two", "two", "", How::Tolerant, "one ", Exact),
        ("a\r\nb\r\nc\r\n", "a\nb", "x\ny", How::Tolerant, "x\r\ny\r\nc\r\n", LineEnds),
        ("a  \nb\nc\n", "a\nb\n", "x\n", How::Tolerant, "x\nc\n", TrailingSpace),
        (
            "  if:\n    do\nc\n",
            "if:\n  do",
            "if:\n  no",
            How::Tolerant,
            "  if:\n    no\nc\n",
            Indentation,
        ),
        (
            "if:\n  do\n",
            "  if:\n    do\n",
            "  if:\n    no\n",
            How::Tolerant,
            "if:\n  no\n",
            Indentation,
        ),
        (
            "say \u{201c}yes\u{201d}\n",
            "say \"yes\"",
            "say no",
            How::Tolerant,
            "say no\n",
            Typography,
        ),
    ] {
        assert_eq!(patched(text, old, new, how), Ok((after.to_owned(), by)), "{text:?}");
    }
}

#[test]
fn what_can_not_be_looked_for_is_told_with_what_to_do() {
    let text = "# Deploy\n\nRun `make deploy` first.\nsame\nsame\n  x\n  x\n";
    for (old, new, how, message) in [
        (None, Some("x"), How::Once, "no text to replace was given"),
        (Some(""), Some("x"), How::Once, "the text to replace is empty"),
        (Some("  \n"), Some("x"), How::Once, "the text to replace is blank"),
        (
            Some("a"),
            None,
            How::Once,
            "no text was given to put in the place of the old one; an empty one deletes it",
        ),
        (
            Some("same"),
            Some("same"),
            How::Once,
            "the new text is the old one, so nothing would change",
        ),
        (
            Some("same"),
            Some("other"),
            How::Once,
            "the text to replace is in the file 2 times, in lines 4, 5, expected once",
        ),
        (
            Some("same \n"),
            Some("y\n"),
            How::Tolerant,
            "the text to replace is in the file 2 times, in lines 4, 5, expected once",
        ),
        (
            Some("Run `make deploy` once."),
            Some("y"),
            How::Tolerant,
            "the text to replace is not in the file; line 3 is `Run `make deploy` first.`",
        ),
        (Some("zzzz"), Some("y"), How::All, "the text to replace is not in the file"),
    ] {
        let found = Patch::new(old, new, how).and_then(|patch| patch.apply(text)).unwrap_err();
        assert_eq!(found.to_string(), message);
        assert!(!found.hint().is_empty());
    }
}

#[test]
fn a_backslash_and_an_n_are_two_characters_on_both_sides() {
    let text = "printf 'a\\nb'\na\nb\n";
    assert_eq!(
        patched(text, "a\\nb", "c\\nd", How::Once),
        Ok(("printf 'c\\nd'\na\nb\n".to_owned(), Tolerance::Exact))
    );
    // Where only the two lines are there, the two characters are not found, and nothing is written.
    let absent = patched("a\nb\n", "a\\nb", "c\\nd", How::Tolerant);
    assert!(matches!(absent, Err(BadPatch::Absent { .. })));
}

#[test]
fn overlapping_places_are_several() {
    let found = patched("aaa", "aa", "b", How::Once);
    assert_eq!(found, Err(BadPatch::Several { by: Tolerance::Exact, lines: vec![1, 1] }));
}

proptest! {
    #[test]
    fn an_exact_patch_and_its_reverse_leave_the_text(
        head in "[ab \\n\\\\é]{0,12}", old in "[ab\\n\\\\é]{1,6}", tail in "[ab \\n]{0,12}", new in "[abx\\né]{1,6}",
    ) {
        let text = [head, old.clone(), tail].concat();
        let there = Patch::new(Some(&old), Some(&new), How::Once).and_then(|patch| patch.apply(&text));
        if let Ok(there) = there {
            let back = Patch::new(Some(&new), Some(&old), How::Once);
            match back.and_then(|patch| patch.apply(&there.text)) {
                Ok(back) => prop_assert_eq!(back.text, text),
                // The new text was there before, or is blank: then nothing is guessed.
                Err(refused) => {
                    let guessing = matches!(refused, BadPatch::Several { .. } | BadPatch::Blank);
                    prop_assert!(guessing, "{refused}");
                }
            }
        }
    }

    #[test]
    fn no_text_and_no_patch_make_it_panic(text in "\\PC{0,40}", old in "\\PC{1,8}", new in "\\PC{0,8}", at in 0..40_usize) {
        for how in [How::Once, How::All, How::Tolerant] {
            for old in [old.clone(), text.chars().skip(at).take(5).collect()] {
                if let Ok(patched) = patched(&text, &old, &new, how) {
                    prop_assert_ne!(patched.0, text.clone());
                }
            }
        }
    }
}
