//! `skillkeep pending approve` and `reject`: a person decides. What was done before one of several is refused stays done,
//! and the others are gone on with.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::{
    Waits, root_of,
    show::{self, number},
};
use crate::{
    change::{By, ChangeError, LIMITS, turn_down, waiting},
    cli::{Global, consent::ask, options::RootArgs, output::Output, staged::put_out},
    curator::in_a_row,
    ledger::{Digest, PendingId, Verb},
    skill::Actor,
    system::System,
    world::{
        World,
        error::{CommandError, Kind},
        noting::Noted,
        pass::jobs,
        store::{self, Store, Why},
    },
};

/// Do what waits.
#[derive(Debug, Args)]
#[command(
    after_help = "A person's alone. At a terminal each write is shown, and you are asked. Elsewhere name the hash that `pending diff` printed: nothing is done but what it stands for. What is done keeps who asked, and can be undone.\n\nExample: skillkeep pending approve p12=HASH"
)]
pub struct ApproveArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// Numbers of writes that wait, each with the hash of what was shown
    #[arg(required = true, num_args = 1.., value_name = "ID[=HASH]")]
    ids: Vec<String>,
}

/// Turn down what waits.
#[derive(Debug, Args)]
#[command(
    after_help = "A person's alone. Of a write nothing is done. What others did without asking is taken back: what was there before comes back, and a skill that is new goes to the archive."
)]
pub struct RejectArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// Numbers of writes that wait, such as p12
    #[arg(required = true, num_args = 1.., value_name = "ID")]
    ids: Vec<String>,

    /// Why, for who looks at it later
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
}

/// What became of those that were named.
#[derive(Default)]
struct Decided {
    done: Vec<Value>,
    refused: Vec<(PendingId, CommandError)>,
}

impl Decided {
    /// Says what was refused, and all of it as JSON.
    fn tell(
        self,
        global: &Global,
        schema: &str,
        out: &mut Output<'_>,
    ) -> Result<ExitCode, CommandError> {
        let status = self.refused.iter().map(|(_, error)| error.kind.status()).max();
        for (_, error) in &self.refused {
            out.fail(error);
        }
        if global.json {
            let refused = self.refused.iter().map(
                |(id, error)| json!({ "id": id, "message": error.message, "hints": error.hints }),
            );
            out.json(&json!({
                "schema": schema, "done": self.done, "refused": refused.collect::<Vec<_>>(),
            }))?;
        }
        Ok(status.map_or(ExitCode::SUCCESS, ExitCode::from))
    }
}

/// A person who decides.
fn person(
    store: &Store<'_>,
    verb: &'static str,
    reason: &Option<String>,
) -> Result<By, CommandError> {
    match store.actor {
        Actor::Person => store.by(Why { reason: reason.clone(), ..Why::default() }),
        actor => Err(ChangeError::PersonOnly { verb, actor }.into()),
    }
}

/// Does what waits.
pub fn approve(
    system: &dyn System,
    global: &Global,
    args: &ApproveArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let mut asked = Vec::new();
    for id in &args.ids {
        let (id, hash) = id.split_once('=').map_or((id.as_str(), None), |(id, it)| (id, Some(it)));
        asked.push((number(id)?, hash.map(digest).transpose()?));
    }
    let (mut world, store, noted) = store::open(system, &global.at(&args.roots), out)?;
    let by = person(&store, "approve", &None)?;
    put_out(&store.ledger.put_out(store.disk.now(), LIMITS)?, out);
    let mut decided = Decided::default();
    for (id, hash) in asked {
        let did = match one(&world, &store, &noted, (id, hash), system, &by, out) {
            Ok(did) => did,
            Err(error) => {
                decided.refused.push((id, error));
                continue;
            }
        };
        if !global.json {
            out.text(&format!("{}\n", did.0))?;
        }
        decided.done.push(did.1);
        // The next one meets what this one left.
        world.library = std::sync::Arc::new(world.read());
    }
    decided.tell(global, "skillkeep.approve/1", out)
}

fn digest(text: &str) -> Result<Digest, CommandError> {
    Digest::from_hex(text).ok_or_else(|| {
        let found = crate::skill::OneLine::capped(text, 80);
        let message = format!("found `{found}` as a hash, expected 64 hex digits");
        CommandError::new(Kind::Usage, message).hint("`skillkeep pending diff` prints it")
    })
}

/// Approves one, and says so in words and as JSON.
fn one(
    world: &World<'_>,
    store: &Store<'_>,
    noted: &Noted,
    (id, hash): (PendingId, Option<Digest>),
    system: &dyn System,
    by: &By,
    out: &mut Output<'_>,
) -> Result<(String, Value), CommandError> {
    let waits = Waits::of(waiting(&store.ledger, id)?, world, store, noted)?;
    let hash = match hash {
        Some(hash) => hash,
        None => consent(&waits, system, out)?,
    };
    let root = waits.pending.asked.root;
    let path = root_of(noted, root).ok_or_else(|| not_here(&waits))?;
    let keeper = store.keeper(root, path)?;
    let name = &waits.name;
    if waits.pending.asked.verb == Verb::Outside {
        keeper.accept(id, &hash, by)?;
        let json = json!({ "id": id, "name": name, "skill": waits.pending.asked.skill });
        return Ok((format!("accepted {id}: `{name}` stays as it is"), json));
    }
    let jobs = jobs(world, &store.ledger)?;
    let asked = &waits.pending.asked;
    let named = jobs.of(asked.skill, name, &asked.folder);
    if asked.verb == Verb::Archive && !named.is_empty() {
        out.warn(&format!("jobs name `{name}`: {}", in_a_row(&named)));
    }
    let keeper = keeper.named_by_jobs(!named.is_empty());
    let done = keeper.approve(id, &hash, &world.library, by)?;
    for note in &done.notes {
        out.warn(note);
    }
    let change = done.id.0;
    let json = json!({ "id": id, "name": name, "skill": done.skill, "change": change });
    Ok((
        format!("change {change}: approved {id}: {} of `{name}`", waits.pending.asked.verb.word()),
        json,
    ))
}

fn not_here(waits: &Waits) -> CommandError {
    let message = format!("the root of `{}` is none of those that are here", waits.name);
    CommandError::new(Kind::Finding, message).hint("name it with `--root FOLDER`")
}

/// Shows a write, and asks whether it is to be done.
fn consent(
    waits: &Waits,
    system: &dyn System,
    out: &mut Output<'_>,
) -> Result<Digest, CommandError> {
    let id = waits.pending.id;
    if !system.is_attended() {
        let message = format!("there is no terminal to show `{id}` at");
        return Err(CommandError::new(Kind::Usage, message).hint(format!(
            "skillkeep pending diff {id}; then skillkeep pending approve {id}=HASH"
        )));
    }
    out.note(show::text(waits).trim_end());
    let Some(shown) = waits.proposal.as_ref().ok().and_then(|it| it.shown) else {
        let message = format!("`{id}` doesn't fit any more");
        return Err(CommandError::new(Kind::Finding, message)
            .hint(format!("skillkeep pending reject {id}")));
    };
    match ask(system, &format!("do {id}?"), out) {
        Some(true) => Ok(shown),
        _ => Err(CommandError::new(Kind::Finding, format!("`{id}` waits still"))),
    }
}

/// Turns down what waits.
pub fn reject(
    system: &dyn System,
    global: &Global,
    args: &RejectArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let ids: Vec<PendingId> = args.ids.iter().map(|id| number(id)).collect::<Result<_, _>>()?;
    let (_world, store, noted) = store::open(system, &global.at(&args.roots), out)?;
    let by = person(&store, "reject", &args.reason)?;
    let mut decided = Decided::default();
    for id in ids {
        match turned_down(&store, &noted, id, &by, out) {
            Ok((text, json)) => {
                if !global.json {
                    out.text(&format!("{text}\n"))?;
                }
                decided.done.push(json);
            }
            Err(error) => decided.refused.push((id, error)),
        }
    }
    decided.tell(global, "skillkeep.reject/1", out)
}

fn turned_down(
    store: &Store<'_>,
    noted: &Noted,
    id: PendingId,
    by: &By,
    out: &mut Output<'_>,
) -> Result<(String, Value), CommandError> {
    let pending = waiting(&store.ledger, id)?;
    let asked = &pending.asked;
    if asked.verb != Verb::Outside {
        // One whose approval was cut off is done or waits again.
        if let Some(path) = root_of(noted, asked.root)
            && let Ok(keeper) = store.keeper(asked.root, path)
        {
            keeper.recover()?;
        }
        turn_down(store.disk, &store.ledger, id, by)?;
        return Ok((format!("rejected {id}"), json!({ "id": id, "skill": asked.skill })));
    }
    let path = root_of(noted, asked.root).ok_or_else(|| {
        let message = format!("the root of `{id}` is none of those that are here");
        CommandError::new(Kind::Finding, message).hint("name it with `--root FOLDER`")
    })?;
    let done = store.keeper(asked.root, path)?.take_back(id, by)?;
    for note in &done.notes {
        out.warn(note);
    }
    let (folder, change) = (&asked.folder, done.id.0);
    let json = json!({ "id": id, "skill": asked.skill, "change": change });
    Ok((format!("change {change}: rejected {id}: took back what was done to `{folder}`"), json))
}
