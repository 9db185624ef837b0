//! Which of several rows with one name counts, and what a query names.

use super::{problems, rows, scanned, skill_text, world};
use crate::{
    library::{Library, Resolution},
    skill::OneLine,
    system::MemorySystem,
};

fn found(library: &Library, query: &str) -> String {
    let folder = |row: &usize| {
        let place = &library.skills[*row].place;
        format!("{}:{}", place.root, place.folder)
    };
    match library.resolve(query) {
        Resolution::One(row) => folder(&row),
        Resolution::Several(rows) => rows.iter().map(folder).collect::<Vec<_>>().join(" or "),
        Resolution::None { near } => format!("none, near {near:?}"),
    }
}

#[test]
fn the_first_root_with_a_name_wins_and_the_first_path_in_a_category() {
    let world = world(&["/one/a/x", "/one/b/x", "/two/c/x", "/two/y", "/one/z"]);
    world.write("/one/a/x-copy/SKILL.md", skill_text("x"));
    world.write("/two/z2/SKILL.md", skill_text("z"));
    let library = scanned(&world, &["/one", "/two"]);
    assert_eq!(
        rows(&library),
        [
            "0 a/x:SKILL.md a/x live",
            "0 a/x-copy:SKILL.md a/x duplicate of 0",
            "0 b/x:SKILL.md b/x live",
            "0 z:SKILL.md general/z live",
            "1 c/x:SKILL.md c/x shadowed by 0",
            "1 y:SKILL.md general/y live",
            "1 z2:SKILL.md general/z shadowed by 3",
        ]
    );
    assert_eq!(problems(&library, 1), ["name-differs", "name-taken"]);
    assert_eq!(problems(&library, 4), ["name-taken"]);
    for (query, row) in [
        ("x", "0:a/x or 0:b/x"),
        ("a/x", "0:a/x"),
        ("b/x", "0:b/x"),
        ("c/x", "1:c/x"),
        ("x-copy", "0:a/x-copy"),
        ("a/x-copy", "0:a/x-copy"),
        ("z", "0:z"),
        ("general/z", "0:z"),
        ("z2", "1:z2"),
        ("z/", "0:z"),
    ] {
        assert_eq!(found(&library, query), row, "{query}");
    }
}

#[test]
fn whether_a_name_names_one_row_alone_is_told_of_many_as_of_each() {
    let world = world(&["/one/a/x", "/one/b/x", "/one/b/X", "/two/c/x", "/two/y", "/one/z"]);
    for (folder, name) in [
        ("a/lesen", "\u{f6}l"),
        ("b/lesen", "o\u{308}l"),
        ("c/other", "z"),
        ("c/path", "a/y/"),
        ("c/slash", "slash/"),
        ("c/files/references/inner", "inner"),
    ] {
        world.write(format!("/one/{folder}/SKILL.md"), skill_text(name));
    }
    world.write("/one/c/files/SKILL.md", skill_text("files"));
    world.write("/one/broken/SKILL.md", "no header");
    let library = scanned(&world, &["/one", "/two"]);
    let rows: Vec<usize> = (0..library.skills.len()).chain([0, 1_000]).collect();
    let each = rows.iter().map(|row| {
        let skill = library.skills.get(*row);
        skill.is_some_and(|it| library.resolve(it.name.as_str()) == Resolution::One(*row))
    });
    let each: Vec<bool> = each.collect();
    assert!(each.contains(&true) && each.contains(&false));
    assert_eq!(library.are_named_alone(&rows), each);
    let alone = |row: &usize| library.are_named_alone(&[*row]) == [true];
    assert_eq!(rows.iter().map(alone).collect::<Vec<_>>(), each);
}

#[test]
fn two_forms_of_one_text_are_one_name_and_case_tells_names_apart() {
    let world = MemorySystem::new();
    for (folder, name) in [
        ("composed", "na\u{ef}ve"),
        ("taken-apart", "nai\u{308}ve"),
        ("__l", "__lessons"),
        ("l", "lessons"),
        ("u", "Lessons"),
    ] {
        world.write(format!("/r/{folder}/SKILL.md"), skill_text(name));
    }
    let library = scanned(&world, &["/r"]);
    let standings: Vec<_> = library.skills.iter().map(|s| s.is_live()).collect();
    assert_eq!(standings, [true, true, true, false, true]);
    for (query, row) in [
        ("na\u{ef}ve", "0:composed"),
        ("nai\u{308}ve", "0:composed"),
        ("lessons", "0:l"),
        ("Lessons", "0:u"),
        ("__lessons", "0:__l"),
        ("LESSONS", "0:l or 0:u"),
        ("__Lessons", "0:__l"),
    ] {
        assert_eq!(found(&library, query), row, "{query}");
    }
}

#[test]
fn files_of_another_skill_are_never_meant() {
    let world = world(&["/r/productivity/notion", "/r/design/pop"]);
    world.write("/r/design/pop/templates/notion.md", "x");
    world.write("/r/design/pop/templates/notion/SKILL.md", skill_text("notion"));
    assert_eq!(found(&scanned(&world, &["/r"]), "notion"), "0:productivity/notion");
}

#[test]
fn what_does_not_count_is_found_where_nothing_else_is() {
    let world = world(&["/r/real/one"]);
    world.link("/r/gone", "/nowhere");
    world.link("/r/social/alias", "../real/one");
    let library = scanned(&world, &["/r"]);
    assert_eq!(found(&library, "gone"), "0:gone");
    assert_eq!(found(&library, "alias"), "0:real/one");
    assert_eq!(found(&library, "social/alias"), "0:real/one");
    assert_eq!(found(&library, "test:one"), "0:real/one");
}

#[test]
fn near_names_are_offered_for_one_that_nothing_has() {
    let world = world(&["/r/pdf-forms", "/r/pdf-merge", "/r/git-bisect", "/r/weather"]);
    let library = scanned(&world, &["/r"]);
    assert_eq!(found(&library, "pdf-from"), "none, near [\"pdf-forms\", \"pdf-merge\"]");
    assert_eq!(found(&library, "bisect"), "none, near [\"git-bisect\"]");
    assert_eq!(found(&library, "qqq"), "none, near []");
    assert_eq!(found(&library, ""), "none, near []");
}

#[test]
fn a_plugins_skill_is_asked_for_by_the_plugins_name() {
    let world = world(&["/p/forms", "/q/forms"]);
    let mut roots = [super::root("/q"), super::root("/p")];
    roots[1].label = OneLine::new("claude plugin pdf-tools");
    roots[1].category = Some(OneLine::new("pdf-tools"));
    let library = crate::library::scan(&world, &roots, None);
    assert_eq!(found(&library, "pdf-tools:forms"), "1:forms");
    assert_eq!(found(&library, "claude plugin pdf-tools:forms"), "1:forms");
    assert_eq!(found(&library, "forms"), "0:forms");
}
