//! Searching, whole: what is printed, who finds what, and what becomes of the index's file. The real program on real files.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::PathBuf,
    process::{Command, Stdio},
    time::{Duration, SystemTime},
};

use serde_json::{Value, json};

use crate::support::{Machine, Ran};

const ROOT: &str = "user/.claude/skills";

/// A machine with some skills that have lain there for a while, and a cache of its own.
struct Searching {
    machine: Machine,
    token: Option<String>,
}

impl Searching {
    fn new() -> Searching {
        let searching = Searching { machine: Machine::new(), token: None };
        searching.lay(
            "devops/docker-build",
            "Builds images in stages. Use when a Dockerfile is slow.",
            "Run `docker build`.",
        );
        searching.lay(
            "devops/compose",
            "Starts several containers at once.",
            "It needs docker,\nand a compose file.",
        );
        searching.lay("books/wrong-book", "Finds mistakes in a wrong book.", "See POL-358.");
        searching.lay("cjk/kaoqin", "考勤", "每月考勤表，见PPT模板。");
        searching
    }

    /// The same with a home, and a person's token in it.
    fn with_home() -> Searching {
        let mut searching = Searching::new();
        searching.ok(&["init"]);
        let token = fs::read_to_string(searching.machine.path("home/token")).unwrap();
        searching.token = Some(token.trim().to_owned());
        searching
    }

    fn lay(&self, folder: &str, description: &str, body: &str) {
        let name = folder.rsplit('/').next().unwrap();
        let path = self.machine.write(
            &format!("{ROOT}/{folder}/SKILL.md"),
            format!("---\nname: {name}\ndescription: {description}\n---\n{body}\n"),
        );
        // An hour ago: what was written just now is read again each time.
        let before = SystemTime::now() - Duration::from_secs(3_600);
        fs::File::options().write(true).open(path).unwrap().set_modified(before).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.machine.command(arguments);
        command.env("SKILLKEEP_CACHE", self.machine.path("cache"));
        command
    }

    /// As an agent calls.
    fn run(&self, arguments: &[&str]) -> Ran {
        self.machine.finish(self.command(arguments).output().unwrap())
    }

    fn ok(&self, arguments: &[&str]) -> Ran {
        let ran = self.run(arguments);
        assert_eq!(ran.status, 0, "{arguments:?}: {ran:#?}");
        ran
    }

    /// As a person calls.
    fn person(&self, arguments: &[&str]) -> Ran {
        let mut command = self.command(arguments);
        command.env("SKILLKEEP_TOKEN", self.token.as_ref().unwrap());
        self.machine.finish(command.output().unwrap())
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[&["--json", "search"], arguments].concat());
        serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:#?}"))
    }

    fn names(&self, arguments: &[&str]) -> Vec<String> {
        let hits = self.json(arguments)["hits"].take();
        let hits = hits.as_array().unwrap().iter();
        hits.map(|hit| hit["name"].as_str().unwrap().to_owned()).collect()
    }

    fn index(&self) -> PathBuf {
        self.machine.path("cache/search.db")
    }
}

#[test]
fn hits_are_printed_with_their_place_and_the_line_around_it() {
    let searching = Searching::new();
    let ran = searching.ok(&["search", "docker"]);
    assert_eq!(
        ran.stdout,
        "docker-build  devops  in name, body
    Run `«docker» build`.
compose  devops  in body
    It needs «docker», and a compose file.
"
    );
    assert_eq!(ran.stderr, "2 skills\n");
    let ran = searching.ok(&["search", "docker", "--limit", "1"]);
    assert_eq!(ran.stdout.lines().count(), 2);
    assert_eq!(ran.stderr, "1 of 2 skills; `--limit` shows more\n");
    let ran = searching.ok(&["search", "模板", "OR", "POL-358"]);
    assert_eq!(
        ran.stdout,
        "wrong-book  books  in body
    See «POL-358».
kaoqin  cjk  in body
    每月考勤表，见PPT«模板»。
"
    );
}

#[test]
fn as_json_the_same_is_told() {
    let searching = Searching::new();
    let mut found = searching.json(&["docker", "images"]);
    let root = &found["roots"][0]["label"].clone();
    assert!(found["hits"][0]["score"].take().as_f64().unwrap() > 0.0);
    let path = format!("[MACHINE]/{ROOT}/devops/docker-build/SKILL.md");
    found["roots"].take();
    assert_eq!(
        found,
        json!({
            "schema": "skillkeep.search/1",
            "sample": false,
            "query": "docker images",
            "cut": false,
            "widened": false,
            "roots": null,
            "found": 1,
            "hits": [{
                "name": "docker-build",
                "category": "devops",
                "root": root,
                "path": path,
                "standing": "live",
                "in": ["name", "description", "body"],
                "snippet": "Builds «images» in stages. Use when a Dockerfile is slow.",
                "score": null,
            }],
            "near": [],
        })
    );
}

#[test]
fn whatever_is_asked_is_answered() {
    let searching = Searching::new();
    for (query, names) in [
        ("wrong-book OR mistakes", &["wrong-book"][..]),
        ("POL-358", &["wrong-book"]),
        ("-x", &[]),
        ("--", &[]),
        ("a--b", &[]),
        ("\"docker build\"", &["docker-build"]),
        ("\"docker", &["docker-build", "compose"]),
        ("dock*", &["docker-build", "compose"]),
        ("考勤*", &["kaoqin"]),
        ("name:docker OR (NEAR", &[]),
        ("'; DROP TABLE words", &[]),
        ("docker AND", &["docker-build", "compose"]),
        ("***", &[]),
        ("", &[]),
    ] {
        let ran = searching.run(&["search", "--", query]);
        let found: Vec<&str> = ran
            .stdout
            .lines()
            .filter(|line| !line.starts_with(' '))
            .filter_map(|line| line.split("  ").next())
            .collect();
        assert_eq!(found, names, "{query}: {ran:#?}");
        assert_eq!(ran.status, i32::from(names.is_empty()), "{query}: {ran:#?}");
    }
    let huge = "docker ".repeat(9_999);
    let ran = searching.ok(&["search", &huge]);
    assert_eq!(
        ran.stderr,
        "warning: only the beginning of the query was read: 2048 characters and 64 words at most\n2 skills\n"
    );
}

#[test]
fn a_query_may_begin_with_a_hyphen_and_an_option_that_is_none_is_told() {
    let searching = Searching::new();
    assert_eq!(searching.names(&["-358", "--limit", "1"]), ["wrong-book"]);
    let ran = searching.ok(&["search", "--docker"]);
    assert_eq!(
        ran.stderr,
        "warning: `--docker` is no option here, and is searched for\nhint: skillkeep search --help\n2 skills\n"
    );
    assert_eq!(searching.run(&["search", "docker", "--lmit", "3"]).status, 2);
    assert_eq!(searching.run(&["search", "docker", "--limit", "0"]).status, 2);
    assert_eq!(searching.run(&["search"]).status, 2);
}

#[test]
fn nothing_found_names_what_is_near() {
    let searching = Searching::new();
    let ran = searching.run(&["search", "dokcer"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (1, ""));
    assert_eq!(
        ran.stderr,
        "error: nothing is found for `dokcer` among 4 skills in 1 root\nhint: did you mean `docker-build`?\n"
    );
    let ran = searching.run(&["search", "qqqq"]);
    assert_eq!(
        ran.stderr,
        "error: nothing is found for `qqqq` among 4 skills in 1 root\nhint: `skillkeep list` shows all\n"
    );
    let ran = searching.run(&["search", "***"]);
    assert_eq!(
        ran.stderr,
        "error: `***` holds no letter and no digit that could be searched for\nhint: skillkeep list\n"
    );
    let found = searching.json(&["dokcer"]);
    assert_eq!((&found["hits"], &found["near"]), (&json!([]), &json!(["docker-build"])));
    assert_eq!(searching.run(&["--json", "search", "dokcer"]).status, 1);
}

#[test]
fn words_that_nothing_has_are_taken_for_beginnings() {
    let searching = Searching::new();
    let ran = searching.ok(&["search", "contain", "sever"]);
    assert_eq!(
        ran.stdout,
        "compose  devops  in description\n    Starts «several» «containers» at once.\n"
    );
    assert_eq!(
        ran.stderr,
        "no skill has these words; these have words that begin with them\n1 skill\n"
    );
    assert_eq!(searching.json(&["contain"])["widened"], json!(true));
}

#[test]
fn a_category_and_a_text_narrow_the_search() {
    let searching = Searching::new();
    searching.lay("books/docker-deep-dive", "A book.", "Read it.");
    for (arguments, names) in [
        (&["docker", "--category", "books"][..], &["docker-deep-dive"][..]),
        (&["docker", "--in", "names", "--category", "devops"], &["docker-build"]),
        (&["docker", "--in", "bodies"], &["compose", "docker-build"]),
        (&["docker", "--in", "descriptions"], &["docker-build"]),
        (&["wrong-book", "--in", "bodies"], &[]),
    ] {
        assert_eq!(searching.names(arguments), names, "{arguments:?}");
    }
    let ran = searching.run(&["search", "docker", "--category", "book"]);
    assert_eq!(
        ran.stderr,
        "error: no skill is in the category `book`\nhint: did you mean `books`?\n"
    );
}

#[test]
fn a_search_sees_what_was_changed_a_moment_before() {
    let searching = Searching::new();
    assert_eq!(searching.names(&["docker"]), ["docker-build", "compose"]);
    let root = searching.machine.path(ROOT);
    fs::rename(root.join("devops/compose"), root.join("devops/podman")).unwrap();
    fs::remove_dir_all(root.join("devops/docker-build")).unwrap();
    searching.machine.write(
        &format!("{ROOT}/new/SKILL.md"),
        "---\nname: new\ndescription: About docker.\n---\nNew.\n",
    );
    assert_eq!(searching.names(&["docker"]), ["new", "compose"]);
    let text = "---\nname: new\ndescription: About podman.\n---\nNew.\n";
    searching.machine.write(&format!("{ROOT}/new/SKILL.md"), text);
    assert_eq!(searching.names(&["docker"]), ["compose"]);
}

#[test]
fn what_is_off_for_an_agent_is_found_by_people_only() {
    let searching = Searching::with_home();
    assert_eq!(searching.person(&["set", "compose", "off"]).status, 0);
    assert_eq!(searching.person(&["set", "docker-build", "off", "--agent", "codex"]).status, 0);
    assert_eq!(searching.names(&["docker"]), ["docker-build"]);
    assert_eq!(searching.names(&["docker", "--agent", "codex"]), [""; 0]);
    // Not even its name, and not what lies among its files.
    let ran = searching.run(&["search", "compsoe"]);
    assert_eq!(
        ran.stderr,
        "error: nothing is found for `compsoe` among 3 skills in 1 root\nhint: `skillkeep list` shows all\n"
    );
    searching.lay("devops/compose/references/inner", "Inside.", "A docker of its own.");
    assert_eq!(searching.names(&["docker"]), ["docker-build"]);
    let ran = searching.person(&["search", "docker"]);
    assert_eq!(
        ran.stdout,
        "docker-build  devops  in name, body  0 uses
    Run `«docker» build`.
compose  devops  in body  0 uses  off
    It needs «docker», and a compose file.
inner  devops/compose/references  in body  support file of devops/compose of claude
    A «docker» of its own.
"
    );
}

#[test]
fn use_is_told_and_lifts_what_is_as_good() {
    let searching = Searching::with_home();
    for name in ["kiln-care", "kiln-heat"] {
        searching.lay(&format!("{name}/{name}"), "Same words.", "Same words.");
    }
    searching.ok(&["scan"]);
    assert_eq!(searching.names(&["kiln"]), ["kiln-care", "kiln-heat"]);
    searching.ok(&["show", "kiln-heat"]);
    let ran = searching.ok(&["search", "kiln"]);
    assert_eq!(
        ran.stdout,
        "kiln-heat  kiln-heat  in name  1 use, the last just now
    Same words.
kiln-care  kiln-care  in name  0 uses
    Same words.
"
    );
    let hit = &searching.json(&["kiln"])["hits"][0];
    assert_eq!((&hit["uses"], &hit["choice"]), (&json!(1), &json!("auto")));
}

#[test]
fn what_does_not_count_is_marked_and_last() {
    let searching = Searching::new();
    searching.lay("other/compose", "Compose, compose and compose.", "compose");
    searching.machine.write(
        "work/.claude/skills/devops/compose/SKILL.md",
        "---\nname: compose\ndescription: The project's compose.\n---\nIts own.\n",
    );
    std::os::unix::fs::symlink("nowhere", searching.machine.path(ROOT).join("compose-gone"))
        .unwrap();
    let ran = searching.ok(&["search", "compose"]);
    let firsts: Vec<&str> = ran.stdout.lines().filter(|line| !line.starts_with(' ')).collect();
    assert_eq!(
        firsts,
        [
            "compose  devops  in name, description",
            "compose  other  in name, description, body  shadowed by devops/compose of project .claude/skills",
            "compose  devops  in name, body  shadowed by devops/compose of project .claude/skills",
            "compose-gone  general  in name  broken, linked",
        ],
        "{ran:#?}"
    );
}

#[test]
fn a_damaged_index_is_told_and_mended() {
    let searching = Searching::new();
    let first = searching.ok(&["search", "docker"]);
    assert_eq!(searching.ok(&["search", "docker"]), first);
    let whole = fs::read(searching.index()).unwrap();
    for (at, words) in [(whole.len() / 2, "bytes"), (60, "version"), (whole.len() - 3, "hash")] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        fs::write(searching.index(), &bytes).unwrap();
        let ran = searching.ok(&["search", "docker"]);
        assert_eq!(ran.stdout, first.stdout, "{words}");
        assert_eq!(
            ran.stderr,
            format!(
                "warning: the search index was damaged (its {} bytes are not those that were written), and is made anew\n2 skills\n",
                whole.len()
            ),
            "{words}"
        );
        assert_eq!(searching.ok(&["search", "docker"]), first, "{words}, mended");
    }
    fs::remove_file(searching.index()).unwrap();
    assert_eq!(searching.ok(&["search", "docker"]), first, "it can be deleted");
}

#[test]
fn somebody_elses_file_is_left_alone() {
    let searching = Searching::new();
    let letter = "a letter to my aunt\n".repeat(500);
    searching.machine.write("cache/search.db", &letter);
    let ran = searching.ok(&["search", "docker"]);
    assert_eq!(ran.stdout.lines().count(), 4);
    assert_eq!(
        ran.stderr,
        "warning: `[MACHINE]/cache/search.db` is no search index, and is left as it is; until then each search reads every skill\n\
         hint: move it out of the way: mv [MACHINE]/cache/search.db [MACHINE]/cache/search.db.other\n\
         2 skills\n"
    );
    assert_eq!(fs::read_to_string(searching.index()).unwrap(), letter);
}

#[test]
fn a_cache_that_may_only_be_read_is_searched_in_memory() {
    let searching = Searching::new();
    let first = searching.ok(&["search", "docker"]);
    let before = fs::read(searching.index()).unwrap();
    searching.lay("devops/podman", "Instead of docker.", "Run.");
    let cache = searching.machine.path("cache");
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o500)).unwrap();
    // Root may write everywhere: then there is nothing to see here.
    let refused = fs::write(cache.join("probe"), "").is_err();
    let ran = searching.ok(&["search", "docker"]);
    fs::set_permissions(&cache, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(ran.stdout.lines().count(), first.stdout.lines().count() + 2, "{ran:#?}");
    if refused {
        assert!(ran.stderr.contains("can't be written"), "{ran:#?}");
        assert_eq!(fs::read(searching.index()).unwrap(), before);
    }
}

#[test]
fn searches_at_once_all_find_the_same() {
    let searching = Searching::new();
    let expected = searching.ok(&["search", "docker"]);
    for round in 0..3 {
        fs::remove_file(searching.index()).unwrap();
        let running: Vec<_> = (0..6)
            .map(|_| {
                let mut command = searching.command(&["search", "docker"]);
                command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        for child in running {
            let ran = searching.machine.finish(child.wait_with_output().unwrap());
            assert_eq!(ran, expected, "{round}");
        }
    }
    let left: Vec<_> = fs::read_dir(searching.machine.path("cache"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with("search") || name.starts_with(".tmp"))
        .collect();
    assert_eq!(left, ["search.db"]);
}

#[test]
fn the_index_lies_in_the_homes_cache_private_to_the_user() {
    let searching = Searching::with_home();
    let mut command = searching.command(&["search", "docker"]);
    let ran = searching.machine.finish(command.env_remove("SKILLKEEP_CACHE").output().unwrap());
    assert_eq!(ran.status, 0, "{ran:#?}");
    let file = searching.machine.path("home/cache/search.db");
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn the_sample_is_searched_and_nothing_of_it_is_kept() {
    let machine = Machine::new();
    let ran = machine.finish(
        machine
            .command(&["search", "disk full"])
            .env("SKILLKEEP_CACHE", machine.path("cache"))
            .output()
            .unwrap(),
    );
    assert!(ran.stdout.starts_with("disk-full  devops  in name, "), "{ran:#?}");
    assert!(!machine.path("cache/search.db").exists());
}
