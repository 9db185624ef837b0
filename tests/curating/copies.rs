//! Several archived copies of one skill: each that is listed comes back, as it was and where it was.

use std::fs;

use super::{Curating, ROOT, text, used};

const FILE: &str = "ops/notes/SKILL.md";

/// A home with two archived copies of `ops/notes`: one as it was at first, and one as it was when somebody had laid it there
/// again and another file beside it. The ids that are listed, the newest first.
fn twice() -> (Curating, [String; 2]) {
    let it = Curating::of(&[used("ops/notes", 1), used("other", 1)]);
    it.ok(&["archive", "notes"]);
    it.lay("ops/notes", "Do it.");
    it.machine.write(&format!("{ROOT}/ops/notes/references/more.md"), "More.\n");
    it.ok(&["scan"]);
    it.ok(&["archive", "notes"]);
    let listed = it.archived();
    let ids: Vec<String> = listed.iter().map(|it| text(&it["copy"])).collect();
    assert!(listed.iter().all(|it| it["folder"] == "ops/notes"), "{listed:#?}");
    assert_eq!(listed[0]["id"], listed[1]["id"], "{listed:#?}");
    let printed = it.ok(&["curator", "list-archived"]).stdout;
    assert!(ids.iter().all(|id| printed.contains(&format!(" {id} "))), "{printed}");
    let ids = <[String; 2]>::try_from(ids).unwrap();
    assert_ne!(ids[0], ids[1]);
    (it, ids)
}

/// What lies at the skill's old place: its text, and whether the other file is there.
fn there(it: &Curating) -> (String, bool) {
    let at = |path: &str| it.machine.path(&format!("{ROOT}/{path}"));
    (fs::read_to_string(at(FILE)).unwrap(), at("ops/notes/references/more.md").exists())
}

#[test]
fn each_copy_that_is_listed_comes_back_by_its_own_id() {
    let (it, [newer, older]) = twice();
    for (id, more) in [(&older, false), (&newer, true)] {
        it.ok(&["curator", "restore", id]);
        assert_eq!(there(&it).1, more, "{id}");
        assert!(there(&it).0.ends_with("Do it.\n"));
        // The other one is there still, and is listed.
        assert_eq!(it.archived().len(), 1);
        it.ok(&["undo", &it.json(&["log", "--last", "1"])["changes"][0]["change"].to_string()]);
        assert_eq!(it.archived().len(), 2);
    }
}

#[test]
fn and_so_it_does_where_the_ledger_is_gone() {
    for which in [0, 1] {
        let (it, ids) = twice();
        for gone in ["keep.db", "keep.db-wal", "keep.db-shm"] {
            fs::remove_file(it.machine.path(&format!("home/{gone}"))).ok();
        }
        fs::remove_dir_all(it.machine.path("home/backups")).unwrap();
        it.ok(&["curator", "restore", &ids[which]]);
        assert_eq!(there(&it).1, which == 0);
        it.ok(&["scan", "--accept-ledger"]);
        let left: Vec<String> = it.archived().iter().map(|it| text(&it["copy"])).collect();
        assert_eq!(left, [ids[1 - which].clone()]);
    }
}
