//! Links and paths in a body that are relative to the skill's folder, and the rules about where they lead. What is
//! there is told by `read`; nothing here looks.

use std::collections::BTreeSet;

use super::{finding::Draft, page::Page, rule::Rule};
use crate::library::Fences;

/// What a body refers to by a relative path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The path, as the file system has it.
    pub path: String,
    /// Line of the file.
    pub line: u32,
    /// Whether it is a link; otherwise it is a path in a span of code.
    pub is_link: bool,
    /// Where it leads.
    pub lead: Lead,
}

/// Where a link leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lead {
    /// Nobody has looked yet.
    #[default]
    Unknown,
    /// To something in the skill's folder.
    Inside,
    /// To something in the root, but not of this skill.
    Beside,
    /// Out of the root.
    Outside,
    /// To nothing.
    Nowhere,
}

/// Folders of a skill whose files a body names in code: a path that begins otherwise is most likely the user's.
const FOLDERS: [&str; 4] = ["scripts/", "references/", "assets/", "templates/"];

/// Links of one body that are looked at, the longest target in bytes, and the longest line: nobody writes more by hand.
const MOST_LINKS: usize = 1_000;
const LONGEST_TARGET: usize = 512;
const LONGEST_LINE: usize = 16 * 1024;

/// What a body refers to, each path once, on its first line. Blocks of code show links and have none.
pub(super) fn of(body: &str, first: u32) -> Vec<Link> {
    let mut seen = BTreeSet::new();
    let mut links = Vec::new();
    let mut fences = Fences::default();
    for (line, number) in body.split('\n').zip(first..) {
        if fences.holds(line) || line.len() > LONGEST_LINE {
            continue;
        }
        for (path, is_link) in of_line(line) {
            if links.len() < MOST_LINKS && seen.insert(path.clone()) {
                links.push(Link { path, line: number, is_link, lead: Lead::Unknown });
            }
        }
    }
    links
}

/// The relative paths of one line, and whether each is a link.
fn of_line(line: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    if !line.contains(['`', ']']) {
        return found;
    }
    let mut prose = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find('`') {
        let (before, tail) = rest.split_at(start);
        prose.push_str(before);
        let inner = tail.trim_start_matches('`');
        let ticks = tail.get(..tail.len() - inner.len()).unwrap_or("`");
        match closing(inner, ticks) {
            Some(end) => {
                let code = inner.get(..end).unwrap_or_default().trim();
                if FOLDERS.iter().any(|folder| code.starts_with(folder))
                    && let Some(path) = file_in_code(code)
                {
                    found.push((path, false));
                }
                // A span of code may be the text of a link: `[`a`](a.md)`.
                prose.push('c');
                rest = inner.get(end + ticks.len()..).unwrap_or_default();
            }
            None => rest = inner,
        }
    }
    prose.push_str(rest);
    let definition = prose.trim_start().strip_prefix('[').and_then(|line| line.split_once("]:"));
    let defined = definition.map(|(_, target)| target.trim_start());
    let inline = prose.match_indices("](").filter_map(|(at, mark)| prose.get(at + mark.len()..));
    for target in defined.into_iter().chain(inline) {
        found.extend(destination(target).and_then(relative).map(|path| (path, true)));
    }
    found
}

/// Where a span of code ends that as many ticks opened.
fn closing(inner: &str, ticks: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + inner.get(from..)?.find('`')?;
        let tail = inner.get(at..)?;
        let run = tail.len() - tail.trim_start_matches('`').len();
        if run == ticks.len() {
            return Some(at);
        }
        from = at + run;
    }
}

/// A path of a file in a span of code, if it is one as it stands, without a pattern or an argument.
fn file_in_code(code: &str) -> Option<String> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_');
    let name = code.rsplit('/').next()?;
    let named = name.rsplit_once('.').is_some_and(|(stem, ending)| {
        !stem.is_empty() && !ending.is_empty() && ending.chars().any(char::is_alphabetic)
    });
    (code.chars().all(plain) && named).then(|| relative(code)).flatten()
}

/// What stands in the parentheses of a link, without its title.
fn destination(text: &str) -> Option<&str> {
    let end = text.char_indices().map(|(at, _)| at).find(|at| *at >= LONGEST_TARGET);
    let text = text.get(..end.unwrap_or(text.len()))?;
    if let Some(angled) = text.strip_prefix('<') {
        return angled.split_once('>').map(|(target, _)| target);
    }
    let mut depth = 0_usize;
    let end = text.find(|c: char| {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return true,
            ')' => depth -= 1,
            _ => {}
        }
        c.is_whitespace()
    });
    Some(text.get(..end.unwrap_or(text.len())).unwrap_or(text))
}

/// The path of a target that is relative and plainly one of a file; none for addresses, anchors, absolute paths,
/// placeholders and patterns.
fn relative(target: &str) -> Option<String> {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    let scheme = path.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+.-".contains(&b))
    });
    let odd = path.is_empty()
        || scheme
        || path.starts_with(['/', '\\', '~', '@'])
        || path.contains(['{', '}', '<', '>', '$', '*', '|', '"', '`', '\\', '[', ']', '…'])
        || path.contains("...")
        || path.starts_with("path/to")
        || !path.contains(['/', '.'])
        || path.chars().any(char::is_control);
    (!odd).then(|| decoded(path)).flatten().filter(|path| !path.contains('\0'))
}

/// A path with its `%20` and the like read; none where that is no text.
fn decoded(path: &str) -> Option<String> {
    if !path.contains('%') {
        return Some(path.to_owned());
    }
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let pair = tail.get(..2).and_then(|pair| std::str::from_utf8(pair).ok());
        match pair.filter(|_| *first == b'%').and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).ok()
}

/// A path below the root, and whether it lies in the skill's folder; none where it climbs out of the root.
pub(super) fn target(folder: &str, path: &str) -> Option<(String, bool)> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let own = parts.len();
    let mut least = own;
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
                least = least.min(parts.len());
            }
            _ => parts.push(part),
        }
    }
    let inside = least == own || {
        let folder = folder.split('/').filter(|part| !part.is_empty());
        parts.len() >= own && parts.iter().copied().zip(folder).all(|(a, b)| a == b)
    };
    Some((parts.join("/"), inside))
}

/// What is wrong with where a page's links lead.
pub(super) fn judge(row: usize, page: &Page, found: &mut Vec<Draft>) {
    for link in &page.links {
        let Link { path, line, is_link, lead } = link;
        let draft = match (lead, is_link) {
            (Lead::Nowhere, true) => {
                Draft::new(row, Rule::DeadLink, *line, &format!("nothing is at `{path}`"))
            }
            (Lead::Nowhere, false) => {
                Draft::new(row, Rule::DeadPath, *line, &format!("nothing is at `{path}`"))
            }
            (Lead::Beside, true) => {
                let cause = format!("`{path}` lies outside the skill's folder");
                Draft::new(row, Rule::LinkOut, *line, &cause)
            }
            (Lead::Outside, true) => {
                let cause = format!("`{path}` lies outside what is checked, and was not looked at");
                Draft::new(row, Rule::LinkOut, *line, &cause)
            }
            _ => continue,
        };
        found.push(draft);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(body: &str) -> Vec<String> {
        let row = |link: Link| {
            format!("{}{} {}", link.line, if link.is_link { "" } else { "`" }, link.path)
        };
        of(body, 5).into_iter().map(row).collect()
    }

    #[test]
    fn only_plain_relative_paths_are_links() {
        for (body, found) in [
            ("see [a](a.md) and ![b](img/b.png \"t\")", vec!["5 a.md", "5 img/b.png"]),
            ("x\n\n[a]: refs/a.md 'title'", vec!["7 refs/a.md"]),
            ("[a](<my file.md>) [b](my%20file.md) [c](a(1).md)", vec!["5 my file.md", "5 a(1).md"]),
            ("[a](a.md#part) [b](a.md?x=1) [c](#part)", vec!["5 a.md"]),
            ("[`a`](scripts/a.sh)", vec!["5 scripts/a.sh"]),
            (
                "[a](https://x.org/a.md) [b](mailto:a@b.c) [c](//x.org/a) [d](/abs.md) [e](~/a.md) [f](C:\\a.md)",
                vec![],
            ),
            (
                "[a](url) [b](path/to/x.md) [c](${X}/a.md) [d](<name>.md) [e]({a}.md) [f](...)",
                vec![],
            ),
            ("```md\n[a](a.md)\n```\n`[b](b.md)`\n[c](c.md)", vec!["9 c.md"]),
            ("~~~\n```\n[a](a.md)\n~~~\n[b](b.md)", vec!["9 b.md"]),
            (
                "run `scripts/run.py` or `references/x.md`, not `scripts/*.py` nor `src/main.rs` nor `scripts/`",
                vec!["5` scripts/run.py", "5` references/x.md"],
            ),
            ("a ` b ``scripts/x.sh`` c", vec!["5` scripts/x.sh"]),
            ("[a](a.md", vec!["5 a.md"]),
            ("](", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(paths(body), found, "{body}");
        }
    }

    #[test]
    fn a_path_is_followed_only_below_the_root() {
        for (folder, path, result) in [
            ("a/x", "b.md", Some(("a/x/b.md", true))),
            ("a/x", "./b/../c.md", Some(("a/x/c.md", true))),
            ("a/x", "../y/c.md", Some(("a/y/c.md", false))),
            ("a/x", "../x/c.md", Some(("a/x/c.md", true))),
            ("a/x", "../../c.md", Some(("c.md", false))),
            ("a/x", "../../../etc/passwd", None),
            ("", "c.md", Some(("c.md", true))),
            ("", "../c.md", None),
        ] {
            let result = result.map(|(path, inside)| (path.to_owned(), inside));
            assert_eq!(target(folder, path), result, "{folder} {path}");
        }
    }

    #[test]
    fn a_line_that_never_ends_and_a_thousand_links_are_bounded() {
        assert!(of(&"](".repeat(2_000_000), 1).is_empty());
        assert!(of(&"` `` ``` ".repeat(20_000), 1).is_empty());
        let many: String = (0..5_000).map(|n| format!("[x]({n}.md)\n")).collect();
        assert_eq!(of(&many, 1).len(), MOST_LINKS);
    }

    #[test]
    fn where_a_link_leads_decides_what_is_said() {
        let link = |lead, is_link| Link { path: "a.md".to_owned(), line: 9, is_link, lead };
        for (lead, is_link, rules) in [
            (Lead::Inside, true, vec![]),
            (Lead::Nowhere, true, vec![(Rule::DeadLink, 9)]),
            (Lead::Nowhere, false, vec![(Rule::DeadPath, 9)]),
            (Lead::Beside, true, vec![(Rule::LinkOut, 9)]),
            (Lead::Outside, true, vec![(Rule::LinkOut, 9)]),
            (Lead::Outside, false, vec![]),
        ] {
            let page = Page { links: vec![link(lead, is_link)], ..Page::default() };
            let mut found = Vec::new();
            judge(0, &page, &mut found);
            let found: Vec<_> = found.into_iter().map(|draft| (draft.rule, draft.line)).collect();
            assert_eq!(found, rules, "{lead:?} {is_link}");
        }
    }
}
