//! What can be set, and what a proposal may give as its reason. No rule belongs here.

use skillkeep_policy::Decay;
use skillkeep_policy::facts::Value;
use skillkeep_policy::settings::Scalar;

/// What is served together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// Each category by itself, in the order of the request: the first ones take what they need.
    Category,
    /// All skills at once: a used skill of the last category comes before an unused one of the first.
    All,
}

/// What a line does to the ones after it when it doesn't fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfit {
    /// Nothing after it in its block is filled in.
    Stop,
    /// It alone is left out.
    Skip,
}

macro_rules! words {
    ($type:ident: $first:ident = $first_word:literal, $second:ident = $second_word:literal) => {
        impl Scalar for $type {
            fn to_value(&self) -> Value {
                match self {
                    Self::$first => $first_word.into(),
                    Self::$second => $second_word.into(),
                }
            }

            fn from_value(value: &Value) -> Result<Self, String> {
                match value {
                    Value::Text(text) if text == $first_word => Ok(Self::$first),
                    Value::Text(text) if text == $second_word => Ok(Self::$second),
                    _ => Err(concat!("`", $first_word, "` or `", $second_word, "`").to_owned()),
                }
            }
        }
    };
}

words!(Blocks: Category = "category", All = "all");
words!(Misfit: Stop = "stop", Skip = "skip");

skillkeep_policy::settings! {
    /// What can be set.
    pub struct Settings {
        /// The period of the decay of uses.
        pub decay_days: f64 = 30.0 => 0.001..=36500.0,
        /// What is left after one period: `e-folding` (0.368) or `half-life` (0.5).
        pub decay: Decay = Decay::EFolding,
        /// What is served together: each `category` in its order, or `all` at once.
        pub blocks: Blocks = Blocks::Category,
        /// What an unused line that doesn't fit does to those after it in its block: `stop` or `skip` to the next.
        pub misfit: Misfit = Misfit::Stop,
    }
}

skillkeep_policy::reasons! {
    /// Why a skill has its form.
    pub enum Reason {
        Whole = "all lines of its block fit",
        Used = "its block didn't fit whole, and used skills come first",
        Filled = "its block didn't fit whole, and there was room for it in its turn",
        NoRoom = "there was no room for its line",
        Capped = "no line is allowed, by the demotion rule or by you",
    }
}
