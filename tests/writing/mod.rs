//! Skills made, written, edited and erased from the command line: what is printed, what is refused, and that a refusal
//! leaves nothing behind. The real program on real files.

mod hostile;
mod new;
mod person;
mod write;

use std::{fs, io::Write as _, process::Stdio};

use serde_json::Value;

use crate::{
    keeping::{Keeping, ROOT},
    support::Ran,
};

impl Keeping {
    /// The same where an agent calls: at no terminal, without the token.
    pub fn agent() -> Keeping {
        Keeping { token: None, ..Keeping::owned() }
    }

    /// The same where a person calls, who shows the token.
    pub fn by_a_person(self) -> Keeping {
        let token = fs::read_to_string(self.machine.path("home/token")).unwrap();
        Keeping { token: Some(token.trim().to_owned()), ..self }
    }

    /// Runs it with this on its standard input.
    fn fed(&self, arguments: &[&str], input: &str) -> Ran {
        let mut command = self.machine.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        self.machine.finish(child.wait_with_output().unwrap())
    }

    pub fn json(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.ok(&[&["--json"], arguments].concat()).stdout).unwrap()
    }

    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.machine.path(&format!("{ROOT}/{path}"))).unwrap()
    }

    /// The hash that `show` prints of a file.
    pub fn hash(&self, name: &str, path: &str) -> String {
        self.json(&["show", name, path])["hash"].as_str().unwrap().to_owned()
    }

    /// How many changes are on record, and a mark of all that the ledger's files hold.
    fn ledger(&self) -> (usize, u64) {
        use std::hash::{DefaultHasher, Hash as _, Hasher as _};
        let log = self.json(&["log", "--last", "1000"]);
        let mut mark = DefaultHasher::new();
        for file in ["keep.db", "keep.db-wal"] {
            fs::read(self.machine.path(&format!("home/{file}")))
                .unwrap_or_default()
                .hash(&mut mark);
        }
        (log["changes"].as_array().unwrap().len(), mark.finish())
    }

    /// What it says where it refuses, and that this left the library and its history as they were.
    fn refused(&self, status: i32, arguments: &[&str]) -> String {
        let before = (self.tree(), self.ledger().0);
        let said = self.no(status, arguments);
        assert_eq!((self.tree(), self.ledger().0), before, "{arguments:?}");
        said
    }
}

pub fn skill(name: &str, description: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n{body}")
}
