//! Every limit of a call, in one place.
//!
//! Fuel judges guilt: it counts the guest's work, so a verdict is the same on every machine and in every replay. The
//! deadline is a backstop for what fuel doesn't see (bulk copies, a machine that stalls) and condemns nobody by itself.
//!
//! These are the usual limits. The settings may give a slot so many times that, see [`Limits::within`].

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::decision::{Allowance, Resource, Slot};

/// What one call may use. Each is a base and so much a row, since a decision over 10,000 skills is honest work that a
/// loop over ten is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Units of wasmtime's fuel, about one a wasm instruction.
    pub fuel: u64,
    /// Wall-clock time, in steps of 10 ms.
    pub ticks: u64,
    /// Bytes of linear memory, all memories together being one.
    pub memory: usize,
    /// Elements of a table.
    pub table_elements: usize,
    /// Bytes that may be copied out of the guest for one call.
    pub copied: usize,
}

/// How often the engine's clock ticks while a policy is at work.
pub const TICK: Duration = Duration::from_millis(10);

/// Stack of wasm code in bytes. The thread that calls has more, since wasmtime doesn't check the thread's own.
pub const WASM_STACK: usize = 512 * 1024;

/// Stack in bytes of the thread that a policy runs on: the wasm stack and ample room for the host's frames around it.
pub const THREAD_STACK: usize = 4 * 1024 * 1024;

/// Stack in bytes of a thread that does other things beside asking policies.
pub const ROOMY_STACK: usize = 2 * THREAD_STACK;

/// Stack in bytes of a thread that parses or compiles what is not trusted. The parser takes some 3 kB a type within a
/// type, and the least that such a type has is three bytes of the limit of `inspect`. Only what is used is ever real.
pub const DEEP_STACK: usize = 64 * 1024 * 1024;

/// The largest component that is looked at, in bytes.
pub const MAX_COMPONENT_BYTES: u64 = 8 << 20;

/// The largest number of rows for which limits grow; more is refused before a policy is asked.
pub const MAX_ROWS: usize = 1_000_000;

impl Limits {
    /// The limits of one decision on that many rows.
    ///
    /// The figures: `budget-ladder` needs about 1,000 fuel a row where little fits and some 4,600 where half of it does, and
    /// 350 bytes of memory for its numbers; text columns are copied in at their size. Each limit leaves a factor of six or more.
    #[must_use]
    pub fn of_decision(slot: Slot, rows: usize) -> Limits {
        let rows = rows.min(MAX_ROWS);
        let fuel_a_row: u64 = match slot {
            Slot::Budget => 30_000,
            Slot::Demotion | Slot::Curator | Slot::Provenance => 15_000,
        };
        Limits {
            fuel: 20_000_000 + fuel_a_row * rows as u64,
            ticks: 200 + rows as u64 / 100,
            memory: (16 << 20) + 8 * 1024 * rows,
            table_elements: 10_000,
            copied: (1 << 20) + 512 * rows,
        }
    }

    /// As how many rows a text counts that a policy is given to judge: one a KiB, so that reading it is paid for.
    #[must_use]
    pub fn rows_of_content(bytes: usize) -> usize {
        bytes.div_ceil(1024)
    }

    /// The limits of `describe` and `check-settings`, which see no rows.
    #[must_use]
    pub fn of_description() -> Limits {
        Limits {
            fuel: 20_000_000,
            ticks: 200,
            memory: 16 << 20,
            table_elements: 10_000,
            copied: 256 << 10,
        }
    }

    /// These, by the factors that the settings give a slot. A limit that was something stays so.
    #[must_use]
    pub fn within(self, allowance: Allowance) -> Limits {
        let times = |of: Resource, usual: u64| allowance.of(of).times(usual).max(1);
        let size =
            |of, usual: usize| usize::try_from(times(of, usual as u64)).unwrap_or(usize::MAX);
        Limits {
            fuel: times(Resource::Fuel, self.fuel),
            ticks: times(Resource::Time, self.ticks),
            memory: size(Resource::Memory, self.memory),
            table_elements: size(Resource::Table, self.table_elements),
            copied: size(Resource::Copied, self.copied),
        }
    }
}
