//! Which categories the session's tools are for. It looks at the context and the settings only.

use crate::settings::{Settings, Unlinked};
use skillkeep_policy::context::Context;

/// What is known about the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relevance<'a> {
    /// Nothing that could count against a category.
    Unknown,
    /// The session is known to have no tools.
    NoTools,
    /// The session's tools are for these, by the first segment of their path.
    Linked(Vec<&'a str>),
}

/// What the session's toolsets and tools are for.
pub fn relevance<'a>(context: Context<'a>, settings: &'a Settings) -> Relevance<'a> {
    let (toolsets, tools) = (context.toolsets(), context.tools());
    if toolsets.is_none() && tools.is_none() {
        return Relevance::Unknown;
    }
    let toolsets = toolsets.unwrap_or_default();
    let tools = tools.unwrap_or_default();
    if toolsets.is_empty() && tools.is_empty() {
        return Relevance::NoTools;
    }
    let of_tools = tools.iter().filter_map(|tool| settings.tool_toolsets.get(tool));
    let linked: Vec<&str> = toolsets
        .iter()
        .chain(of_tools)
        .filter_map(|toolset| settings.links.get(toolset))
        .flatten()
        .map(String::as_str)
        .collect();
    match (linked.is_empty(), settings.unlinked) {
        (true, Unlinked::Show) => Relevance::Unknown,
        _ => Relevance::Linked(linked),
    }
}
