//! What must hold for a skill to be offered. Facts of the file on one side, facts of the session on the other; the
//! comparison happens when an index is made, never when a file is read.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Choice;

/// What a skill's header demands. An empty list demands nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gates {
    /// One of these platforms, lower case as written (`macos`, `linux`, `windows`, …).
    pub platforms: Vec<String>,
    /// One of these environments (`docker`, `kanban`, `s6`); a word that nobody knows demands nothing.
    pub environments: Vec<String>,
    /// All of these toolsets.
    pub requires_toolsets: Vec<String>,
    /// All of these tools.
    pub requires_tools: Vec<String>,
    /// None of these toolsets: the skill stands in for them.
    pub fallback_for_toolsets: Vec<String>,
    /// None of these tools.
    pub fallback_for_tools: Vec<String>,
    /// Programs that the skill calls. A missing one is said, and hides nothing.
    pub commands: Vec<String>,
    /// For people only: the header says that a model must not be offered it.
    pub manual: bool,
}

/// What holds in the session that an index is made for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// The platform, such as `linux`; a word that no skill knows matches none.
    pub platform: String,
    /// Environments that the session is in.
    pub environments: BTreeSet<String>,
    /// Its toolsets, if anybody said.
    pub toolsets: Option<BTreeSet<String>>,
    /// Its tools, if anybody said.
    pub tools: Option<BTreeSet<String>>,
    /// Names and folders that the user turned off.
    pub disabled: BTreeSet<String>,
}

/// Environment words that a header may name; others demand nothing (Hermes's rule).
const ENVIRONMENTS: [&str; 3] = ["docker", "kanban", "s6"];

/// One gate, and what it found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// `held`, `off`, `manual`, `disabled`, `platform`, `environment`, `requires-toolsets`, `requires-tools`, `fallback-for-toolsets`, `fallback-for-tools`.
    pub code: &'static str,
    /// Whether the skill gets through.
    pub open: bool,
    /// What was demanded and what was there, in a few words.
    pub because: String,
}

/// Platforms that a session can be on, by the names that all of their names come to.
const PLATFORMS: [&str; 8] =
    ["linux", "macos", "windows", "android", "termux", "ios", "freebsd", "openbsd"];

impl Gate {
    /// The gate that stays shut until a person accepts what somebody else did to the skill.
    #[must_use]
    pub fn held() -> Gate {
        let because =
            "it was changed by somebody else, and nobody accepted that: skillkeep pending";
        Gate { code: "held", open: false, because: because.to_owned() }
    }

    /// The gate that stays shut until a person brings the archived skill back that somebody else put here again, or chooses that
    /// this one be shown.
    #[must_use]
    pub fn put_back() -> Gate {
        let because = "it was archived, and somebody else put it back: skillkeep restore NAME brings the archived one, skillkeep set NAME full shows this one";
        Gate { code: "put-back", open: false, because: because.to_owned() }
    }

    /// The gate that a user's choice shuts, if it shuts one.
    #[must_use]
    pub fn of_choice(choice: Choice) -> Option<Gate> {
        let (code, because) = match choice {
            Choice::Off => ("off", "you turned it off"),
            Choice::Manual => ("manual", "you keep it for people and for explicit calls"),
            Choice::Auto | Choice::Full | Choice::Name => return None,
        };
        Some(Gate { code, open: false, because: because.to_owned() })
    }
}

impl Gates {
    /// Whether a header's platform word covers any platform that there is.
    #[must_use]
    pub fn knows_platform(word: &str) -> bool {
        PLATFORMS.iter().any(|platform| platform_matches(word, platform))
    }

    /// The platforms that headers name.
    #[must_use]
    pub fn platforms() -> &'static [&'static str] {
        &PLATFORMS
    }

    /// Whether an environment word demands anything.
    #[must_use]
    pub fn knows_environment(word: &str) -> bool {
        ENVIRONMENTS.contains(&word)
    }

    /// Whether nothing is demanded of a session.
    #[must_use]
    pub fn are_none(&self) -> bool {
        let Gates {
            platforms,
            environments,
            requires_toolsets,
            requires_tools,
            fallback_for_toolsets,
            fallback_for_tools,
            commands: _,
            manual,
        } = self;
        let lists = [
            platforms,
            environments,
            requires_toolsets,
            requires_tools,
            fallback_for_toolsets,
            fallback_for_tools,
        ];
        !manual && lists.into_iter().all(Vec::is_empty)
    }

    /// Every gate that the skill has, in a fixed order; it is offered if all are open. `names` are those under which
    /// it may be disabled: its name, its folder, its qualified name.
    #[must_use]
    pub fn evaluate(&self, names: &[&str], session: &Session) -> Vec<Gate> {
        let mut gates = Vec::new();
        if let Some(name) = names.iter().find(|name| session.disabled.contains(**name)) {
            gates.push(Gate {
                code: "disabled",
                open: false,
                because: format!("`{name}` is turned off"),
            });
        }
        if self.manual {
            gates.push(Gate {
                code: "manual",
                open: false,
                because: "its header offers it to people only".to_owned(),
            });
        }
        if !self.platforms.is_empty() {
            gates.push(Gate {
                code: "platform",
                open: self.platforms.iter().any(|p| platform_matches(p, &session.platform)),
                because: format!("for {}; this is {}", list(&self.platforms), session.platform),
            });
        }
        let known: Vec<&String> =
            self.environments.iter().filter(|e| ENVIRONMENTS.contains(&e.as_str())).collect();
        if !known.is_empty() && known.len() == self.environments.len() {
            gates.push(Gate {
                code: "environment",
                open: known.iter().any(|e| session.environments.contains(*e)),
                because: format!(
                    "for {}; this is {}",
                    list(&self.environments),
                    or_none(&session.environments)
                ),
            });
        }
        // Where neither was said, nothing is known, and what is not known hides nothing. Where one was said, the other
        // counts as empty: a session is described as a whole.
        if session.toolsets.is_some() || session.tools.is_some() {
            let nothing = BTreeSet::new();
            let toolsets = session.toolsets.as_ref().unwrap_or(&nothing);
            let tools = session.tools.as_ref().unwrap_or(&nothing);
            gates.extend(requires("requires-toolsets", &self.requires_toolsets, toolsets));
            gates.extend(requires("requires-tools", &self.requires_tools, tools));
            gates.extend(stands_in("fallback-for-toolsets", &self.fallback_for_toolsets, toolsets));
            gates.extend(stands_in("fallback-for-tools", &self.fallback_for_tools, tools));
        }
        gates
    }
}

fn requires(code: &'static str, wanted: &[String], there: &BTreeSet<String>) -> Option<Gate> {
    let missing: Vec<&String> = wanted.iter().filter(|w| !there.contains(*w)).collect();
    (!wanted.is_empty()).then(|| Gate {
        code,
        open: missing.is_empty(),
        because: if missing.is_empty() {
            format!("{} there", list(wanted))
        } else {
            format!(
                "{} missing",
                missing.iter().map(|m| format!("`{m}`")).collect::<Vec<_>>().join(", ")
            )
        },
    })
}

fn stands_in(code: &'static str, others: &[String], there: &BTreeSet<String>) -> Option<Gate> {
    let present = others.iter().find(|o| there.contains(*o));
    (!others.is_empty()).then(|| Gate {
        code,
        open: present.is_none(),
        because: match present {
            Some(other) => format!("`{other}` is there, and it only stands in for that"),
            None => format!("stands in for {}", list(others)),
        },
    })
}

/// Whether a header's platform word covers the session's platform. Hermes compares with Python's `sys.platform`, so
/// headers say `darwin` and `win32` too; Termux counts as Linux and as Android.
fn platform_matches(word: &str, session: &str) -> bool {
    fn canonical(word: &str) -> String {
        match word.trim().to_lowercase().as_str() {
            "darwin" | "macos" | "mac" | "osx" => "macos".to_owned(),
            "windows" | "win32" | "win" | "cygwin" | "msys" => "windows".to_owned(),
            "linux" | "linux2" => "linux".to_owned(),
            other => other.to_owned(),
        }
    }
    let (word, session) = (canonical(word), canonical(session));
    word == session
        || (session == "termux" && matches!(word.as_str(), "linux" | "android"))
        || (session == "android" && matches!(word.as_str(), "linux" | "termux"))
}

fn list(words: &[String]) -> String {
    words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", ")
}

fn or_none(words: &BTreeSet<String>) -> String {
    if words.is_empty() {
        "none".to_owned()
    } else {
        words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    fn set(words: &[&str]) -> Option<BTreeSet<String>> {
        Some(words.iter().map(|word| (*word).to_owned()).collect())
    }

    /// Gates as `code` where one is open and `!code` where it is shut.
    fn evaluated(gates: &Gates, session: &Session) -> String {
        let gates = gates.evaluate(&["tidy", "tidy-up", "home/tidy"], session);
        let word = |gate: &Gate| format!("{}{}", if gate.open { "" } else { "!" }, gate.code);
        gates.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_platform_is_known_under_all_its_names() {
        for (word, session, result) in [
            ("macos", "macos", "platform"),
            ("darwin", "macos", "platform"),
            ("macos", "linux", "!platform"),
            ("win32", "windows", "platform"),
            ("linux", "termux", "platform"),
            ("android", "termux", "platform"),
            ("termux", "linux", "!platform"),
            ("plan9", "linux", "!platform"),
        ] {
            let gates = Gates { platforms: words(&["beos", word]), ..Gates::default() };
            let session = Session { platform: session.to_owned(), ..Session::default() };
            assert_eq!(evaluated(&gates, &session), result, "{word} on {session:?}");
        }
    }

    #[test]
    fn an_environment_that_nobody_knows_demands_nothing() {
        for (demanded, there, result) in [
            (&["docker"][..], &["docker"][..], "environment"),
            (&["docker", "s6"], &["s6"], "environment"),
            (&["kanban"], &[], "!environment"),
            (&["moonbase"], &[], ""),
            (&["docker", "moonbase"], &[], ""),
        ] {
            let gates = Gates { environments: words(demanded), ..Gates::default() };
            let session =
                Session { environments: set(there).unwrap_or_default(), ..Session::default() };
            assert_eq!(evaluated(&gates, &session), result, "{demanded:?} in {there:?}");
        }
    }

    #[test]
    fn tools_are_compared_only_where_somebody_said_which_there_are() {
        let gates = Gates {
            requires_toolsets: words(&["terminal", "web"]),
            requires_tools: words(&["read"]),
            fallback_for_toolsets: words(&["browser"]),
            fallback_for_tools: words(&["shot", "snap"]),
            ..Gates::default()
        };
        let all = "requires-toolsets requires-tools fallback-for-toolsets fallback-for-tools";
        for (toolsets, tools, result) in [
            (None, None, ""),
            (set(&["terminal", "web"]), set(&["read"]), all),
            (set(&["terminal"]), set(&["read"]), &format!("!{all}")),
            (
                set(&["terminal", "web", "browser"]),
                set(&["read", "snap"]),
                "requires-toolsets requires-tools !fallback-for-toolsets !fallback-for-tools",
            ),
            (
                set(&["terminal", "web"]),
                None,
                "requires-toolsets !requires-tools fallback-for-toolsets fallback-for-tools",
            ),
        ] {
            let session = Session { toolsets, tools, ..Session::default() };
            assert_eq!(evaluated(&gates, &session), result, "{session:?}");
        }
    }

    #[test]
    fn a_skill_is_turned_off_by_any_of_its_names_and_a_manual_one_is_for_people() {
        let gates = Gates { manual: true, commands: words(&["gone"]), ..Gates::default() };
        assert_eq!(evaluated(&gates, &Session::default()), "!manual");
        for name in ["tidy", "tidy-up", "home/tidy"] {
            let disabled = set(&[name]).unwrap_or_default();
            let session = Session { disabled, ..Session::default() };
            assert_eq!(evaluated(&Gates::default(), &session), "!disabled", "{name}");
        }
    }
}
