//! Columns of a request, made of what is known here, and only those that a policy asks for.

use crate::{
    decision::{Column, Table, Values},
    skill::{Usage, UsageRecord},
};

/// The cells of one column.
pub(super) struct Cells {
    rows: Option<Vec<u32>>,
    values: Values,
}

impl Cells {
    /// One whole number for each row.
    pub(super) fn integers(values: impl Iterator<Item = i64>) -> Cells {
        Cells { rows: None, values: Values::Integers(values.collect()) }
    }

    /// One text for each row.
    pub(super) fn texts<'a>(texts: impl Iterator<Item = &'a str>) -> Cells {
        Cells { rows: None, values: Values::Texts(texts.map(str::to_owned).collect()) }
    }

    /// No for each row.
    pub(super) fn no(rows: usize) -> Cells {
        Cells { rows: None, values: Values::Booleans(vec![false; rows]) }
    }

    /// What is known of the use of these skills, where anything is.
    pub(super) fn of_usage<'a>(
        names: impl Iterator<Item = &'a str>,
        usage: &Usage,
        of: fn(&UsageRecord) -> Option<i64>,
    ) -> Cells {
        let (rows, values) = (0..)
            .zip(names)
            .filter_map(|(row, name)| Some((row, of(usage.records.get(name)?)?)))
            .unzip();
        Cells { rows: Some(rows), values: Values::Integers(values) }
    }
}

/// The uses of a record.
pub(super) fn uses(record: &UsageRecord) -> Option<i64> {
    i64::try_from(record.uses).ok()
}

/// When a record was last used.
pub(super) fn last_used(record: &UsageRecord) -> Option<i64> {
    record.last_used.map(|time| time.0)
}

/// A table of those columns that are asked for.
pub(super) fn table<const N: usize>(
    rows: usize,
    columns: [(&'static str, Cells); N],
    asked: &dyn Fn(&str) -> bool,
) -> Table {
    let columns = columns.into_iter().filter(|(key, _)| asked(key));
    let column = |(key, Cells { rows, values })| Column { key, rows, values };
    Table { len: u32::try_from(rows).unwrap_or(u32::MAX), columns: columns.map(column).collect() }
}
