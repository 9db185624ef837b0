//! `skillkeep curator adopt`

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    process::ExitCode,
};

use clap::Args;

use super::{
    several::{Made, Refused, Several},
    usage::day,
};
use crate::{
    change::{By, ChangeError, Target},
    cli::{
        Global,
        consent::or_yes,
        keep::opened,
        options::{ReasonArgs, RootArgs},
        output::Output,
    },
    curator::{Asked, NotAdopted, Subject},
    skill::{Actor, OneLine, SkillId, State},
    system::System,
    world::{
        World, counted,
        error::{CommandError, Kind},
        pass::{Curators, Ground, Wanting, plan_of},
        store::{Opened, Store, named},
    },
};

/// Give skills into the curator's care.
#[derive(Debug, Args)]
#[command(
    after_help = "An adopted skill keeps its time: one that was idle for long may go stale at the next pass, and be retired at the one after. `skillkeep undo CHANGE` takes an adoption back. What came with an agent or was installed is not adopted.\n\nExample: skillkeep curator adopt deploy-notes"
)]
#[command(group = clap::ArgGroup::new("which").required(true).args(["names", "all_unmanaged"]))]
pub struct AdoptArgs {
    #[command(flatten)]
    roots: RootArgs,

    /// The skills: names, folders, category/name, or ids
    #[arg(num_args = 1.., value_name = "NAME")]
    names: Vec<String>,

    /// All that are not in its care and may be adopted
    #[arg(long)]
    all_unmanaged: bool,

    /// Don't ask
    #[arg(long)]
    yes: bool,

    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    why: ReasonArgs,
}

/// Adopts them, a change each.
pub fn adopt(
    system: &dyn System,
    global: &Global,
    args: &AdoptArgs,
    out: &mut Output<'_>,
) -> Result<ExitCode, CommandError> {
    let opened = opened(system, global, &args.roots, args.dry_run, out)?;
    let (world, store, _) = &opened;
    let by = store.by(&args.why)?;
    if by.actor != Actor::Person {
        return Err(ChangeError::PersonOnly { verb: "adopt", actor: by.actor }.into());
    }
    let curators = Curators::load(world, out)?;
    let ground = Ground::of(world, store, Wanting::of(&curators), store.disk.now())?;
    for note in &ground.notes {
        out.warn(note);
    }
    let (chosen, mut refused) = match args.all_unmanaged {
        true => {
            (ground.subjects.iter().filter(|it| it.may_be_adopted().is_ok()).collect(), Vec::new())
        }
        false => by_name(&opened, &ground, &args.names, out)?,
    };
    let foreseen = foreseen((world, store), &curators, &ground, &chosen)?;
    if args.all_unmanaged && !args.dry_run && !chosen.is_empty() && !args.yes {
        for it in &chosen {
            out.note(&format!("  {}  {}", OneLine::capped(&it.name, 60), line(it, &foreseen)));
        }
        let question = format!("give {} into the curator's care?", counted(chosen.len(), "skill"));
        if !or_yes(system, &question, "skillkeep curator adopt --all-unmanaged", out)? {
            return Err(CommandError::new(Kind::Finding, "nothing was adopted"));
        }
    }
    let mut done = Vec::new();
    for it in chosen {
        let named = |verb: &str| format!("{verb} `{}`: {}", it.name, line(it, &foreseen));
        let made = |change, what| Made {
            change,
            skill: it.id,
            name: it.name.clone(),
            what,
            pending: None,
        };
        if args.dry_run {
            done.push(made(None, named("would adopt")));
            continue;
        }
        match adopted(store, &ground, it, &by) {
            Ok(change) => done.push(made(Some(change), named("adopted"))),
            Err(error) => refused.push(Refused::of(&it.name, error.into())),
        }
    }
    if done.is_empty() && refused.is_empty() && !global.json {
        out.note("there is nothing to adopt");
    }
    Several { schema: "skillkeep.curator-adopt/1", dry_run: args.dry_run, done, refused }
        .tell(global, out)
}

/// The skills that names mean, and those of them that can't be adopted. A slip in a name changes nothing.
fn by_name<'g>(
    (world, _, noted): &Opened<'_>,
    ground: &'g Ground,
    names: &[String],
    out: &mut Output<'_>,
) -> Result<(Vec<&'g Subject>, Vec<Refused>), CommandError> {
    let (mut chosen, mut refused): (Vec<&Subject>, Vec<Refused>) = (Vec::new(), Vec::new());
    for name in names {
        let meant = named(world, noted, name, out)?;
        let refuse = |why: &str, hint: Option<String>| Refused {
            name: meant.name.clone(),
            why: format!("not adopted: {why}"),
            hint,
        };
        let Some(it) = ground.subjects.iter().find(|it| it.id == meant.id) else {
            refused.push(refuse("no scan has met it", Some("skillkeep scan".to_owned())));
            continue;
        };
        match it.may_be_adopted() {
            Ok(()) if chosen.iter().any(|other| other.id == it.id) => {}
            Ok(()) => chosen.push(it),
            Err(why) => {
                let init = (why == NotAdopted::ReadOnly)
                    .then(|| format!("skillkeep init {}", world.shorten(&PathBuf::from(&it.root))));
                refused.push(refuse(why.why(), init));
            }
        }
    }
    Ok((chosen, refused))
}

/// What passes may make of an adopted skill if nobody uses it.
#[derive(Clone, Copy)]
struct Foreseen {
    /// The next one lets it go stale.
    stale: bool,
    /// The one after that retires it.
    retired: bool,
}

/// What the policies would want of these skills, were they adopted, in the next pass and in the one after.
fn foreseen(
    (world, store): (&World<'_>, &Store<'_>),
    curators: &Curators,
    ground: &Ground,
    chosen: &[&Subject],
) -> Result<BTreeMap<SkillId, Foreseen>, CommandError> {
    let ids: BTreeSet<SkillId> = chosen.iter().map(|it| it.id).collect();
    let ask = |subjects: &[Subject]| -> Result<BTreeMap<SkillId, State>, CommandError> {
        let now = store.disk.now();
        let plan = plan_of(world, store, curators, subjects, (Asked::Schedule, now))?;
        let rows = plan.rows.iter().filter(|row| ids.contains(&row.id));
        Ok(rows.filter(|row| row.wanted != State::Active).map(|row| (row.id, row.wanted)).collect())
    };
    let of = |it: &Subject| if ids.contains(&it.id) { it.if_adopted() } else { it.clone() };
    let mut subjects: Vec<Subject> = ground.subjects.iter().map(of).collect();
    let next = ask(&subjects)?;
    for it in subjects.iter_mut().filter(|it| next.contains_key(&it.id)) {
        it.standing.state = State::Stale;
        it.standing.fresh = false;
    }
    let after = ask(&subjects)?;
    let of = |id| Foreseen {
        stale: next.contains_key(id),
        retired: after.get(id) == Some(&State::Archived),
    };
    Ok(ids.iter().map(|id| (*id, of(id))).collect())
}

/// How long nothing was done with it, and what may come of that.
fn line(it: &Subject, foreseen: &BTreeMap<SkillId, Foreseen>) -> String {
    let active = format!("last active {}", day(it.active()));
    match foreseen.get(&it.id) {
        Some(Foreseen { retired: true, .. }) => {
            format!("{active}; it may go stale at the next pass, and be retired at the one after")
        }
        Some(Foreseen { stale: true, .. }) => {
            format!("{active}; it may go stale at the next pass")
        }
        _ => active,
    }
}

fn adopted(store: &Store<'_>, ground: &Ground, it: &Subject, by: &By) -> Result<i64, ChangeError> {
    let path = PathBuf::from(&it.root);
    let root = ground.roots.get(&it.root).copied();
    let root = root.ok_or_else(|| ChangeError::NotOwned(path.clone()))?;
    let done = store.keeper(root, &path)?.adopt(Target { id: it.id, folder: &it.folder }, by)?;
    Ok(done.id.0)
}
