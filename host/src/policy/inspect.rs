//! What a component is, from its bytes alone: nothing is compiled and nothing is run.

use serde::{Deserialize, Serialize};
use wasmparser::{
    ComponentExternalKind, ComponentInstance, Encoding, FuncToValidate, FuncValidatorAllocations,
    FunctionBody, Parser, Payload, ValidPayload, Validator, ValidatorResources, WasmFeatures,
    component_types::{ComponentAnyTypeId, ComponentEntityType},
    types::{Types, TypesRef},
};

use super::{
    CONTRACT, CONTRACT_VERSION, error::LoadError, limits::MAX_COMPONENT_BYTES,
    threads::on_deep_thread,
};
use crate::{decision::Slot, skill::OneLine};

/// How deep components may lie in components. What the encoder makes has one level.
const MAX_LEVELS: usize = 8;

/// How many components may be instantiated within a component, at all levels together. What the encoder makes has one
/// for each interface. A component that has the one before twice, forty times over, is a small file and a compiler's
/// whole life: sixteen can unfold to some hundreds.
const MAX_INSTANCES: usize = 16;

/// Bytes of all component types at all levels together. What the encoder makes for a policy has some two thousand.
const MAX_TYPE_BYTES: usize = 32 << 10;

/// Something that a component wants to be given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// Its name, such as `wasi:clocks/wall-clock@0.2.0`.
    pub name: String,
}

/// What a component is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// Whether a component is validated, which takes a millisecond for each 50 kB.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Code {
    /// It is a stranger's.
    Checked,
    /// It is part of this program, whose tests have checked it.
    Trusted,
}

/// Reads a component's bytes whole and says what it is.
///
/// # Errors
/// Where it is no component, too large, or damaged.
pub fn inspect(bytes: &[u8]) -> Result<Inspection, LoadError> {
    read(bytes, digest(bytes), Code::Checked)
}

/// The same with its digest at hand.
pub(super) fn read(bytes: &[u8], digest: String, code: Code) -> Result<Inspection, LoadError> {
    if bytes.len() as u64 > MAX_COMPONENT_BYTES {
        return Err(LoadError::TooLarge { bytes: bytes.len() as u64 });
    }
    if !bytes.starts_with(b"\0asm") {
        return Err(LoadError::NotWasm { found: looks_like(bytes) });
    }
    let (imports, exports) = match code {
        Code::Trusted => parse(bytes, code),
        // The parser calls itself for types within types: a stranger's have a limit, and a stack that is enough for it.
        Code::Checked => on_deep_thread(|| parse(bytes, code)).unwrap_or_else(|error| {
            Err(LoadError::CompileStopped { reason: format!("its thread failed: {error}") })
        }),
    }?;
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
    Ok(Inspection {
        bytes: bytes.len() as u64,
        digest,
        imports,
        exports,
        slots,
        describes,
        versions,
    })
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

/// What a component is called by: the SHA-256 of its bytes, in hexadecimal.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
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
    let numbers: Vec<u64> =
        version.split(['.', '-', '+']).take(3).map(|part| part.parse().unwrap_or(0)).collect();
    let (major, minor, patch) = CONTRACT_VERSION;
    numbers.as_slice() > [major, minor, patch].as_slice()
}

/// What would keep a validator or a compiler busy for hours, counted before either sees it.
#[derive(Default)]
struct Parts {
    level: usize,
    instances: usize,
    type_bytes: usize,
}

impl Parts {
    fn add(&mut self, payload: &Payload<'_>) -> Result<(), LoadError> {
        match payload {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => self.level += 1,
            Payload::End(_) => self.level = self.level.saturating_sub(1),
            Payload::ComponentTypeSection(section) => self.type_bytes += section.range().len(),
            Payload::ComponentInstanceSection(section) => {
                let made = section.clone().into_iter().flatten();
                self.instances +=
                    made.filter(|i| matches!(i, ComponentInstance::Instantiate { .. })).count();
            }
            _ => {}
        }
        if self.level > MAX_LEVELS {
            return Err(LoadError::TooManyParts { most: MAX_LEVELS, what: "levels of components" });
        }
        if self.instances > MAX_INSTANCES {
            return Err(LoadError::TooManyParts {
                most: MAX_INSTANCES,
                what: "instances of components",
            });
        }
        if self.type_bytes > MAX_TYPE_BYTES {
            return Err(LoadError::TooManyParts { most: MAX_TYPE_BYTES, what: "bytes of types" });
        }
        Ok(())
    }
}

/// The validation of a whole component: its structure as it is read, then the code of its functions.
struct Check<'a> {
    validator: Validator,
    functions: Vec<(FuncToValidate<ValidatorResources>, FunctionBody<'a>)>,
    types: Option<Types>,
}

impl Default for Check<'_> {
    fn default() -> Self {
        let validator = Validator::new_with_features(WasmFeatures::default());
        Check { validator, functions: Vec::new(), types: None }
    }
}

impl<'a> Check<'a> {
    fn add(&mut self, payload: &Payload<'a>) -> wasmparser::Result<()> {
        match self.validator.payload(payload)? {
            ValidPayload::Func(function, body) => self.functions.push((function, body)),
            ValidPayload::End(types) => self.types = Some(types),
            _ => {}
        }
        Ok(())
    }

    /// The types of the outermost component, if it has an end.
    fn finish(self) -> wasmparser::Result<Option<Types>> {
        let mut room = FuncValidatorAllocations::default();
        for (function, body) in self.functions {
            let mut function = function.into_validator(room);
            function.validate(&body)?;
            room = function.into_allocations();
        }
        Ok(self.types)
    }
}

/// Imports and exports of the outermost component, after every byte has been validated: a parser that is sure of the
/// whole file is what keeps a truncated one from the compiler.
fn parse(bytes: &[u8], code: Code) -> Result<(Vec<Import>, Vec<String>), LoadError> {
    let damaged = |offset: u64, reason: &str| LoadError::Damaged {
        offset,
        bytes: bytes.len() as u64,
        reason: OneLine::capped(reason, 200),
    };
    let fail =
        |error: wasmparser::BinaryReaderError| damaged(error.offset() as u64, error.message());
    let (mut imports, mut exports, mut depth) = (Vec::new(), Vec::new(), 0_usize);
    let mut check = (code == Code::Checked).then(Check::default);
    let mut parts = Parts::default();
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload.map_err(fail)?;
        parts.add(&payload)?;
        if let Some(check) = &mut check {
            check.add(&payload).map_err(fail)?;
        }
        match payload {
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
    // A component that is part of the program imports types alone.
    let Some(check) = check else { return Ok((Vec::new(), exports)) };
    let types = check.finish().map_err(fail)?;
    let types = types.ok_or_else(|| damaged(bytes.len() as u64, "it has no end"))?;
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
        Some(ComponentEntityType::Instance(instance)) => types
            .get(instance)
            .is_some_and(|instance| instance.exports.values().all(|export| is_type(&export.ty))),
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
