//! A cargo and a rustc that can build for wasm32-unknown-unknown, and the flags that keep this machine out of the result.

use crate::component::Component;
use anyhow::{Context, Result, bail, ensure};
use std::path::{Path, PathBuf};
use std::process::Command;

const TARGET: &str = "wasm32-unknown-unknown";
const PROFILE: &str = "guest";

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
    /// Finds one: what the environment names, else rustup's, else the system's.
    pub fn find() -> Result<Self> {
        let named =
            (std::env::var_os("SKILLKEEP_WASM_CARGO"), std::env::var_os("SKILLKEEP_WASM_RUSTC"));
        if let (Some(cargo), Some(rustc)) = named {
            let rustc = PathBuf::from(rustc);
            let Some(found) = Self::of(cargo.into(), rustc.clone())? else {
                bail!("`{}` has no standard library for `{TARGET}`", rustc.display());
            };
            return Ok(found);
        }
        for (cargo, rustc) in [("cargo", "rustc"), ("/usr/bin/cargo", "/usr/bin/rustc")] {
            if let Ok(Some(found)) = Self::of(cargo.into(), rustc.into()) {
                return Ok(found);
            }
        }
        bail!(
            "found no compiler with a standard library for `{TARGET}`\n\
             hint: rustup target add {TARGET}\n\
             hint: on Debian without rustup's targets: .ci/wasm-toolchain"
        )
    }

    fn of(cargo: PathBuf, rustc: PathBuf) -> Result<Option<Self>> {
        let library = ask(&rustc, &["--print", "target-libdir", "--target", TARGET])?;
        let has_core = std::fs::read_dir(library).is_ok_and(|mut files| {
            files.any(|file| {
                file.is_ok_and(|file| file.file_name().to_string_lossy().starts_with("libcore-"))
            })
        });
        if !has_core {
            return Ok(None);
        }
        let version = ask(&rustc, &["--version"])?;
        let sysroot = ask(&rustc, &["--print", "sysroot"])?.into();
        Ok(Some(Self { cargo, rustc, sysroot, version }))
    }

    /// Builds the core modules of the components.
    pub fn build(&self, root: &Path, components: &[Component]) -> Result<()> {
        let mut command = Command::new(&self.cargo);
        command.current_dir(root).args(["build", "--profile", PROFILE, "--target", TARGET]);
        for component in components {
            command.args(["-p", component.name]);
        }
        command
            .env("RUSTC", &self.rustc)
            .env("CARGO_TARGET_DIR", target_folder(root))
            .env("CARGO_ENCODED_RUSTFLAGS", self.flags(root)?.join("\u{1f}"));
        let status =
            command.status().with_context(|| format!("can't run `{}`", self.cargo.display()))?;
        ensure!(status.success(), "the build of the components failed");
        Ok(())
    }

    /// Where the build leaves a crate's core module.
    pub fn module(root: &Path, name: &str) -> PathBuf {
        let file = name.replace('-', "_");
        target_folder(root).join(TARGET).join(PROFILE).join(file).with_extension("wasm")
    }

    /// Paths of this machine would stand in the messages of panics.
    fn flags(&self, root: &Path) -> Result<Vec<String>> {
        let mut flags = vec![remap(root, "/skillkeep")];
        let registry = cargo_home()?.join("registry/src");
        for index in std::fs::read_dir(&registry).into_iter().flatten() {
            flags.push(remap(&index?.path(), "/deps"));
        }
        let std = self.sysroot.join("lib/rustlib/src/rust");
        if let Ok(real) = std.canonicalize() {
            flags.push(remap(&real, "/std"));
        }
        flags.push(remap(&std, "/std"));
        Ok(flags)
    }
}

fn remap(from: &Path, to: &str) -> String {
    format!("--remap-path-prefix={}={to}", from.display())
}

fn target_folder(root: &Path) -> PathBuf {
    root.join("target/wasm")
}

fn cargo_home() -> Result<PathBuf> {
    if let Some(home) = std::env::var_os("CARGO_HOME") {
        return Ok(home.into());
    }
    let home = std::env::home_dir().context("neither `CARGO_HOME` nor a home folder is known")?;
    Ok(home.join(".cargo"))
}

fn ask(rustc: &Path, args: &[&str]) -> Result<String> {
    let output = Command::new(rustc)
        .args(args)
        .output()
        .with_context(|| format!("can't run `{}`", rustc.display()))?;
    ensure!(output.status.success(), "`{}` failed", rustc.display());
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// Refuses a component in which a path of this machine stands.
pub fn clean_of_paths(component: &[u8], root: &Path, toolchain: &Toolchain) -> Result<()> {
    let home = cargo_home()?;
    let mut traces = vec!["registry/src".to_owned(), "index.crates".to_owned()];
    for path in [root, &home, &toolchain.sysroot.join("lib/rustlib")] {
        traces.push(path.display().to_string());
    }
    for trace in traces {
        let found = component.windows(trace.len()).any(|window| window == trace.as_bytes());
        ensure!(!found, "found `{trace}`");
    }
    Ok(())
}
