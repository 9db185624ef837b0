//! One client's session, as the protocol has it.

use std::sync::{Arc, OnceLock};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
        CustomRequest, CustomResult, DiscoverResult, ErrorCode, GetPromptRequestParams,
        GetPromptResponse, GetPromptResult, GetSkillRequestParams, GetSkillResult, Implementation,
        InitializeRequestParams, InitializeResult, JsonObject, ListPromptsResult,
        ListResourcesResult, ListSkillsResult, ListToolsResult, PaginatedRequestParams, Prompt,
        PromptMessage, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Role,
        ServerCapabilities, ServerConfig, SubscriptionFilter, ToolAnnotations,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};
use serde_json::Value as Json;

use super::{Host, host::Lost, skills};
use crate::tools::Tool;

/// The prompt that is the index.
const INDEX: &str = "skills_index";

/// What can be asked for wrongly.
const WITH_PARAMETERS: [&str; 9] = [
    "initialize",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/read",
    "skills/list",
    "skills/get",
];

/// For how long a client may take what it was told of skills for fresh, in milliseconds. It is told of changes before.
const FRESH: u64 = 5_000;

/// One client's session.
#[derive(Clone)]
pub struct Session {
    host: Arc<Host>,
    /// Its own name, once it was begun. By the newer protocol each request stands for itself, and all of a server's are one.
    own: Arc<OnceLock<String>>,
    /// The block that it began with: a session goes on as it began.
    index: Arc<OnceLock<String>>,
}

impl Session {
    /// A session, before its client said anything.
    #[must_use]
    pub fn new(host: Arc<Host>) -> Session {
        Session { host, own: Arc::default(), index: Arc::default() }
    }

    /// Its name, as the ledger has it.
    #[must_use]
    pub fn name(&self) -> &str {
        self.own.get().map_or_else(|| self.host.name(), String::as_str)
    }

    /// The index, made once. Where none can be made, why.
    async fn index(&self) -> String {
        if let Some(index) = self.index.get() {
            return index.clone();
        }
        let name = self.name().to_owned();
        let made = self.host.work_on(move |host, answer| host.index(&name, answer)).await;
        match made {
            Ok(Ok(printed)) => {
                for note in &printed.notes {
                    tracing::warn!(session = self.name(), "{note}");
                }
                let generation = printed.generation;
                tracing::info!(session = self.name(), generation, "made the index");
                self.index.get_or_init(|| printed.text).clone()
            }
            Ok(Err(error)) => format!("The list of skills can't be made: {error}.\n"),
            Err(_) => "The list of skills can't be made.\n".to_owned(),
        }
    }

    async fn info(&self) -> ServerConfig {
        let index = self.index().await;
        ServerHandler::get_info(self).with_instructions(index)
    }

    async fn skills<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Host, &str) -> Result<T, skills::Trouble> + Send + 'static,
    ) -> Result<T, ErrorData> {
        let name = self.name().to_owned();
        match self.host.work(move |host| work(host, &name)).await {
            Ok(answer) => answer.map_err(ErrorData::from),
            Err(lost) => Err(lost.into()),
        }
    }
}

impl From<Lost> for ErrorData {
    fn from(lost: Lost) -> ErrorData {
        let why = match lost {
            Lost::Busy => "too many calls wait already: call again in a moment",
            Lost::Ended => "the call ended before its time",
        };
        ErrorData::internal_error(why, None)
    }
}

fn object(value: Json) -> Arc<JsonObject> {
    match value {
        Json::Object(object) => Arc::new(object),
        _ => Arc::default(),
    }
}

/// A tool as the protocol tells it.
fn told(tool: Tool) -> rmcp::model::Tool {
    let annotations = ToolAnnotations::with_title(tool.title())
        .read_only(tool.is_read_only())
        .destructive(false)
        .idempotent(tool.is_read_only())
        .open_world(false);
    rmcp::model::Tool::new(tool.word(), tool.description(), object(tool.input()))
        .with_title(tool.title())
        .with_raw_output_schema(object(tool.output()))
        .with_annotations(annotations)
}

impl ServerHandler for Session {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_skills()
            .build();
        let me =
            Implementation::new("skillkeep", env!("CARGO_PKG_VERSION")).with_title("Skillkeep");
        ServerConfig::new(capabilities).with_server_info(me)
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.own.get_or_init(|| self.host.name_session());
        let client = format!("{} {}", request.client_info.name, request.client_info.version);
        tracing::info!(session = self.name(), client, "a client began");
        let mut answer = self.negotiate_initialize(&request)?;
        context.peer.set_peer_info(request);
        answer.instructions = Some(self.index().await);
        Ok(answer)
    }

    async fn discover(
        &self,
        _context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        let versions = self.supported_protocol_versions().into_owned();
        Ok(DiscoverResult::from_server_info(versions, self.info().await))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.host.peers.join(context.peer);
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(Tool::ALL.into_iter().map(told).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        Tool::from_word(name).map(told)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = Tool::from_word(&request.name) else {
            let names = Tool::ALL.map(Tool::word).join(", ");
            let message = format!("found the tool `{}`, expected one of {names}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let input = Json::Object(request.arguments.unwrap_or_default());
        let name = self.name().to_owned();
        let called = self.host.work(move |host| host.toolbox(&name).call(tool, &input)).await?;
        let (refused, json) = (called.answer.is_err(), called.json());
        tracing::info!(session = self.name(), tool = tool.word(), refused, "called");
        let result = if refused {
            // No schema of an answer covers a refusal, and some clients hold whatever is structured to it.
            CallToolResult::error(vec![ContentBlock::text(json.to_string())])
        } else {
            CallToolResult::structured(json)
        };
        Ok(result.into())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let what = "The skills that there are, in one block within the budget of the settings";
        let prompt = Prompt::new(INDEX, Some(what), None).with_title("Skills");
        Ok(ListPromptsResult::with_all_items(vec![prompt]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name != INDEX {
            let message = format!("found the prompt `{}`, expected `{INDEX}`", request.name);
            return Err(ErrorData::invalid_params(message, None));
        }
        // Whoever asks for it wants it as it is now.
        let name = self.name().to_owned();
        let made = self.host.work_on(move |host, answer| host.index(&name, answer)).await?;
        let text = made.map_err(|error| ErrorData::internal_error(error.to_string(), None))?.text;
        let message = PromptMessage::new_text(Role::User, text);
        Ok(GetPromptResult::new(vec![message]).into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|it| it.cursor);
        let page = self.skills(move |host, _| host.skill_resources(cursor.as_deref())).await?;
        let mut result = ListResourcesResult::with_all_items(page.items);
        (result.next_cursor, result.ttl_ms) = (page.next, Some(FRESH));
        result.cache_scope = Some(CacheScope::Private);
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let contents = self.skills(move |host, name| host.read_resource(&uri, name)).await?;
        let result = ReadResourceResult::new(vec![contents]).with_ttl_ms(FRESH);
        Ok(result.with_cache_scope(CacheScope::Private).into())
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        let cursor = request.and_then(|it| it.cursor);
        let page = self.skills(move |host, name| host.list_skills(cursor.as_deref(), name)).await?;
        let mut result = ListSkillsResult::with_all_items(page.items);
        (result.next_cursor, result.ttl_ms) = (page.next, Some(FRESH));
        result.cache_scope = Some(CacheScope::Private);
        Ok(result)
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        let uri = request.uri;
        let skill = self.skills(move |host, _| host.skill(&uri)).await?;
        Ok(GetSkillResult::new(skill))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        // The library takes a request that it can't read for one of somebody's own.
        if WITH_PARAMETERS.contains(&method.as_str()) {
            let message = format!("`{method}` has other parameters than these");
            return Err(ErrorData::invalid_params(message, None));
        }
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None))
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::new();
        accepted.prompts_list_changed = requested.prompts_list_changed;
        accepted.resources_list_changed = requested.resources_list_changed;
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.host.peers.changes();
        loop {
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                changed = changes.changed() => {
                    if changed.is_err() {
                        return Ok(());
                    }
                    let accepted = context.accepted();
                    if accepted.resources_list_changed == Some(true) {
                        drop(context.sink().notify_resource_list_changed().await);
                    }
                    if accepted.prompts_list_changed == Some(true) {
                        drop(context.sink().notify_prompt_list_changed().await);
                    }
                }
            }
        }
    }
}
