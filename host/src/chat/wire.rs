//! What goes over the wire, as pure functions: a request of the chat completions format, and what of an answer matters.

use serde_json::{Value, json};

use crate::skill::OneLine;

/// The body of a request; a plain one asks for no temperature. How long the answer may be is not limited: a name takes few
/// tokens, but a model that thinks spends more before it answers.
pub fn request(model: &str, system: &str, user: &str, plain: bool) -> String {
    let mut body = json!({
        "model": model,
        "messages": [
            { "role": "system", "content": system },
            { "role": "user", "content": user },
        ],
    });
    if let Some(body) = body.as_object_mut().filter(|_| !plain) {
        body.insert("temperature".to_owned(), json!(0));
    }
    body.to_string()
}

/// The text of an answer: the last line that says anything, since some models think aloud before it.
pub fn answer(bytes: &[u8]) -> Result<String, String> {
    let value: Value =
        serde_json::from_slice(bytes).map_err(|_| "the answer is no JSON".to_owned())?;
    let content = value.pointer("/choices/0/message/content").and_then(Value::as_str);
    let text = content.ok_or("the answer has no text at choices[0].message.content")?;
    let line = text.lines().map(str::trim).rfind(|line| !line.is_empty());
    Ok(line.unwrap_or_default().to_owned())
}

/// What an endpoint says went wrong.
pub fn complaint(bytes: &[u8]) -> Option<OneLine> {
    const MOST: usize = 200;
    let value: Value = serde_json::from_slice(bytes).ok()?;
    let text = value.pointer("/error/message").or_else(|| value.get("error"))?.as_str()?;
    Some(OneLine::capped(text, MOST)).filter(|text| !text.is_empty())
}
