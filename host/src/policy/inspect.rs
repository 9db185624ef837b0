//! What a component is, from its bytes alone: nothing is compiled and nothing is run.

use wasmparser::{
    ComponentExternalKind, Encoding, Parser, Payload, Validator, WasmFeatures,
    component_types::{ComponentAnyTypeId, ComponentEntityType},
    types::TypesRef,
};

use super::{CONTRACT, CONTRACT_VERSION, error::LoadError};
use crate::{decision::Slot, skill::OneLine};

/// The largest component that is looked at, in bytes.
pub const MAX_COMPONENT_BYTES: u64 = 8 << 20;

/// Something that a component wants to be given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Import {
    /// Its name, such as `wasi:clocks/wall-clock@0.2.0`.
    pub name: String,
}

/// What a component is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inspection {
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256, in hexadecimal.
    pub digest: String,
    /// What it imports; types alone are no import.
    pub imports: Vec<Import>,
    /// What it exports.
    pub exports: Vec<String>,
    /// Slots of the contract in this host's version whose decisions it exports.
    pub slots: Vec<Slot>,
    /// Whether it exports `policy` of this host's version.
    pub describes: bool,
    /// Versions of the contract that its exports name.
    pub versions: Vec<String>,
}

/// Reads a component's bytes whole and says what it is.
///
/// # Errors
/// Where it is no component, too large, or damaged.
pub fn inspect(bytes: &[u8]) -> Result<Inspection, LoadError> {
    if bytes.len() as u64 > MAX_COMPONENT_BYTES {
        return Err(LoadError::TooLarge { bytes: bytes.len() as u64 });
    }
    if !bytes.starts_with(b"\0asm") {
        return Err(LoadError::NotWasm { found: looks_like(bytes) });
    }
    let (imports, exports) = parse(bytes)?;
    let (mut slots, mut describes, mut versions) = (Vec::new(), false, Vec::new());
    for export in &exports {
        let Some((interface, version)) = of_contract(export) else { continue };
        if !versions.contains(&version.to_owned()) {
            versions.push(version.to_owned());
        }
        if !speaks(version) {
            continue;
        }
        match Slot::from_word(interface) {
            Some(slot) => slots.push(slot),
            None => describes |= interface == "policy",
        }
    }
    slots.sort_unstable();
    Ok(Inspection { bytes: bytes.len() as u64, digest: digest(bytes), imports, exports, slots, describes, versions })
}

impl Inspection {
    /// Whether this host may go on and compile it: it imports nothing and has a world of the contract.
    ///
    /// # Errors
    /// What stands in the way, the import before the version, the version before the world.
    pub fn admit(&self) -> Result<(), LoadError> {
        if !self.imports.is_empty() {
            return Err(LoadError::Imports {
                imports: self.imports.iter().map(|import| import.name.clone()).collect(),
                wasi: self.imports.iter().any(|import| import.name.starts_with("wasi")),
            });
        }
        if let Some(found) = self.versions.iter().find(|version| !speaks(version)) {
            return Err(LoadError::OtherVersion { found: found.clone(), newer: is_newer(found) });
        }
        if self.slots.is_empty() || !self.describes {
            return Err(LoadError::NoWorld { exports: self.exports.clone() });
        }
        Ok(())
    }
}

/// SHA-256 in hexadecimal.
pub(super) fn digest(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The interface and the version, where an export is one of the contract's.
fn of_contract(export: &str) -> Option<(&str, &str)> {
    export.strip_prefix(CONTRACT)?.strip_prefix('/')?.split_once('@')
}

/// Whether a version is of the track that this host speaks: below 1.0 the minor number is the track.
fn speaks(version: &str) -> bool {
    let (major, minor, _) = CONTRACT_VERSION;
    let mut parts = version.split('.');
    parts.next() == Some(&major.to_string()) && parts.next() == Some(&minor.to_string())
}

fn is_newer(version: &str) -> bool {
    let numbers: Vec<u64> = version
        .split(['.', '-', '+'])
        .take(3)
        .map(|part| part.parse().unwrap_or(0))
        .collect();
    let (major, minor, patch) = CONTRACT_VERSION;
    numbers.as_slice() > [major, minor, patch].as_slice()
}

/// Imports and exports of the outermost component, after every byte has been validated: a parser that is sure of the
/// whole file is what keeps a truncated one from the compiler.
fn parse(bytes: &[u8]) -> Result<(Vec<Import>, Vec<String>), LoadError> {
    let damaged = |offset: u64, reason: &str| LoadError::Damaged {
        offset,
        bytes: bytes.len() as u64,
        reason: OneLine::capped(reason, 200),
    };
    let fail = |error: wasmparser::BinaryReaderError| damaged(error.offset() as u64, error.message());
    let (mut imports, mut exports, mut depth) = (Vec::new(), Vec::new(), 0_usize);
    for payload in Parser::new(0).parse_all(bytes) {
        match payload.map_err(fail)? {
            Payload::Version { encoding: Encoding::Module, .. } if depth == 0 => {
                return Err(LoadError::CoreModule);
            }
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth = depth.saturating_sub(1),
            Payload::ComponentImportSection(section) if depth == 0 => {
                for import in section {
                    imports.push(import.map_err(fail)?.name.name.to_owned());
                }
            }
            Payload::ComponentExportSection(section) if depth == 0 => {
                for export in section {
                    let export = export.map_err(fail)?;
                    if export.kind != ComponentExternalKind::Type {
                        exports.push(OneLine::capped(export.name.name, 200).as_str().to_owned());
                    }
                }
            }
            _ => {}
        }
    }
    let types = Validator::new_with_features(WasmFeatures::default()).validate_all(bytes).map_err(fail)?;
    let imports = imports
        .into_iter()
        .filter(|name| !names_types_only(types.as_ref(), name))
        .map(|name| Import { name: OneLine::capped(&name, 200).as_str().to_owned() })
        .collect();
    Ok((imports, exports))
}

/// Whether an import asks for nothing that could run: types that are equal to something, or an instance of only such.
/// The contract's `facts` are shared that way.
fn names_types_only(types: TypesRef<'_>, name: &str) -> bool {
    let is_type = |ty: &ComponentEntityType| match ty {
        ComponentEntityType::Type { created: ComponentAnyTypeId::Resource(_), .. } => false,
        ComponentEntityType::Type { .. } => true,
        _ => false,
    };
    match types.component_item_for_import(name).map(|item| item.ty) {
        Some(ComponentEntityType::Instance(instance)) => {
            types.get(instance).is_some_and(|instance| instance.exports.values().all(|export| is_type(&export.ty)))
        }
        Some(other) => is_type(&other),
        None => false,
    }
}

fn looks_like(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "an empty file".to_owned();
    }
    match std::str::from_utf8(bytes.get(..bytes.len().min(200)).unwrap_or(bytes)) {
        Ok(text) => {
            let start = OneLine::capped(text, 24);
            format!("text that begins `{start}`")
        }
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => "text".to_owned(),
        Err(_) => format!("{} bytes of something else", bytes.len()),
    }
}
