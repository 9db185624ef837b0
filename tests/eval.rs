//! `eval` from outside: what it prints of a small library, what it makes of odd tasks, and what it asks of a model.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Value, json};
use skillkeep::{
    eval::{Source, all_words, draw},
    index::Programs,
    library::body,
    system::MemorySystem,
};

use crate::{
    deciding::{inputs, library},
    support::{Machine, Ran},
};

/// Six skills whose bodies say more than their descriptions.
fn machine() -> Machine {
    let machine = Machine::new();
    for (folder, description, body) in [
        (
            "docs/scan-reader",
            "Reads text out of pictures of pages. Use when a document has no text of its own and somebody needs its words.",
            "# Scans\n\n## When to use\n- A signed document was photographed sideways\n- Reads text out of pictures of pages\n\n## Straighten skewed photographed paper\n\n```sh\nocr\n```\n",
        ),
        (
            "docs/form-filler",
            "Fills forms, such as tax declarations.",
            "# Forms\n\n## When to use\n- The tax office wants boxes ticked\n- The form filler must be told what boxes are\n",
        ),
        (
            "ops/docker-build",
            "Builds images in stages and keeps them small. Use when a Dockerfile is slow, or its image is too large.",
            "# Docker\n\nLayers that change rarely go first, so that caches keep images slim.\n",
        ),
        (
            "ops/docker-clean",
            "Removes images that nobody needs.",
            "# Clean\n\n## Reclaim disk occupied by dangling images\n",
        ),
        ("ops/deploy", "Brings a service into production.", ""),
        (
            "mail/reply",
            "顧客のメールに返信する。",
            "# 返信\n\n## 使う場面\n- 請求書について苦情のメールが届いたとき\n",
        ),
    ] {
        let name = folder.rsplit('/').next().unwrap();
        machine.write(
            &format!("skills/{folder}/SKILL.md"),
            format!("---\nname: {name}\ndescription: {description}\n---\n{body}"),
        );
    }
    machine.write(
        "skills/ops/only-mac/SKILL.md",
        "---\nname: only-mac\ndescription: Mac only.\nplatforms: [macos]\n---\n## Notarise bundles before shipping installers\n",
    );
    machine.write(
        "work/tasks.txt",
        "# what people asked\n\nthe image is too large -> docker-build\nreads pictures of pages -> docs/scan-reader\nempty boxes -> form-filler\nship it -> deploy\nnotarise -> only-mac\n",
    );
    machine
}

const AT: &str = "--root ../skills --platform linux --now 1790000000 --session one";

fn run(machine: &Machine, line: &str) -> Ran {
    machine.run(&line.split_whitespace().collect::<Vec<_>>())
}

/// What a run printed, part by part.
fn told(line: &str, ran: &Ran) -> String {
    let Ran { status, stdout, stderr } = ran;
    let part = |name: &str, text: &str| {
        if text.is_empty() { String::new() } else { format!("--- {name}\n{text}") }
    };
    format!(
        "$ skillkeep {line}\n{}{}--- exit {status}\n\n",
        part("stdout", stdout),
        part("stderr", stderr)
    )
}

fn transcript(name: &str, machine: &Machine, runs: &[String]) {
    let text: String = runs.iter().map(|line| told(line, &run(machine, line))).collect();
    insta::with_settings!(
        { snapshot_path => "transcripts", prepend_module_to_snapshot => false, omit_expression => true },
        { insta::assert_snapshot!(name, text) }
    );
}

#[test]
fn eval_says_how_rules_fare_and_what_they_miss() {
    transcript(
        "eval",
        &machine(),
        &[
            format!("eval {AT} --show-tasks"),
            format!(
                "eval {AT} --rules everything,budget-ladder,budget-claude-code,budget-codex,budget-openclaw,budget-hermes,budget-progressive,names --limits 150,90"
            ),
            format!("eval tasks.txt {AT} --rules budget-ladder,names --limit 185 --missed"),
            format!(
                "eval tasks.txt {AT} --rules budget-ladder --unit chars --limits 450 --max-tasks 2 --set budget.gain-name=0.1"
            ),
        ],
    );
}

#[test]
fn eval_says_what_is_wrong_with_tasks_and_options() {
    let machine = machine();
    for (name, text) in [
        ("arrow.txt", "a -> deploy\nno arrow here\n"),
        ("near.txt", "# x\na -> docker-biuld\n"),
        ("none.txt", "a -> \u{1b}[31mzzz\nb -> docker-biuld\nc -> yyy\n"),
        ("several.txt", "a -> twice\n"),
        ("empty.txt", ""),
        ("broken.jsonl", "{\"query\": \"a\"\n"),
        ("broken.toml", "[[task]]\nquery = \"a\"\nskill = 3\n"),
    ] {
        machine.write(&format!("work/{name}"), text);
    }
    for folder in ["more/twice", "ops/twice"] {
        machine.skill(folder, "One of two.");
    }
    machine.write("work/latin.txt", b"caf\xe9 -> deploy\n");
    let mut runs: Vec<String> = [
        "arrow.txt",
        "near.txt",
        "none.txt",
        "several.txt",
        "empty.txt",
        "broken.jsonl",
        "broken.toml",
        "latin.txt",
        "gone.txt",
        ".",
    ]
    .map(|file| format!("eval {file} {AT}"))
    .to_vec();
    runs.extend(
        [
            "--limits 0",
            "--limits ,",
            "--limits 2",
            "--rules ladder",
            "--tasks-per-skill 0",
            "--policy budget=gone.wasm",
            "--set budget.gain=1",
            "--endpoint http://127.0.0.1:1/v1",
            "--model m",
            "--model m --endpoint ftp://x",
            "--model m --endpoint http://127.0.0.1:1/v1 --key-env NO_SUCH_KEY",
        ]
        .map(|options| format!("eval tasks.txt {AT} {options}")),
    );
    transcript("eval-wrong", &machine, &runs);
}

#[test]
fn a_library_without_bodies_has_nothing_to_ask() {
    let machine = Machine::new();
    machine.write("skills/a/SKILL.md", "---\nname: a\ndescription: x\n---\n");
    let ran = run(&machine, &format!("eval {AT}"));
    assert_eq!((ran.status, ran.stdout.as_str()), (1, ""));
    assert!(ran.stderr.starts_with("error: no task could be drawn: drawn by seed 1 from the bodies of 1 skill (1 gave none)"), "{}", ran.stderr);
}

#[test]
fn the_same_twice_and_tasks_that_are_printed_can_be_read_again() {
    let machine = machine();
    let line = format!("eval {AT} --limits 150 --missed --json");
    let [first, second] = [run(&machine, &line), run(&machine, &line)];
    assert_eq!(first, second);
    let shown = run(&machine, &format!("eval {AT} --show-tasks"));
    machine.write("work/again.txt", &shown.stdout);
    let again = run(&machine, &format!("eval again.txt {AT} --limits 150 --missed --json"));
    let [drawn, read]: [Value; 2] =
        [first, again].map(|ran| serde_json::from_str(&ran.stdout).unwrap());
    assert_eq!((&drawn["rows"], &drawn["missed"]), (&read["rows"], &read["missed"]));
    assert_eq!(read["tasks"], json!({ "count": drawn["tasks"]["count"], "drawn": null }));
    let other = run(&machine, &format!("eval {AT} --show-tasks --seed 2 --max-tasks 2"));
    assert_eq!(other.stdout.lines().count(), 2);
}

#[test]
fn json_says_what_the_table_says() {
    let machine = machine();
    let json = machine.json(
        &format!("eval tasks.txt {AT} --rules budget-ladder --limits 150 --missed")
            .split_whitespace()
            .collect::<Vec<_>>(),
    );
    insta::with_settings!(
        { snapshot_path => "transcripts", prepend_module_to_snapshot => false, omit_expression => true },
        { insta::assert_snapshot!("eval-json", serde_json::to_string_pretty(&json).unwrap()) }
    );
}

#[test]
fn a_picture_is_drawn_into_a_file_and_a_strangers_component_is_compared() {
    let machine = machine();
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies/dist/budget-ladder.wasm");
    machine.write("work/mine.wasm", fs::read(built).unwrap());
    let ran = run(
        &machine,
        &format!(
            "eval {AT} --limits 150 --policy budget=mine.wasm --svg found.svg --rules mine,budget-ladder"
        ),
    );
    assert_eq!(ran.status, 0, "{ran:#?}");
    let rows: Vec<Vec<&str>> =
        ran.stdout.lines().take(3).map(|line| line.split_whitespace().skip(1).collect()).collect();
    assert_eq!((rows[1][0], rows[2][0]), ("budget-ladder", "mine"));
    assert_eq!(rows[1][1..], rows[2][1..], "it is the same component");
    let drawn = fs::read_to_string(machine.path("work/found.svg")).unwrap();
    assert!(drawn.starts_with("<svg ") && drawn.contains(">mine</text>"), "{drawn}");
    let nowhere = run(&machine, &format!("eval {AT} --limits 150 --svg tasks.txt/x.svg"));
    assert_eq!(nowhere.status, 3, "{nowhere:#?}");
}

/// A model on loopback that answers by a script, as often as it is asked. It counts, and keeps what it was sent.
fn model(
    answer: impl Fn(usize, &str) -> (&'static str, String) + Send + 'static,
) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&asked);
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { break };
            let request = read_request(&mut stream);
            let number = kept.lock().unwrap().len();
            let query = request
                .split_once("\r\n\r\n")
                .and_then(|(_, body)| serde_json::from_str::<Value>(body).ok())
                .and_then(|body| body["messages"][1]["content"].as_str().map(str::to_owned))
                .unwrap_or_default();
            kept.lock().unwrap().push(request);
            let (status, text) = answer(number, &query);
            let body = json!({ "choices": [{ "message": { "content": text } }] }).to_string();
            drop(write!(
                stream,
                "HTTP/1.1 {status}\r\nretry-after: 0\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
                body.len()
            ));
        }
    });
    (base, asked)
}

fn read_request(stream: &mut TcpStream) -> String {
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let length = text.split_once("\r\n\r\n").and_then(|(head, body)| {
            let length = head.lines().find_map(|line| {
                line.to_lowercase().strip_prefix("content-length: ")?.parse::<usize>().ok()
            })?;
            (body.len() >= length).then_some(length)
        });
        if length.is_some() {
            return text;
        }
        match stream.read(&mut buffer) {
            Ok(read) if read > 0 => bytes.extend_from_slice(&buffer[..read]),
            _ => return text,
        }
    }
}

fn asked_with_key(machine: &Machine, line: &str) -> Ran {
    let mut command: Command = machine.command(&line.split_whitespace().collect::<Vec<_>>());
    machine.finish(command.env("MY_KEY", "sk-secret").output().unwrap())
}

#[test]
fn a_model_answers_in_the_rankers_place() {
    let machine = machine();
    let (base, asked) = model(|number, query| match query {
        // Busy once, then right.
        "the image is too large" if number == 0 => ("429 Busy", String::new()),
        "the image is too large" => ("200 OK", "`docker-build`".to_owned()),
        "reads pictures of pages" => ("200 OK", "form-filler".to_owned()),
        "empty boxes" => ("200 OK", "docs/form-filler".to_owned()),
        _ => ("200 OK", "none".to_owned()),
    });
    // One question at a time is under way at first, so that the first one is the busy one.
    let one = format!(
        "eval tasks.txt {AT} --rules names --limits 150 --max-tasks 1 --model m-1 --endpoint {base} --key-env MY_KEY"
    );
    let ran = asked_with_key(&machine, &one);
    assert_eq!(ran.status, 0, "{ran:#?}");
    assert_eq!(
        asked.lock().unwrap().len(),
        2,
        "one question, asked twice; the block without a limit is the same"
    );
    let all = format!(
        "eval tasks.txt {AT} --rules budget-ladder --limits 150 --missed --model m-1 --endpoint {base} --key-env MY_KEY"
    );
    let ran = asked_with_key(&machine, &all);
    insta::with_settings!(
        { snapshot_path => "transcripts", prepend_module_to_snapshot => false, omit_expression => true },
        { insta::assert_snapshot!("eval-model", told(&all, &ran).replace(&base, "http://[ENDPOINT]/v1")) }
    );
    let asked = asked.lock().unwrap();
    assert_eq!(asked.len(), 2 + 5);
    for request in asked.iter() {
        assert!(request.contains("authorization: Bearer sk-secret"), "{request}");
        assert!(request.contains("<available_skills>"), "{request}");
    }
}

#[test]
fn a_model_that_does_not_answer_is_a_fault_and_one_that_answers_some_is_a_finding() {
    let machine = machine();
    let line = |base: &str| {
        format!(
            "eval tasks.txt {AT} --rules budget-ladder --limits 150 --model m --endpoint {base} --timeout 5"
        )
    };
    let (base, asked) = model(|_, _| ("401 No", String::new()));
    let ran = run(&machine, &line(&base));
    assert_eq!((ran.status, ran.stdout.as_str()), (3, ""), "{ran:#?}");
    assert!(
        ran.stderr.contains("error: the model gave no answer") && ran.stderr.contains("status 401"),
        "{}",
        ran.stderr
    );
    assert!(asked.lock().unwrap().len() <= 5);

    let (base, _) = model(|_, query| match query {
        "ship it" => ("500 No", String::new()),
        _ => ("200 OK", "docker-build".to_owned()),
    });
    let ran = run(&machine, &line(&base));
    assert_eq!(ran.status, 1, "{ran:#?}");
    assert!(
        ran.stderr
            .contains("warning: 1 task got no answer and count as missed: status 500, 3 times"),
        "{}",
        ran.stderr
    );
}

#[test]
fn without_a_model_nothing_is_asked() {
    let (base, asked) = model(|_, _| ("200 OK", "x".to_owned()));
    let machine = machine();
    assert_eq!(run(&machine, &format!("eval {AT} --endpoint {base}")).status, 2);
    let mut command = machine.command(&["eval", "--root", "../skills", "--limits", "150"]);
    let output = command.env("OPENAI_API_KEY", "x").env("OPENAI_BASE_URL", &base).output().unwrap();
    assert!(output.status.success());
    assert_eq!(asked.lock().unwrap().len(), 0);
}

/// The folder of real skill files, or a word that it isn't there.
fn corpus() -> Option<PathBuf> {
    let corpus = std::env::var_os("SKILLKEEP_CORPUS").map(PathBuf::from);
    #[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
    if corpus.is_none() {
        eprintln!("SKIPPED: SKILLKEEP_CORPUS names no folder of real skill files");
    }
    corpus
}

/// Lays files of the corpus below `skills/`, each in a folder of its own below its category: the folder above it, or the
/// repository where that folder says nothing.
fn lay(machine: &Machine, corpus: &Path, stored: &[&str]) {
    for path in stored {
        let parts: Vec<&str> = path.split('/').collect();
        let place = match parts.as_slice() {
            [repository, .., "skills", folder, file] => {
                format!("{}/{folder}/{file}", repository.rsplit("__").next().unwrap())
            }
            [.., above, folder, file] => format!("{above}/{folder}/{file}"),
            _ => panic!("`{path}` has too few parts"),
        };
        machine.write(&format!("skills/{place}"), fs::read(corpus.join(path)).unwrap());
    }
}

/// How the plain rules and the built-in one fare on real skills: 250 that are listed, and 1,000 that are drawn from all by a
/// fixed seed. The figures are the same on every machine.
#[test]
fn rules_fare_on_real_skills_as_they_did() {
    let Some(corpus) = corpus() else { return };
    let listed = include_str!("../benches/tokens.txt");
    let listed: Vec<&str> = listed.lines().filter(|line| !line.starts_with('#')).collect();
    let manifest = fs::read_to_string(corpus.join("MANIFEST.tsv")).unwrap();
    let mut drawn: Vec<&str> =
        manifest.lines().skip(1).filter_map(|line| line.split('\t').next()).collect();
    drawn.sort_by_key(|path| xxhash_rust::xxh3::xxh3_64_with_seed(path.as_bytes(), 1_000));
    drawn.truncate(1_000);
    let mut text = String::new();
    for stored in [listed, drawn] {
        let machine = Machine::new();
        lay(&machine, &corpus, &stored);
        let ran = run(&machine, &format!("eval {AT}"));
        assert_eq!(ran.status, 0, "{ran:#?}");
        let table = ran.stdout.split("\n\n").next().unwrap();
        let tasks = ran.stderr.lines().last().unwrap();
        text.push_str(&format!("{} files\n{tasks}\n{table}\n\n", stored.len()));
    }
    insta::with_settings!(
        { snapshot_path => "transcripts", prepend_module_to_snapshot => false, omit_expression => true },
        { insta::assert_snapshot!("eval-corpus", text) }
    );
}

#[test]
fn no_task_of_the_corpus_is_a_part_of_its_skills_line() {
    let Some(corpus) = corpus() else { return };
    let library = library(&corpus);
    let system = MemorySystem::new();
    let candidates = inputs(2_000).gather(&library, &Programs::new(&system), None);
    let sources: Vec<Source> = candidates
        .entries
        .iter()
        .map(|entry| {
            let skill = &library.skills[entry.skill];
            let path = library.path_of(entry.skill).unwrap();
            Source {
                skill: entry.skill,
                name: skill.name.as_str().to_owned(),
                qualified: skill.qualified(),
                line: entry.visible(skillkeep::decision::Form::Full).unwrap(),
                body: String::from_utf8_lossy(body(&fs::read(path).unwrap())).into_owned(),
            }
        })
        .collect();
    let drawn = draw(&sources, 3, 1);
    assert!(drawn.tasks.len() > 2_000, "{}", drawn.tasks.len());
    assert_eq!(drawn, draw(&sources, 3, 1));
    for task in &drawn.tasks {
        let source = sources.iter().find(|source| source.skill == task.skill).unwrap();
        let line = format!(" {} ", all_words(&source.line).join(" "));
        let query = all_words(task.query.as_str());
        for part in query.windows(query.len().min(4)) {
            assert!(
                !line.contains(&format!(" {} ", part.join(" "))),
                "`{}` in `{}`",
                task.query,
                source.line
            );
        }
    }
}
