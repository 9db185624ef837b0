//! Values of the contract as they lie in a guest's memory, by the canonical ABI. Only layout: what is hostile about a
//! value is the test's affair.

use skillkeep::decision::Value;

/// Static data of a guest, from [`Data::START`] up.
pub struct Data {
    bytes: Vec<u8>,
}

/// The bytes of one record, field by field.
#[derive(Clone, Default)]
pub struct Record(Vec<u8>);

/// What `describe` says.
#[derive(Clone)]
pub struct Info {
    pub name: String,
    pub version: String,
    pub summary: String,
    pub parameters: Vec<(String, Value, String)>,
    pub needs: Vec<String>,
    pub wants: Vec<String>,
    pub reasons: Vec<(String, String)>,
}

/// What `decide` says. A proposal is a row, the number of its form or detail, and its reason's position.
#[derive(Clone)]
pub struct Answer {
    pub proposals: Vec<(u32, u8, u32)>,
    pub reasons: Vec<(String, Vec<String>)>,
}

impl Record {
    pub fn byte(mut self, value: u8) -> Record {
        self.0.push(value);
        self
    }

    pub fn word(mut self, value: u32) -> Record {
        self = self.align(4);
        self.0.extend(value.to_le_bytes());
        self
    }

    pub fn long(mut self, value: u64) -> Record {
        self = self.align(8);
        self.0.extend(value.to_le_bytes());
        self
    }

    /// A string or a list: where it is, and how long.
    pub fn slice(self, (at, len): (u32, u32)) -> Record {
        self.word(at).word(len)
    }

    pub fn align(mut self, to: usize) -> Record {
        self.0.resize(self.0.len().next_multiple_of(to), 0);
        self
    }

    fn then(mut self, other: Record) -> Record {
        self.0.extend(other.0);
        self
    }
}

impl Data {
    pub const START: u32 = 1024;

    pub fn new() -> Data {
        Data { bytes: Vec::new() }
    }

    /// The first address after the data, aligned for anything.
    pub fn end(&self) -> u32 {
        (Data::START + u32::try_from(self.bytes.len()).unwrap()).next_multiple_of(16)
    }

    /// Puts a record at an address of its own.
    pub fn place(&mut self, record: Record) -> u32 {
        let at = self.end();
        self.bytes.resize((at - Data::START) as usize, 0);
        self.bytes.extend(record.0);
        at
    }

    pub fn text(&mut self, text: &str) -> (u32, u32) {
        self.bytes(text.as_bytes())
    }

    pub fn bytes(&mut self, bytes: &[u8]) -> (u32, u32) {
        (self.place(Record(bytes.to_vec())), u32::try_from(bytes.len()).unwrap())
    }

    /// A list whose elements are `align`ed records.
    pub fn list(&mut self, elements: Vec<Record>, align: usize) -> (u32, u32) {
        let len = u32::try_from(elements.len()).unwrap();
        let all =
            elements.into_iter().fold(Record::default(), |all, one| all.then(one.align(align)));
        (self.place(all), len)
    }

    pub fn texts(&mut self, texts: &[String]) -> (u32, u32) {
        let elements = texts.iter().map(|text| Record::default().slice(self.text(text))).collect();
        self.list(elements, 4)
    }

    pub fn info(&mut self, info: &Info) -> u32 {
        let parameters = info
            .parameters
            .iter()
            .map(|(key, default, doc)| {
                let key = Record::default().slice(self.text(key));
                let value = self.value(default);
                key.then(value).slice(self.text(doc))
            })
            .collect();
        let reasons = info
            .reasons
            .iter()
            .map(|(code, template)| {
                Record::default().slice(self.text(code)).slice(self.text(template))
            })
            .collect();
        let record = Record::default()
            .slice(self.text(&info.name))
            .slice(self.text(&info.version))
            .slice(self.text(&info.summary))
            .slice(self.list(parameters, 8))
            .slice(self.texts(&info.needs))
            .slice(self.texts(&info.wants))
            .slice(self.list(reasons, 4));
        self.place(record)
    }

    /// `ok(answer)`
    pub fn answer(&mut self, answer: &Answer) -> u32 {
        let proposals = answer
            .proposals
            .iter()
            .map(|(row, choice, why)| Record::default().word(*row).byte(*choice).word(*why))
            .collect();
        let proposals = self.list(proposals, 4);
        let reasons = answer.reasons.iter().map(|(code, args)| self.reason(code, args)).collect();
        let reasons = self.list(reasons, 4);
        self.ok(proposals, reasons)
    }

    /// `ok` of an answer whose lists are wherever the test says, without a cut: a demotion's ends before that.
    pub fn ok(&mut self, proposals: (u32, u32), reasons: (u32, u32)) -> u32 {
        self.place(Record::default().long(0).slice(proposals).slice(reasons).long(0))
    }

    /// `ok` of a budget's answer with a cut.
    pub fn cutting(&mut self, answer: &Answer, cut: u32) -> u32 {
        let at = self.answer(answer) - Data::START;
        let place = at as usize + 24;
        self.bytes[place..place + 8]
            .copy_from_slice(&[&1_u32.to_le_bytes()[..], &cut.to_le_bytes()].concat());
        at + Data::START
    }

    /// `ok` of a judged write: the number of its verdict (0 allow, 1 stage, 2 deny), its origin, and the code of its reason.
    pub fn judged(&mut self, verdict: u8, origin: &str, code: &str) -> u32 {
        let origin = self.text(origin);
        let reason = self.reason(code, &["a test".to_owned()]);
        self.place(Record::default().long(0).byte(verdict).slice(origin).then(reason))
    }

    /// `err(bad-setting)`
    pub fn bad_setting(&mut self, key: &str, value: &Value) -> u32 {
        let entry = Record::default().slice(self.text(key)).then(self.value(value));
        self.place(Record::default().long(1).long(0).then(entry))
    }

    /// `err(missing-fact)`
    pub fn missing_fact(&mut self, key: &str) -> u32 {
        let key = self.text(key);
        self.place(Record::default().long(1).long(1).slice(key))
    }

    /// `err(other)`
    pub fn refusal(&mut self, code: &str, args: &[String]) -> u32 {
        let reason = self.reason(code, args);
        self.place(Record::default().long(1).long(2).then(reason))
    }

    /// `err` of problems, each key and message.
    pub fn problems(&mut self, problems: &[(String, String)]) -> u32 {
        let problems = problems
            .iter()
            .map(|(key, message)| Record::default().slice(self.text(key)).slice(self.text(message)))
            .collect();
        let problems = self.list(problems, 4);
        self.place(Record::default().word(1).slice(problems))
    }

    pub fn reason(&mut self, code: &str, args: &[String]) -> Record {
        let code = self.text(code);
        let args = self.texts(args);
        Record::default().slice(code).slice(args)
    }

    fn value(&mut self, value: &Value) -> Record {
        let case = |number| Record::default().long(number);
        match value {
            Value::Boolean(value) => case(0).long(u64::from(*value)),
            Value::Integer(value) => case(1).long(value.cast_unsigned()),
            Value::Real(value) => case(2).long(value.to_bits()),
            Value::Text(text) => case(3).slice(self.text(text)),
            Value::Texts(texts) => case(4).slice(self.texts(texts)),
        }
    }

    /// As a data segment of the text format.
    pub fn segment(&self) -> String {
        let mut text = format!("(data (i32.const {}) \"", Data::START);
        for byte in &self.bytes {
            text.push_str(&format!("\\{byte:02x}"));
        }
        text.push_str("\")");
        text
    }
}
