//! Encodes each world of the contract as the custom section that tells `wit-component` what a component exports.
//!
//! `wit-bindgen` writes such a section for the one world that it generates. The SDK generates all slots at once, so that
//! they share their types, and an author exports one of them: so the sections of the single worlds are made here.
#![allow(clippy::disallowed_methods, reason = "a build script is an edge of its own")]

use std::error::Error;
use std::path::Path;
use std::{env, fs};
use wit_component::{StringEncoding, metadata};
use wit_parser::Resolve;

const WORLDS: [&str; 4] =
    ["demotion-policy", "budget-policy", "curator-policy", "provenance-policy"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=wit/policy.wit");
    let out = env::var_os("OUT_DIR").ok_or("`OUT_DIR` is not set")?;
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path("wit")?;
    for world in WORLDS {
        let id = resolve.select_world(&[package], Some(world))?;
        let section = metadata::encode(&resolve, id, StringEncoding::UTF8, None)?;
        fs::write(Path::new(&out).join(format!("{world}.section")), section)?;
    }
    Ok(())
}
