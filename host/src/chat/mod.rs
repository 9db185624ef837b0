//! A model behind an OpenAI-compatible chat endpoint: the one place that opens a connection.
//!
//! *Invariant*: nothing here is used unless the user names a model and an endpoint. A request carries what it is given and
//! no more; the key goes into its header, into no message and no error. No redirect is followed: it would carry the key to
//! somebody else.

mod wire;

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use crate::{
    eval::{Ask, AskError},
    skill::OneLine,
};

/// Tries of one question: the first, and two more where the endpoint is busy or doesn't answer.
pub const TRIES: u32 = 3;
/// The longest wait between two tries, whatever the endpoint asks for.
const LONGEST_WAIT: Duration = Duration::from_secs(20);
/// Bytes of an answer that are read.
const MOST_BYTES: u64 = 1 << 20;

/// Where to ask.
pub struct Endpoint {
    url: String,
    model: String,
    key: Option<String>,
    pause: Duration,
    agent: ureq::Agent,
    /// Whether the endpoint's model takes no temperature, as it said.
    plain: AtomicBool,
}

/// Why an endpoint can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// No address of the kind.
    #[error(
        "`{found}` is no endpoint: expected http:// or https://, a host and a path such as /v1"
    )]
    NoAddress {
        /// What was given.
        found: OneLine,
    },
    /// A name or a password in it would be printed with it.
    #[error("the endpoint holds a name or a password; the key belongs in an environment variable")]
    Secret,
}

impl Endpoint {
    /// An endpoint by its base address, such as `http://127.0.0.1:8080/v1`. Each try may take so long; before the second
    /// try there is such a pause, and four times that before the third.
    ///
    /// # Errors
    /// Where the address is none.
    pub fn new(
        base: &str,
        model: &str,
        key: Option<String>,
        timeout: Duration,
        pause: Duration,
    ) -> Result<Endpoint, EndpointError> {
        let wrong = || EndpointError::NoAddress { found: OneLine::capped(base, 100) };
        let rest = base.strip_prefix("https://").or_else(|| base.strip_prefix("http://"));
        let host = rest.and_then(|rest| rest.split('/').next()).unwrap_or_default();
        if host.contains('@') {
            return Err(EndpointError::Secret);
        }
        if host.is_empty() || base.contains(['?', '#']) || base.contains(char::is_whitespace) {
            return Err(wrong());
        }
        let base = base.trim_end_matches('/');
        let base = base.strip_suffix(PATH).unwrap_or(base);
        // The environment's proxies hold, as for every other program, but not on the way to this very machine.
        let near = ["127.", "localhost", "[::1]"].iter().any(|own| host.starts_with(own));
        let mut config = ureq::Agent::config_builder();
        if near {
            config = config.proxy(None);
        }
        let agent = config
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .user_agent(concat!("skillkeep/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        let url = format!("{base}{PATH}");
        Ok(Endpoint {
            url,
            model: model.to_owned(),
            key,
            pause,
            agent,
            plain: AtomicBool::new(false),
        })
    }

    /// Where it asks.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// An error. Some endpoints repeat the key that they refuse.
    fn failed(&self, reason: &str, hopeless: bool) -> AskError {
        let reason = match &self.key {
            Some(key) if !key.is_empty() => reason.replace(key.as_str(), "[key]"),
            _ => reason.to_owned(),
        };
        AskError { reason: OneLine::new(&reason), hopeless }
    }

    fn once(&self, body: &str) -> Tried {
        let mut request = self.agent.post(&self.url).header("content-type", "application/json");
        if let Some(key) = &self.key {
            request = request.header("authorization", format!("Bearer {key}"));
        }
        let mut response = match request.send(body) {
            Ok(response) => response,
            Err(error) => return Tried::of_error(&error),
        };
        let status = response.status().as_u16();
        let after = response
            .headers()
            .get("retry-after")
            .and_then(|value| value.to_str().ok()?.trim().parse().ok())
            .map(Duration::from_secs);
        match response.body_mut().with_config().limit(MOST_BYTES).read_to_vec() {
            Ok(bytes) => Tried::of_answer(status, after, &bytes),
            Err(error) => Tried::of_error(&error),
        }
    }
}

/// What every endpoint of the kind has behind its base.
const PATH: &str = "/chat/completions";

impl Ask for Endpoint {
    fn ask(&self, system: &str, user: &str) -> Result<String, AskError> {
        let mut pause = self.pause;
        let mut tries = 1;
        loop {
            let plain = self.plain.load(Ordering::Relaxed);
            match self.once(&wire::request(&self.model, system, user, plain)) {
                Tried::Answered(text) => return Ok(text),
                // Some models take the temperature that they have and no other.
                Tried::Refused(reason) if !plain && reason.contains("temperature") => {
                    self.plain.store(true, Ordering::Relaxed);
                }
                Tried::Refused(reason) => return Err(self.failed(&reason, true)),
                Tried::Unreadable(reason) => return Err(self.failed(&reason, false)),
                Tried::Busy { reason, .. } if tries == TRIES => {
                    return Err(self.failed(&format!("{reason}, {TRIES} times"), false));
                }
                Tried::Busy { after, .. } => {
                    thread::sleep(after.unwrap_or(pause).min(LONGEST_WAIT));
                    pause *= 4;
                    tries += 1;
                }
            }
        }
    }
}

/// What came of one try.
enum Tried {
    Answered(String),
    /// No other question would fare better: a wrong key, a wrong address, a model that isn't there.
    Refused(String),
    /// An answer that can't be read.
    Unreadable(String),
    /// Worth another try.
    Busy {
        reason: String,
        after: Option<Duration>,
    },
}

impl Tried {
    fn of_answer(status: u16, after: Option<Duration>, bytes: &[u8]) -> Tried {
        match status {
            200..=299 => match wire::answer(bytes) {
                Ok(text) => Tried::Answered(text),
                Err(reason) => Tried::Unreadable(reason),
            },
            408 | 429 | 500..=599 => Tried::Busy { reason: said(status, bytes), after },
            300..=399 => {
                Tried::Refused(format!("{}; redirects are not followed", said(status, bytes)))
            }
            _ => Tried::Refused(said(status, bytes)),
        }
    }

    fn of_error(error: &ureq::Error) -> Tried {
        match error {
            ureq::Error::Timeout(_) => {
                Tried::Busy { reason: "no answer in time".to_owned(), after: None }
            }
            ureq::Error::Io(io) if io.kind() != std::io::ErrorKind::ConnectionRefused => {
                Tried::Busy { reason: format!("the connection broke: {io}"), after: None }
            }
            ureq::Error::BodyExceedsLimit(most) => {
                Tried::Unreadable(format!("the answer has more than {most} bytes"))
            }
            ureq::Error::Protocol(_) => {
                Tried::Unreadable(format!("the answer is no HTTP: {error}"))
            }
            other => Tried::Refused(format!("can't be reached: {other}")),
        }
    }
}

fn said(status: u16, bytes: &[u8]) -> String {
    match wire::complaint(bytes) {
        Some(text) => format!("status {status}: {text}"),
        None => format!("status {status}"),
    }
}

#[cfg(test)]
mod tests;
