//! A cargo and a rustc that can build for wasm32-unknown-unknown, how they are called, and the flags that keep this machine
//! out of the result.

use crate::error::BuildError;
use crate::package::Package;
use crate::source::crates;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What policies are built for.
pub const TARGET: &str = "wasm32-unknown-unknown";
/// The profile that they are built with.
pub(crate) const PROFILE: &str = "guest";

/// The profile, said whole: no crate's own can make another component of the same source.
pub(crate) fn profile() -> Vec<String> {
    [
        "inherits=\"release\"",
        "opt-level=3",
        "lto=true",
        "codegen-units=1",
        "panic=\"abort\"",
        "strip=true",
        "debug=false",
        "debug-assertions=false",
        "overflow-checks=true",
        "incremental=false",
    ]
    .map(|setting| format!("profile.{PROFILE}.{setting}"))
    .to_vec()
}

/// A compiler with the target's standard library.
#[derive(Clone, Debug)]
pub struct Toolchain {
    cargo: PathBuf,
    rustc: PathBuf,
    sysroot: PathBuf,
    /// What the compiler says of itself.
    pub version: String,
}

impl Toolchain {
    /// Finds one: what the environment names, else the path's, else the system's.
    ///
    /// # Errors
    /// Where none has the target.
    pub fn find() -> Result<Self, BuildError> {
        let named =
            (std::env::var_os("SKILLKEEP_WASM_CARGO"), std::env::var_os("SKILLKEEP_WASM_RUSTC"));
        if let (Some(cargo), Some(rustc)) = named {
            let rustc = PathBuf::from(rustc);
            return Self::of(cargo.into(), rustc.clone())
                .ok_or(BuildError::NoToolchain { named: Some(rustc) });
        }
        [("cargo", "rustc"), ("/usr/bin/cargo", "/usr/bin/rustc")]
            .into_iter()
            .find_map(|(cargo, rustc)| Self::of(cargo.into(), rustc.into()))
            .ok_or(BuildError::NoToolchain { named: None })
    }

    fn of(cargo: PathBuf, rustc: PathBuf) -> Option<Self> {
        let library = ask(&rustc, &["--print", "target-libdir", "--target", TARGET])?;
        let mut files = std::fs::read_dir(library).ok()?.filter_map(Result::ok);
        files.find(|file| file.file_name().to_string_lossy().starts_with("libcore-"))?;
        let version = ask(&rustc, &["--version"])?;
        let sysroot = ask(&rustc, &["--print", "sysroot"])?.into();
        Some(Self { cargo, rustc, sysroot, version })
    }

    /// Builds the core modules of crates of one workspace. `elsewhere` are folders outside of it that crates are taken from.
    /// What cargo says goes to standard error as it says it.
    ///
    /// # Errors
    /// Where cargo can't be run, or refuses.
    pub fn compile(
        &self,
        root: &Path,
        target: &Path,
        crates: &[&str],
        elsewhere: &[PathBuf],
    ) -> Result<(), BuildError> {
        let mut command = Command::new(&self.cargo);
        command.current_dir(root).args([
            "build",
            "--lib",
            "--profile",
            PROFILE,
            "--target",
            TARGET,
        ]);
        for setting in profile() {
            command.args(["--config", &setting]);
        }
        for name in crates {
            command.args(["-p", name]);
        }
        let status = command
            .env("RUSTC", &self.rustc)
            .env("CARGO_TARGET_DIR", target)
            .env("CARGO_ENCODED_RUSTFLAGS", self.flags(root, elsewhere).join("\u{1f}"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()
            .map_err(|error| BuildError::io("run", &self.cargo, &error))?;
        match status.success() {
            true => Ok(()),
            false if lacks_linker(std::env::var_os("PATH").as_deref(), env_names_linker()) => {
                Err(BuildError::NoLinker)
            }
            false => Err(BuildError::Compile(status.to_string())),
        }
    }

    /// Paths of this machine would stand in the messages of panics.
    fn flags(&self, root: &Path, elsewhere: &[PathBuf]) -> Vec<String> {
        let mut flags = vec![remap(root, "/skillkeep")];
        flags.extend(elsewhere.iter().map(|folder| remap(folder, "/crates")));
        if let Some(home) = cargo_home() {
            for index in
                std::fs::read_dir(home.join("registry/src")).into_iter().flatten().flatten()
            {
                flags.push(remap(&index.path(), "/deps"));
            }
        }
        let std = self.sysroot.join("lib/rustlib/src/rust");
        if let Ok(real) = std.canonicalize() {
            flags.push(remap(&real, "/std"));
        }
        flags.push(remap(&std, "/std"));
        flags
    }

    /// Refuses a component in which a path of this machine stands.
    pub(crate) fn is_clean(&self, component: &[u8], package: &Package) -> Result<(), BuildError> {
        let mut traces = vec!["registry/src".to_owned(), "index.crates".to_owned()];
        traces.extend(elsewhere(package)?.iter().map(|folder| folder.display().to_string()));
        let paths = [
            Some(package.root.clone()),
            Some(package.folder.clone()),
            cargo_home(),
            Some(self.sysroot.join("lib/rustlib")),
        ];
        traces.extend(paths.into_iter().flatten().map(|path| path.display().to_string()));
        for trace in traces {
            if component.windows(trace.len()).any(|window| window == trace.as_bytes()) {
                return Err(BuildError::Path(trace));
            }
        }
        Ok(())
    }
}

/// The folders outside of the workspace that a package's crates are taken from.
pub(crate) fn elsewhere(package: &Package) -> Result<Vec<PathBuf>, BuildError> {
    let folders = crates(package)?.into_values();
    Ok(folders.filter(|folder| !folder.starts_with(&package.root)).collect())
}

fn remap(from: &Path, to: &str) -> String {
    format!("--remap-path-prefix={}={to}", from.display())
}

fn cargo_home() -> Option<PathBuf> {
    let named = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    named.or_else(|| Some(std::env::home_dir()?.join(".cargo")))
}

fn ask(rustc: &Path, args: &[&str]) -> Option<String> {
    let output = Command::new(rustc).args(args).output().ok()?;
    let text = output.status.success().then(|| String::from_utf8(output.stdout).ok())??;
    Some(text.trim().to_owned())
}

/// Whether a build that failed can't but fail: the linker that rustc calls on Unix is on no path, and none is named.
fn lacks_linker(path: Option<&std::ffi::OsStr>, named: bool) -> bool {
    let there = |folder: PathBuf| folder.join("cc").is_file();
    cfg!(unix) && !named && !path.is_some_and(|path| std::env::split_paths(path).any(there))
}

/// Whether the environment names another linker, as cargo reads it.
fn env_names_linker() -> bool {
    std::env::vars_os().any(|(key, _)| {
        let key = key.to_string_lossy();
        key.starts_with("CARGO_TARGET_") && key.ends_with("_LINKER")
    })
}

#[cfg(all(test, unix))]
mod linker_tests {
    use super::lacks_linker;
    use std::ffi::OsStr;

    #[test]
    fn a_linker_is_lacking_where_no_folder_of_the_path_has_one_and_none_is_named() {
        let here = OsStr::new(env!("CARGO_MANIFEST_DIR"));
        for (path, named, lacks) in
            [(Some(here), false, true), (None, false, true), (Some(here), true, false)]
        {
            assert_eq!(lacks_linker(path, named), lacks, "{path:?} {named}");
        }
    }
}
