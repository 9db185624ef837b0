//! A header as JSON, word for word: for who hands it on as its author wrote it. Nothing is mended, nothing left out.

use serde_json::{Map, Value};

use super::{
    split::{Opening, split},
    text, yaml,
};

/// The header of a file, where it is whole and strict YAML with texts as its keys, each key once. Values have the kinds that
/// YAML 1.2 gives them; what JSON has no number for is text.
#[must_use]
pub fn frontmatter(bytes: &[u8]) -> Option<Map<String, Value>> {
    let parts = split(bytes);
    if parts.opening != Opening::Closed || bytes.contains(&0) {
        return None;
    }
    yaml::json(&text(bytes.get(parts.header)?))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use serde_json::{Value, json};

    use super::frontmatter;

    fn of(header: &str) -> Option<Value> {
        frontmatter(format!("---\n{header}\n---\nDo.\n").as_bytes()).map(Value::Object)
    }

    #[test]
    fn every_field_comes_as_its_author_wrote_it() {
        let header = "name: pdf\ndescription: >-\n  Use for\n  PDFs.\nlicense: MIT\nversion: 1.10\ncount: 3\non: yes\nmetadata:\n  tags: [a, b]\n  empty:\ndate: 2026-01-02";
        let expected = json!({
            "name": "pdf", "description": "Use for PDFs.", "license": "MIT", "version": 1.1, "count": 3, "on": "yes",
            "metadata": { "tags": ["a", "b"], "empty": null }, "date": "2026-01-02",
        });
        let found = of(header).unwrap();
        assert_eq!(found, expected);
        let keys: Vec<&String> = found.as_object().unwrap().keys().collect();
        assert_eq!(keys.first().map(|key| key.as_str()), Some("name"));
    }

    #[test]
    fn what_is_not_whole_or_not_strict_is_not_handed_on() {
        for header in [
            "name: a\ndescription: b: c",
            "name: a\nname: b",
            "- a list",
            "just words",
            "name: [a",
            "? [a]\n: b",
        ] {
            assert_eq!(of(header), None, "{header}");
        }
        for file in ["no header\n", "---\nname: a\nnever closed\n", "---\nname: \0\n---\n"] {
            assert_eq!(frontmatter(file.as_bytes()), None, "{file}");
        }
    }
}
