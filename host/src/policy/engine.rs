//! The wasmtime engine: how it is configured, its clock, its cache, and the one function that makes a store.

use std::{path::Path, sync::Arc};

use wasmtime::{
    Cache, CacheConfig, Config, InstanceAllocationStrategy, OptLevel, ResourceLimiter, Store,
};

use super::{
    artefact,
    clock::{Clock, Ticking},
    limits::{Limits, WASM_STACK},
    room,
};

/// Runs policies. Cheap to clone; its clock ends with the last clone.
#[derive(Clone)]
pub struct Engine {
    wasmtime: wasmtime::Engine,
    clock: Clock,
    /// Where they are kept.
    cache_folder: Option<Arc<Path>>,
    /// The program whose child compiles what is not trusted; without one it is compiled here.
    compiler: Option<Arc<Path>>,
}

/// The engine can't run on this machine.
#[derive(Debug, thiserror::Error)]
#[error("this machine can't run policies: {0}")]
pub struct EngineError(String);

/// What a store carries: the limiter of its memories and tables, which remembers what it refused.
pub(super) struct Sandbox {
    limits: Limits,
    memory: usize,
    refused: Option<Refused>,
    /// Time passes for as long as there is a store.
    _ticking: Ticking,
}

/// What the limiter said no to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// More memory than allowed, in bytes.
    Memory(usize),
    /// A larger table than allowed, in elements.
    Table(usize),
    /// Nothing: the machine did not give what it might have had.
    ByTheMachine,
}

impl Sandbox {
    /// Bytes of all its memories together.
    pub(super) fn memory(&self) -> usize {
        self.memory
    }

    /// What was refused, if anything was.
    pub(super) fn refused(&self) -> Option<Refused> {
        self.refused
    }
}

impl ResourceLimiter for Sandbox {
    /// All memories together stay below the limit; asking for more ends the call, so that no policy's answer depends
    /// on how it takes a failed allocation.
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let total = self.memory.saturating_sub(current).saturating_add(desired);
        if total > self.limits.memory {
            self.refused = Some(Refused::Memory(total));
            return Err(wasmtime::Error::msg("memory limit"));
        }
        self.memory = total;
        Ok(true)
    }

    /// What the machine denies ends the call too, or an answer would depend on what else runs on it. A policy that
    /// asks for more than its own maximum is told no, which is the same everywhere.
    fn memory_grow_failed(&mut self, error: wasmtime::Error) -> wasmtime::Result<()> {
        match room::shortage(&error) {
            Some(shortage) => {
                self.refused = Some(Refused::ByTheMachine);
                Err(wasmtime::Error::msg(shortage))
            }
            None => Ok(()),
        }
    }

    fn table_growing(
        &mut self,
        _current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        if desired > self.limits.table_elements {
            self.refused = Some(Refused::Table(desired));
            return Err(wasmtime::Error::msg("table limit"));
        }
        Ok(true)
    }

    fn instances(&self) -> usize {
        16
    }

    fn tables(&self) -> usize {
        8
    }

    fn memories(&self) -> usize {
        4
    }
}

impl Engine {
    /// An engine that keeps compiled components below `cache_folder` (private to the user: what lies there is run), or
    /// compiles them anew in each process without one. A folder that can't be used is the same as none.
    ///
    /// `compiler` is a program that hands [`super::compile_isolated_main`] over when it is called with
    /// [`super::ISOLATED_COMPILE`]; components that are not part of the host are compiled in a child of it.
    ///
    /// # Errors
    /// Where wasmtime has no code generator for this machine.
    pub fn new(
        cache_folder: Option<&Path>,
        compiler: Option<&Path>,
    ) -> Result<Engine, EngineError> {
        let cache = cache_folder.and_then(open_cache);
        let cached = cache.is_some();
        let wasmtime =
            wasmtime::Engine::new(&config(cache)).map_err(|e| EngineError(format!("{e:#}")))?;
        let clock = Clock::begin(wasmtime.weak());
        Ok(Engine {
            wasmtime,
            clock,
            cache_folder: cache_folder.filter(|_| cached).map(Arc::from),
            compiler: compiler.map(Arc::from),
        })
    }

    /// The wasmtime engine.
    pub(super) fn wasmtime(&self) -> &wasmtime::Engine {
        &self.wasmtime
    }

    /// The program whose child compiles what is not trusted.
    pub(super) fn compiler(&self) -> Option<&Path> {
        self.compiler.as_deref()
    }

    /// Where compiled components are kept, if they are.
    pub(super) fn cache_folder(&self) -> Option<&Path> {
        self.cache_folder.as_deref()
    }

    /// A store with every limit set. This is the only place where a store is made.
    pub(super) fn store(&self, limits: Limits) -> Result<Store<Sandbox>, wasmtime::Error> {
        let sandbox = Sandbox { limits, memory: 0, refused: None, _ticking: self.clock.tick() };
        let mut store = Store::new(&self.wasmtime, sandbox);
        store.limiter(|sandbox| sandbox);
        store.set_fuel(limits.fuel)?;
        store.set_epoch_deadline(limits.ticks.max(1));
        store.epoch_deadline_trap();
        store.set_hostcall_fuel(limits.copied.max(1));
        Ok(store)
    }
}

fn config(cache: Option<Cache>) -> Config {
    let mut config = Config::new();
    config
        .cache(cache)
        .consume_fuel(true)
        .epoch_interruption(true)
        .max_wasm_stack(WASM_STACK)
        // A policy is a function of its request: the same bits on every machine.
        .cranelift_nan_canonicalization(true)
        .wasm_relaxed_simd(false)
        .wasm_memory64(false)
        .wasm_component_model(true)
        .cranelift_opt_level(OptLevel::Speed)
        // Four policies don't need a pool, and a pool reserves terabytes of addresses, which some machines refuse.
        .allocation_strategy(InstanceAllocationStrategy::OnDemand)
        // A trap is reported by its kind; where in a stranger's code it happened helps nobody here.
        .wasm_backtrace_max_frames(None)
        .generate_address_map(false)
        // Nor does anything unwind through it: no code of the host's is called from there.
        .native_unwind_info(cfg!(windows))
        // A policy's constants are a few kilobytes: copying them is quicker than a mapping for each component.
        .memory_init_cow(false);
    if room::is_scarce() {
        // Bounds are checked in code then, which is slower; answers and fuel are the same.
        config
            .memory_reservation(Limits::of_description().memory as u64)
            .memory_reservation_for_growth(1 << 20)
            .memory_guard_size(1 << 16);
    }
    config
}

fn open_cache(folder: &Path) -> Option<Cache> {
    let mut config = CacheConfig::new();
    config.with_directory(folder.join(artefact::CODE));
    // A file that is much used would be compressed again behind the back of its checksum.
    config.with_optimized_compression_usage_counter_threshold(u64::MAX);
    // It is read far more often than it is written, and this level is read the quickest.
    config.with_baseline_compression_level(1);
    Cache::new(config).ok()
}
