//! From a component's bytes to code that can run: found in the cache, or compiled, a stranger's in a child first.

use std::borrow::Cow;

use wasmtime::component::Component;

use super::{
    artefact::{self, Artefact},
    engine::Engine,
    error::LoadError,
    isolate::compile_in_child,
    room,
    threads::on_deep_thread,
};
use crate::skill::OneLine;

/// Compiles a component, or finds it in the cache, whole and as this very engine compiled it. What is not trusted is
/// compiled in a child first.
pub(super) fn compile(
    engine: &Engine,
    bytes: &[u8],
    digest: &str,
    trusted: bool,
) -> Result<Component, LoadError> {
    let artefact = Artefact::of(engine, bytes, digest);
    let mut code = Cow::Borrowed(bytes);
    let whole = artefact.as_ref().is_some_and(Artefact::is_whole);
    let mut made = None;
    if !whole {
        match &artefact {
            // What can't be removed must not be found either.
            Some(artefact) if !artefact.forget() => code = Cow::Owned(artefact::renamed(bytes)),
            _ => made = artefact,
        }
        if let Some(program) = engine.compiler().filter(|_| !trusted) {
            compile_in_child(program, engine.cache_folder(), &code)?;
        }
    }
    let compile = || Component::from_binary(engine.wasmtime(), &code);
    let component = if trusted {
        compile()
    } else {
        on_deep_thread(compile).map_err(|error| LoadError::CompileStopped {
            reason: format!("its thread failed: {error}"),
        })?
    };
    let component = component.map_err(|error| failed(&error))?;
    if let Some(artefact) = made {
        artefact.remember();
    }
    Ok(component)
}

/// What to say of an error of the compiler, or of the machine under it.
pub(super) fn failed(error: &wasmtime::Error) -> LoadError {
    match room::shortage(error) {
        Some(reason) => LoadError::Machine { reason },
        None => LoadError::Compile { reason: OneLine::capped(&format!("{error:#}"), 400) },
    }
}
