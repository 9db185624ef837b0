//! The rule: what forbids a write to everybody, then each writer in turn, then what the operator wants to see first.

use crate::settings::{Outcome, Reason, Settings};
use skillkeep_policy::provenance::{Answer, Request};

/// Decides.
pub fn decide(write: Request<'_>, settings: &Settings) -> Answer<Reason> {
    if let Some(why) = forbidden(write) {
        return Answer::deny(why);
    }
    let judged = match (write.actor(), write.action()) {
        ("person", _) => return allow(write, Reason::Person),
        ("foreground" | "review" | "curator" | "job" | "sync", "restore") => {
            return stage(write, Reason::RestoreWaits);
        }
        ("foreground", action) => foreground(write, action, settings),
        ("review", action) => review(write, action, settings),
        ("curator", action) => curator(write, action, settings),
        ("job", action) => job(write, action, settings),
        ("sync", action) => sync(write, action, settings),
        (actor, _) => Answer::deny(Reason::Stranger { actor: actor.to_owned() }),
    };
    match judged {
        Answer::Allow { origin, .. } if write.approval() => Answer::stage(origin, Reason::Approval),
        judged => judged,
    }
}

/// What nobody may do, a person neither.
fn forbidden(write: Request<'_>) -> Option<Reason> {
    let retires = write.action() == "retire";
    if write.read_only() {
        Some(Reason::ReadOnly)
    } else if retires && write.pinned() {
        Some(Reason::Pinned)
    } else if retires && write.referenced() {
        Some(Reason::Referenced)
    } else {
        None
    }
}

/// An agent or a script that works for somebody. That somebody can see what it does, so it may also change what it has read
/// of others; but what it did not write it retires for nobody.
fn foreground(write: Request<'_>, action: &str, settings: &Settings) -> Answer<Reason> {
    let own = origin(write) == "foreground";
    match action {
        "create" => allow(write, new(write)),
        "edit" | "retire" if own => allow(write, Reason::Own),
        "edit" => if_read(write, settings, settings.foreground_edits, read(write)),
        "retire" => others(write),
        other => Answer::deny(no_such(other)),
    }
}

/// An agent that looks back on its work while nobody watches. Its own is what it made, or what a person gave into its care.
fn review(write: Request<'_>, action: &str, settings: &Settings) -> Answer<Reason> {
    match (action, origin(write)) {
        ("create", _) => allow(write, new(write)),
        ("edit", "review" | "adopted") => if_read(write, settings, Outcome::Allow, Reason::Own),
        ("edit" | "retire", "bundled" | "installed") => Answer::deny(shipped(write)),
        ("edit", _) => others(write),
        ("retire", "review" | "adopted") if write.successor() == Some("present") => {
            allow(write, Reason::Absorbed)
        }
        ("retire", "review" | "adopted") => Answer::deny(Reason::NoSuccessor),
        ("retire", _) => others(write),
        (other, _) => Answer::deny(no_such(other)),
    }
}

/// The pass that retires what is of no use. It writes as the review does.
fn curator(write: Request<'_>, action: &str, settings: &Settings) -> Answer<Reason> {
    match (action, origin(write)) {
        ("retire", "review" | "adopted") => allow(write, curated(write)),
        ("retire", "bundled") if write.retire_bundled() => allow(write, curated(write)),
        ("retire", other) => Answer::deny(Reason::NotCurated { origin: other.to_owned() }),
        _ => review(write, action, settings),
    }
}

/// A job makes what is new, and nothing else is its own: what it made before can't be told from what a person's agent made.
fn job(write: Request<'_>, action: &str, settings: &Settings) -> Answer<Reason> {
    match action {
        "create" => match settings.job_creates {
            Outcome::Allow => allow(write, new(write)),
            Outcome::Stage => stage(write, Reason::Unattended),
            Outcome::Deny => Answer::deny(Reason::Foreign),
        },
        "edit" | "retire" => stage(write, Reason::Unattended),
        other => Answer::deny(no_such(other)),
    }
}

/// A sync with another library: what came from elsewhere is its own.
fn sync(write: Request<'_>, action: &str, settings: &Settings) -> Answer<Reason> {
    let own = matches!(origin(write), "bundled" | "installed");
    match action {
        "create" => allow(write, new(write)),
        "edit" if own => if_read(write, settings, Outcome::Allow, Reason::Own),
        "retire" if own => allow(write, Reason::Own),
        "edit" | "retire" => others(write),
        other => Answer::deny(no_such(other)),
    }
}

/// What becomes of a change to what is there: it needs to be read first, since a change to what somebody else has changed
/// meanwhile would undo theirs.
fn if_read(
    write: Request<'_>,
    settings: &Settings,
    outcome: Outcome,
    why: Reason,
) -> Answer<Reason> {
    match (outcome, write.read(), settings.unread) {
        (Outcome::Deny, ..) => Answer::deny(Reason::Foreign),
        (Outcome::Stage, ..) => others(write),
        (Outcome::Allow, true, _) => allow(write, why),
        (Outcome::Allow, false, Outcome::Stage) => stage(write, Reason::ReadFirst),
        (Outcome::Allow, false, _) => Answer::deny(Reason::ReadFirst),
    }
}

fn others(write: Request<'_>) -> Answer<Reason> {
    let why = match origin(write) {
        "unknown" => Reason::Unmarked,
        origin => Reason::Others { origin: origin.to_owned() },
    };
    stage(write, why)
}

fn allow(write: Request<'_>, why: Reason) -> Answer<Reason> {
    Answer::allow(write.own_origin(), why)
}

fn stage(write: Request<'_>, why: Reason) -> Answer<Reason> {
    Answer::stage(write.own_origin(), why)
}

/// Whose it is; what nobody declared is not guessed.
fn origin(write: Request<'_>) -> &str {
    write.origin().unwrap_or("unknown")
}

fn new(write: Request<'_>) -> Reason {
    Reason::New { origin: write.own_origin().to_owned() }
}

fn read(write: Request<'_>) -> Reason {
    Reason::Read { origin: origin(write).to_owned() }
}

fn shipped(write: Request<'_>) -> Reason {
    Reason::Shipped { origin: origin(write).to_owned() }
}

fn curated(write: Request<'_>) -> Reason {
    Reason::Curated { origin: origin(write).to_owned() }
}

fn no_such(action: &str) -> Reason {
    Reason::NoSuchAct { action: action.to_owned() }
}
