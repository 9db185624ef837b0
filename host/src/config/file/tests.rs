//! `skillkeep.toml`, whole and odd.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::path::{Path, PathBuf};

use toml::Value;

use super::{Config, IndexConfig, NamedRoot, Untrusted, WritesConfig, read};
use crate::{
    config::{Combine, ConfigError, CuratorConfig, PoliciesConfig, SlotConfig},
    decision::{Allowance, Detail, Factor, Resource, Unit},
};

fn config(text: &str) -> Result<Config, ConfigError> {
    read(Path::new("skillkeep.toml"), text, |path| Path::new("/home").join(path))
}

fn limits(factors: &[(Resource, f64)]) -> Allowance {
    let with = |limits: Allowance, (of, factor): &(Resource, f64)| {
        limits.with(*of, Factor::new(*of, *factor).unwrap())
    };
    factors.iter().fold(Allowance::default(), with)
}

#[test]
fn every_key_is_read() {
    let text = r#"
roots = ["mine", { path = "/srv/skills", label = "team" }, { path = "more" }]
more-roots = ["last"]
untrusted = "hide"
[index]
limit = 5_440
unit = "chars"
short = 0x50
compact = { media = "names", "books/comfy" = "count", code = "full" }
disabled = "old"
[store]
keep-days = 90
[writes]
approval = "on"
outside = "show"
[curator]
interval-hours = 24
[slots.demotion]
use = "demotion-toolset"
[slots.demotion.settings]
promote = 2.0
days = 30
always = ["hermes"]
toolset.web = ["research"]
hysteresis.on = true
[policies]
keys = ["RWT0GAZazLzOiKFA/j82krRLk4DJMpmVdaU82flAz0hhVOlTg2GSFJUO"]
require-signature = true
dev = true
[slots.curator]
use = ["a.wasm", "b"]
combine = "all"
settings = { mode = "ladder" }
limits = { fuel = 4, memory = 0.5 }
"#;
    let root = |path: &str, label: &str| NamedRoot { path: path.into(), label: label.into() };
    let list = |words: &[&str]| Value::Array(words.iter().map(|w| Value::from(*w)).collect());
    let expected = Config {
        home: PathBuf::new(),
        roots: Some(vec![
            root("/home/mine", "mine"),
            root("/srv/skills", "team"),
            root("/home/more", "more"),
        ]),
        more_roots: vec![root("/home/last", "last")],
        untrusted: Untrusted::Hide,
        index: IndexConfig {
            limit: Some(5440),
            unit: Some(Unit::Chars),
            short: Some(80),
            compact: [
                ("media".to_owned(), Detail::Names),
                ("books/comfy".to_owned(), Detail::Count),
                ("code".to_owned(), Detail::Full),
            ]
            .into(),
            disabled: vec!["old".to_owned()],
        },
        keep_days: Some(90),
        writes: WritesConfig { approval: true, show_outside: true },
        curator: CuratorConfig { interval_hours: 24, ..CuratorConfig::default() },
        policies: PoliciesConfig {
            keys: vec!["RWT0GAZazLzOiKFA/j82krRLk4DJMpmVdaU82flAz0hhVOlTg2GSFJUO".to_owned()],
            require_signature: true,
            dev: true,
        },
        slots: [
            (
                "demotion".to_owned(),
                SlotConfig {
                    use_: Some(vec!["demotion-toolset".to_owned()]),
                    combine: None,
                    settings: [
                        ("promote".to_owned(), Value::Float(2.0)),
                        ("days".to_owned(), Value::Integer(30)),
                        ("always".to_owned(), list(&["hermes"])),
                        ("toolset.web".to_owned(), list(&["research"])),
                        ("hysteresis.on".to_owned(), Value::Boolean(true)),
                    ]
                    .into(),
                    limits: Allowance::default(),
                },
            ),
            (
                "curator".to_owned(),
                SlotConfig {
                    use_: Some(vec!["a.wasm".to_owned(), "b".to_owned()]),
                    combine: Some(Combine::All),
                    settings: [("mode".to_owned(), Value::from("ladder"))].into(),
                    limits: limits(&[(Resource::Fuel, 4.0), (Resource::Memory, 0.5)]),
                },
            ),
        ]
        .into(),
        warnings: Vec::new(),
    };
    assert_eq!(config(text).unwrap(), expected);
}

#[test]
fn an_empty_file_sets_nothing() {
    for text in ["", "# nothing\n", "[index]\n[slots]\n"] {
        assert_eq!(config(text).unwrap(), Config::default(), "{text:?}");
    }
    assert_eq!(config("roots = []").unwrap().roots, Some(Vec::new()));
}

#[test]
fn approval_is_off_where_nobody_turned_it_on_and_holds_what_others_change() {
    for (text, approval, holds) in [
        ("", false, false),
        ("writes.approval = 'on'", true, true),
        ("writes.approval = true", true, true),
        ("writes.approval = 'off'", false, false),
        ("[writes]\napproval = 'on'\noutside = 'hold'", true, true),
        ("[writes]\napproval = 'on'\noutside = 'show'", true, false),
        ("[writes]\noutside = 'hold'", false, false),
    ] {
        let writes = config(text).unwrap().writes;
        assert_eq!((writes.approval, writes.holds()), (approval, holds), "{text}");
    }
    for (text, message) in [
        (
            "writes.approval = 'yes'",
            "`writes.approval` is the text `yes`, and `on` or `off` was expected",
        ),
        ("writes.approval = 1", "`writes.approval` is `1`, and `on` or `off` was expected"),
        (
            "writes.outside = 'keep'",
            "`writes.outside` is the text `keep`, and `hold` or `show` was expected",
        ),
    ] {
        assert!(config(text).unwrap_err().to_string().ends_with(message), "{text}");
    }
}

#[test]
fn a_list_of_categories_is_compact_by_names() {
    let compact = config("index.compact = ['media', 'gifs']").unwrap().index.compact;
    let names = |category: &str| (category.to_owned(), Detail::Names);
    assert_eq!(compact, [names("gifs"), names("media")].into());
}

#[test]
fn a_key_that_means_nothing_is_warned_of_with_the_near_one() {
    let text = "colour = 1\n[index]\nlimt = 5\nunits = 'chars'\n[slots.budgets]\nuse = 'x'\n[slots.budget]\nsetings = {}\n[[roots]]\npath = 'x'\nlable = 'y'\n";
    let config = config(text).unwrap();
    let warnings: Vec<String> = config.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "`skillkeep.toml`, line 1: `colour` means nothing",
            "`skillkeep.toml`, line 3: `index.limt` means nothing; is `limit` meant?",
            "`skillkeep.toml`, line 4: `index.units` means nothing; is `unit` meant?",
            "`skillkeep.toml`, line 5: `slots.budgets` means nothing; is `budget` meant?",
            "`skillkeep.toml`, line 8: `slots.budget.setings` means nothing; is `settings` meant?",
            "`skillkeep.toml`, line 11: `roots.lable` means nothing; is `label` meant?",
        ]
    );
    assert_eq!(config.slots.keys().collect::<Vec<_>>(), ["budget"]);
    assert_eq!(config.index, IndexConfig::default());
}

#[test]
fn a_value_of_another_kind_is_refused_with_its_place() {
    for (text, message) in [
        (
            "\n[index]\nlimit = 0",
            "line 3: `index.limit` is `0`, and a whole number from 1 to 4294967295 was expected",
        ),
        (
            "index.limit = '9'",
            "line 1: `index.limit` is the text `9`, and a whole number from 1 to 4294967295 was expected",
        ),
        (
            "index.limit = 4294967296",
            "line 1: `index.limit` is `4294967296`, and a whole number from 1 to 4294967295 was expected",
        ),
        (
            "index.short = -1",
            "line 1: `index.short` is `-1`, and a whole number from 1 to 4294967295 was expected",
        ),
        (
            "index.unit = 'words'",
            "line 1: `index.unit` is the text `words`, and `tokens`, `chars` or `bytes` was expected",
        ),
        (
            "index.compact.media = 'none'",
            "line 1: `index.compact.media` is the text `none`, and `full`, `names` or `count` was expected",
        ),
        (
            "index.compact = 3",
            "line 1: `index.compact` is `3`, and a list of categories, or a table of `names` and `count` was expected",
        ),
        (
            "index.disabled = [1]",
            "line 1: `index.disabled` is `1`, and a list of texts was expected",
        ),
        ("index = []", "line 1: `index` is a list, and a table was expected"),
        (
            "roots = '~/x'",
            "line 1: `roots` is the text `~/x`, and a list of paths, or of tables with `path` and `label` was expected",
        ),
        (
            "roots = [\n  'x',\n  1.5,\n]",
            "line 3: `roots` is `1.5`, and a list of paths, or of tables with `path` and `label` was expected",
        ),
        ("[[roots]]\nlabel = 'x'", "line 1: `roots` is a table, and a `path` in it was expected"),
        (
            "[[roots]]\npath = ' '",
            "line 2: `roots.path` is a blank text, and a text that is not blank was expected",
        ),
        (
            "slots.budget = 'x'",
            "line 1: `slots.budget` is the text `x`, and a table with `use` and `settings` was expected",
        ),
        (
            "slots.budget.use = [\n'a',\n'b']",
            "line 3: `slots.budget.use` is the text `b`, and only the first, since a budget takes exactly one, was expected",
        ),
        (
            "slots.demotion.combine = 'any'",
            "line 1: `slots.demotion.combine` is the text `any`, and no such key, since of several the least demotion holds, was expected",
        ),
        (
            "slots.curator.use = ['a', 'builtin:a']",
            "line 1: `slots.curator.use` is the text `builtin:a`, and each policy once was expected",
        ),
        (
            "slots.curator.combine = 'some'",
            "line 1: `slots.curator.combine` is the text `some`, and `any` or `all` was expected",
        ),
        (
            "slots.provenance.combine = 'any'",
            "line 1: `slots.provenance.combine` is the text `any`, and no such key, since of several judges the strictest holds, was expected",
        ),
        (
            "policies.keys = ['RW']",
            "line 1: `policies.keys` is the text `RW`, and a public key of minisign, such as `RW…` was expected",
        ),
        (
            "policies.dev = 'yes'",
            "line 1: `policies.dev` is the text `yes`, and `true` or `false` was expected",
        ),
        (
            "\npolicies.require-signature = true",
            "line 2: `policies.require-signature` is `true`, and `policies.keys` beside it, without which nothing can be checked, was expected",
        ),
        (
            "slots.budget.use = true",
            "line 1: `slots.budget.use` is `true`, and a list of texts was expected",
        ),
        (
            "slots.budget.settings.a.b = 2026-01-01",
            "line 1: `slots.budget.settings.a.b` is the time `2026-01-01`, and a truth value, a number, a text or a list of texts was expected",
        ),
        (
            "slots.budget.settings.a = nan",
            "line 1: `slots.budget.settings.a` is `nan`, and a truth value, a number, a text or a list of texts was expected",
        ),
        (
            "slots.budget.settings.a = ['x', 2]",
            "line 1: `slots.budget.settings.a` is `2`, and a list of texts was expected",
        ),
    ] {
        let error = config(text).unwrap_err();
        assert_eq!(error.to_string(), format!("`skillkeep.toml`, {message}"), "{text}");
    }
}

#[test]
fn a_limit_is_a_factor_that_can_neither_vanish_nor_be_nothing() {
    for (text, wanted) in [
        ("limits = {}", vec![]),
        ("limits.time = 30", vec![(Resource::Time, 30.0)]),
        (
            "[limits]\ncopied = 0.1\ntable = 2.5",
            vec![(Resource::Copied, 0.1), (Resource::Table, 2.5)],
        ),
    ] {
        let text = match text.strip_prefix('[') {
            Some(rest) => format!("[slots.curator.{rest}"),
            None => format!("[slots.curator]\n{text}"),
        };
        assert_eq!(config(&text).unwrap().slots["curator"].limits, limits(&wanted), "{text}");
    }
    for (value, found) in [
        ("0", "`0`"),
        ("0.0", "`0.0`"),
        ("0.09", "`0.09`"),
        ("-1", "`-1`"),
        ("101", "`101`"),
        ("20_000_000", "`20000000`"),
        ("9223372036854775807", "`9223372036854775807`"),
        ("inf", "`inf`"),
        ("nan", "`nan`"),
        ("'unlimited'", "the text `unlimited`"),
        ("'2'", "the text `2`"),
        ("false", "`false`"),
        ("[2]", "a list"),
        ("{ base = 1 }", "a table"),
    ] {
        let error = config(&format!("\n[slots.budget.limits]\ntime = 2\nfuel = {value}\n"));
        let expected = "a factor of the usual limit, from 0.1 to 100, was expected";
        assert_eq!(
            error.unwrap_err().to_string(),
            format!(
                "`skillkeep.toml`, line 4: `slots.budget.limits.fuel` is {found}, and {expected}"
            )
        );
    }
    for (key, most) in [("time", 30), ("memory", 64), ("table", 100), ("copied", 16)] {
        assert!(config(&format!("slots.budget.limits.{key} = {most}")).is_ok());
        let error = config(&format!("slots.budget.limits.{key} = {most}.001")).unwrap_err();
        let wanted = format!("from 0.1 to {most}, was expected");
        assert!(error.to_string().ends_with(&wanted), "{error}");
    }
    let whole = config("slots.budget.limits = 2").unwrap_err();
    assert_eq!(
        whole.to_string(),
        "`skillkeep.toml`, line 1: `slots.budget.limits` is `2`, and a table of limits, each a factor of the usual, was expected"
    );
    let unknown = config("[slots.budget.limits]\nfule = 2\nmemroy = 2\nstack = 2\n").unwrap();
    let warnings: Vec<String> = unknown.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "`skillkeep.toml`, line 2: `slots.budget.limits.fule` means nothing; is `fuel` meant?",
            "`skillkeep.toml`, line 3: `slots.budget.limits.memroy` means nothing; is `memory` meant?",
            "`skillkeep.toml`, line 4: `slots.budget.limits.stack` means nothing",
        ]
    );
    assert!(unknown.slots["budget"].limits.is_usual());
}

#[test]
fn what_is_no_toml_is_refused_with_its_line() {
    let error = config("[index]\nlimit = \n").unwrap_err();
    assert!(matches!(&error, ConfigError::NotToml { line: 2, .. }), "{error}");
}
