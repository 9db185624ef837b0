//! What is found, where, and what is said of the rest.

use std::io;

use super::{loose, problems, root, rows, scanned, skill_text, world};
use crate::{
    library::scan,
    skill::OneLine,
    system::{MemorySystem, Operation, System},
};

#[test]
fn categories_are_the_folders_above_a_skill() {
    let world = world(&["/r/flat", "/r/a/one", "/r/a/b/two", "/r/a-b/three"]);
    world.write("/r/said/SKILL.md", "---\nname: said\ndescription: d\ncategory: notes\n---\n");
    world.write("/r/SKILL.md", "---\ndescription: the root itself\n---\n");
    assert_eq!(
        rows(&scanned(&world, &["/r"])),
        [
            "0 :SKILL.md general/r live",
            "0 a-b/three:SKILL.md a-b/three live",
            "0 a/b/two:SKILL.md a/b/two live",
            "0 a/one:SKILL.md a/one live",
            "0 flat:SKILL.md general/flat live",
            "0 said:SKILL.md notes/said live",
        ]
    );
}

#[test]
fn a_roots_own_category_is_that_of_its_flat_skills() {
    let world = world(&["/p/flat", "/p/deep/one"]);
    let mut plugin = root("/p");
    plugin.category = Some(OneLine::new("pdf-tools"));
    let library = scan(&world, &[plugin], None);
    assert_eq!(
        rows(&library),
        ["0 deep/one:SKILL.md deep/one live", "0 flat:SKILL.md pdf-tools/flat live"]
    );
}

#[test]
fn heavy_folders_are_passed_over_below_the_root_only() {
    let world = world(&[
        "/home/venv/site-packages/skills/a",
        "/home/venv/site-packages/skills/node_modules/b",
        "/home/venv/site-packages/skills/c/.git/hooks",
        "/home/venv/site-packages/skills/c/.hub/x",
        "/home/venv/site-packages/skills/c/.archive/x",
        "/home/venv/site-packages/skills/.hidden/d",
        "/home/venv/site-packages/skills/venvs/e",
    ]);
    let library = scanned(&world, &["/home/venv/site-packages/skills"]);
    assert_eq!(
        rows(&library),
        [
            "0 .hidden/d:SKILL.md .hidden/d live",
            "0 a:SKILL.md general/a live",
            "0 venvs/e:SKILL.md venvs/e live",
        ]
    );
}

#[test]
fn a_skill_may_hold_skills_and_its_support_folders_hold_none() {
    let world = world(&[
        "/r/pop",
        "/r/pop/inner",
        "/r/pop/references/copy",
        "/r/pop/templates/a/b/c/copy",
        "/r/pop/templates/a/b/c/d/too-deep",
        "/r/scripts/real",
        "/r/scripts/real/assets",
    ]);
    let library = scanned(&world, &["/r"]);
    assert_eq!(
        rows(&library),
        [
            "0 pop:SKILL.md general/pop live",
            "0 pop/inner:SKILL.md pop/inner live",
            "0 pop/references/copy:SKILL.md pop/references/copy support of 0",
            "0 scripts/real:SKILL.md scripts/real live",
            "0 scripts/real/assets:SKILL.md scripts/real/assets support of 3",
        ]
    );
    assert_eq!(problems(&library, 2), ["in-support-folder"]);
}

#[test]
fn an_exact_file_name_comes_before_others_of_any_case() {
    let world = MemorySystem::new();
    world.write("/r/both/skill.md", skill_text("wrong"));
    world.write("/r/both/SKILL.md", skill_text("both"));
    world.write("/r/odd/Skill.MD", skill_text("odd"));
    let library = scanned(&world, &["/r"]);
    assert_eq!(
        rows(&library),
        ["0 both:SKILL.md general/both live", "0 odd:Skill.MD general/odd live"]
    );
    assert_eq!(problems(&library, 1), ["odd-file-name"]);
}

#[test]
fn a_flat_file_beside_a_folder_is_told_of_and_the_folder_counts() {
    let world = world(&["/r/risk", "/r/cat/deal", "/r/no-skill/x"]);
    for flat in ["/r/risk.md", "/r/cat/deal.md", "/r/no-skill.md", "/r/alone.md"] {
        world.write(flat, "# old");
    }
    let library = scanned(&world, &["/r"]);
    assert_eq!(loose(&library), [":risk.md flat-beside-folder", "cat:deal.md flat-beside-folder"]);
    assert_eq!(problems(&library, 0), ["flat-beside-folder"]);
    assert_eq!(problems(&library, 2), ["flat-beside-folder"]);
    assert_eq!(rows(&library)[2], "0 risk:SKILL.md general/risk live");
}

#[test]
fn notes_describe_their_folders_and_the_first_root_that_says_something_counts() {
    let world = world(&["/one/books/a", "/two/books/b", "/two/films/c"]);
    world.write("/one/books/DESCRIPTION.md", "no header");
    world.write("/two/books/DESCRIPTION.md", "---\ndescription: >\n  On\n  books\n---\n");
    world.write("/two/films/DESCRIPTION.md", "---\ndescription: On films\n---\n");
    world.write("/one/films/DESCRIPTION.md", "---\ndescription: First\n---\n");
    world.write("/one/DESCRIPTION.md", "---\ndescription: The rest\n---\n");
    let library = scanned(&world, &["/one", "/two"]);
    let notes: Vec<_> = library
        .categories
        .iter()
        .map(|n| format!("{}: {}", n.path, n.description.as_ref().unwrap()))
        .collect();
    assert_eq!(notes, ["books: On books", "films: First", "general: The rest"]);
    assert_eq!(loose(&library), ["books:DESCRIPTION.md mute-category"]);
}

#[test]
fn what_can_not_be_read_is_a_row_and_hides_nothing_else() {
    let world = world(&["/r/fine", "/r/secret", "/r/locked/inside", "/r/huge", "/r/fine/private"]);
    world.write("/r/huge/SKILL.md", vec![b'x'; 4 * 1024 * 1024 + 1]);
    let denied = io::ErrorKind::PermissionDenied;
    world.fail("/r/secret/SKILL.md", Operation::Read, denied);
    world.fail("/r/locked", Operation::List, denied);
    world.fail("/r/fine/private", Operation::List, denied);
    world.link("/r/gone", "../nowhere");
    world.link("/r/gone.md", "../nowhere.md");
    world.link("/r/.#lock", "user@host:1");
    world.link("/r/half/SKILL.md", "/store/missing.md");
    world.link("/r/self", "self");
    world.write("/r/stub", "../../real/stub");
    world.write("/r/LICENSE", "All rights\nreserved.");
    world.write("/r/inner/SKILL.md", "../../real/inner/SKILL.md\n");
    world.folder("/r/dir/SKILL.md");
    let library = scanned(&world, &["/r"]);
    assert_eq!(
        rows(&library),
        [
            "0 fine:SKILL.md general/fine live",
            "0 gone: general/gone broken -> ../nowhere",
            "0 half:SKILL.md general/half broken -> /store/missing.md",
            "0 huge:SKILL.md general/huge broken",
            "0 inner:SKILL.md general/inner broken",
            "0 locked: general/locked broken",
            "0 secret:SKILL.md general/secret broken",
            "0 self: general/self broken -> self",
            "0 stub: general/stub broken -> ../../real/stub",
        ]
    );
    let words: Vec<_> = (1..9).map(|row| problems(&library, row)[0]).collect();
    assert_eq!(
        words,
        [
            "dangling-link",
            "dangling-link",
            "too-large",
            "unlinked-link",
            "unreadable",
            "unreadable",
            "link-loop",
            "unlinked-link",
        ]
    );
    assert_eq!(loose(&library), ["fine/private: unreadable", "gone.md: dangling-link"]);
}

#[test]
fn roots_that_are_missing_or_no_folder_are_reported_and_skipped() {
    let world = world(&["/r/a"]);
    world.write("/file", "x");
    world.fail("/locked", Operation::List, io::ErrorKind::PermissionDenied);
    world.folder("/locked");
    let library = scanned(&world, &["/none", "/file", "/locked", "/r"]);
    let reports: Vec<_> = library
        .roots
        .iter()
        .map(|r| (r.resolved.is_some(), r.problem.as_ref().map(|p| p.problem.word()), r.found))
        .collect();
    let unreadable = Some("unreadable");
    assert_eq!(
        reports,
        [(false, unreadable, 0), (true, unreadable, 0), (true, unreadable, 0), (true, None, 1)]
    );
    assert_eq!(rows(&library), ["3 a:SKILL.md general/a live"]);
}

#[test]
fn a_root_that_is_a_link_is_resolved_once() {
    let world = world(&["/dotfiles/skills/a"]);
    world.link("/host/skills", "../dotfiles/skills");
    let library = scanned(&world, &["/host/skills"]);
    assert_eq!(rows(&library), ["0 a:SKILL.md general/a live"]);
    assert_eq!(library.path_of(0).unwrap().to_str(), Some("/dotfiles/skills/a/SKILL.md"));
    assert_eq!(problems(&library, 0), [""; 0]);
}

#[test]
fn a_file_that_is_a_link_is_read_if_it_leads_into_a_root_and_nowhere_else() {
    let world = world(&["/r/one"]);
    world.write("/home/.ssh/id", "PRIVATE KEY");
    world.link("/r/stolen/SKILL.md", "/home/.ssh/id");
    world.write("/home/notes.md", "---\ndescription: secret\n---\n");
    world.link("/r/DESCRIPTION.md", "/home/notes.md");
    world.write("/store/demo.md", skill_text("demo"));
    world.link("/r/demo/SKILL.md", "/store/demo.md");
    let library = scanned(&world, &["/r", "/store"]);
    assert_eq!(
        rows(&library),
        [
            "0 demo:SKILL.md general/demo live -> /store/demo.md",
            "0 one:SKILL.md general/one live",
            "0 stolen:SKILL.md general/stolen broken -> /home/.ssh/id",
        ]
    );
    assert_eq!(problems(&library, 2), ["leads-out"]);
    assert!(library.categories.iter().all(|note| note.description.is_none()));
    let read = world.counts(Operation::Read);
    assert!(read.iter().all(|(path, _)| !path.starts_with("/home")), "{read:?}");
}

#[test]
fn links_to_skills_are_listed_once_under_their_own_names() {
    let world = world(&["/r/real/one", "/hub/follow", "/hub/cat/two", "/hub/cat/three"]);
    world.link("/r/social/follow", "/hub/follow");
    world.link("/r/linked", "/hub/cat");
    world.link("/r/again", "/hub/follow");
    world.link("/r/inside", "real/one");
    world.write("/store/demo.md", skill_text("demo"));
    world.link("/r/demo/SKILL.md", "/store/demo.md");
    let library = scanned(&world, &["/r"]);
    assert_eq!(
        rows(&library),
        [
            "0 again:SKILL.md general/follow live -> /hub/follow",
            "0 demo:SKILL.md general/demo broken -> /store/demo.md",
            "0 linked/three:SKILL.md linked/three live -> /hub/cat/three",
            "0 linked/two:SKILL.md linked/two live -> /hub/cat/two",
            "0 real/one:SKILL.md real/one live",
        ]
    );
    assert_eq!(loose(&library), ["inside: found-twice", "social/follow: found-twice"]);
    assert_eq!(problems(&library, 0), ["name-differs", "outside-roots"]);
    assert_eq!(problems(&library, 1), ["leads-out"]);
}

#[test]
fn a_link_into_a_folder_that_is_passed_over_is_followed() {
    let world = world(&["/r/.hub/store/one", "/r/pop", "/r/pop/references/two"]);
    world.link("/r/one", ".hub/store/one");
    world.link("/r/two", "pop/references/two");
    assert_eq!(
        rows(&scanned(&world, &["/r"])),
        [
            "0 one:SKILL.md general/one live -> /r/.hub/store/one",
            "0 pop:SKILL.md general/pop live",
            "0 pop/references/two:SKILL.md pop/references/two support of 1",
            "0 two:SKILL.md general/two live -> /r/pop/references/two",
        ]
    );
}

#[test]
fn loops_end_and_no_folder_is_listed_twice() {
    let world = world(&["/r/a/one", "/r/b/two", "/out/x/three", "/out/x"]);
    world.link("/r/a/up", "..");
    world.link("/r/a/one/self", ".");
    world.link("/r/b/a", "../a");
    world.link("/r/out", "/out");
    world.link("/out/back", "/r");
    world.link("/out/x/around", "/out/x");
    world.link("/r/top", "/");
    let library = scanned(&world, &["/r", "/r/b", "/r"]);
    assert_eq!(
        rows(&library),
        [
            "0 a/one:SKILL.md a/one live",
            "0 b/two:SKILL.md b/two live",
            "0 out/x:SKILL.md out/x live -> /out/x",
            "0 out/x/three:SKILL.md out/x/three live -> /out/x/three",
        ]
    );
    assert_eq!(
        loose(&library),
        [
            "a/one/self: link-loop",
            "a/up: link-loop",
            "b/a: found-twice",
            "out/back: found-twice",
            "out/x/around: link-loop",
            "top: link-loop",
        ]
    );
    let problems: Vec<_> =
        library.roots.iter().map(|r| r.problem.as_ref().map(|p| p.problem.word())).collect();
    assert_eq!(problems, [None, Some("found-twice"), Some("found-twice")]);
    let twice: Vec<_> =
        world.counts(Operation::List).into_iter().filter(|(_, count)| *count > 1).collect();
    assert_eq!(twice, []);
}

#[test]
fn a_root_inside_a_later_root_is_searched_once() {
    let world = world(&["/r/inner/one", "/r/two"]);
    let library = scanned(&world, &["/r/inner", "/r"]);
    assert_eq!(
        rows(&library),
        ["0 one:SKILL.md general/one live", "1 two:SKILL.md general/two live"]
    );
}

#[test]
fn a_tree_deeper_than_the_cap_is_told_of() {
    let deep = format!("/r/{}x", "d/".repeat(40));
    let world = world(&[&deep, "/r/a"]);
    let library = scanned(&world, &["/r"]);
    assert_eq!(rows(&library), ["0 a:SKILL.md general/a live"]);
    assert_eq!(library.problems.len(), 1);
    assert_eq!(library.problems[0].diagnostic.problem.word(), "too-deep");
}

#[test]
fn a_skill_that_was_removed_is_gone_from_the_next_scan() {
    let world = world(&["/r/a/x", "/r/a/y"]);
    assert_eq!(scanned(&world, &["/r"]).skills.len(), 2);
    world.remove("/r/a/x");
    let library = scanned(&world, &["/r"]);
    assert_eq!(rows(&library), ["0 a/y:SKILL.md a/y live"]);
    assert!(world.stat("/r/a/x".as_ref()).is_err());
}
