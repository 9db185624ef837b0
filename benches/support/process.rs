//! Whole processes, from starting one to its end.

use std::{
    process::{Command, Stdio},
    time::Instant,
};

use crate::times::{self, Times};

/// One of the processes that are compared.
pub struct Contender<'a> {
    pub name: String,
    /// What is done before each run and not measured.
    pub before: Box<dyn Fn() + 'a>,
    pub command: Box<dyn Fn() -> Command + 'a>,
}

/// Runs each once without counting it, then so many rounds of all in turn.
pub fn alternate(contenders: &[Contender<'_>], rounds: usize) -> Vec<Times> {
    let names: Vec<String> = contenders.iter().map(|contender| contender.name.clone()).collect();
    times::alternate(&names, rounds, &mut |number| {
        let contender = &contenders[number];
        (contender.before)();
        let mut command = (contender.command)();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let started = Instant::now();
        let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let elapsed = started.elapsed();
        assert!(status.success(), "{command:?}: {status}");
        elapsed
    })
}

/// The most memory that a run held, in MiB, as GNU time tells it; none where that is not installed.
pub fn peak(command: &Command) -> Option<f64> {
    let mut timed = Command::new("time");
    timed.args(["-f", "%M"]).arg(command.get_program()).args(command.get_args());
    for (key, value) in command.get_envs() {
        match value {
            Some(value) => timed.env(key, value),
            None => timed.env_remove(key),
        };
    }
    let output = timed.stdin(Stdio::null()).stdout(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stderr).ok()?;
    Some(text.lines().last()?.trim().parse::<f64>().ok()? / 1024.0)
}
