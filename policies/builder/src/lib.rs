//! From a policy's crate to a component: a compiler is found, the crate built, its module wrapped and checked, and what the
//! component is of is written into it. The same crate gives the same bytes wherever it lies.
//!
//! It knows how components are made, never what a policy decides, and it runs none.
#![allow(
    clippy::disallowed_methods,
    reason = "a builder is an edge of its own: it reads a crate and runs a compiler"
)]

mod component;
mod error;
mod package;
mod sections;
mod source;
mod toolchain;

pub use component::{Built, slot_of, wrap};
pub use error::BuildError;
pub use package::{CASES, Package};
pub use sections::{About, about, cases, with_sections};
pub use source::{digest, hash};
pub use toolchain::{TARGET, Toolchain};

/// Builds one crate into a component with everything in it that `policy test` and `policy show` read.
///
/// # Errors
/// The first step that fails.
pub fn build(toolchain: &Toolchain, package: &Package) -> Result<Built, BuildError> {
    let elsewhere = toolchain::elsewhere(package)?;
    toolchain.compile(&package.root, &package.target, &[package.name.as_str()], &elsewhere)?;
    finish(toolchain, package)
}

/// The steps after compiling, for a crate whose module is there.
///
/// # Errors
/// The first step that fails.
pub fn finish(toolchain: &Toolchain, package: &Package) -> Result<Built, BuildError> {
    let module = std::fs::read(package.module())
        .map_err(|error| BuildError::io("read the module", &package.module(), &error))?;
    let component = wrap(&module)?;
    let slot = slot_of(&component)?;
    let about = About {
        name: package.name.clone(),
        version: package.version.clone(),
        source: hash(package)?,
    };
    let cases = package.cases()?;
    let bytes = with_sections(component, &about, &cases);
    toolchain.is_clean(&bytes, package)?;
    Ok(Built { bytes, slot, about, cases: cases.into_iter().map(|(name, _)| name).collect() })
}
