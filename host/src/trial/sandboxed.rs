//! A loaded policy as the test kit asks it.

use skillkeep_policy::{
    facts::{Entry, RawRefusal, Value as SdkValue},
    testkit::cases::{Question, Reply, Slot as SdkSlot, Subject},
};

use crate::{
    decision::{Settings, Slot, Value},
    policy::{Engine, Limits, Loaded, Tried},
};

/// A policy in its sandbox.
pub struct Sandboxed<'a> {
    /// What runs it.
    pub engine: &'a Engine,
    /// The policy.
    pub policy: &'a Loaded,
    /// The slot that it is tried for.
    pub slot: Slot,
    /// What it says of itself.
    pub subject: Subject,
}

impl<'a> Sandboxed<'a> {
    /// A policy, tried for one of its slots.
    #[must_use]
    pub fn new(engine: &'a Engine, policy: &'a Loaded, slot: Slot) -> Sandboxed<'a> {
        let info = &policy.info;
        let subject = Subject {
            asks: info.needs.iter().chain(&info.wants).map(ToString::to_string).collect(),
            parameters: info
                .parameters
                .iter()
                .map(|p| (p.key.to_string(), to_sdk(&p.default)))
                .collect(),
            reasons: info
                .reasons
                .iter()
                .map(|(code, it)| (code.to_string(), it.to_string()))
                .collect(),
        };
        Sandboxed { engine, policy, slot, subject }
    }

    /// The slot, as the test kit names it.
    #[must_use]
    pub fn sdk_slot(&self) -> SdkSlot {
        match self.slot {
            Slot::Demotion => SdkSlot::Demotion,
            Slot::Budget => SdkSlot::Budget,
            Slot::Curator => SdkSlot::Curator,
            Slot::Provenance => SdkSlot::Provenance,
        }
    }

    /// Asks, with the defaults below the question's settings. As in an index, settings that the policy itself refuses
    /// never reach its decision.
    pub fn ask(&self, question: &Question) -> Reply {
        let mut question = question.clone();
        if let Some(refused) = self.settle(&mut question) {
            return refused;
        }
        self.measure(question).reply.unwrap_or_else(|fault| Reply::Failed(fault.to_string()))
    }

    /// Asks and says what it took. The settings of the question are taken as they are, over the defaults.
    pub fn measure(&self, mut question: Question) -> Tried {
        let rows = rows(&question);
        let given = std::mem::take(question.settings_mut());
        *question.settings_mut() = entries(&self.with_defaults(&given));
        self.policy.answer(self.engine, self.slot, rows, question)
    }

    fn settle(&self, question: &mut Question) -> Option<Reply> {
        let given = question.settings_mut();
        if given.is_empty() {
            return None;
        }
        let all = self.with_defaults(given);
        match self.policy.refused_settings(self.engine, &all) {
            Err(fault) => Some(Reply::Failed(format!("`check-settings`: {fault}"))),
            Ok(refused) => {
                let key = refused.first()?.to_string();
                let value = all.get(&key).map_or(SdkValue::Boolean(false), to_sdk);
                let refusal = RawRefusal::BadSetting(Entry { key, value });
                Some(match self.sdk_slot() {
                    SdkSlot::Demotion => Reply::Demotion(Err(refusal)),
                    SdkSlot::Budget => Reply::Budget(Err(refusal)),
                    SdkSlot::Curator => Reply::Curator(Err(refusal)),
                    SdkSlot::Provenance => Reply::Provenance(Err(refusal)),
                })
            }
        }
    }

    fn with_defaults(&self, given: &[Entry]) -> Settings {
        let mut all = self.policy.settings.clone();
        all.extend(given.iter().map(|entry| (entry.key.clone(), from_sdk(&entry.value))));
        all
    }
}

/// How many rows a question is about.
fn rows(question: &Question) -> usize {
    let rows = match question {
        Question::Provenance(request) => return Limits::rows_of_content(request.content.len()),
        Question::Demotion(request) => request.skills.len + request.categories.len,
        Question::Budget(request) => request.skills.len + request.categories.len,
        Question::Curator(request) => request.skills.len,
    };
    rows as usize
}

fn entries(settings: &Settings) -> Vec<Entry> {
    settings.iter().map(|(key, value)| Entry { key: key.clone(), value: to_sdk(value) }).collect()
}

fn to_sdk(value: &Value) -> SdkValue {
    match value {
        Value::Boolean(value) => SdkValue::Boolean(*value),
        Value::Integer(value) => SdkValue::Integer(*value),
        Value::Real(value) => SdkValue::Real(*value),
        Value::Text(value) => SdkValue::Text(value.clone()),
        Value::Texts(value) => SdkValue::Texts(value.clone()),
    }
}

fn from_sdk(value: &SdkValue) -> Value {
    match value {
        SdkValue::Boolean(value) => Value::Boolean(*value),
        SdkValue::Integer(value) => Value::Integer(*value),
        SdkValue::Real(value) => Value::Real(*value),
        SdkValue::Text(value) => Value::Text(value.clone()),
        SdkValue::Texts(value) => Value::Texts(value.clone()),
    }
}
