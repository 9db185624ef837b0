//! Skills as resources: lists, manifests with their hashes, pages, and addresses that lead nowhere else.

use std::{collections::BTreeSet, fs};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::driver::{Client, Listening, Piped, clients};
use crate::keeping::{Keeping, ROOT};

fn digest(bytes: &[u8]) -> String {
    let hex: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// The bytes at an address.
fn bytes(client: &mut dyn Client, uri: &str) -> Vec<u8> {
    use base64::Engine as _;
    let read = client.get("resources/read", json!({ "uri": uri }));
    let content = &read["contents"][0];
    assert_eq!(content["uri"], uri);
    match content["text"].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => base64::prelude::BASE64_STANDARD.decode(content["blob"].as_str().unwrap()).unwrap(),
    }
}

/// All pages of a list.
fn all(client: &mut dyn Client, method: &str, key: &str) -> (Vec<Value>, usize) {
    let (mut items, mut pages, mut cursor) = (Vec::new(), 0, json!({}));
    loop {
        let mut page = client.get(method, cursor);
        pages += 1;
        items.append(page[key].as_array_mut().unwrap());
        match page.get("nextCursor") {
            Some(next) => cursor = json!({ "cursor": next }),
            None => return (items, pages),
        }
    }
}

fn uris(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["uri"].as_str().unwrap()).collect()
}

#[test]
fn a_manifest_has_the_hashes_of_what_is_read_and_the_header_as_it_was_written() {
    let keeping = Keeping::agent();
    let header = "name: kit\ndescription: Use when a kit is packed.\nlicense: MIT\nmetadata:\n  author: \"007\"\n  deep: { list: [1, two, true] }\nallowed-tools: Read Bash(git:*)\n";
    keeping
        .machine
        .write(&format!("{ROOT}/tools/kit/SKILL.md"), format!("---\n{header}---\nPack it.\n"));
    let odd = [0xff, 0xfe, 0x00, 0x80];
    keeping.machine.write(&format!("{ROOT}/tools/kit/assets/odd name+ü.bin"), odd);
    clients(&keeping, |_, client| {
        client.begin();
        let (listed, pages) = all(client, "skills/list", "skills");
        assert_eq!(pages, 1);
        let mut found = uris(&listed);
        found.sort_unstable();
        assert_eq!(
            found,
            [
                "skill://claude/general/deploy/SKILL.md",
                "skill://claude/general/notes/SKILL.md",
                "skill://claude/tools/kit/SKILL.md",
            ]
        );
        for skill in &listed {
            let got = client.get("skills/get", json!({ "uri": skill["uri"] }));
            assert_eq!(got["skill"], *skill);
            for file in skill["resources"].as_array().unwrap() {
                let bytes = bytes(client, file["uri"].as_str().unwrap());
                assert_eq!(file["digest"], digest(&bytes), "{file:#}");
                assert_eq!(file["size"], bytes.len());
            }
        }
        let kit = listed.iter().find(|it| it["uri"] == found[2]).unwrap();
        assert_eq!(
            kit["frontmatter"],
            json!({
                "name": "kit", "description": "Use when a kit is packed.", "license": "MIT",
                "metadata": { "author": "007", "deep": { "list": [1, "two", true] } },
                "allowed-tools": "Read Bash(git:*)",
            })
        );
        let blob = "skill://claude/tools/kit/assets/odd%20name%2B%C3%BC.bin";
        let files = uris(kit["resources"].as_array().unwrap()).into_iter().collect::<BTreeSet<_>>();
        assert_eq!(files, [found[2], blob].into_iter().collect());
        assert_eq!(bytes(client, blob), odd);

        let (resources, _) = all(client, "resources/list", "resources");
        let listed: BTreeSet<_> = uris(&resources).into_iter().collect();
        assert_eq!(listed, found.into_iter().collect());
        assert!(resources.iter().all(|it| it["mimeType"] == "text/markdown"), "{resources:#?}");
    });
}

#[test]
fn what_is_no_skill_by_the_standard_is_not_listed_as_one_but_reached() {
    let keeping = Keeping::agent();
    keeping.machine.write(
        &format!("{ROOT}/Loud_Name/SKILL.md"),
        "---\nname: Loud_Name\ndescription: Use when it is loud.\n---\nShout.\n",
    );
    keeping.machine.write(&format!("{ROOT}/bare/SKILL.md"), "No header at all.\n");
    clients(&keeping, |_, client| {
        client.begin();
        let (listed, _) = all(client, "skills/list", "skills");
        assert_eq!(listed.len(), 2, "{listed:#?}");
        for (name, body) in [("Loud_Name", "Shout."), ("bare", "No header at all.")] {
            let view = client.done("skill_view", json!({ "name": name }));
            assert!(view["text"].as_str().unwrap().contains(body));
            let uri = format!("skill://claude/general/{name}/SKILL.md");
            assert!(String::from_utf8(bytes(client, &uri)).unwrap().contains(body));
            let error = client.ask("skills/get", json!({ "uri": uri })).unwrap_err();
            assert_eq!(error["code"], -32602);
        }
    });
}

#[test]
fn what_is_off_or_held_is_nowhere() {
    let keeping = Keeping::agent().by_a_person();
    keeping.machine.write("home/skillkeep.toml", "[writes]\napproval = \"on\"\n");
    keeping.ok(&["set", "notes", "off", "--agent", "codex"]);
    keeping.ok(&["scan"]);
    let file = keeping.machine.path(&format!("{ROOT}/deploy/SKILL.md"));
    fs::write(&file, fs::read_to_string(&file).unwrap() + "Sneaked in.\n").unwrap();
    let keeping = Keeping { token: None, ..keeping };
    keeping.ok(&["scan"]);
    let look = |client: &mut dyn Client, there: &[&str], away: &[&str]| {
        let begun = client.begin();
        let prompt = client.get("prompts/get", json!({ "name": "skills_index" }));
        let skills = all(client, "skills/list", "skills").0;
        let resources = all(client, "resources/list", "resources").0;
        let tools = client.done("skills_list", json!({}));
        let everything = json!([begun, prompt, skills, resources, tools]).to_string();
        for name in there {
            assert!(
                everything.contains(&format!("general/{name}/SKILL.md")),
                "{name}: {everything}"
            );
        }
        for name in away {
            assert!(!everything.contains(&format!("general/{name}/")), "{name}: {everything}");
            for file in ["SKILL.md", "scripts/go.sh"] {
                let uri = format!("skill://claude/general/{name}/{file}");
                let error = client.ask("resources/read", json!({ "uri": uri })).unwrap_err();
                // Nothing tells it from one that is not there.
                assert_eq!(error["message"], format!("nothing is at `{uri}`"));
                assert!(client.ask("skills/get", json!({ "uri": uri })).is_err());
            }
            let (refused, why) = client.call("skill_view", json!({ "name": name }));
            assert!(refused && !why.to_string().contains("Sneaked"), "{why:#}");
        }
    };
    look(&mut Piped::new(&keeping, &[]), &["notes"], &["deploy"]);
    look(&mut Piped::new(&keeping, &["--agent", "codex"]), &[], &["deploy", "notes"]);
    let server = Listening::new(&keeping, &["--agent", "codex"]);
    look(&mut server.client(), &[], &["deploy", "notes"]);
}

#[test]
fn many_skills_come_in_pages_and_what_is_only_counted_is_read_all_the_same() {
    let keeping = Keeping::agent();
    let name = |number: usize| format!("skill-with-a-rather-long-name-{number:03}");
    for number in 0..130 {
        let text = format!(
            "---\nname: {0}\ndescription: Number {number}.\n---\nDo {number}.\n",
            name(number)
        );
        keeping.machine.write(&format!("{ROOT}/many/{}/SKILL.md", name(number)), text);
    }
    clients(&keeping, |_, client| {
        client.begin();
        let (resources, pages) = all(client, "resources/list", "resources");
        assert_eq!((resources.len(), pages), (132, 3));
        assert_eq!(uris(&resources).into_iter().collect::<BTreeSet<_>>().len(), 132);
        let (skills, pages) = all(client, "skills/list", "skills");
        assert_eq!((skills.len(), pages), (132, 3));
    });
    // A budget in which most are only counted.
    keeping.machine.write("home/skillkeep.toml", "[index]\nlimit = 700\n");
    clients(&keeping, |_, client| {
        let index = client.begin()["instructions"].as_str().unwrap().to_owned();
        let (skills, _) = all(client, "skills/list", "skills");
        let listed: BTreeSet<_> = uris(&skills).into_iter().map(str::to_owned).collect();
        assert!(!listed.is_empty() && listed.len() < 132, "{}", listed.len());
        let (mut named, mut counted) = (0, 0);
        for number in 0..130 {
            let uri = format!("skill://claude/many/{}/SKILL.md", name(number));
            assert_eq!(listed.contains(&uri), index.contains(&name(number)), "{uri}\n{index}");
            if listed.contains(&uri) {
                named += 1;
                continue;
            }
            counted += 1;
            if counted % 20 == 1 {
                assert!(
                    String::from_utf8(bytes(client, &uri))
                        .unwrap()
                        .ends_with(&format!("Do {number}.\n"))
                );
                assert_eq!(client.get("skills/get", json!({ "uri": uri }))["skill"]["uri"], uri);
            }
        }
        assert!(named > 0 && counted > 0);
    });
}

#[test]
fn no_address_leads_out_of_a_skill() {
    let keeping = Keeping::agent();
    keeping.machine.write(&format!("{ROOT}/secret.txt"), "the secret\n");
    keeping.machine.write("user/secret.txt", "the secret\n");
    let folder = keeping.machine.path(&format!("{ROOT}/deploy"));
    std::os::unix::fs::symlink(keeping.machine.path("user/secret.txt"), folder.join("out.txt"))
        .unwrap();
    std::os::unix::fs::symlink(keeping.machine.path("user"), folder.join("out")).unwrap();
    let absolute = keeping.machine.path("user/secret.txt");
    let absolute = absolute.to_str().unwrap();
    let base = "skill://claude/general/deploy";
    let mut tricks: Vec<String> = [
        "/../secret.txt",
        "/../../secret.txt",
        "/../notes/SKILL.md",
        "/scripts/../SKILL.md",
        "/%2e%2e/secret.txt",
        "/%2E%2E/%2E%2E/secret.txt",
        "/..%2Fsecret.txt",
        "/..%2fnotes%2fSKILL.md",
        "/%252e%252e/secret.txt",
        "/..%5Csecret.txt",
        "/scripts%2F..%2F..%2Fsecret.txt",
        "/./SKILL.md",
        "//SKILL.md",
        "/scripts//go.sh",
        "/SKILL.md/",
        "/SKILL.md%00",
        "/SKILL.md%00.txt",
        "/%00",
        "/",
        "",
        "/scripts",
        "/scripts/",
        "/out.txt",
        "/out/secret.txt",
        "/.",
        "/..",
        "/SKILL.md?x",
        "/SKILL.md#x",
        "/scripts/go.sh%0a",
        "/%ff%fe",
        "/%",
        "/SKILL%2Emd%2F..",
        "/.skillkeep/owner",
        "%2F..%2Fnotes/SKILL.md",
    ]
    .map(|tail| format!("{base}{tail}"))
    .into();
    tricks.extend([
        format!("{base}/{absolute}"),
        format!("{base}/{}", absolute.replace('/', "%2F")),
        format!("{base}/{}", absolute.replacen('/', "%2F", 1)),
        format!("file://{absolute}"),
        absolute.to_owned(),
        format!("skill://{absolute}"),
        "skill://other/general/deploy/SKILL.md".to_owned(),
        "skill://claude/other/deploy/SKILL.md".to_owned(),
        "skill://claude/general/../general/deploy/SKILL.md".to_owned(),
        "skill://claude/.skillkeep/owner".to_owned(),
        "SKILL://claude/general/deploy/SKILL.md".to_owned(),
        "skill://".to_owned(),
        String::new(),
        "x".repeat(100_000),
        format!("{base}/{}", "a/".repeat(50_000)),
    ]);
    clients(&keeping, |_, client| {
        client.begin();
        for uri in &tricks {
            let short: String = uri.chars().take(80).collect();
            let error = client.ask("resources/read", json!({ "uri": uri }));
            let error = error.expect_err(&short);
            assert_eq!(error["code"], -32002, "{short}");
            let said = error.to_string();
            assert!(said.len() < 1_000 && !said.contains("the secret"), "{short}: {said}");
            assert!(client.ask("skills/get", json!({ "uri": uri })).is_err(), "{short}");
        }
        // The manifest has no file that can't be read.
        let (skills, _) = all(client, "skills/list", "skills");
        let deploy =
            skills.iter().find(|it| it["uri"].as_str().unwrap().starts_with(base)).unwrap();
        assert_eq!(
            uris(deploy["resources"].as_array().unwrap()),
            [format!("{base}/SKILL.md"), format!("{base}/scripts/go.sh")]
        );
    });
}

#[test]
fn a_skill_in_a_category_that_is_called_as_a_skill_has_its_own_address() {
    let keeping = Keeping::agent();
    let skill = |folder: &str, name: &str| {
        let text = format!(
            "---\nname: {name}\ndescription: Use when {name} is asked for.\n---\nAt {folder}.\n"
        );
        keeping.machine.write(&format!("{ROOT}/{folder}/SKILL.md"), text);
    };
    skill("ops/a-renamed-one", "night");
    skill("ops/night/watch", "watch");
    clients(&keeping, |_, client| {
        client.begin();
        for (uri, folder) in
            [("ops/night", "ops/a-renamed-one"), ("ops/night/watch", "ops/night/watch")]
        {
            let text = bytes(client, &format!("skill://claude/{uri}/SKILL.md"));
            assert!(
                String::from_utf8(text).unwrap().ends_with(&format!("At {folder}.\n")),
                "{uri}"
            );
        }
    });
}
