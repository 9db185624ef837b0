//! Single steps and what they answer.

use super::{script::holds, worlds};
use crate::system::At;

#[test]
fn files_and_folders_get_exactly_the_permissions_asked_for() {
    holds(
        "
        folder a 777 -> ok
        held a -> folder 777
        folder a/b 700 -> ok
        held a/b -> folder 700
        write a/f 666 text -> ok
        held a/f -> file 666 4
        write a/x 4755 -> ok
        held a/x -> file 4755 0
        write a/read 444 text -> ok
        mode a/read 600 -> ok
        held a/read -> file 600 4
        mode a 1750 -> ok
        held a -> folder 1750
        mode / 755 -> ok
        held / -> folder 755
        entries a -> b:Folder f:File read:File x:File
        entries / -> a:Folder
        ",
    );
}

#[test]
fn many_files_are_written_and_synced_together() {
    for many in ["", " 40"] {
        holds(&format!(
            "
            loose f 640 text -> ok
            loose g 600 -> ok
            loose f 644 new -> AlreadyExists
            held f -> file 640 4
            bytes f -> text
            sync-files f g{many} -> ok
            sync-files f h{many} -> NotFound
            "
        ));
    }
}

#[test]
fn folders_are_synced_together_with_files_too_and_those_that_are_gone_are_passed_over() {
    for many in ["", " 40"] {
        holds(&format!(
            "
            folder a 755 -> ok
            folder a/b 700 -> ok
            write f 644 text -> ok
            sync-folders a a/b{many} -> ok
            sync-folders / gone{many} -> ok
            sync-folders a f{many} -> NotADirectory
            sync-all f a{many} -> ok
            sync-all f gone{many} -> ok
            sync-all gone a{many} -> NotFound
            sync-all a f{many} -> IsADirectory
            sync-all f f{many} -> NotADirectory
            "
        ));
    }
}

#[test]
fn what_nobody_may_read_is_gone_through_and_given_permissions() {
    holds(
        "
        write none 000 text -> ok
        held none -> file 0 4
        mode none 600 -> ok
        bytes none -> text
        mode none 200 -> ok
        mode none 004 -> ok
        held none -> file 4 4
        folder closed 300 -> ok
        write closed/f 600 x -> ok
        bytes closed/f -> x
        move closed/f none2 -> ok
        mode closed 755 -> ok
        entries closed -> nothing
        folder shut 000 -> ok
        held shut -> folder 0
        mode shut 700 -> ok
        ",
    );
}

#[test]
fn nothing_takes_the_place_of_what_is_there() {
    holds(
        "
        folder a 755 -> ok
        write f 644 text -> ok
        link l nowhere -> ok
        folder a 755 -> AlreadyExists
        folder f 755 -> AlreadyExists
        folder l 755 -> AlreadyExists
        write a 644 new -> AlreadyExists
        write f 644 new -> AlreadyExists
        write l 644 new -> AlreadyExists
        bytes f -> text
        move f a -> AlreadyExists
        move a f -> AlreadyExists
        move a l -> AlreadyExists
        move a a -> AlreadyExists
        entries / -> a:Folder f:File l:Link
        ",
    );
}

#[test]
fn a_move_takes_files_links_and_whole_folders() {
    holds(
        "
        folder a 750 -> ok
        folder a/b 755 -> ok
        write a/b/f 640 text -> ok
        link a/l b/f -> ok
        folder c 755 -> ok
        move a c/d -> ok
        held c/d -> folder 750
        bytes c/d/b/f -> text
        held c/d/b/f -> file 640 4
        target c/d/l -> b/f
        held a -> NotFound
        move c/d/b/f g -> ok
        bytes g -> text
        entries c/d/b -> nothing
        move c/d/l l -> ok
        entries / -> c:Folder g:File l:Link
        move a b -> NotFound
        move g a/b -> NotFound
        move g g/b -> NotADirectory
        move c c/d/e -> InvalidInput
        move c c/d -> AlreadyExists
        ",
    );
}

#[test]
fn a_file_replaces_a_file_and_never_a_folder() {
    holds(
        "
        write old 600 old -> ok
        write new 644 newer -> ok
        replace new old -> ok
        bytes old -> newer
        held old -> file 644 5
        held new -> NotFound
        replace old else -> ok
        replace else else -> ok
        bytes else -> newer
        folder empty 755 -> ok
        folder full 755 -> ok
        write full/f 644 -> ok
        replace else empty -> IsADirectory
        replace empty full -> IsADirectory
        replace empty nothing -> IsADirectory
        replace empty else -> IsADirectory
        replace full/f full -> DirectoryNotEmpty
        replace nothing else -> NotFound
        replace nothing nothing -> NotFound
        link l full -> ok
        replace else l -> ok
        held l -> file 644 5
        replace l full/f -> ok
        entries / -> empty:Folder full:Folder
        ",
    );
}

#[test]
fn files_and_empty_folders_are_removed_each_by_its_own_step() {
    holds(
        "
        folder a 755 -> ok
        write a/f 644 -> ok
        link a/l / -> ok
        remove-folder a -> DirectoryNotEmpty
        remove-folder a/f -> NotADirectory
        remove-folder a/l -> NotADirectory
        remove a/l -> ok
        remove a/f -> ok
        remove a/f -> NotFound
        remove a -> IsADirectory
        remove-folder a -> ok
        remove-folder a -> NotFound
        ",
    );
}

#[test]
fn a_link_in_the_way_is_refused_at_each_depth() {
    holds(
        "
        folder real 755 -> ok
        folder real/in 755 -> ok
        write real/in/f 644 text -> ok
        link to real -> ok
        link real/up in -> ok
        link real/in/l f -> ok
        held to/in/f -> NotADirectory
        bytes to/in/f -> NotADirectory
        bytes real/up/f -> NotADirectory
        bytes real/in/l -> FilesystemLoop
        held real/in/l -> link
        entries to -> NotADirectory
        entries real/up -> NotADirectory
        write to/new 644 x -> NotADirectory
        write real/up/new 644 x -> NotADirectory
        folder real/up/new 755 -> NotADirectory
        move real/up/f g -> NotADirectory
        move real/in/f to/g -> NotADirectory
        replace real/in/f real/up/g -> NotADirectory
        remove real/up/f -> NotADirectory
        remove-folder to/in -> NotADirectory
        mode real/in/l 600 -> FilesystemLoop
        mode real/up 700 -> FilesystemLoop
        mode real/up/f 600 -> NotADirectory
        sync to -> NotADirectory
        sync real/up -> NotADirectory
        target to -> real
        target real/in -> InvalidInput
        target real/in/f -> InvalidInput
        bytes real/in/f -> text
        held real/in/f -> file 644 4
        entries real/in -> f:File l:Link
        ",
    );
}

#[test]
fn a_top_folder_that_is_a_link_is_refused() {
    for world in worlds() {
        world.disk().make_folder(At { top: world.top(), below: "real" }, 0o755).unwrap();
        world.link("to", "real");
        let top = world.top().join("to");
        let found = world.disk().entries(At { top: &top, below: "" }).unwrap_err();
        assert_eq!(found.kind(), std::io::ErrorKind::NotADirectory);
        let made = world.disk().make_folder(At { top: &top, below: "new" }, 0o755).unwrap_err();
        assert_eq!(made.kind(), std::io::ErrorKind::NotADirectory);
    }
}

#[test]
fn a_path_is_made_of_names() {
    holds(
        "
        folder a 755 -> ok
        write a/f 644 text -> ok
        held a/../a -> InvalidInput
        held ../a -> InvalidInput
        held ./a -> InvalidInput
        held a//f -> InvalidInput
        held a/ -> InvalidInput
        held /a -> InvalidInput
        held a/\0 -> InvalidInput
        write a/.. 644 x -> InvalidInput
        move a/f a/. -> InvalidInput
        folder / 755 -> InvalidInput
        write / 644 x -> InvalidInput
        bytes / -> InvalidInput
        move / a/b -> InvalidInput
        move a / -> InvalidInput
        replace a/f / -> InvalidInput
        remove / -> InvalidInput
        remove-folder / -> InvalidInput
        sync / -> ok
        held a/F -> NotFound
        write a/... 644 dots -> ok
        write a/ümlaut 644 x -> ok
        entries a -> ...:File f:File ümlaut:File
        ",
    );
    let long = "x".repeat(256);
    holds(&format!("write {long} 644 x -> InvalidFilename\nheld {long} -> InvalidFilename"));
    let just = "x".repeat(255);
    holds(&format!("write {just} 644 x -> ok\nbytes {just} -> x"));
}

#[test]
fn what_is_asked_of_the_wrong_thing_is_an_error() {
    holds(
        "
        folder a 755 -> ok
        write f 644 0123456789 -> ok
        bytes a -> IsADirectory
        bytes f/g -> NotADirectory
        bytes g -> NotFound
        bytes f 4 -> 0123
        bytes f 0 -> nothing
        entries f -> NotADirectory
        entries g -> NotFound
        entries f/g -> NotADirectory
        sync f -> NotADirectory
        sync g -> NotFound
        target g -> NotFound
        mode g 644 -> NotFound
        folder g/h 755 -> NotFound
        write f/g 644 x -> NotADirectory
        remove g/h -> NotFound
        ",
    );
}

#[test]
fn the_inode_goes_with_what_is_moved() {
    for world in worlds() {
        let at = |below| At { top: world.top(), below };
        let disk = world.disk();
        disk.make_folder(at("a"), 0o755).unwrap();
        disk.write_new(at("a/f"), b"x", 0o644).unwrap();
        let inodes = |folder, file| {
            (disk.held(at(folder)).unwrap().inode, disk.held(at(file)).unwrap().inode)
        };
        let before = inodes("a", "a/f");
        disk.move_to(at("a"), at("b")).unwrap();
        assert_eq!(inodes("b", "b/f"), before);
        assert_ne!(before.0, before.1);
    }
}

#[test]
fn random_bits_differ() {
    for world in worlds() {
        let drawn: std::collections::BTreeSet<u64> =
            (0..100).map(|_| world.disk().random()).collect();
        assert_eq!(drawn.len(), 100);
    }
}
