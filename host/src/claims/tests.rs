#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

use super::{Claims, claims, sentences};
use crate::skill::Instant;

const DAY: i64 = 86_400;
/// 2026-05-28.
const NOW: Instant = Instant(1_779_926_400);

/// Sentences, and whether each claims that something doesn't work.
const SENTENCES: &[(&str, bool)] = &[
    ("The browser never works here.", true),
    ("Browser tools don't work in this environment.", true),
    ("Piping does NOT work with `claude -p`.", true),
    ("These databases **will not work with the fetch tool**.", true),
    ("`docker build --squash` is broken on this host.", true),
    ("Search is currently broken.", true),
    ("It’s broken since the update.", true),
    ("Windows is not supported by the upstream tool.", true),
    ("Streaming is not yet supported.", true),
    ("The library doesn't support direct changes.", true),
    ("Domain lists are no longer available by the second API.", true),
    ("The old endpoint stopped working in March.", true),
    ("The first launch always fails.", true),
    ("The upload fails silently.", true),
    ("Changing the pool size has no effect.", true),
    ("The key can't be used with the free plan.", true),
    ("The second method cannot currently be used.", true),
    ("The remote is known, and pushing to it never worked.", true),
    ("> The network is unreliable in nested containers.", true),
    ("The proxy did not work when it was tried on 2026-03-01.", true),
    ("- [ ] `web_search` isn't working behind the proxy", true),
    ("Use the second one, because the first is broken.", true),
    ("It doesn't work until 2026-06-01.", true),
    ("They want a form, and **will not work with the fetch tool**.", true),
    ("## Limits\n\nKnown so far:\n\n- Pausing is NOT available here.", true),
    ("Tokens do NOT work. Take the menu → the other way.", true),
    // What depends on something.
    ("If the port doesn't work, try another.", false),
    ("When the index is broken, build it again.", false),
    ("Without a token the upload does not work.", false),
    ("It doesn't work without a token.", false),
    ("The values file that doesn't work without overrides", false),
    ("The upload doesn't work until you log in.", false),
    ("Set the flag or the build will not work.", false),
    ("Whether the cache is broken is told by the second command.", false),
    // Questions, commands, labels, advice.
    ("What to do where it doesn't work?", false),
    ("Is the index broken?", false),
    ("Don't work alone.", false),
    ("Address blockers promptly, don't work around them.", false),
    ("Never work on the main branch.", false),
    ("Keep the old layout and do not support the new one.", false),
    ("Your approach isn't working.", false),
    ("Problem: the page is broken.", false),
    ("**Issue 3:** the cache is not working", false),
    ("Streaming is not working:", false),
    ("The page is broken → clear the cache.", false),
    // What somebody says, or which of several.
    ("Say \"it doesn't work\" and stop.", false),
    ("Never claim that a tool is broken.", false),
    ("The user says the login doesn't work.", false),
    ("Make sure nothing is broken.", false),
    ("Check that the build is not broken and nothing is unsupported.", false),
    ("List the fields which are not supported.", false),
    ("Note things that won't work later.", false),
    // What may be, and what is no claim at all.
    ("Use another tool when:\n\n- the first one is not working", false),
    ("## Symptoms\n\n- The page is broken.", false),
    ("The network might not work.", false),
    ("Get it to fail consistently.", false),
    ("Everything works.", false),
    ("The code is not broken.", false),
    ("It fails with an error where the file is missing.", false),
    ("Support is not what it was.", false),
    ("# Search is broken", false),
    ("| Search is broken | Build it again |", false),
    ("```\nSearch is broken.\n```", false),
    ("<!-- Search is broken. -->", false),
];

#[test]
fn sentences_are_claims_by_what_they_say() {
    assert!(SENTENCES.len() >= 40);
    let wrong: Vec<_> =
        SENTENCES.iter().filter(|(text, claim)| sentences(text).is_empty() == *claim).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_claim_is_given_as_it_is_written() {
    let body = "Fine. The `--squash` flag is broken. Use “plain” builds.\n\n* Search never works\n  on this host.";
    assert_eq!(
        sentences(body),
        ["The `--squash` flag is broken.", "Search never works on this host."]
    );
}

fn of(body: &str) -> Claims {
    claims(body, NOW).unwrap()
}

#[test]
fn evidence_is_what_stands_in_the_same_paragraph() {
    for (body, shown) in [
        ("The upload never works.", false),
        ("The `upload` command never works.", false),
        ("The upload never works. See https://example.org/a.", true),
        ("The upload never works ([why](notes.md)).", true),
        ("The upload never works: `connection refused`.", true),
        ("The upload never works, it says \"permission denied\".", true),
        ("The upload never works since 2.3.1.", true),
        ("The upload never works in v3.", true),
        ("The upload never works, see tool/tool#1234.", true),
        ("The upload never works, it ends with exit code 3.", true),
        ("The upload never works (HTTP 403).", true),
        ("The upload never works. Seen on 2026-03-01.", true),
        ("The upload never works.\n\nSee https://example.org/a.", false),
        ("- The upload never works.\n- It says `connection refused`.", false),
    ] {
        assert_eq!(of(body).with_evidence, u32::from(shown), "{body}");
    }
}

#[test]
fn days_are_when_it_was_checked_or_until_when_it_holds() {
    let day = |days: i64| Some(Instant(NOW.0 + days * DAY));
    for (body, checked, expiry) in [
        ("X never works.", None, None),
        ("X never works (2026-05-18).", day(-10), None),
        ("X never works, seen 2026-05-08 and 2026-05-18.", day(-10), None),
        ("X never works, planned for 2026-06-07.", None, None),
        ("X never works until 2026-06-07.", None, day(10)),
        ("X never works. Expires: 2026-06-07.", None, day(10)),
        ("X never works. It expires on 2026-06-07.", None, day(10)),
        ("X never works (recheck by 2026-06-07, seen 2026-05-28).", day(0), day(10)),
        ("X never works until 2026-06-07.\n\nY is broken until 2026-06-02.", None, day(5)),
        ("X never works.\n\nOn 2026-05-18 all was well.", None, None),
    ] {
        let found = of(body);
        assert_eq!((found.checked, found.expiry), (checked, expiry), "{body}");
    }
}

#[test]
fn claims_are_counted_and_the_first_is_shown() {
    let body =
        format!("Tool {} is broken. Y never works.\n\nZ is unusable, see #12.", "x".repeat(400));
    let found = of(&body);
    assert_eq!((found.count, found.with_evidence), (3, 1));
    assert_eq!(found.first.as_str().chars().count(), 160);
    assert!(claims("All is well.", NOW).is_none());
    assert!(claims("", NOW).is_none());
}

#[test]
fn odd_texts_are_read_to_their_end() {
    for body in [
        "`",
        "\"",
        "“",
        "- ",
        "1. ",
        "> > >",
        "never works",
        "never",
        "“never works",
        "\u{fffc} never works",
    ] {
        drop(sentences(body));
    }
    let long = "It never works ` “ \" until ".repeat(20_000);
    assert!(claims(&long, NOW).is_some() || sentences(&long).is_empty());
}

mod laws {
    use super::super::{claims, sentences};
    use crate::skill::Instant;
    use proptest::prelude::*;

    fn body() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("The tool is broken."),
            Just("It never works"),
            Just("If "),
            Just("`"),
            Just("\""),
            Just("“a”"),
            Just("\n\n"),
            Just("\n- "),
            Just("```\n"),
            Just("until 2026-06-01"),
            Just("? "),
            Just(" "),
            Just("https://a.b"),
            Just("é日"),
        ];
        prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn any_text_has_counts_that_agree(body in prop_oneof![body(), ".{0,200}"]) {
            let all = sentences(&body);
            let found = claims(&body, Instant(0));
            prop_assert_eq!(all.len(), found.as_ref().map_or(0, |found| found.count as usize));
            if let Some(found) = found {
                prop_assert!(found.with_evidence <= found.count);
                prop_assert!(found.checked.is_none_or(|checked| checked.0 <= 0));
            }
        }

        #[test]
        fn what_stands_in_a_block_of_code_claims_nothing(body in body()) {
            let fenced = format!("````\n{}\n````", body.replace('`', "'"));
            prop_assert!(claims(&fenced, Instant(0)).is_none());
        }
    }
}
