//! What came with an agent and was archived stays archived, whatever the agent's next update lays into the root.

use std::fs;

use serde_json::json;

use super::{Curating, ROOT, text, unmarked};

/// A home whose pass archived the shipped skill `pdf`.
fn archived() -> Curating {
    let skills = [unmarked("office/pdf", 200), unmarked("notes", 1)];
    let it = Curating::new(&skills, &["pdf"], &[], &json!([]));
    it.set("[curator]\nretire-bundled = true");
    it.consented();
    it.pass();
    assert_eq!(it.state("pdf"), "archived");
    it
}

#[test]
fn an_update_that_brings_it_again_brings_it_into_no_index() {
    for (folder, body) in [
        ("office/pdf", "Do it."),
        ("media/pdf", "Do it."),
        ("media/pdf", "Do it in another way, with other programs and with other words."),
    ] {
        let it = archived();
        // A catalogue without it, and then one that has it again.
        it.ok(&["scan"]);
        it.lay(folder, body);
        it.ok(&["scan"]);
        let index = it.by_agent(&["index", "--unit", "chars"]);
        assert!(!index.stdout.contains("pdf"), "{folder}: {index:#?}");
        assert!(index.stdout.contains("notes"), "{index:#?}");
        assert_eq!(it.by_agent(&["show", "pdf"]).status, 1);
        let found = it.by_agent(&["call", "skills_list", "{}"]).stdout;
        assert!(found.contains("notes") && !found.contains("pdf"), "{found}");
        assert!(!it.by_agent(&["search", "pdf"]).stdout.contains("pdf"));
        let usage = it.usage("pdf");
        assert_eq!((&usage["origin"], &usage["folder"]), (&json!("bundled"), &json!(folder)));
        let list = it.ok(&["list"]);
        assert!(list.stdout.contains("live, put back"), "{list:#?}");
        let told =
            "`pdf` was put back by somebody else; archived by pass 1; it is kept out of indexes\n";
        assert!(list.stderr.contains(told), "{list:#?}");
        let status = it.ok(&["curator", "status"]).stdout;
        let told = "  kept out: pdf, put back by somebody else; archived by pass 1\n";
        assert!(status.contains(told), "{status}");
        assert!(it.ok(&["why", "pdf"]).stdout.contains("put-back: SHUT"));
        assert_eq!(it.archived().len(), 1);
    }
}

#[test]
fn a_person_has_the_last_word() {
    let it = archived();
    let before = it.archived();
    it.lay("media/pdf", "Do it in another way, with other programs and with other words.");
    it.ok(&["scan"]);
    // The one that was archived comes back, and what was put here gives way.
    let dry = it.ok(&["restore", "pdf", "--dry-run"]).stdout;
    assert_eq!(dry, "would restore `pdf` to `office/pdf`\n");
    let id = text(&before[0]["id"]);
    it.ok(&["restore", &id]);
    assert!(it.machine.path(&format!("{ROOT}/office/pdf/SKILL.md")).exists());
    assert!(!it.machine.path(&format!("{ROOT}/media/pdf")).exists());
    assert!(it.by_agent(&["index", "--unit", "chars"]).stdout.contains("pdf"));
    assert_eq!(it.archived().len(), 1);
    assert_ne!(it.archived()[0]["id"], id);
    // And the next update changes nothing about that.
    fs::remove_dir_all(it.machine.path(&format!("{ROOT}/office"))).unwrap();
    it.lay("office/pdf", "A third text that says what neither of the others said before it.");
    it.ok(&["scan"]);
    assert!(it.by_agent(&["index", "--unit", "chars"]).stdout.contains("pdf"));
}

#[test]
fn or_says_that_the_one_that_was_put_there_be_shown() {
    let it = archived();
    it.lay("media/pdf", "Do it.");
    it.ok(&["scan"]);
    it.ok(&["set", "pdf", "full"]);
    assert!(it.by_agent(&["index", "--unit", "chars"]).stdout.contains("pdf"));
    assert!(!it.ok(&["list"]).stdout.contains("put back"));
    assert_eq!(it.archived().len(), 1);
}
