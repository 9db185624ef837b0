#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::disallowed_methods,
    reason = "tests"
)]
use proptest::prelude::*;

use super::*;
use crate::{
    index::{AGENTS, Frame, Named, TREE, XML, layout::ToolWords},
    system::MemorySystem,
};

#[test]
fn a_second_meter_knows_every_count_without_a_tokenizer() {
    let system = MemorySystem::default();
    let file = Path::new("/cache/tokens.bin");
    let first = TokenMeter::open(&system, Some(file));
    let counts = first.count_all(&["    - docker: Build images\n", "日本語の説明\n", ""]);
    assert!(!first.was_warm());
    first.save(&system).unwrap();
    let second = TokenMeter::open(&system, Some(file));
    assert_eq!(
        second.count_all(&["日本語の説明\n", "", "    - docker: Build images\n"]),
        [counts[1], counts[2], counts[0]]
    );
    assert!(second.was_warm());
}

#[test]
fn a_file_cut_anywhere_or_from_elsewhere_counts_as_none() {
    let whole = encode([(1, 2), (3, 4)].into_iter());
    assert_eq!(decode(&whole), Some(HashMap::from_iter([(1, (2, false)), (3, (4, false))])));
    for length in 0..whole.len() {
        assert_eq!(decode(&whole[..length]), None, "cut at {length}");
    }
    assert_eq!(decode(b"#!/bin/sh\n"), None);
}

#[test]
fn the_sum_of_the_pieces_is_the_whole_in_every_layout() {
    let meter = TokenMeter::open(&MemorySystem::default(), None);
    let of = |name: &'static str| Named { name, location: "/home/me/skills/x/SKILL.md" };
    let layouts = AGENTS.iter().map(|agent| agent.layout).chain([&TREE as _, &XML as _]);
    for layout in layouts {
        let pieces = [
            layout.head(Frame::Prose, &ToolWords::default()),
            layout.header("devops/ci", "Builds (and what breaks them)."),
            layout.line(of("docker-build"), "Build images: multi-stage, cached…"),
            layout.line(of("c++"), "`-O2`, `-g` & friends!"),
            layout.line(of("nothing-said"), ""),
            layout.line(of("mail"), "業務メールを作成します。"),
            // The last name's comma takes the place of the line end that the frame is priced with.
            layout.names("books", "").trim_end().to_owned(),
            layout.name(of("c++")),
            layout.name(of("3d-print")),
            layout.name(of("読書")),
            " z\n".to_owned(),
            layout.count("books", 12, true),
            layout.rest(340, 25),
            layout.tail(Frame::Prose),
        ];
        let sum: u32 = pieces.iter().map(|piece| meter.count(piece)).sum();
        assert_eq!(sum, meter.count(&pieces.concat()), "{}", layout.word());
    }
}

#[test]
fn of_too_many_counts_those_stay_that_were_asked_for_since_the_last_time() {
    let mut memory = Memory::default();
    memory.counts.extend((0..10).map(|hash| (hash, (1, false))));
    for (asked, left) in [(0..6, 6), (2..5, 3), (0..1, 3)] {
        asked.for_each(|hash| assert!(memory.get(hash).is_some() || hash == 0));
        memory.cut(4);
        assert_eq!(memory.counts.len(), left);
    }
    assert_eq!(memory.get(9), None);
}

/// The tokens of the reference, each behind its length.
fn reference() -> Vec<u8> {
    let bpe = &bpe_openai::o200k_base().bpe;
    let ranks = 0..u32::try_from(bpe.num_tokens()).unwrap();
    let token = |rank| bpe.token_bytes(rank);
    ranks
        .flat_map(|rank| [&[u8::try_from(token(rank).len()).unwrap()], token(rank)].concat())
        .collect()
}

#[test]
fn the_vocabulary_is_that_of_the_reference_token_by_token() {
    let wanted = reference();
    if std::env::var_os("SKILLKEEP_BLESS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/index/tokens/o200k.tokens.zst");
        std::fs::write(path, zstd::bulk::compress(&wanted, 22).unwrap()).unwrap();
        return;
    }
    let (bytes, ends) = o200k::unpack().unwrap();
    let mut begin = 0;
    let mut found = Vec::new();
    for end in ends.iter().map(|end| *end as usize) {
        found.push(u8::try_from(end - begin).unwrap());
        found.extend(&bytes[begin..end]);
        begin = end;
    }
    assert_eq!(ends.len(), o200k::TOKENS);
    assert!(found == wanted, "SKILLKEEP_BLESS=1 writes it");
}

/// What a text has, by both.
fn counted(text: &str) -> [usize; 2] {
    [o200k::count(text), bpe_openai::o200k_base().count(text)]
}

#[test]
fn texts_of_all_kinds_count_as_by_the_reference() {
    let long = ["a".repeat(5_000), "=-".repeat(3_000), "\n \t".repeat(999), "ab ".repeat(2_000)];
    let texts = [
        "",
        " ",
        "  ",
        "\n",
        " \n",
        "\r\n\r\n x",
        "a  b",
        "a   ",
        "\u{a0}\u{a0}x",
        "  \u{3000}日本",
        "It's 12345 o'clock, I'LL say; DON'T.",
        "CamelCase HTMLParser2 ñandú ΑΒΓδε İstanbul ǅ",
        "https://example.org/a/b?c=d#e\n\n",
        "日本語の説明。業務メールを作成します",
        "العربية עברית हिन्दी",
        "👩‍👩‍👧‍👦🏳️‍🌈 e\u{301}\u{301}",
        "    - docker: Build images\n",
        "<|endoftext|> <|im_start|>",
        "\u{0}\u{1b}[31m\u{feff}",
        "…—“”",
        "x\n  y\n\tz \n ",
        "///\n//",
        "'s 'S 'LL's",
    ];
    for text in texts.into_iter().chain(long.iter().map(String::as_str)) {
        let [ours, theirs] = counted(text);
        assert_eq!(ours, theirs, "{text:?}");
    }
}

proptest! {
    #[test]
    fn any_text_counts_as_by_the_reference(
        text in prop_oneof![
            "(?s).{0,200}",
            "[ -~\n]{0,400}",
            "([a-zA-Z']{1,9}[ ,.\n]{1,3}){0,60}",
            "[ \t\n\r\u{a0}\u{3000}a1'/]{0,60}",
            "[\u{300}-\u{36f}\u{4e00}-\u{4e80}\u{1f600}-\u{1f64f}a]{0,80}",
        ],
    ) {
        let [ours, theirs] = counted(&text);
        prop_assert_eq!(ours, theirs);
    }
}
