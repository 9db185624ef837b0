//! A row's view: what an author reads instead of columns.
//!
//! A fact that every row has is a plain value; one that may be unknown is an `Option`. Views only read: what follows from a
//! fact is for the policy to say.

mod life;

use crate::column::{Cell, Column};
use crate::facts::{Instant, RawTable};
use crate::key::{self, Key, Place};
use crate::slots::{Detail, Form};

macro_rules! columns {
    ($(#[$meta:meta])* $name:ident { $( $field:ident : $type:ty = $key:ident ),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Debug)]
        pub(crate) struct $name<'a> { $( $field: Column<'a, $type> ),* }

        impl<'a> $name<'a> {
            fn find(table: &'a RawTable, declared: &[&[Key]]) -> Self {
                Self { $( $field: Column::find(table, &key::$key, declared) ),* }
            }
        }
    };
}

columns! {
    SkillColumns {
        name: String = NAME,
        description: String = DESCRIPTION,
        description_length: i64 = DESCRIPTION_LENGTH,
        category: i64 = CATEGORY,
        pinned: bool = PINNED,
        uses: i64 = USES,
        last_used: i64 = LAST_USED,
        previous_form: i64 = PREVIOUS_FORM,
        form_cap: i64 = FORM_CAP,
        cost_full: i64 = COST_FULL,
        cost_short: i64 = COST_SHORT,
        cost_name: i64 = COST_NAME,
        cost_bare: i64 = COST_BARE,
        state: String = STATE,
        origin: String = ORIGIN,
        candidate: bool = CANDIDATE,
        referenced: bool = REFERENCED,
        created: i64 = CREATED,
        adopted: i64 = ADOPTED,
        restored: i64 = RESTORED,
        views: i64 = VIEWS,
        writes: i64 = WRITES,
        last_viewed: i64 = LAST_VIEWED,
        last_written: i64 = LAST_WRITTEN,
        successes: i64 = SUCCESSES,
        failures: i64 = FAILURES,
        corrected: i64 = CORRECTED,
        last_success: i64 = LAST_SUCCESS,
        last_failure: i64 = LAST_FAILURE,
        negative_claims: i64 = NEGATIVE_CLAIMS,
        negative_evidence: i64 = NEGATIVE_EVIDENCE,
        negative_checked: i64 = NEGATIVE_CHECKED,
        negative_expiry: i64 = NEGATIVE_EXPIRY,
        negative_claim: String = NEGATIVE_CLAIM,
    }
}

columns! {
    CategoryColumns {
        name: String = CATEGORY_NAME,
        top: String = CATEGORY_TOP,
        skills: i64 = CATEGORY_SKILLS,
        user_detail: i64 = USER_DETAIL,
        previous_detail: i64 = PREVIOUS_DETAIL,
        cost_header: i64 = COST_HEADER,
        cost_names: i64 = COST_NAMES,
        cost_count: i64 = COST_COUNT,
    }
}

/// The tables of a request, each column looked up once.
#[derive(Clone, Debug)]
pub struct Tables<'a> {
    raw_skills: &'a RawTable,
    raw_categories: &'a RawTable,
    declared: [&'static [Key]; 2],
    skills: SkillColumns<'a>,
    categories: CategoryColumns<'a>,
}

impl<'a> Tables<'a> {
    pub(crate) fn new(
        skills: &'a RawTable,
        categories: &'a RawTable,
        declared: [&'static [Key]; 2],
    ) -> Self {
        Self {
            raw_skills: skills,
            raw_categories: categories,
            declared,
            skills: SkillColumns::find(skills, &declared),
            categories: CategoryColumns::find(categories, &declared),
        }
    }

    /// Every skill, in the order of the request.
    pub fn skills(&self) -> impl ExactSizeIterator<Item = Skill<'_>> {
        (0..self.raw_skills.len).map(|row| Skill { tables: self, row })
    }

    /// Every category, in the order of the request.
    pub fn categories(&self) -> impl ExactSizeIterator<Item = Category<'_>> {
        (0..self.raw_categories.len).map(|row| Category { tables: self, row })
    }

    /// A column that this SDK has no accessor for. A key of the context has none, and so no value of any row.
    #[must_use]
    pub fn column<T: Cell>(&self, key: &Key) -> Column<'a, T> {
        let table =
            if key.place == Place::Categories { self.raw_categories } else { self.raw_skills };
        Column::find(table, key, &self.declared)
    }
}

/// One skill of the request.
#[derive(Clone, Copy, Debug)]
pub struct Skill<'a> {
    tables: &'a Tables<'a>,
    row: u32,
}

impl<'a> Skill<'a> {
    /// The position in the request, by which an answer names the skill.
    #[inline]
    #[must_use]
    pub const fn row(self) -> u32 {
        self.row
    }

    /// The name as the index prints it.
    #[inline]
    #[must_use]
    pub fn name(self) -> &'a str {
        self.tables.skills.name.get(self.row).map_or("", String::as_str)
    }

    /// The description as the index would print it in full.
    #[inline]
    #[must_use]
    pub fn description(self) -> Option<&'a str> {
        self.tables.skills.description.get(self.row).map(String::as_str)
    }

    /// How many Unicode scalars the description has; 0 where there is none.
    #[inline]
    #[must_use]
    pub fn description_length(self) -> u64 {
        whole(self.tables.skills.description_length.get(self.row))
    }

    /// The category that the skill is in.
    #[inline]
    #[must_use]
    pub fn category(self) -> Category<'a> {
        let row = whole(self.tables.skills.category.get(self.row));
        Category { tables: self.tables, row: u32::try_from(row).unwrap_or(u32::MAX) }
    }

    /// Whether a person pinned the skill.
    #[inline]
    #[must_use]
    pub fn pinned(self) -> bool {
        self.tables.skills.pinned.get(self.row).copied().unwrap_or(false)
    }

    /// How often the skill was opened for a task; nothing where there is no record.
    #[inline]
    #[must_use]
    pub fn uses(self) -> Option<u64> {
        self.tables.skills.uses.get(self.row).map(|uses| whole(Some(uses)))
    }

    /// When it was last used.
    #[inline]
    #[must_use]
    pub fn last_used(self) -> Option<Instant> {
        self.tables.skills.last_used.get(self.row).copied()
    }

    /// The form that it had in the previous session's index.
    #[inline]
    #[must_use]
    pub fn previous_form(self) -> Option<Form> {
        self.tables.skills.previous_form.get(self.row).and_then(|code| form(*code))
    }

    /// The most telling form allowed.
    #[inline]
    #[must_use]
    pub fn form_cap(self) -> Form {
        self.tables.skills.form_cap.get(self.row).and_then(|code| form(*code)).unwrap_or(Form::Full)
    }

    /// What the skill's line costs in a form, in the unit of the limit. A skill that is counted has no line of its own.
    #[inline]
    #[must_use]
    pub fn cost(self, form: Form) -> u64 {
        let skills = &self.tables.skills;
        match form {
            Form::Full => whole(skills.cost_full.get(self.row)),
            Form::Short => whole(skills.cost_short.get(self.row)),
            Form::Name => whole(skills.cost_name.get(self.row)),
            Form::Counted => 0,
        }
    }

    /// What a line of its own costs that says nothing but the name.
    #[inline]
    #[must_use]
    pub fn cost_bare(self) -> u64 {
        whole(self.tables.skills.cost_bare.get(self.row))
    }
}

/// One category of the request.
#[derive(Clone, Copy, Debug)]
pub struct Category<'a> {
    tables: &'a Tables<'a>,
    row: u32,
}

impl<'a> Category<'a> {
    /// The position in the request, by which an answer names the category.
    #[inline]
    #[must_use]
    pub const fn row(self) -> u32 {
        self.row
    }

    /// The category's path.
    #[inline]
    #[must_use]
    pub fn name(self) -> &'a str {
        self.tables.categories.name.get(self.row).map_or("", String::as_str)
    }

    /// The first segment of the path.
    #[inline]
    #[must_use]
    pub fn top(self) -> &'a str {
        self.tables.categories.top.get(self.row).map_or("", String::as_str)
    }

    /// How many visible skills the category has.
    #[inline]
    #[must_use]
    pub fn skills(self) -> u64 {
        whole(self.tables.categories.skills.get(self.row))
    }

    /// What the user asked for this category.
    #[inline]
    #[must_use]
    pub fn user_detail(self) -> Option<Detail> {
        self.tables.categories.user_detail.get(self.row).and_then(|code| detail(*code))
    }

    /// The most that the previous session's index showed of it.
    #[inline]
    #[must_use]
    pub fn previous_detail(self) -> Option<Detail> {
        self.tables.categories.previous_detail.get(self.row).and_then(|code| detail(*code))
    }

    /// What the header costs, once, if any skill is full or short.
    #[inline]
    #[must_use]
    pub fn cost_header(self) -> u64 {
        whole(self.tables.categories.cost_header.get(self.row))
    }

    /// What the names line costs beside the names, once, if any skill is a name.
    #[inline]
    #[must_use]
    pub fn cost_names(self) -> u64 {
        whole(self.tables.categories.cost_names.get(self.row))
    }

    /// What the count line costs, once, if any skill is counted.
    #[inline]
    #[must_use]
    pub fn cost_count(self) -> u64 {
        whole(self.tables.categories.cost_count.get(self.row))
    }
}

/// Counts and costs are never negative; where one is absent or negative it is 0.
#[inline]
fn whole(cell: Option<&i64>) -> u64 {
    cell.map_or(0, |value| u64::try_from(*value).unwrap_or(0))
}

/// The form that a column's number stands for.
#[inline]
#[must_use]
pub const fn form(code: i64) -> Option<Form> {
    match code {
        0 => Some(Form::Full),
        1 => Some(Form::Short),
        2 => Some(Form::Name),
        3 => Some(Form::Counted),
        _ => None,
    }
}

/// The detail that a column's number stands for.
#[inline]
#[must_use]
pub const fn detail(code: i64) -> Option<Detail> {
    match code {
        0 => Some(Detail::Full),
        1 => Some(Detail::Names),
        2 => Some(Detail::Count),
        _ => None,
    }
}
