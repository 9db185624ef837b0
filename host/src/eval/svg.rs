//! How rules fared, as a picture: for each limit a group, for each rule a bar. A small writer of its own: rectangles and
//! text, all of it escaped; colours that can be read on light and on dark ground; the figures beside the bars, so that
//! nothing has to be told by colour.

use super::table::{Row, percent};

const WIDTH: u32 = 760;
const LEFT: u32 = 200;
const BAR: u32 = 420;
const LINE: u32 = 24;
const HEAD: u32 = 66;
const GROUP: u32 = 34;
const NOTE: u32 = 15;

/// Draws rows, grouped by limit in their order.
#[must_use]
pub fn svg(rows: &[Row], title: &str, note: &str, unit: &str) -> String {
    let groups = rows.chunk_by(|a, b| a.limit == b.limit);
    let (lines, gaps) = (length(rows.len()), length(groups.clone().count()));
    let height = HEAD + lines * LINE + gaps * GROUP + 26 + length(lines_of(note).len()) * NOTE;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\">\n\
         <title>{}</title>\n<desc>{}</desc>\n{STYLE}\n\
         <text x=\"16\" y=\"28\" class=\"title\">{}</text>\n\
         <rect x=\"{LEFT}\" y=\"42\" width=\"12\" height=\"12\" class=\"one\"/><text x=\"{}\" y=\"52\">first</text>\n\
         <rect x=\"{}\" y=\"42\" width=\"12\" height=\"12\" class=\"five\"/><text x=\"{}\" y=\"52\">among the first five</text>\n",
        escape(title),
        escape(note),
        escape(title),
        LEFT + 18,
        LEFT + 70,
        LEFT + 88,
    );
    let mut y = HEAD;
    for group in groups {
        let limit = match group.first().and_then(|row| row.limit) {
            Some(limit) => format!("{limit} {unit}"),
            None => "no limit".to_owned(),
        };
        y += GROUP;
        put(
            &mut text,
            &format!("<text x=\"16\" y=\"{}\" class=\"group\">{}</text>", y - 10, escape(&limit)),
        );
        for row in group {
            bar(&mut text, row, y);
            y += LINE;
        }
    }
    y += 26;
    for line in lines_of(note) {
        put(
            &mut text,
            &format!("<text x=\"16\" y=\"{y}\" class=\"note\">{}</text>", escape(&line)),
        );
        y += NOTE;
    }
    text.push_str("</svg>\n");
    text
}

/// Text takes the reader's colour scheme, the ground stays whatever it is.
const STYLE: &str = "<style>\n\
    text { font: 13px system-ui, sans-serif; fill: #24292f }\n\
    .title { font-size: 16px; font-weight: 600 }\n\
    .group { font-weight: 600 }\n\
    .label { text-anchor: end }\n\
    .note { font-size: 11px; fill: #57606a }\n\
    .all { fill: #8c959f; fill-opacity: 0.16 }\n\
    .five { fill: #54aeff; fill-opacity: 0.6 }\n\
    .one { fill: #0969da }\n\
    @media (prefers-color-scheme: dark) {\n\
    text { fill: #e6edf3 }\n\
    .note { fill: #9198a1 }\n\
    .five { fill: #388bfd; fill-opacity: 0.45 }\n\
    .one { fill: #58a6ff }\n\
    }\n\
    </style>";

fn bar(text: &mut String, row: &Row, y: u32) {
    let [one, five] = [row.scores.top_1, row.scores.top_5.unwrap_or(0.0)]
        .map(|share| width(share.clamp(0.0, 1.0)));
    put(
        text,
        &format!(
            "<text x=\"{}\" y=\"{}\" class=\"label\">{}</text>",
            LEFT - 10,
            y + 12,
            escape(&shorten(&row.label))
        ),
    );
    for (class, width) in [("all", f64::from(BAR)), ("five", five), ("one", one)] {
        let (top, height) = if class == "one" { (y + 4, 8) } else { (y, 16) };
        put(
            text,
            &format!(
                "<rect x=\"{LEFT}\" y=\"{top}\" width=\"{width:.1}\" height=\"{height}\" class=\"{class}\"/>"
            ),
        );
    }
    let figures = match row.scores.top_5 {
        Some(five) => format!("{} / {} %", percent(row.scores.top_1), percent(five)),
        None => format!("{} %", percent(row.scores.top_1)),
    };
    put(text, &format!("<text x=\"{}\" y=\"{}\">{figures}</text>", LEFT + BAR + 10, y + 12));
}

fn put(text: &mut String, line: &str) {
    text.push_str(line);
    text.push('\n');
}

fn width(share: f64) -> f64 {
    share * f64::from(BAR)
}

/// A note in lines that fit the width.
fn lines_of(note: &str) -> Vec<String> {
    const MOST: usize = 115;
    let mut lines: Vec<String> = Vec::new();
    for word in note.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= MOST => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// A label that is longer than its column is cut; the table has it whole.
fn shorten(label: &str) -> String {
    const MOST: usize = 26;
    if label.chars().count() <= MOST {
        return label.to_owned();
    }
    label.chars().take(MOST - 1).chain(['…']).collect()
}

/// Text for XML: what has a meaning there is escaped, what may not stand there is left out.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => {}
            c => escaped.push(c),
        }
    }
    escaped
}

fn length(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX / LINE / 4).min(u32::MAX / LINE / 4)
}
