//! What `wit-bindgen` makes of the contract: all slots at once, so that they share the types of `facts`.
//!
//! Nothing here is written by hand beside the sections of the worlds. Authors use the names that other modules
//! re-export; only the export macros, which expand in the author's crate, reach in.
#![allow(missing_docs, reason = "the documentation of the contract stands in `policy.wit`")]
#![allow(unused_qualifications, reason = "generated code")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::allow_attributes_without_reason,
    reason = "generated code"
)]

wit_bindgen::generate!({
    inline: "
        package skillkeep:sdk;
        world every-slot {
            export skillkeep:policy/policy@0.1.0;
            export skillkeep:policy/demotion@0.1.0;
            export skillkeep:policy/budget@0.1.0;
            export skillkeep:policy/curator@0.1.0;
            export skillkeep:policy/provenance@0.1.0;
        }
    ",
    path: "wit",
    world: "skillkeep:sdk/every-slot",
    pub_export_macro: true,
    export_macro_name: "export_every_slot",
    default_bindings_module: "skillkeep_policy::bindings",
    additional_derives: [PartialEq],
    generate_all,
});

pub use exports::skillkeep::policy as slots;

/// The custom sections that name the world a component is built for.
pub mod worlds {
    pub const DEMOTION: &[u8] =
        include_bytes!(concat!(env!("OUT_DIR"), "/demotion-policy.section"));
    pub const BUDGET: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/budget-policy.section"));
    pub const CURATOR: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/curator-policy.section"));
    pub const PROVENANCE: &[u8] =
        include_bytes!(concat!(env!("OUT_DIR"), "/provenance-policy.section"));

    /// The bytes of a section as an array, as a `link_section` static wants them.
    #[must_use]
    pub const fn array<const N: usize>(section: &[u8]) -> [u8; N] {
        let mut bytes = [0; N];
        let mut at = 0;
        while at < N {
            bytes[at] = section[at];
            at += 1;
        }
        bytes
    }
}
