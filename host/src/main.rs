//! The program: the real system and the real streams.

#![forbid(unsafe_code)]

use std::{
    io::{self, IsTerminal as _},
    process::ExitCode,
};

use skillkeep::{
    cli::{self, Output},
    policy::{ISOLATED_COMPILE, compile_isolated_main},
    serve::give_back_by,
    system::OsSystem,
};

#[global_allocator]
static ALLOCATOR: skillkeep_memory::Allocator = skillkeep_memory::Allocator;

fn main() -> ExitCode {
    let arguments: Vec<std::ffi::OsString> = std::env::args_os().collect();
    if let [_, command, folder @ ..] = arguments.as_slice()
        && command.as_os_str() == ISOLATED_COMPILE
    {
        return compile_isolated_main(folder.first().map(std::path::Path::new));
    }
    give_back_by(skillkeep_memory::give_back);
    // Not locked, and neither is the other: a server writes its answers there from a thread of its own.
    let mut out = io::BufWriter::new(io::stdout());
    // A thread of the pool that panics writes there too, and would wait for ever.
    let mut err = anstream::stderr();
    let at_terminal = io::stdout().is_terminal();
    cli::run(&OsSystem, &arguments, &mut Output::new(&mut out, &mut err).at_terminal(at_terminal))
}
