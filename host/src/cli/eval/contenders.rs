//! Who is compared. One entry of the list is one rule: what it is called, who decides, and by what texts.

use super::super::options::{DecisionArgs, Plan, list, slot_and};
use crate::{
    decision::{Slot, Value},
    eval::{everything, names},
    index::{HostRule, baseline},
    policy::{Assignment, Builtin},
    world::error::{CommandError, Kind},
};

/// A rule that is compared.
#[derive(Clone)]
pub struct Contender {
    /// What `--rules` calls it.
    pub name: String,
    /// What tables call it: the name, and the settings that it doesn't have otherwise.
    pub label: String,
    /// Who decides in the budget slot.
    pub budget: Budget,
    /// Who decides in the demotion slot.
    pub demotion: Demotion,
    /// Which limits it is put to.
    pub limits: Limits,
}

/// Who decides in the budget slot.
#[derive(Clone)]
pub enum Budget {
    /// A component, by name or file.
    Component {
        /// Its name or file.
        name: String,
        /// Its settings.
        settings: Vec<Assignment>,
    },
    /// A rule of the host's.
    Host(HostRule),
}

/// Who decides in the demotion slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Demotion {
    /// Whoever decides there for `index`.
    AsPlanned,
    /// Nobody: all that the user allows is shown.
    Nobody,
}

/// Which limits a rule is put to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limits {
    /// Those that were asked for.
    Given,
    /// None: it prints whatever that costs.
    Without,
    /// Those that were asked for, and none beside them.
    Both,
}

/// The rules that are always compared.
fn contenders() -> Vec<Contender> {
    vec![
        Contender::host("everything", everything).limits(Limits::Without),
        Contender::component("budget-ladder"),
        // Other agents' rules, by our layout and our prices, so that nothing but the rules differs. Those whose limit is a
        // share of a window or a setting have it so wide that the limit that is asked for is the one that holds.
        Contender::agents("budget-claude-code", &[("window", "1000000000")]),
        Contender::agents("budget-codex", &[("window", "1000000000")]),
        Contender::agents("budget-openclaw", &[("max-chars", "1000000000")]),
        Contender::agents("budget-hermes", &[]).limits(Limits::Both),
        Contender::component("budget-progressive"),
        Contender::host("names", names).limits(Limits::Both),
        Contender::host("baseline", baseline),
    ]
}

impl Contender {
    fn host(name: &str, rule: HostRule) -> Contender {
        Contender {
            name: name.to_owned(),
            label: name.to_owned(),
            budget: Budget::Host(rule),
            demotion: Demotion::Nobody,
            limits: Limits::Given,
        }
    }

    fn component(name: &str) -> Contender {
        Contender {
            budget: Budget::Component { name: name.to_owned(), settings: Vec::new() },
            demotion: Demotion::AsPlanned,
            ..Contender::host(name, baseline)
        }
    }

    /// Another agent's: nothing is demoted there but what the user says.
    fn agents(name: &str, settings: &[(&str, &str)]) -> Contender {
        let settings = settings
            .iter()
            .map(|(key, value)| Assignment {
                key: (*key).to_owned(),
                value: Value::Text((*value).to_owned()),
                untyped: true,
                from: "eval".to_owned(),
            })
            .collect();
        Contender {
            budget: Budget::Component { name: name.to_owned(), settings },
            ..Contender::host(name, baseline)
        }
    }

    /// A user's: a component by name or file, with settings.
    fn given(name: &str, settings: &[Assignment]) -> Contender {
        let words: Vec<String> = settings
            .iter()
            .map(|setting| format!("{}={}", setting.key, value(&setting.value)))
            .collect();
        let file = name.rsplit('/').next().unwrap_or(name);
        let short = file.strip_suffix(".wasm").unwrap_or(file);
        let label = if words.is_empty() {
            short.to_owned()
        } else {
            format!("{short} {}", words.join(" "))
        };
        Contender {
            label,
            budget: Budget::Component { name: name.to_owned(), settings: settings.to_vec() },
            ..Contender::component(short)
        }
    }

    fn limits(mut self, limits: Limits) -> Contender {
        self.limits = limits;
        self
    }
}

fn value(value: &Value) -> String {
    match value {
        Value::Boolean(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::Real(value) => value.to_string(),
        Value::Text(value) => value.clone(),
        Value::Texts(values) => values.join(","),
    }
}

/// Those that are compared: the list, what the user put into the budget slot, and of all these the ones that were asked for.
///
/// # Errors
/// Where one was asked for that there isn't.
pub fn choose(
    asked: Option<&str>,
    args: &DecisionArgs,
    plan: &Plan,
) -> Result<Vec<Contender>, CommandError> {
    let mut rules = contenders();
    let settings = plan.settings.get(&Slot::Budget).map_or(&[][..], Vec::as_slice);
    let mut given: Vec<String> = Vec::new();
    for policy in &args.policies {
        if let (Slot::Budget, name) = slot_and(policy, '=', "--policy budget=FILE.wasm")? {
            given.push(name.to_owned());
        }
    }
    if given.is_empty() {
        given.extend(plan.policies.get(&Slot::Budget).into_iter().flatten().cloned());
    }
    let default = Builtin::of_slot(Slot::Budget).map_or("", |builtin| builtin.name);
    if given.is_empty() && !settings.is_empty() {
        given.push(default.to_owned());
    }
    for name in given {
        let mut rule = Contender::given(&name, settings);
        if rules.iter().any(|known| known.label == rule.label) {
            if settings.is_empty() && Builtin::named(&name).is_some() {
                continue;
            }
            rule.label = format!("{} ({name})", rule.label);
        }
        rules.push(rule);
    }
    let Some(asked) = asked.map(list).filter(|asked| !asked.is_empty()) else { return Ok(rules) };
    for name in &asked {
        if !rules.iter().any(|rule| rule.name == *name) {
            let mut names: Vec<&str> = rules.iter().map(|rule| rule.name.as_str()).collect();
            names.dedup();
            return Err(CommandError::new(Kind::Usage, format!("no rule is called `{name}`"))
                .hint(format!("there are {}", names.join(", "))));
        }
    }
    rules.retain(|rule| asked.contains(&rule.name));
    Ok(rules)
}
