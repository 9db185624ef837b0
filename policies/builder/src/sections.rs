//! What a component carries beside its code: whose it is, and its cases, each in a custom section. No engine looks at them.

/// What a component says it was built from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// The crate.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The hash of its sources.
    pub source: String,
}

const ABOUT: &str = "skillkeep:about";
const CASE: &str = "skillkeep:case/";

/// The component with its sections behind it.
#[must_use]
pub fn with_sections(mut component: Vec<u8>, about: &About, cases: &[(String, String)]) -> Vec<u8> {
    let About { name, version, source } = about;
    let text = format!("name = \"{name}\"\nversion = \"{version}\"\nsource = \"{source}\"\n");
    append(&mut component, ABOUT, text.as_bytes());
    for (name, text) in cases {
        append(&mut component, &format!("{CASE}{name}"), text.as_bytes());
    }
    component
}

/// What a component says it was built from, if it does.
#[must_use]
pub fn about(component: &[u8]) -> Option<About> {
    let (_, data) = sections(component).find(|(name, _)| *name == ABOUT)?;
    let table: toml::Table = std::str::from_utf8(data).ok()?.parse().ok()?;
    let text = |key: &str| table.get(key).and_then(toml::Value::as_str).map(str::to_owned);
    Some(About { name: text("name")?, version: text("version")?, source: text("source")? })
}

/// The cases that a component carries: name and text.
#[must_use]
pub fn cases(component: &[u8]) -> Vec<(String, String)> {
    let cases = sections(component).filter_map(|(name, data)| {
        let name = name.strip_prefix(CASE)?;
        Some((name.to_owned(), String::from_utf8_lossy(data).into_owned()))
    });
    cases.collect()
}

fn append(component: &mut Vec<u8>, name: &str, data: &[u8]) {
    let mut content = leb(name.len());
    content.extend_from_slice(name.as_bytes());
    content.extend_from_slice(data);
    component.push(0);
    component.extend(leb(content.len()));
    component.extend(content);
}

/// The custom sections at the top of a component: name and content. What is no wasm has none.
fn sections(component: &[u8]) -> impl Iterator<Item = (&str, &[u8])> {
    let mut rest = component.get(8..).unwrap_or_default();
    std::iter::from_fn(move || {
        let (id, after) = rest.split_first()?;
        let (size, content) = number(after)?;
        let (content, next) = content.split_at_checked(size)?;
        rest = next;
        Some((*id, content))
    })
    .filter(|(id, _)| *id == 0)
    .filter_map(|(_, content)| {
        let (length, rest) = number(content)?;
        let (name, data) = rest.split_at_checked(length)?;
        Some((std::str::from_utf8(name).ok()?, data))
    })
}

#[allow(clippy::cast_possible_truncation, reason = "seven bits at a time")]
fn leb(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (number & 0x7f) as u8;
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

fn number(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let mut value = 0_usize;
    for (place, byte) in bytes.iter().take(5).enumerate() {
        value |= usize::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Some((value, bytes.get(place + 1..)?));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{About, about, cases, with_sections};

    #[test]
    fn what_is_written_is_read_back() {
        let component = b"\0asm\x0d\0\x01\0".to_vec();
        let of =
            About { name: "a".to_owned(), version: "1.0.0".to_owned(), source: "ff".to_owned() };
        let files = [
            ("one.md".to_owned(), "# One\n".to_owned()),
            ("two.md".to_owned(), "x".repeat(70_000)),
        ];
        let bytes = with_sections(component, &of, &files);
        assert_eq!((about(&bytes), cases(&bytes)), (Some(of), files.to_vec()));
    }

    #[test]
    fn what_is_no_component_or_is_cut_short_has_none() {
        let of = About { name: "a".to_owned(), version: String::new(), source: String::new() };
        let whole = with_sections(b"\0asm\x0d\0\x01\0".to_vec(), &of, &[]);
        for end in 0..whole.len() {
            assert_eq!(about(&whole[..end]), None);
        }
        assert_eq!(about(b"no wasm at all, but some text"), None);
        assert_eq!(about(&[0xff; 64]), None);
    }
}
