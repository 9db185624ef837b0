//! Whatever becomes of the index's file, what is found is the same; the damage is told, and mended.

use std::path::Path;

use rusqlite::{Connection, MAIN_DB};

use super::{FILE, World, small};
use crate::{
    search::{State, file},
    system::System as _,
};

fn bytes(world: &World) -> Vec<u8> {
    world.system.read(Path::new(FILE), u64::MAX).unwrap()
}

/// Everything that these queries find.
fn answers(world: &World, index: &mut super::Index) -> Vec<super::Found> {
    ["docker", "wrong-book", "fox", "考勤", "a", "unheard-of"]
        .map(|query| world.found(index, query))
        .to_vec()
}

#[test]
fn flipped_bytes_and_cuts_are_told_and_mended_and_change_no_answer() {
    let world = small();
    let expected = answers(&world, &mut world.index());
    let whole = bytes(&world);
    let flips = (0..whole.len()).step_by(whole.len() / 60).map(|at| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x40;
        bytes
    });
    let cuts = (0..whole.len()).step_by(whole.len() / 20).map(|length| whole[..length].to_vec());
    let longer = [[whole.as_slice(), b"more"].concat()];
    for damaged in flips.chain(cuts).chain(longer) {
        world.system.write(FILE, damaged);
        let mut index = world.index();
        assert!(matches!(index.state(), State::Damaged(_)), "{:?}", index.state());
        assert_eq!(answers(&world, &mut index), expected);
        assert_eq!(world.open().state(), &State::Whole, "it is mended");
    }
}

#[test]
fn files_of_others_and_of_newer_programs_stay_as_they_are_and_the_search_works() {
    let world = small();
    let expected = answers(&world, &mut world.index());
    let mut newer = bytes(&world);
    newer.truncate(newer.len() - 16);
    newer[63] = 99;
    let newer_whole = {
        file::write(&world.system, Path::new(FILE), &newer).unwrap();
        bytes(&world)
    };
    for (content, state) in [
        (b"a letter to my aunt, which is no index".repeat(200), State::Foreign),
        (foreign(), State::Foreign),
        (newer, State::Newer),
        (newer_whole, State::Newer),
    ] {
        world.system.write(FILE, &content);
        let mut index = world.index();
        assert_eq!(index.state(), &state);
        assert_eq!(answers(&world, &mut index), expected);
        assert!(bytes(&world) == content, "it is not touched: {state:?}");
    }
    world.system.remove(FILE);
    world.system.folder(FILE);
    let mut index = world.index();
    assert!(matches!(index.state(), State::Unreadable(_)), "{:?}", index.state());
    assert_eq!(answers(&world, &mut index), expected);
}

/// Somebody's SQLite file.
fn foreign() -> Vec<u8> {
    let mut base = Connection::open_in_memory().unwrap();
    base.execute_batch("CREATE TABLE letters (text)").unwrap();
    base.serialize(MAIN_DB).unwrap().to_vec()
}

/// The kept database, changed by a statement, with a hash that fits: what no accident does.
fn forge(world: &World, statement: &str) {
    let (_, database) = file::read(&world.system, Path::new(FILE));
    let database = database.unwrap();
    let mut base = Connection::open_in_memory().unwrap();
    base.deserialize_read_exact(MAIN_DB, database.as_slice(), database.len(), false).unwrap();
    base.execute_batch(statement).unwrap();
    let forged = base.serialize(MAIN_DB).unwrap();
    file::write(&world.system, Path::new(FILE), &forged).unwrap();
}

#[test]
fn a_database_that_sqlite_refuses_is_made_anew_though_its_hash_fits() {
    for statement in [
        "DROP TABLE words",
        "DROP TABLE files",
        "DROP TABLE words; CREATE TABLE words (name, description, body)",
        "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = 'nonsense' WHERE name = 'files'",
        "UPDATE words_data SET block = x'ffffffffffffffffffffffffffffffff' WHERE id > 1000",
    ] {
        let world = small();
        let expected = answers(&world, &mut world.index());
        forge(&world, statement);
        let mut index = world.index();
        assert_eq!(answers(&world, &mut index), expected, "{statement}");
        assert!(matches!(index.state(), State::Damaged(_)), "{statement}: {:?}", index.state());
        index.save(&world.system).unwrap();
        assert_eq!(answers(&world, &mut world.index()), expected, "{statement}, mended");
    }
}

#[test]
fn no_index_makes_a_skill_show_words_that_are_not_its_own() {
    let world = small();
    drop(world.index());
    // Each skill is taken for the next one.
    forge(
        &world,
        "CREATE TEMP TABLE next AS SELECT id, lead(path, 1, '') OVER (ORDER BY id) AS path FROM files;
         UPDATE files SET path = CAST('x' || id AS BLOB);
         UPDATE files SET path = (SELECT path FROM next WHERE next.id = files.id) WHERE id < 7;",
    );
    let mut index = world.open();
    index.update(&world.library(), &world.system).unwrap();
    let library = world.library();
    for query in ["docker", "fox", "考勤", "mistakes", "containers"] {
        for hit in world.found(&mut index, query).hits {
            let skill = &library.skills[hit.row];
            let text = world.system.read(&library.path_of(hit.row).unwrap(), u64::MAX).unwrap();
            let text = String::from_utf8(text).unwrap().to_lowercase();
            assert!(text.contains(query), "`{query}` is not in {}: {}", skill.name, hit.snippet);
        }
    }
}
