//! The protocol over HTTP: on loopback unless somebody says otherwise, for who shows the token, with sizes and rates bounded, and an end that lets calls finish.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Response},
    routing::get,
    serve::ListenerExt as _,
};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
};
use tokio::{net::TcpListener, sync::watch};
use tokio_util::sync::CancellationToken;

use super::{Host, Session, host::LAST_CALLS};
use crate::world::error::{CommandError, Kind};

/// Where the protocol is spoken.
const PATH: &str = "/mcp";

/// Bytes of one request.
const MOST_BYTES: usize = 4 << 20;

/// How long a request may take from the door to its call. Nobody counts it on the way.
const TO_THE_CALL: Duration = Duration::from_millis(500);

/// How long an answer may take from the end of its call to the client.
const ON_THE_WAY: Duration = Duration::from_millis(200);

/// How a server listens.
#[derive(Clone, Debug)]
pub struct HttpOptions {
    /// The address.
    pub address: SocketAddr,
    /// What a client shows as `Authorization: Bearer`.
    pub token: String,
    /// Host names that requests may be for, beside those of loopback.
    pub hosts: Vec<String>,
    /// Requests a second in the long run; twice as many may come at once.
    pub a_second: u32,
}

/// A server that listens, before it serves.
pub struct Bound {
    listener: TcpListener,
    options: HttpOptions,
}

/// What stands before the protocol.
struct Gate {
    token: String,
    rate: Mutex<Bucket>,
}

/// A bucket of requests that fills by the second.
struct Bucket {
    a_second: f64,
    left: f64,
    at: Instant,
}

impl Bucket {
    fn take(&mut self, now: Instant) -> bool {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.at = now;
        self.left = (self.left + passed * self.a_second).min(2.0 * self.a_second);
        if self.left < 1.0 {
            return false;
        }
        self.left -= 1.0;
        true
    }
}

impl Gate {
    /// How long ago the last request came.
    fn quiet(&self) -> Duration {
        self.rate.lock().unwrap_or_else(PoisonError::into_inner).at.elapsed()
    }
}

impl Bound {
    /// Listens at an address.
    ///
    /// # Errors
    /// Where the address is taken, or this process may not listen there.
    pub async fn bind(options: HttpOptions) -> Result<Bound, CommandError> {
        let listener = TcpListener::bind(options.address).await.map_err(|error| {
            let message = format!("can't listen at {}: {error}", options.address);
            CommandError::new(Kind::Fault, message).hint("another port: --http 127.0.0.1:0")
        })?;
        Ok(Bound { listener, options })
    }

    /// Where it listens; the port that the system chose, where it was to.
    ///
    /// # Errors
    /// Where the system doesn't say.
    pub fn url(&self) -> Result<String, CommandError> {
        let address = self.listener.local_addr();
        let address = address.map_err(|error| {
            CommandError::new(Kind::Fault, format!("the system doesn't say where: {error}"))
        })?;
        Ok(format!("http://{address}{PATH}"))
    }

    /// Serves until `end` says so. Calls that are under way then finish first, for ten seconds at most; a write that takes longer is
    /// cut off as by a loss of power, and the next who looks ends it or takes it back.
    ///
    /// # Errors
    /// Where the system takes the listener away.
    pub async fn serve(
        self,
        host: Arc<Host>,
        mut end: watch::Receiver<bool>,
    ) -> Result<(), CommandError> {
        let url = self.url()?;
        let stop = CancellationToken::new();
        let mut config = StreamableHttpServerConfig::default();
        config.max_request_body_bytes = MOST_BYTES;
        config.cancellation_token = stop.clone();
        config.allowed_hosts.extend(self.options.hosts.iter().cloned());
        // No page of a browser speaks to this server; programs send no origin.
        let config = config.enforce_origin_validation();
        let service = StreamableHttpService::new(
            {
                let host = Arc::clone(&host);
                move || Ok(Session::new(Arc::clone(&host)))
            },
            // One id for two requests of a session at once is forbidden by the protocol, and rmcp doesn't look: it routes
            // answers by the id alone. The answer that is there first goes to the request that came last, the other one is
            // dropped, and the stream of the earlier request stays open until its client or the session ends. Other sessions
            // and other ids are not concerned, and an id that was answered is free again.
            Arc::new(LocalSessionManager::default()),
            config,
        );
        let a_second = f64::from(self.options.a_second.max(1));
        let gate = Arc::new(Gate {
            token: self.options.token.clone(),
            rate: Mutex::new(Bucket { a_second, left: 2.0 * a_second, at: Instant::now() }),
        });
        let app = Router::new()
            .nest_service(PATH, service)
            .layer(from_fn_with_state(Arc::clone(&gate), admit))
            .route("/healthz", get(|| async { "ok\n" }));
        tracing::info!(url, "serving over HTTP");
        let (mut last, door, calling) = (end.clone(), Arc::clone(&gate), Arc::clone(&host));
        let calls = tokio::spawn(async move {
            // A sender that is gone ends it, too.
            drop(last.wait_for(|end| *end).await);
            tokio::time::sleep(TO_THE_CALL.saturating_sub(door.quiet())).await;
            calling.idle(LAST_CALLS).await;
            // The last answer is still on its way from the call to its stream.
            tokio::time::sleep(ON_THE_WAY).await;
            // Streams that only wait for news would keep the server for ever.
            stop.cancel();
        });
        let ended = async move { drop(end.wait_for(|end| *end).await) };
        // An answer is a head and an event: held back until the head is acknowledged, the event would come 40 ms later.
        let listener = self.listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        let served = axum::serve(listener, app).with_graceful_shutdown(ended).await;
        calls.abort();
        // Whatever was let in at the last moment.
        host.idle(LAST_CALLS).await;
        tracing::info!("the server ended");
        served
            .map_err(|error| CommandError::new(Kind::Fault, format!("the server stopped: {error}")))
    }
}

/// Lets a request through that shows the token, while there is room.
async fn admit(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    if !shows(request.headers(), &gate.token) {
        let headers = [(header::WWW_AUTHENTICATE, "Bearer")];
        let text =
            "the token of this server is missing or another one: Authorization: Bearer TOKEN\n";
        return (StatusCode::UNAUTHORIZED, headers, text).into_response();
    }
    let now = Instant::now();
    let may = gate.rate.lock().unwrap_or_else(PoisonError::into_inner).take(now);
    if !may {
        let text = "too many requests a second\n";
        return (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, "1")], text).into_response();
    }
    next.run(request).await
}

/// Whether a request shows the token. All bytes are compared, whatever the first ones are.
fn shows(headers: &HeaderMap, token: &str) -> bool {
    let value = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let Some(shown) = value.and_then(|value| value.strip_prefix("Bearer ")) else { return false };
    let (shown, token) = (shown.trim().as_bytes(), token.as_bytes());
    let differs = shown.iter().zip(token).fold(0, |all, (a, b)| all | (a ^ b));
    !token.is_empty() && shown.len() == token.len() && differs == 0
}
