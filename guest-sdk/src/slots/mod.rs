//! One module a slot: its request, its answer, and the trait that a policy for it implements. No rule belongs here.

pub mod budget;
pub mod curator;
pub mod demotion;
pub mod provenance;

pub use crate::bindings::slots::budget::Form;
pub use crate::bindings::slots::demotion::Detail;

/// Makes a request readable like the tables and the context in it.
macro_rules! reads_tables {
    ($request:ident) => {
        impl<'a> $request<'a> {
            /// The time, the seed, and the facts about no row.
            #[must_use]
            pub const fn context(&self) -> $crate::context::Context<'a> {
                self.context
            }

            /// The time of the decision.
            #[must_use]
            pub const fn now(&self) -> $crate::facts::Instant {
                self.context.now()
            }

            /// How many days ago something was; never less than 0.
            #[must_use]
            pub fn days_since(&self, then: $crate::facts::Instant) -> f64 {
                self.context.days_since(then)
            }

            /// The tables of the request.
            #[must_use]
            pub const fn tables(&self) -> &$crate::rows::Tables<'a> {
                &self.tables
            }

            /// Every skill, in the order of the request.
            pub fn skills(&self) -> impl ExactSizeIterator<Item = $crate::rows::Skill<'_>> {
                self.tables.skills()
            }

            /// Every category, in the order of the request.
            pub fn categories(&self) -> impl ExactSizeIterator<Item = $crate::rows::Category<'_>> {
                self.tables.categories()
            }
        }
    };
}
pub(crate) use reads_tables;
