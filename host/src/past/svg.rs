//! Regret against waste, as a picture: one point a rule with its name and its figures. A small writer of its own: lines,
//! circles and text, all of it escaped, in colours that can be read on light and on dark ground.

use super::Totals;
use crate::eval::escape;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 430.0;
/// The plot's edges.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 560.0;
const TOP: f64 = 60.0;
const BOTTOM: f64 = 360.0;
/// Lines of names keep so much distance.
const LINE: f64 = 16.0;

/// What a point is.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// What it is called.
    pub name: String,
    /// What it did.
    pub totals: Totals,
    /// Whether it bounds the others: it sees the future, or never retires.
    pub is_bound: bool,
}

/// Draws rules of one history.
#[must_use]
pub fn svg(points: &[Point], title: &str, note: &str) -> String {
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\n\
         <title>{title}</title>\n<desc>{note}</desc>\n{STYLE}\n\
         <text x=\"16\" y=\"28\" class=\"title\">{title}</text>\n",
        title = escape(title),
        note = escape(note),
    );
    let most_regret = points.iter().map(|it| it.totals.regretted).max().unwrap_or(0).max(1);
    let most_waste = points.iter().map(|it| it.totals.waste()).max().unwrap_or(0).max(1);
    let across = |waste: u64| LEFT + (RIGHT - LEFT) * part(waste, most_waste);
    let up =
        |regret: u32| BOTTOM - (BOTTOM - TOP) * part(u64::from(regret), u64::from(most_regret));
    axes(&mut text, most_regret, most_waste);
    let mut rows: Vec<(&Point, f64, f64)> =
        points.iter().map(|it| (it, across(it.totals.waste()), up(it.totals.regretted))).collect();
    rows.sort_by(|a, b| a.2.total_cmp(&b.2).then(a.1.total_cmp(&b.1)));
    // Names stand right of the plot, one below the other, each tied to its point.
    let first = |rows: usize| BOTTOM - LINE * (f64::from(u32::try_from(rows).unwrap_or(0)) - 1.0);
    let mut free = TOP;
    let mut left = rows.len();
    for (point, x, y) in rows {
        let at = y.max(free).min(first(left));
        free = at + LINE;
        left -= 1;
        let class = if point.is_bound { "bound" } else { "rule" };
        text.push_str(&format!(
            "<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" class=\"tie\"/>\n\
             <circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" class=\"{class}\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
            RIGHT + 8.0,
            at,
            RIGHT + 12.0,
            at + 4.0,
            escape(&shorten(&point.name)),
        ));
    }
    text.push_str(&format!(
        "<text x=\"16\" y=\"{}\" class=\"note\">{}</text>\n</svg>\n",
        HEIGHT - 12.0,
        escape(note)
    ));
    text
}

fn axes(text: &mut String, regret: u32, waste: u64) {
    let middle = (LEFT + RIGHT) / 2.0;
    text.push_str(&format!(
        "<path d=\"M {LEFT} {TOP} V {BOTTOM} H {RIGHT}\" class=\"axis\"/>\n\
         <text x=\"{x}\" y=\"{y0}\" class=\"end\">0</text>\n\
         <text x=\"{x}\" y=\"{y1}\" class=\"end\">{regret}</text>\n\
         <text x=\"{LEFT}\" y=\"{y2}\">0</text>\n\
         <text x=\"{RIGHT}\" y=\"{y2}\" class=\"end\">{waste}</text>\n\
         <text x=\"{middle}\" y=\"{y3}\" class=\"middle\">waste, in tokens · days</text>\n\
         <text x=\"{x4}\" y=\"{y4}\">regretted retirements</text>\n",
        x = LEFT - 8.0,
        y0 = BOTTOM + 4.0,
        y1 = TOP + 4.0,
        y2 = BOTTOM + 20.0,
        y3 = BOTTOM + 38.0,
        x4 = LEFT - 54.0,
        y4 = TOP - 12.0,
    ));
}

/// Text takes the reader's colour scheme, the ground stays whatever it is.
const STYLE: &str = "<style>\n\
    text { font: 13px system-ui, sans-serif; fill: #24292f }\n\
    .title { font-size: 16px; font-weight: 600 }\n\
    .end { text-anchor: end }\n\
    .middle { text-anchor: middle }\n\
    .note { font-size: 11px; fill: #57606a }\n\
    .axis { fill: none; stroke: #8c959f }\n\
    .tie { stroke: #8c959f; stroke-opacity: 0.4 }\n\
    .rule { fill: #0969da }\n\
    .bound { fill: none; stroke: #8c959f; stroke-width: 2 }\n\
    @media (prefers-color-scheme: dark) {\n\
    text { fill: #e6edf3 }\n\
    .note { fill: #9198a1 }\n\
    .rule { fill: #58a6ff }\n\
    }\n\
    </style>";

#[allow(clippy::cast_precision_loss, reason = "a place in a picture")]
fn part(of: u64, all: u64) -> f64 {
    of as f64 / all as f64
}

/// A name that is longer than its place is cut; the table has it whole.
fn shorten(name: &str) -> String {
    const MOST: usize = 26;
    if name.chars().count() <= MOST {
        return name.to_owned();
    }
    name.chars().take(MOST - 1).chain(['…']).collect()
}
