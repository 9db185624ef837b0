//! A running host's report, kept in its home as far as that can be written.

use std::io;

use super::{InForce, serving::Serving};

/// The report of the policies in force, and whether it is there.
pub(super) struct Telling<'a> {
    in_force: &'a InForce,
    serving: Option<Serving<'a>>,
    /// Whether it was said that it can't be written. It is said once, until it can.
    said: bool,
}

impl<'a> Telling<'a> {
    pub(super) fn new(in_force: &'a InForce) -> Telling<'a> {
        Telling { in_force, serving: None, said: false }
    }

    /// Writes the report. Gives a line where that fails, and did not the time before. A report that can't be kept true is let go,
    /// with its lock, so that nobody takes it for what is; a home that can't be written now may be another time.
    pub(super) fn tell(&mut self) -> Option<String> {
        match self.write() {
            Ok(()) => {
                self.said = false;
                None
            }
            Err(error) => {
                self.serving = None;
                let is_new = !std::mem::replace(&mut self.said, true);
                let home = self.in_force.home().unwrap_or_else(|| "".as_ref()).display();
                is_new.then(|| {
                    format!(
                        "what decides here can't be written to `{home}`, so `skillkeep policy list` doesn't know of this server: {error}"
                    )
                })
            }
        }
    }

    /// Where there is no home, there is nobody to tell and nothing wrong.
    fn write(&mut self) -> io::Result<()> {
        let system = &*self.in_force.setup.system;
        let (Some(disk), Some(home)) = (system.disk(), self.in_force.home()) else {
            return Ok(());
        };
        if system.stat(home).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            self.serving = None;
            return Ok(());
        }
        let report = self.in_force.report();
        match &mut self.serving {
            Some(serving) => serving.write(&report),
            None => {
                self.serving = Some(Serving::begin(disk, home, &report)?);
                Ok(())
            }
        }
    }
}
