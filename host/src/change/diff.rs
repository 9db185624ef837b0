//! What differs between two states of a file, for people: lines of text, or sizes and hashes where there are none.

use similar::{Algorithm, TextDiff};

use crate::ledger::Digest;

/// Lines on both sides together that are compared at most. The comparison's work grows with the lines times those that
/// differ; what is longer is told by size and hash.
const MOST_LINES: usize = 20_000;

/// Lines around a change that are shown with it.
const CONTEXT: usize = 3;

/// One file on both sides of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileDiff {
    /// Its path below the root.
    pub path: String,
    /// Permissions before and after, where the file is there.
    pub modes: (Option<u32>, Option<u32>),
    /// What differs in its content.
    pub content: ContentDiff,
}

/// What differs in the content of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContentDiff {
    /// Nothing.
    Same,
    /// Lines: the hunks of a unified diff, without its two head lines.
    Lines(String),
    /// Bytes that are no text, or too many lines: size and hash of both sides.
    Bytes {
        /// Before; nothing where the file wasn't there.
        before: Option<(usize, Digest)>,
        /// After; nothing where it is gone.
        after: Option<(usize, Digest)>,
    },
}

/// One side of a file: its bytes and permissions, where it is there.
pub type Side<'a> = Option<(&'a [u8], u32)>;

impl FileDiff {
    /// Of these two sides.
    #[must_use]
    pub fn new(path: &str, before: Side<'_>, after: Side<'_>) -> FileDiff {
        FileDiff {
            path: path.to_owned(),
            modes: (before.map(|(_, mode)| mode), after.map(|(_, mode)| mode)),
            content: content(before.map(|(bytes, _)| bytes), after.map(|(bytes, _)| bytes)),
        }
    }

    /// Lines that come, and lines that go; nothing where it isn't told by lines.
    #[must_use]
    pub fn lines(&self) -> Option<(usize, usize)> {
        let ContentDiff::Lines(hunks) = &self.content else { return None };
        let of = |sign: char| hunks.lines().filter(|line| line.starts_with(sign)).count();
        Some((of('+'), of('-')))
    }

    /// As `diff -u` and git print it. The text is the files' own: who prints it to a terminal makes it printable.
    #[must_use]
    pub fn unified(&self) -> String {
        let side = |mode: Option<u32>, letter: char| {
            mode.map_or_else(|| "/dev/null".to_owned(), |_| format!("{letter}/{}", self.path))
        };
        let mut text =
            format!("--- {}\n+++ {}\n", side(self.modes.0, 'a'), side(self.modes.1, 'b'));
        if let (Some(before), Some(after)) = self.modes
            && before != after
        {
            text.push_str(&format!("permissions {before:o} became {after:o}\n"));
        }
        match &self.content {
            ContentDiff::Same => {}
            ContentDiff::Lines(hunks) => text.push_str(hunks),
            ContentDiff::Bytes { before, after } => {
                for (sign, side) in [('-', before), ('+', after)] {
                    if let Some((size, digest)) = side {
                        text.push_str(&format!("{sign}{size} bytes, sha256 {digest}\n"));
                    }
                }
            }
        }
        text
    }
}

fn content(before: Option<&[u8]>, after: Option<&[u8]>) -> ContentDiff {
    if before == after {
        return ContentDiff::Same;
    }
    let sides = (before.unwrap_or_default(), after.unwrap_or_default());
    let lines = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == b'\n').count();
    if let (Some(old), Some(new)) = (text(sides.0), text(sides.1))
        && lines(sides.0) + lines(sides.1) <= MOST_LINES
    {
        let diff = TextDiff::configure().algorithm(Algorithm::Patience).diff_lines(old, new);
        return ContentDiff::Lines(diff.unified_diff().context_radius(CONTEXT).to_string());
    }
    let told = |side: Option<&[u8]>| side.map(|bytes| (bytes.len(), Digest::of(bytes)));
    ContentDiff::Bytes { before: told(before), after: told(after) }
}

fn text(bytes: &[u8]) -> Option<&str> {
    std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))
}

#[cfg(test)]
mod tests {
    use super::{ContentDiff, FileDiff};

    #[test]
    fn texts_differ_by_lines() {
        let diff =
            FileDiff::new("a/SKILL.md", Some((b"one\ntwo\n", 0o644)), Some((b"one\n2", 0o755)));
        assert_eq!(
            diff.unified(),
            "--- a/a/SKILL.md\n+++ b/a/SKILL.md\npermissions 644 became 755\n\
             @@ -1,2 +1,2 @@\n one\n-two\n+2\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn a_file_that_is_made_or_taken_away_has_one_side() {
        let made = FileDiff::new("x", None, Some((b"one\n", 0o644))).unified();
        assert_eq!(made, "--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+one\n");
        let gone = FileDiff::new("x", Some((b"one\n", 0o644)), None).unified();
        assert_eq!(gone, "--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n");
    }

    #[test]
    fn bytes_differ_by_size_and_hash() {
        let diff = FileDiff::new("x", Some((b"\0", 0o644)), Some((b"abc", 0o644))).unified();
        assert_eq!(
            diff,
            "--- a/x\n+++ b/x\n\
             -1 bytes, sha256 6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d\n\
             +3 bytes, sha256 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\n"
        );
        let long = "x\n".repeat(30_000);
        let diff = FileDiff::new("x", Some((long.as_bytes(), 0o644)), Some((b"abc", 0o644)));
        assert!(matches!(diff.content, ContentDiff::Bytes { .. }));
        let same = FileDiff::new("x", Some((b"a", 0o644)), Some((b"a", 0o600)));
        assert_eq!(same.content, ContentDiff::Same);
    }
}
