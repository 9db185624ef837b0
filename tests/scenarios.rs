//! What Hermes's own tests expect of its index and of its skill tools, as tables. Where ours does better, the row says so.

use crate::support::{Machine, Ran};

/// One scenario: files, what is run, what is printed and what isn't.
#[derive(Default)]
struct Scenario {
    what: &'static str,
    files: &'static [(&'static str, &'static str)],
    run: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
    status: i32,
    has: &'static [&'static str],
    lacks: &'static [&'static str],
}

const X: (&str, &str) =
    ("skills/a/x/SKILL.md", "---\nname: x\ndescription: Does x.\n---\n# X\n\nBody of x.\n");
const INDEX: &[&str] = &["index", "--root", "../skills", "--platform", "linux"];

fn check(scenarios: &[Scenario]) {
    for scenario in scenarios {
        let machine = Machine::new();
        std::fs::create_dir_all(machine.path("skills")).unwrap();
        for (path, content) in scenario.files {
            machine.write(path, content);
        }
        let mut command = machine.command(scenario.run);
        for (name, value) in scenario.variables {
            command.env(name, value.replace("[MACHINE]", machine.path("").to_str().unwrap()));
        }
        let Ran { status, stdout, stderr } = machine.finish(command.output().unwrap());
        let what = scenario.what;
        let all = format!("{stdout}--- stderr\n{stderr}");
        assert_eq!(status, scenario.status, "{what}:\n{all}");
        for has in scenario.has {
            assert!(all.contains(has), "{what}: `{has}` is missing in\n{all}");
        }
        for lacks in scenario.lacks {
            assert!(!all.contains(lacks), "{what}: `{lacks}` is in\n{all}");
        }
    }
}

#[test]
fn the_index_does_what_hermes_expects_of_its_own() {
    check(&[
        Scenario {
            what: "a folder without skills gives a block without any",
            run: INDEX,
            has: &["0 skills in "],
            lacks: &["SAMPLE"],
            ..Scenario::default()
        },
        Scenario {
            what: "a root that is not there is an error that names it",
            run: &["index", "--root", "../nowhere"],
            status: 2,
            has: &["error: the root `[MACHINE]/work/../nowhere` can't be found"],
            lacks: &["<available_skills>"],
            ..Scenario::default()
        },
        Scenario {
            what: "a block with name, description, category and what is said of the category",
            files: &[X, ("skills/a/DESCRIPTION.md", "---\ndescription: Letters.\n---\n")],
            run: INDEX,
            has: &["<available_skills>\n  a: Letters.\n    - x: Does x.\n</available_skills>\n"],
            ..Scenario::default()
        },
        Scenario {
            what: "a name that comes twice in a category is shown once",
            files: &[X, ("skills/a/y/SKILL.md", "---\nname: x\ndescription: Another x.\n---\n")],
            run: INDEX,
            has: &["    - x: Does x.\n", "not offered: 1 duplicate"],
            lacks: &["Another x."],
            ..Scenario::default()
        },
        Scenario {
            what: "a compact parent takes its nested categories along",
            files: &[
                X,
                ("skills/books/comfy/y/SKILL.md", "---\nname: y\ndescription: Does y.\n---\n"),
            ],
            run: &["index", "--root", "../skills", "--compact", "books"],
            has: &["  books/comfy [names only]: y\n", "    - x: Does x.\n"],
            lacks: &["Does y."],
            ..Scenario::default()
        },
        Scenario {
            what: "the same without it: nothing of another run is left",
            files: &[(
                "skills/books/comfy/y/SKILL.md",
                "---\nname: y\ndescription: Does y.\n---\n",
            )],
            run: INDEX,
            has: &["    - y: Does y.\n"],
            ..Scenario::default()
        },
        Scenario {
            what: "for macOS only, on Linux: hidden",
            files: &[(
                "skills/a/y/SKILL.md",
                "---\nname: y\ndescription: Does y.\nplatforms: [macos]\n---\n",
            )],
            run: INDEX,
            has: &["not offered: 1 by platform"],
            lacks: &["Does y."],
            ..Scenario::default()
        },
        Scenario {
            what: "for macOS only, where the system calls itself darwin: shown",
            files: &[(
                "skills/a/y/SKILL.md",
                "---\nname: y\ndescription: Does y.\nplatforms: [macos]\n---\n",
            )],
            run: &["index", "--root", "../skills", "--platform", "darwin"],
            has: &["    - y: Does y.\n"],
            ..Scenario::default()
        },
        Scenario {
            what: "disabled in Hermes's config, as a list that its own command wrote as text",
            files: &[
                ("user/.hermes/skills/a/x/SKILL.md", X.1),
                ("user/.hermes/skills/a/y/SKILL.md", "---\nname: y\ndescription: Does y.\n---\n"),
                ("user/.hermes/config.yaml", "skills:\n  disabled: '[\"y\"]'\n"),
            ],
            run: &["index"],
            has: &["    - x: Does x.\n", "not offered: 1 by disabled"],
            lacks: &["Does y."],
            ..Scenario::default()
        },
        Scenario {
            what: "disabled on one of Hermes's platforms: hidden there",
            files: &[
                ("user/.hermes/skills/a/x/SKILL.md", X.1),
                ("user/.hermes/config.yaml", "skills:\n  platform_disabled:\n    telegram: [x]\n"),
            ],
            variables: &[("HERMES_PLATFORM", "telegram")],
            run: &["index"],
            has: &["not offered: 1 by disabled"],
            lacks: &["Does x."],
            ..Scenario::default()
        },
        Scenario {
            what: "disabled on one of Hermes's platforms: shown elsewhere",
            files: &[
                ("user/.hermes/skills/a/x/SKILL.md", X.1),
                ("user/.hermes/config.yaml", "skills:\n  platform_disabled:\n    telegram: [x]\n"),
            ],
            variables: &[("HERMES_PLATFORM", "cli")],
            run: &["index"],
            has: &["    - x: Does x.\n"],
            ..Scenario::default()
        },
        Scenario {
            what: "set-up that is missing hides nothing",
            files: &[(
                "skills/a/y/SKILL.md",
                "---\nname: y\ndescription: Does y.\nrequired_environment_variables:\n  - name: A_KEY\n---\n",
            )],
            run: INDEX,
            has: &["    - y: Does y.\n"],
            ..Scenario::default()
        },
        Scenario {
            what: "a header that can't be read is shown with a mark (better)",
            files: &[(
                "skills/a/y/SKILL.md",
                "---\nname: y\ndescription: Does y.\n# it never closes\n",
            )],
            run: INDEX,
            has: &[
                "    - y: [header unreadable] Does y.\n",
                "1 skill",
                "`skillkeep list --problems`",
            ],
            ..Scenario::default()
        },
        Scenario {
            what: "a toolset that is required and absent: hidden",
            files: &[("skills/research/y/SKILL.md", NEEDS_WEB)],
            run: &["index", "--root", "../skills", "--toolsets", "terminal"],
            has: &["not offered: 1 by requires-toolsets"],
            lacks: &["Does y."],
            ..Scenario::default()
        },
        Scenario {
            what: "a toolset that is required and present: shown",
            files: &[("skills/research/y/SKILL.md", NEEDS_WEB)],
            run: &["index", "--root", "../skills", "--toolsets", "terminal,web"],
            has: &["    - y: Does y.\n"],
            ..Scenario::default()
        },
        Scenario {
            what: "nothing known of tools: everything shown",
            files: &[("skills/a/y/SKILL.md", NEEDS_WEB), X],
            run: INDEX,
            has: &["    - x: Does x.\n    - y: Does y.\n"],
            ..Scenario::default()
        },
        Scenario {
            what: "a condition that is one word is a list of one (better)",
            files: &[(
                "skills/research/y/SKILL.md",
                "---\nname: y\ndescription: Does y.\nmetadata:\n  hermes:\n    requires_toolsets: web\n---\n",
            )],
            run: &["index", "--root", "../skills", "--toolsets", "web"],
            has: &["    - y: Does y.\n"],
            ..Scenario::default()
        },
        Scenario {
            what: "a condition that is null demands nothing (better)",
            files: &[(
                "skills/devops/y/SKILL.md",
                "---\nname: y\ndescription: Does y.\nmetadata:\n  hermes:\n    requires_toolsets:\n---\n",
            )],
            run: &["index", "--root", "../skills", "--toolsets", "terminal"],
            has: &["    - y: Does y.\n"],
            ..Scenario::default()
        },
        Scenario {
            what: "external folders: one missing, one twice, one scalar",
            files: &[
                ("user/.hermes/skills/a/x/SKILL.md", X.1),
                ("user/more/b/y/SKILL.md", "---\nname: y\ndescription: Does y.\n---\n"),
                (
                    "user/.hermes/config.yaml",
                    "skills:\n  external_dirs: [~/more, ~/more, ~/gone]\n",
                ),
            ],
            run: &["index"],
            has: &["    - x: Does x.\n  b:\n    - y: Does y.\n", "2 skills in "],
            ..Scenario::default()
        },
        Scenario {
            what: "the same with one folder that is no list",
            files: &[
                ("user/more/b/y/SKILL.md", "---\nname: y\ndescription: Does y.\n---\n"),
                ("user/.hermes/config.yaml", "skills:\n  external_dirs: ~/more\n"),
            ],
            run: &["index"],
            has: &["    - y: Does y.\n", "1 skill in "],
            ..Scenario::default()
        },
        Scenario {
            what: "one name at home and in an external folder: the home's",
            files: &[
                ("user/.hermes/skills/a/x/SKILL.md", X.1),
                ("user/more/b/x/SKILL.md", "---\nname: x\ndescription: The other.\n---\n"),
                ("user/.hermes/config.yaml", "skills:\n  external_dirs: [~/more]\n"),
            ],
            run: &["index"],
            has: &["    - x: Does x.\n", "not offered: 1 shadowed"],
            lacks: &["The other."],
            ..Scenario::default()
        },
    ]);
}

const NEEDS_WEB: &str =
    "---\nname: y\ndescription: Does y.\nmetadata:\n  hermes:\n    requires_toolsets: [web]\n---\n";

#[test]
fn a_skill_for_an_environment_stays_hidden_in_the_second_build_too() {
    let machine = Machine::new();
    machine.write(
        "skills/a/y/SKILL.md",
        "---\nname: y\ndescription: Does y.\nenvironments: [kanban]\n---\n",
    );
    for _ in 0..2 {
        let ran = machine.ok(INDEX);
        assert!(!ran.stdout.contains("- y"), "{}", ran.stdout);
        assert!(ran.stderr.contains("not offered: 1 by environment"), "{}", ran.stderr);
    }
    let mut command = machine.command(INDEX);
    command.env("HERMES_KANBAN_TASK", "7");
    assert!(machine.finish(command.output().unwrap()).stdout.contains("- y: Does y."));
}

#[test]
fn list_and_show_do_what_hermes_expects_of_its_tools() {
    const LIST: &[&str] = &["list", "--root", "../skills"];
    check(&[
        Scenario {
            what: "headers: none, empty, nested, malformed",
            files: &[
                ("skills/a/none/SKILL.md", "Just text.\n"),
                ("skills/a/empty/SKILL.md", "---\n---\nText.\n"),
                (
                    "skills/a/nested/SKILL.md",
                    "---\nname: nested\ndescription: Deep.\nmetadata:\n  hermes:\n    tags: [one]\n---\n",
                ),
                (
                    "skills/a/odd/SKILL.md",
                    "---\nname: odd\ndescription: Use for prod: tuning\n---\n",
                ),
            ],
            run: LIST,
            has: &[
                "empty   a         ../skills  live   strict   missing-name, missing-description\n",
                "nested  a         ../skills  live   strict\n",
                "none    a         ../skills  live   folder   no-header, missing-description\n",
                "odd     a         ../skills  live   lenient  not-yaml\n",
            ],
            ..Scenario::default()
        },
        Scenario {
            what: "without a description, the first line of the body that is no heading",
            files: &[(
                "skills/a/y/SKILL.md",
                "---\nname: y\n---\n# Heading\n\nFirst of the body.\nSecond.\n",
            )],
            run: INDEX,
            has: &["    - y: First of the body.\n"],
            ..Scenario::default()
        },
        Scenario {
            what: "only one category, and what is below it",
            files: &[
                X,
                ("skills/ab/y/SKILL.md", "---\nname: y\ndescription: Does y.\n---\n"),
                ("skills/a/deep/z/SKILL.md", "---\nname: z\ndescription: Does z.\n---\n"),
            ],
            run: &["list", "--root", "../skills", "--category", "a"],
            has: &["x     a ", "z     a/deep "],
            lacks: &["y     ab"],
            ..Scenario::default()
        },
        Scenario {
            what: "by the folder's name",
            files: &[(
                "skills/a/the-folder/SKILL.md",
                "---\nname: the-name\ndescription: D.\n---\nBody.\n",
            )],
            run: &["show", "the-folder", "--root", "../skills"],
            has: &["Body.\n"],
            ..Scenario::default()
        },
        Scenario {
            what: "by the header's name",
            files: &[(
                "skills/a/the-folder/SKILL.md",
                "---\nname: the-name\ndescription: D.\n---\nBody.\n",
            )],
            run: &["show", "the-name", "--root", "../skills"],
            has: &["Body.\n"],
            ..Scenario::default()
        },
        Scenario {
            what: "by its category's path",
            files: &[(
                "skills/a/b/the-folder/SKILL.md",
                "---\nname: the-name\ndescription: D.\n---\nBody.\n",
            )],
            run: &["show", "a/b/the-folder", "--root", "../skills"],
            has: &["Body.\n"],
            ..Scenario::default()
        },
        Scenario {
            what: "a name that nobody has: near names, or how to see all",
            files: &[X],
            run: &["show", "quarterly-report", "--root", "../skills"],
            status: 1,
            has: &[
                "error: no skill is called `quarterly-report`",
                "hint: `skillkeep list` shows all",
            ],
            ..Scenario::default()
        },
        Scenario {
            what: "a path upwards is refused, and nothing of it printed",
            files: &[X, ("skills/secret.txt", "the secret\n")],
            run: &["show", "x", "../../secret.txt", "--root", "../skills"],
            status: 1,
            has: &["`../../secret.txt` has a part `..`"],
            lacks: &["the secret"],
            ..Scenario::default()
        },
        Scenario {
            what: "a path upwards in the middle is refused as well",
            files: &[
                X,
                ("skills/a/x/references/r.md", "R\n"),
                ("skills/a/secret.txt", "the secret\n"),
            ],
            run: &["show", "x", "references/../../secret.txt", "--root", "../skills"],
            status: 1,
            has: &["has a part `..`"],
            lacks: &["the secret"],
            ..Scenario::default()
        },
        Scenario {
            what: "an absolute path is refused",
            files: &[X],
            run: &["show", "x", "/etc/passwd", "--root", "../skills"],
            status: 1,
            has: &["`/etc/passwd` is an absolute path"],
            lacks: &["root:"],
            ..Scenario::default()
        },
        Scenario {
            what: "a name upwards is no skill",
            files: &[X, ("secret/SKILL.md", "---\nname: secret\n---\nthe secret\n")],
            run: &["show", "../secret", "--root", "../skills"],
            status: 1,
            has: &["no skill is called `../secret`"],
            lacks: &["the secret"],
            ..Scenario::default()
        },
        Scenario {
            what: "a nested file is shown",
            files: &[X, ("skills/a/x/references/deep/r.md", "Nested.\n")],
            run: &["show", "x", "references/deep/r.md", "--root", "../skills"],
            has: &["Nested.\n"],
            ..Scenario::default()
        },
        Scenario {
            what: "one name nested and at the top: refused with both paths",
            files: &[X, ("skills/x/SKILL.md", "---\nname: x\ndescription: At the top.\n---\n")],
            run: &["show", "x", "--root", "../skills"],
            status: 1,
            has: &[
                "`x` is 2 skills",
                "a/x is [MACHINE]/skills/a/x/SKILL.md",
                "general/x is [MACHINE]/skills/x/SKILL.md",
            ],
            lacks: &["Body of x."],
            ..Scenario::default()
        },
        Scenario {
            what: "the category's path tells them apart",
            files: &[X, ("skills/x/SKILL.md", "---\nname: x\ndescription: At the top.\n---\n")],
            run: &["show", "a/x", "--root", "../skills"],
            has: &["Body of x."],
            ..Scenario::default()
        },
    ]);
}

#[cfg(unix)]
#[test]
fn links_out_of_a_skill_give_nothing_away_and_a_linked_category_is_listed() {
    use std::os::unix::fs::symlink;
    let machine = Machine::new();
    machine.write(X.0, X.1);
    machine.write("secret.txt", "the secret\n");
    symlink(machine.path("secret.txt"), machine.path("skills/a/x/leak.txt")).unwrap();
    let ran = machine.run(&["show", "x", "leak.txt", "--root", "../skills"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.contains("`leak.txt` leads out of the skill's folder"), "{}", ran.stderr);

    machine.write("elsewhere/y/SKILL.md", "---\nname: y\ndescription: Does y.\n---\n");
    symlink(machine.path("elsewhere"), machine.path("skills/linked")).unwrap();
    let ran = machine.ok(&["list", "--root", "../skills", "--category", "linked"]);
    assert!(ran.stdout.contains("y     linked "), "{}", ran.stdout);
    assert!(!ran.stdout.contains("x "), "{}", ran.stdout);
}

#[test]
fn a_description_of_any_length_is_shown_within_the_limit_and_reported() {
    let machine = Machine::new();
    machine.skill("a/long", &"word ".repeat(400));
    let list = machine.ok(&["list", "--problems", "--root", "../skills"]);
    assert!(
        list.stdout.contains("advice long-description `description`: 1999 characters"),
        "{}",
        list.stdout
    );
    let block =
        machine.ok(&["index", "--root", "../skills", "--unit", "chars", "--limit", "800"]).stdout;
    assert!(block.chars().count() <= 800 && block.contains("- long: word word"), "{block}");
}
