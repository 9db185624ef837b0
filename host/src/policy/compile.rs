//! From a component's bytes to code that can run: found in the cache, or compiled, a stranger's in a child first.

use std::hash::{Hash as _, Hasher as _};

use wasmtime::component::Component;

use super::{engine::Engine, error::LoadError, isolate::compile_in_child, threads::on_deep_thread};
use crate::skill::OneLine;

/// Compiles a component, or finds it in the cache. What is not trusted is compiled in a child first, once: a mark in the
/// cache says that this very engine has seen it through.
pub(super) fn compile(
    engine: &Engine,
    bytes: &[u8],
    digest: &str,
    trusted: bool,
) -> Result<Component, LoadError> {
    if let Some(program) = engine.compiler().filter(|_| !trusted) {
        let mark = engine.cache_folder().map(|folder| folder.join(mark_name(engine, digest)));
        if !mark.as_deref().is_some_and(marks::is_set) {
            compile_in_child(program, engine.cache_folder(), bytes)?;
            if let Some(mark) = &mark {
                marks::set(mark);
            }
        }
    }
    let compile = || Component::from_binary(engine.wasmtime(), bytes);
    let component = if trusted {
        compile()
    } else {
        on_deep_thread(compile).map_err(|error| LoadError::CompileStopped {
            reason: format!("its thread failed: {error}"),
        })?
    };
    component
        .map_err(|error| LoadError::Compile { reason: OneLine::capped(&format!("{error:#}"), 400) })
}

/// One name for each component and each way of compiling it.
fn mark_name(engine: &Engine, digest: &str) -> String {
    let mut hasher = xxhash_rust::xxh3::Xxh3Default::new();
    engine.wasmtime().precompile_compatibility_hash().hash(&mut hasher);
    format!("compiled-{digest}-{:016x}", hasher.finish())
}

/// Empty files that say that something was done. They live in the same folder as wasmtime's own cache, and whoever can
/// write there can already do more than forge one.
mod marks {
    #![allow(
        clippy::disallowed_methods,
        reason = "beside wasmtime's cache, which writes there by itself"
    )]
    use std::{fs, path::Path};

    pub(super) fn is_set(path: &Path) -> bool {
        path.exists()
    }

    pub(super) fn set(path: &Path) {
        // A mark that can't be written costs another compilation, no more.
        drop(fs::write(path, ""));
    }
}
