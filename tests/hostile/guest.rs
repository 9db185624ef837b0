//! Components made on the spot: a core module in text, given a world of the contract. A [`Guest`] is decent until a test
//! replaces one of its parts, so that each is hostile in one place only.

use skillkeep::decision::Slot;
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

use super::layout::{Answer, Data, Info};

/// The contract as it is.
pub const CONTRACT: &str = include_str!("../../wit/policy-0.1/policy.wit");

/// A policy, part by part. Code is the body of a function in the text format.
pub struct Guest {
    pub slot: Slot,
    pub data: Data,
    pub memory: String,
    /// Whatever else the module has: functions, tables, a start.
    pub extra: String,
    pub describe: String,
    pub check_settings: String,
    pub decide: String,
    pub realloc: String,
    pub post: String,
    pub wit: String,
    pub world: String,
    pub version: String,
}

/// What a decent guest says of itself.
pub fn decent_info() -> Info {
    Info {
        name: "hostile".to_owned(),
        version: "1.0.0".to_owned(),
        summary: "A policy for tests".to_owned(),
        parameters: Vec::new(),
        needs: Vec::new(),
        wants: Vec::new(),
        reasons: vec![("because".to_owned(), "because of {0}".to_owned())],
    }
}

/// The same choice for rows `0..rows`, for the one declared reason.
pub fn all(rows: u32, choice: u8) -> Answer {
    Answer {
        proposals: (0..rows).map(|row| (row, choice, 0)).collect(),
        reasons: vec![("because".to_owned(), vec!["a test".to_owned()])],
    }
}

/// Room for arguments: what is asked for goes after the data, in one direction.
const BUMP: &str = "
    (local $at i32)
    (local.set $at (i32.and
        (i32.add (global.get $next) (i32.sub (local.get $align) (i32.const 1)))
        (i32.sub (i32.const 0) (local.get $align))))
    (global.set $next (i32.add (local.get $at) (local.get $size)))
    (local.get $at)";

/// A body that never ends.
pub const FOREVER: &str = "(loop $again (br $again)) (unreachable)";

/// A body that answers with the record at an address.
pub fn give(address: u32) -> String {
    format!("(i32.const {address})")
}

impl Guest {
    /// A decent budget policy: it counts every one of six skills.
    pub fn budget() -> Guest {
        Guest::new(Slot::Budget, &decent_info(), &all(6, 3))
    }

    /// A decent demotion policy: it leaves both of two categories as they are.
    pub fn demotion() -> Guest {
        Guest::new(Slot::Demotion, &decent_info(), &all(2, 0))
    }

    /// A policy that says just this.
    pub fn new(slot: Slot, info: &Info, answer: &Answer) -> Guest {
        let mut data = Data::new();
        let (info, answer) = (data.info(info), data.answer(answer));
        let fine = data.place(super::layout::Record::default().word(0).slice((0, 0)));
        Guest {
            slot,
            data,
            memory: String::new(),
            extra: String::new(),
            describe: give(info),
            check_settings: give(fine),
            decide: give(answer),
            realloc: BUMP.to_owned(),
            post: String::new(),
            wit: CONTRACT.to_owned(),
            world: format!("{slot}-policy"),
            version: "0.1.0".to_owned(),
        }
    }

    /// The same with other code for `decide`.
    pub fn deciding(mut self, body: impl Into<String>) -> Guest {
        self.decide = body.into();
        self
    }

    /// The same with what `decide` answers laid out by the test.
    pub fn answering(mut self, lay: impl FnOnce(&mut Data) -> u32) -> Guest {
        self.decide = give(lay(&mut self.data));
        self
    }

    /// The same as if the contract were another one.
    pub fn under(mut self, edits: &[(&str, &str)]) -> Guest {
        for (from, to) in edits {
            assert!(self.wit.contains(from), "the contract has no `{from}`");
            self.wit = self.wit.replace(from, to);
        }
        self
    }

    /// The same for another version of the contract.
    pub fn of_version(self, version: &str) -> Guest {
        let mut guest =
            self.under(&[("skillkeep:policy@0.1.0", &format!("skillkeep:policy@{version}"))]);
        guest.version = version.to_owned();
        guest
    }

    /// The core module.
    pub fn module(&self) -> String {
        let Guest { slot, version, describe, check_settings, decide, realloc, post, extra, .. } =
            self;
        let heap = self.data.end();
        let memory = if self.memory.is_empty() {
            format!("(memory (export \"memory\") {})", heap / 65_536 + 17)
        } else {
            self.memory.clone()
        };
        let arguments = match slot {
            Slot::Budget => {
                "(param i64 i64 i32 i32 i32 i32) (param $limit i32) (param i32 i32 i32 i32 i32 i32 i32)"
            }
            Slot::Provenance => "(param i64 i64 i32 i32 i32 i32 i32 i32 i32 i32)",
            _ => "(param i64 i64 i32 i32 i32 i32 i32 i32 i32 i32 i32 i32)",
        };
        let policy = format!("skillkeep:policy/policy@{version}");
        let decision = format!("skillkeep:policy/{slot}@{version}");
        let has = |interface: &str| self.world != format!("without-{interface}");
        let mut exports = String::new();
        if has("policy") {
            exports.push_str(&format!(
                "(func (export \"{policy}#describe\") (result i32) {describe})
                 (func (export \"{policy}#check-settings\") (param i32 i32) (result i32) {check_settings})"
            ));
        }
        if has("decision") {
            exports.push_str(&format!(
                "(func (export \"{decision}#decide\") {arguments} (result i32) {decide})
                 (func (export \"cabi_post_{decision}#decide\") (param i32) {post})"
            ));
        }
        format!(
            "(module
                {extra}
                {memory}
                {data}
                (global $next (mut i32) (i32.const {heap}))
                (func $realloc (export \"cabi_realloc\")
                    (param $old i32) (param $had i32) (param $align i32) (param $size i32) (result i32) {realloc})
                {exports})",
            data = self.data.segment(),
        )
    }

    /// The component.
    pub fn build(&self) -> Vec<u8> {
        let mut resolve = Resolve::default();
        let package = resolve.push_str("policy.wit", &self.wit).unwrap();
        let world = resolve.select_world(&[package], Some(&self.world)).unwrap();
        let mut module = wat::parse_str(self.module()).unwrap();
        embed_component_metadata(&mut module, &resolve, world, StringEncoding::UTF8).unwrap();
        ComponentEncoder::default().module(&module).unwrap().validate(true).encode().unwrap()
    }
}
