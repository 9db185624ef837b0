//! From a write to what one policy is told of it: the facts of the dictionary that it asks for, and no more.

use crate::decision::{Context, ProvenanceRequest, Value, WriteRequest};

/// The question, with the facts that `asked` wants.
#[must_use]
pub fn question(request: &WriteRequest, asked: &dyn Fn(&str) -> bool) -> ProvenanceRequest {
    let text = |word: &str| Some(Value::Text(word.to_owned()));
    let yes = |is: bool| Some(Value::Boolean(is));
    let facts = [
        ("actor", text(request.actor.word())),
        ("action", text(request.action.word())),
        ("origin", request.origin.and_then(|origin| text(origin.word()))),
        ("pinned", yes(request.pinned)),
        ("referenced", yes(request.referenced)),
        ("read", yes(request.read)),
        ("root", text(request.root.word())),
        ("path", request.path.as_deref().and_then(text)),
        ("successor", request.successor.and_then(|successor| text(successor.word()))),
        ("approval", yes(request.approval)),
        ("retire-bundled", yes(request.retire_bundled)),
    ];
    let known = facts.into_iter().filter(|(key, _)| asked(key));
    ProvenanceRequest {
        context: Context { now: request.now, seed: request.seed, facts: Vec::new() },
        write: known.filter_map(|(key, value)| Some((key, value?))).collect(),
        content: if asked("content") { request.content.clone() } else { String::new() },
    }
}
