//! What a skill's text claims not to work: a failure of one day that was written down, and is obeyed after its cause is
//! gone. A text in, facts out.
//!
//! # What counts
//!
//! A sentence of a paragraph or of an item of a list, that says of something in so many words that it doesn't work. Small
//! adverbs may stand between the words ("is not *yet* supported"), and English is the only language that is read.
//!
//! | words | such as |
//! | --- | --- |
//! | doesn't, don't, didn't, won't, does not … work, function | Piping does not work with `claude -p`. |
//! | never works | The browser never works here. |
//! | is, are broken, unusable, unreliable, unsupported | Search is broken on this host. |
//! | is, are not working, supported, implemented, functional, usable | Windows is not supported by the tool. |
//! | doesn't, don't, does not … support | The library doesn't support streaming. |
//! | no longer works, supported, available, functions; stopped working | The old endpoint no longer works. |
//! | always, silently, consistently … fails, crashes, hangs; fails silently, every time | The first launch always fails. |
//! | has, have no effect | The flag has no effect. |
//! | cannot, can't be used | It can't be used with free keys. |
//!
//! # What doesn't
//!
//! | what | such as |
//! | --- | --- |
//! | blocks of code, tables, headings, comments | `# Search is broken` |
//! | what is quoted, or a span of code | Say "it doesn't work" and stop. |
//! | questions | What if it doesn't work? |
//! | what depends on something | If the port doesn't work, try another. It doesn't work without a key. |
//! | commands | Don't work around it. |
//! | which of several, and no word of one | Tell which fields are not supported. |
//! | what somebody says, checks or is to make sure of | Check that nothing is broken. |
//! | what may be | It might not work. |
//! | a symptom: after a label, before a colon or an arrow | Problem: the page is broken. It is broken → build it again. |
//! | items of a list about conditions, symptoms or examples, by its heading or lead | Use it when: - the page is broken. |
//!
//! # Evidence
//!
//! Evidence is looked for in the paragraph or item that the claim stands in: a link, an error's words in a span of code or in
//! quotes (or `HTTP 403`, `exit code 1`), a version, the number of an issue, a day as `2026-05-28`. A day after "until",
//! "expires" or "recheck by" is the day until which the claim says that it holds; of the others the newest that is past is
//! when it was checked.
//!
//! *Invariant*: no disk, no clock, and no rule about what becomes of a skill.

mod block;
mod evidence;
mod find;
mod phrase;

#[cfg(test)]
mod tests;

pub use find::{Claims, claims, sentences};
