//! What an agent is told beside an answer.

use super::trouble::for_agents;
use crate::world::Tell;

/// Lines beside an answer, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes(Vec<String>);

impl Notes {
    /// One more line.
    pub fn say(&mut self, line: impl Into<String>) {
        self.0.push(line.into());
    }

    /// All of them.
    #[must_use]
    pub fn into_lines(self) -> Vec<String> {
        self.0
    }
}

impl Tell for Notes {
    fn note(&mut self, line: &str) {
        self.say(line);
    }

    fn warn(&mut self, line: &str) {
        self.say(line);
    }

    /// A hint goes with the line that it is about.
    fn hint(&mut self, line: &str) {
        let hint = for_agents(line);
        match self.0.last_mut() {
            Some(last) => last.push_str(&format!(" ({hint})")),
            None => self.say(hint),
        }
    }
}
