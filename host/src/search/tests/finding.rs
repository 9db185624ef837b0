//! Which words find what, and what comes first.

use super::{World, small};
use crate::{
    library::scan,
    search::{Asked, Field, Query},
    skill::{OneLine, Root},
};

#[test]
fn words_find_what_has_them_all_in_any_of_its_texts() {
    let world = small();
    let mut index = world.index();
    for (query, names) in [
        ("docker", &["docker-build", "compose"][..]),
        ("DOCKER Containers", &["compose"]),
        ("docker-build", &["docker-build"]),
        ("build docker", &["docker-build"]),
        ("\"build docker\"", &[]),
        ("\"docker push\"", &["docker-build"]),
        ("wrong-book OR mistakes", &["wrong-book"]),
        ("POL-358", &["wrong-book"]),
        ("pol 358", &["wrong-book"]),
        ("-x", &["wrong-book"]),
        ("a--b", &["wrong-book"]),
        ("it's", &["wrong-book"]),
        ("CAFES", &["nimble"]),
        ("nimb*", &["nimble"]),
        ("nimb", &[]),
        ("images docker OR fox OR nothing", &["docker-build", "nimble"]),
        ("fox AND quick", &["nimble"]),
        ("fox NOT quick", &[]),
        ("OR", &["nimble"]),
        ("秃发", &["guangxi"]),
        ("秃发*", &["guangxi"]),
        ("发", &["guangxi"]),
        ("考勤", &["kaoqin"]),
        ("模板", &["kaoqin"]),
        ("勤考", &[]),
        ("PPT 徐继观 考勤", &["kaoqin"]),
        ("PPT模板", &["kaoqin"]),
        ("广西 OR 桂林 OR 漓江", &["guilin", "guangxi"]),
        ("广西 桂林", &[]),
        ("name:docker", &[]),
        ("***", &[]),
        ("", &[]),
        ("unheard-of", &[]),
    ] {
        let found = world.found(&mut index, query);
        assert_eq!(world.named(&found), names, "{query}");
        assert_eq!(found.total, names.len(), "{query}");
    }
}

#[test]
fn a_hit_says_where_it_is_and_shows_the_place() {
    let world = small();
    let mut index = world.index();
    let mut shown = |query: &str| -> Vec<String> {
        let found = world.found(&mut index, query);
        let names = world.named(&found);
        let line = |(hit, name): (&super::super::Hit, &String)| {
            let fields: Vec<&str> = hit.fields.iter().map(|field| field.word()).collect();
            format!("{name} [{}] {}", fields.join(" "), hit.snippet)
        };
        found.hits.iter().zip(&names).map(line).collect()
    };
    assert_eq!(
        shown("docker"),
        [
            "docker-build [name body] Run «docker» build, then «docker» push.",
            "compose [body] Needs «docker», and a compose file.",
        ]
    );
    assert_eq!(
        shown("docker-build images"),
        [
            "docker-build [name description body] Builds «images» in stages. Use when a Dockerfile is slow."
        ]
    );
    assert_eq!(shown("compose"), ["compose [name body] Needs docker, and a «compose» file."]);
    assert_eq!(shown("guilin"), ["guilin [name] 桂林 and 漓江"]);
    assert_eq!(shown("模板"), ["kaoqin [body] 每月考勤表，见PPT«模板»。"]);
}

#[test]
fn only_the_text_that_is_named_is_looked_at() {
    let world = small();
    let mut index = world.index();
    for (query, field, names) in [
        ("docker", Field::Name, &["docker-build"][..]),
        ("docker", Field::Description, &[]),
        ("docker", Field::Body, &["docker-build", "compose"]),
        ("docker images", Field::Description, &[]),
        ("images stages OR nothing", Field::Description, &["docker-build"]),
        ("漓江", Field::Description, &["guilin"]),
        ("漓江", Field::Body, &[]),
    ] {
        let found = world.found_in(&mut index, query, Some(field));
        assert_eq!(world.named(&found), names, "{query} in {field:?}");
        assert!(found.hits.iter().all(|hit| hit.fields == [field]), "{query}: {found:#?}");
    }
}

#[test]
fn tags_and_when_to_use_are_part_of_the_description() {
    let world = World::new(&[]);
    let header = "name: x\ndescription: D.\nwhen_to_use: at dusk\ntags: [invoices, mail]";
    world.system.write("/a/x/SKILL.md", format!("---\n{header}\n---\n"));
    world.system.advance(3_600);
    let mut index = world.index();
    for query in ["dusk", "invoices", "mail"] {
        let found = world.found_in(&mut index, query, Some(Field::Description));
        assert_eq!(found.total, 1, "{query}");
    }
}

#[test]
fn a_skill_without_a_description_that_is_found_by_its_name_shows_how_it_begins() {
    let world = World::new(&[]);
    world.system.write(
        "/a/disk/SKILL.md",
        "---\nname: disk\ntags: [linux]\n---\n# Disks\n\nUse it when one is full. More.\n",
    );
    world.system.advance(3_600);
    let found = world.found(&mut world.index(), "disk");
    assert_eq!(found.hits[0].snippet.as_str(), "Use it when one is full.");
}

#[test]
fn a_name_is_before_a_description_and_that_before_many_words_of_a_body() {
    let many = "kiln ".repeat(200);
    let world = World::new(&[
        ("/a/pots", "About pots.", &many),
        ("/a/glaze", "Use for a kiln.", "Fire it."),
        ("/a/kiln-care", "Keeps it clean.", "Brush it."),
        ("/a/kiln", "Heats.", "Wait."),
        ("/a/others", "Another thing.", "Nothing of it."),
        ("/a/more", "One more thing.", "Nothing of it."),
        ("/a/yet-more", "One more.", "Nothing of it."),
    ]);
    assert_eq!(world.names(&mut world.index(), "kiln"), ["kiln", "kiln-care", "glaze", "pots"]);
}

#[test]
fn use_tells_between_what_is_alike_and_never_outranks_a_name() {
    let world = World::new(&[
        ("/a/one/fire-kiln", "Fires it.", "Wait."),
        ("/a/two/heat-kiln", "Heats it.", "Wait."),
        ("/a/pots", "About a kiln: the kiln.", "The kiln is a kiln, and the kiln."),
        ("/a/kiln", "Heats.", "Wait."),
        ("/a/other", "Something else.", "Wait."),
        ("/a/another", "Something else.", "Wait."),
        ("/a/yet-another", "Something else.", "Wait."),
        ("/a/last", "Something else.", "Wait."),
        ("/a/really-last", "Something else.", "Wait."),
    ]);
    let mut index = world.index();
    let library = world.library();
    let query = Query::parse("kiln");
    let mut order = |used: &str, times: u64| {
        let uses = |row: usize| if library.skills[row].name.as_str() == used { times } else { 0 };
        let asked = Asked { query: &query, field: None, limit: 9, wanted: &|_| true, uses: &uses };
        world.named(&index.search(&asked, &library, &world.system).unwrap())
    };
    assert_eq!(order("", 0), ["kiln", "fire-kiln", "heat-kiln", "pots"]);
    assert_eq!(order("heat-kiln", 3), ["kiln", "heat-kiln", "fire-kiln", "pots"]);
    assert_eq!(order("heat-kiln", u64::MAX)[0], "kiln");
    assert_eq!(order("pots", u64::MAX), ["kiln", "fire-kiln", "heat-kiln", "pots"]);
}

#[test]
fn what_does_not_count_is_last() {
    let world = World::new(&[
        ("/a/ops/deploy", "Ships it.", "Go."),
        ("/b/ops/deploy", "Deploy, deploy and deploy.", "Deploy!"),
        ("/a/ops/deploy/references/deploy", "An example.", "Go."),
        ("/a/notes", "Meetings.", "Never deploy on Fridays."),
    ]);
    world.system.link("/a/deploy", "/nowhere");
    world.system.advance(3_600);
    let found = world.found(&mut world.index(), "deploy");
    let library = world.library();
    let standings: Vec<_> =
        found.hits.iter().map(|hit| library.skills[hit.row].standing.word()).collect();
    assert_eq!(standings[..2], ["live", "live"], "{standings:?}");
    let mut rest = standings[2..].to_vec();
    rest.sort_unstable();
    assert_eq!(rest, ["broken", "shadowed", "support"]);
}

#[test]
fn what_is_not_wanted_is_neither_found_nor_counted_and_the_rest_is_counted_whole() {
    let world = small();
    let mut index = world.index();
    let library = world.library();
    let query = Query::parse("docker OR book OR fox");
    let hidden = |row: usize| library.skills[row].name.as_str() != "docker-build";
    let asked = Asked { query: &query, field: None, limit: 1, wanted: &hidden, uses: &|_| 0 };
    let found = index.search(&asked, &library, &world.system).unwrap();
    assert_eq!((found.hits.len(), found.total), (1, 3));
    assert_eq!(world.named(&found), ["wrong-book"]);
}

#[test]
fn a_link_that_leads_out_brings_no_private_file_into_the_index() {
    let world = small();
    world.system.write("/home/secret.txt", "The password is swordfish.");
    world.system.link("/a/trap/SKILL.md", "/home/secret.txt");
    world.system.advance(3_600);
    let mut index = world.index();
    assert_eq!(world.names(&mut index, "swordfish OR password"), [""; 0]);
    assert_eq!(world.names(&mut index, "trap"), ["trap"]);
}

#[test]
fn one_index_serves_several_sets_of_roots() {
    let world = small();
    world.lay("/elsewhere/docker-farm", "Many dockers.", "docker docker docker");
    world.system.advance(3_600);
    drop(world.index());
    let other = Root { path: "/elsewhere".into(), label: OneLine::new("e"), category: None };
    let library = scan(&world.system, &[other], None);
    let mut index = world.open();
    let updated = index.update(&library, &world.system).unwrap();
    assert_eq!((updated.stored, updated.removed), (1, 0));
    let query = Query::parse("docker");
    let asked = Asked { query: &query, field: None, limit: 9, wanted: &|_| true, uses: &|_| 0 };
    let found = index.search(&asked, &library, &world.system).unwrap();
    assert_eq!((found.total, found.hits[0].row), (1, 0));
    index.save(&world.system).unwrap();
    let updated = world.open().update(&world.library(), &world.system).unwrap();
    assert_eq!((updated.read, updated.removed), (0, 0), "what is elsewhere is kept too");
}
