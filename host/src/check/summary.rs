//! Findings counted: by severity and by kind, and the skills that have none.

use std::collections::BTreeSet;

use super::{
    finding::Finding,
    rule::{Kind, Severity},
};

/// The findings of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindCount {
    /// The kind.
    pub kind: Kind,
    /// How many findings it has.
    pub findings: usize,
    /// How many skills have none of it.
    pub clean: usize,
}

/// Findings counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Skills that were checked.
    pub skills: usize,
    /// How many of them have no finding at all.
    pub clean: usize,
    /// How many have nothing worse than notes.
    pub no_worse_than_notes: usize,
    /// Findings by severity, the gravest first.
    pub severities: [(Severity, usize); 3],
    /// Findings by kind.
    pub kinds: Vec<KindCount>,
}

impl Summary {
    /// Counts the findings of so many skills.
    #[must_use]
    pub fn of(findings: &[Finding], skills: usize) -> Summary {
        let without = |bad: &dyn Fn(&&Finding) -> bool| {
            let rows: BTreeSet<usize> = findings.iter().filter(bad).filter_map(|f| f.row).collect();
            skills.saturating_sub(rows.len())
        };
        let count = |fits: &dyn Fn(&&Finding) -> bool| findings.iter().filter(fits).count();
        Summary {
            skills,
            clean: without(&|_| true),
            no_worse_than_notes: without(&|finding| finding.severity > Severity::Note),
            severities: Severity::ALL
                .map(|severity| (severity, count(&|finding| finding.severity == severity))),
            kinds: Kind::ALL
                .into_iter()
                .map(|kind| KindCount {
                    kind,
                    findings: count(&|finding| finding.rule.kind() == kind),
                    clean: without(&|finding| finding.rule.kind() == kind),
                })
                .collect(),
        }
    }
}
