//! The protocol over standard input and output, where nothing else is ever written.

use std::sync::Arc;

use rmcp::{ServiceExt as _, service::ServerInitializeError};

use super::{Host, Session, host::LAST_CALLS};
use crate::world::error::{CommandError, Kind};

/// Serves one client until it goes away.
///
/// # Errors
/// Where the client begins with something else than the protocol.
pub async fn stdio(host: Arc<Host>) -> Result<(), CommandError> {
    let session = Session::new(Arc::clone(&host));
    tracing::info!("serving over standard input and output");
    let fault = |what: &str, error: &dyn std::fmt::Display| {
        CommandError::new(Kind::Fault, format!("{what}: {error}"))
    };
    let service = match session.serve(rmcp::transport::stdio()).await {
        Ok(service) => service,
        // A client that goes away before it said anything is no fault of anybody's.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(ServerInitializeError::ExpectedInitializeRequest(_)) => {
            let message =
                "the client began with a notification or an answer, expected `initialize`";
            return Err(CommandError::new(Kind::Fault, message));
        }
        Err(error) => return Err(fault("the client does not speak the protocol", &error)),
    };
    let why = service.waiting().await.map_err(|error| fault("the server stopped", &error))?;
    tracing::info!(?why, "the client went away");
    // A write that is under way is better done than begun anew by the next who looks.
    host.idle(LAST_CALLS).await;
    Ok(())
}
