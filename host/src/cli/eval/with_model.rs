//! `--model`: the endpoint, and asking it in sight of the user.

use std::{sync::mpsc, time::Duration};

use clap::Args;

use super::{super::output::Output, ranked_by_words};
use crate::{
    chat::{Endpoint, EndpointError, TRIES},
    eval::{Board, Outcome, Task, ask_all, by_answers, request_count},
    system::System,
    world::{
        counted,
        error::{CommandError, Kind},
    },
};

/// A model that answers in the ranker's place.
#[derive(Debug, Args)]
pub struct ModelArgs {
    /// Let this model answer instead: each block is its system prompt, each query a message
    #[arg(long, value_name = "NAME", requires = "endpoint")]
    pub model: Option<String>,

    /// The model's OpenAI-compatible endpoint, such as http://127.0.0.1:8080/v1
    #[arg(long, value_name = "URL", requires = "model")]
    pub endpoint: Option<String>,

    /// The environment variable that holds the endpoint's key [default: OPENAI_API_KEY, if it is set]
    #[arg(long, value_name = "VARIABLE", requires = "model")]
    key_env: Option<String>,

    /// Seconds that one answer may take
    #[arg(long, value_name = "SECONDS", default_value_t = 60, requires = "model", value_parser = clap::value_parser!(u16).range(1..=3600))]
    timeout: u16,
}

/// The pause before a second try, where the endpoint names none.
const PAUSE: Duration = Duration::from_millis(500);

impl ModelArgs {
    /// Whether a model is asked.
    pub fn is_asked(&self) -> bool {
        self.model.is_some()
    }

    /// How a rank comes about, in one sentence for people.
    pub fn how(&self) -> String {
        match &self.model {
            Some(model) => format!(
                "Answered by the model `{}`, once a task and block.",
                crate::skill::OneLine::capped(model, 80)
            ),
            None => ranked_by_words(),
        }
    }

    /// The endpoint, if a model is asked.
    ///
    /// # Errors
    /// Where its address is none, or the variable that was named for its key isn't set.
    pub fn endpoint(&self, system: &dyn System) -> Result<Option<Endpoint>, CommandError> {
        let (Some(model), Some(base)) = (&self.model, &self.endpoint) else { return Ok(None) };
        let key = system.variable(self.key_env.as_deref().unwrap_or("OPENAI_API_KEY"));
        if let (Some(name), None) = (&self.key_env, &key) {
            return Err(CommandError::new(
                Kind::Usage,
                format!("the environment variable `{name}` is not set"),
            )
            .hint("leave `--key-env` out where the endpoint wants no key"));
        }
        let timeout = Duration::from_secs(u64::from(self.timeout));
        Ok(Some(Endpoint::new(base, model, key, timeout, PAUSE)?))
    }
}

impl From<EndpointError> for CommandError {
    fn from(error: EndpointError) -> CommandError {
        let hint = match error {
            EndpointError::NoAddress { .. } => "for example `--endpoint http://127.0.0.1:8080/v1`",
            EndpointError::Secret => "`--key-env VARIABLE` names the variable that holds the key",
        };
        CommandError::new(Kind::Usage, error.to_string()).hint(hint)
    }
}

/// What a model makes of all boards. How many requests that takes is said before the first of them.
///
/// # Errors
/// Where nothing at all could be asked.
pub fn outcomes(
    endpoint: &Endpoint,
    boards: &[Board],
    tasks: &[Task],
    out: &mut Output<'_>,
) -> Result<Vec<Vec<Outcome>>, CommandError> {
    let boards: Vec<&Board> = boards.iter().collect();
    let requests = request_count(&boards, tasks);
    out.note(&format!(
        "{} to {}, each tried at most {TRIES} times; `--max-tasks`, `--limits` and `--rules` make them fewer",
        counted(requests, "request"),
        endpoint.url()
    ));
    let (told, heard) = mpsc::channel();
    let answers = std::thread::scope(|scope| {
        let boards = &boards;
        let asking = scope.spawn(move || {
            ask_all(endpoint, boards, tasks, &|done| told.send(done).unwrap_or_default())
        });
        // A line for each tenth, and none where there are few.
        let step = (requests / 10).max(20);
        for done in heard {
            if done % step == 0 && done < requests {
                out.note(&format!("{done} of {requests} answered"));
            }
        }
        asking.join()
    })
    .map_err(|_| CommandError::new(Kind::Fault, "asking the model ended before its time"))?;
    let outcomes: Vec<Vec<Outcome>> =
        boards.iter().map(|board| by_answers(board, tasks, &answers)).collect();
    let all = || outcomes.iter().flatten();
    let failed = |outcome: &Outcome| matches!(outcome, Outcome::NotAsked(_));
    let first = all().find_map(|outcome| match outcome {
        Outcome::NotAsked(why) => Some(why.clone()),
        _ => None,
    });
    if let Some(first) = first {
        if !all().any(|outcome| matches!(outcome, Outcome::Ranked { .. } | Outcome::Said(_))) {
            return Err(CommandError::new(
                Kind::Fault,
                format!("the model gave no answer: {}: {first}", endpoint.url()),
            )
            .hint("see that `--endpoint`, `--model` and the key are right, and that the endpoint answers"));
        }
        let count = all().filter(|outcome| failed(outcome)).count();
        out.warn(&format!("{} got no answer and count as missed: {first}", counted(count, "task")));
    }
    Ok(outcomes)
}
