//! Reasons as an enum: each variant is a declared code with a template, its fields fill the template.

use crate::facts::{RawReason, kebab};
use std::cmp::Ordering;

/// The reasons of a policy. Write them with [`reasons!`](crate::reasons!).
pub trait Reasons: Clone + Ord {
    /// Rust's name of each variant, its template, and how many fields it has.
    const DECLARED: &'static [(&'static str, &'static str, usize)];
    /// Rust's name of this variant.
    fn variant(&self) -> &'static str;
    /// What fills the template.
    fn args(&self) -> Vec<String>;
}

pub(crate) fn to_raw(reason: &impl Reasons) -> RawReason {
    RawReason { code: kebab(reason.variant()), args: reason.args() }
}

/// A reason's place in an answer: many proposals share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Why(u32);

impl Why {
    pub(crate) const fn position(self) -> u32 {
        self.0
    }
}

/// The reasons of an answer, each kept once.
#[derive(Clone, Debug)]
pub(crate) struct Interned<R> {
    list: Vec<R>,
    /// Places in `list`, in the order of the reasons there.
    sorted: Vec<u32>,
}

impl<R> Default for Interned<R> {
    fn default() -> Self {
        Self { list: Vec::new(), sorted: Vec::new() }
    }
}

impl<R: Reasons> Interned<R> {
    pub(crate) fn place(&mut self, reason: R) -> Why {
        let found = self.sorted.binary_search_by(|place| {
            self.list.get(*place as usize).map_or(Ordering::Less, |known| known.cmp(&reason))
        });
        match found {
            Ok(at) => Why(self.sorted.get(at).copied().unwrap_or_default()),
            Err(at) => {
                // An answer holds fewer reasons than a 32-bit memory has bytes.
                let place = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
                self.list.push(reason);
                self.sorted.insert(at, place);
                Why(place)
            }
        }
    }

    pub(crate) fn into_raw(self) -> Vec<RawReason> {
        self.list.iter().map(to_raw).collect()
    }
}

/// Declares the reasons of a policy: `Variant = "template"`, or `Variant { field: Type } = "template with {0}"`.
///
/// A field is anything with an order and a text: whole numbers, strings.
///
/// ```
/// skillkeep_policy::reasons! {
///     /// Why a skill is let go.
///     pub enum Reason {
///         Unused { days: i64 } = "unused for {0} days",
///     }
/// }
/// ```
#[macro_export]
macro_rules! reasons {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $( $variant:ident $({ $($field:ident : $type:ty),+ $(,)? })? = $template:literal ),+ $(,)?
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
        $vis enum $name {
            $(
                #[doc = concat!("“", $template, "”")]
                $variant $({ $( #[doc = "Fills the template."] $field: $type ),+ })?
            ),+
        }

        impl $crate::reason::Reasons for $name {
            const DECLARED: &'static [(&'static str, &'static str, usize)] = &[
                $( (stringify!($variant), $template, 0 $($( + { let _ = stringify!($field); 1 } )+)?) ),+
            ];

            fn variant(&self) -> &'static str {
                match self { $( Self::$variant { .. } => stringify!($variant) ),+ }
            }

            fn args(&self) -> ::std::vec::Vec<::std::string::String> {
                match self {
                    $( Self::$variant $({ $($field),+ })? => {
                        ::std::vec![ $($( ::std::string::ToString::to_string($field) ),+)? ]
                    } ),+
                }
            }
        }
    };
}
