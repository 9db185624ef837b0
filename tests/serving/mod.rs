//! The server from outside: what it says over standard input and output and over HTTP, to clients that keep to the protocol and
//! to those that don't.

mod clients;
mod driver;
mod gate;
mod kept;
mod skills;
mod swapped;
mod together;
mod tools;
mod wire;
