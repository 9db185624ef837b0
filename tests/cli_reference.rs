//! The committed reference of the command line is what the program's help prints.

use std::{fs, path::Path};

#[test]
fn the_reference_is_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cli-reference.md");
    let now = skillkeep::cli::reference();
    if std::env::var_os("SKILLKEEP_BLESS").is_some() {
        fs::write(&file, &now).unwrap();
    }
    let committed = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        committed == now,
        "`tests/cli-reference.md` is not what the help prints; SKILLKEEP_BLESS=1 writes it anew"
    );
}
