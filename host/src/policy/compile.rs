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

/// Compiles a component, or finds it in the cache if it is `whole` there, as this very engine compiled it. What is not
/// trusted is compiled in a child first. The artefact is given back where it may be marked as whole.
pub(super) fn compile<'a>(
    engine: &Engine,
    bytes: &[u8],
    mut artefact: Option<Artefact<'a>>,
    whole: bool,
    trusted: bool,
) -> Result<(Component, Option<Artefact<'a>>), LoadError> {
    let mut code = Cow::Borrowed(bytes);
    if !whole {
        // What can't be removed must not be found either.
        if artefact.take_if(|artefact| !artefact.forget()).is_some() {
            code = Cow::Owned(artefact::renamed(bytes));
        }
        if let Some(program) = engine.compiler().filter(|_| !trusted) {
            compile_in_child(program, engine.cache_folder(), &code)?;
        }
    }
    let compile = || Component::from_binary(engine.wasmtime(), &code);
    let component = if trusted || whole {
        compile()
    } else {
        on_deep_thread(compile).map_err(|error| LoadError::CompileStopped {
            reason: format!("its thread failed: {error}"),
        })?
    };
    let component = component.map_err(|error| failed(&error))?;
    if let Some(artefact) = artefact.as_ref().filter(|_| !whole) {
        artefact.remember(None);
    }
    Ok((component, artefact))
}

/// What to say of an error of the compiler, or of the machine under it.
pub(super) fn failed(error: &wasmtime::Error) -> LoadError {
    match room::shortage(error) {
        Some(reason) => LoadError::Machine { reason },
        None => LoadError::Compile { reason: OneLine::capped(&format!("{error:#}"), 400) },
    }
}
