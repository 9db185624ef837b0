//! The export macros: they make a policy the component of its world. Natively they expand to nothing, so that a policy's
//! crate is an ordinary one for tests.

use crate::bindings::slots::{budget, curator, demotion, policy, provenance};
use crate::policy::{Policy, check_settings, describe};
use crate::slots;
use core::marker::PhantomData;

/// Any policy, as what `wit-bindgen` exports.
#[doc(hidden)]
#[derive(Debug)]
pub struct Component<P>(PhantomData<P>);

impl<P: Policy + 'static> policy::Guest for Component<P> {
    fn describe() -> policy::Info {
        let info = describe::<P>();
        let parameters = info.parameters.into_iter().map(|parameter| policy::Parameter {
            key: parameter.key,
            default: parameter.default,
            doc: parameter.doc,
        });
        policy::Info {
            name: info.name,
            version: info.version,
            summary: info.summary,
            parameters: parameters.collect(),
            needs: info.needs,
            wants: info.wants,
            reasons: info.reasons,
        }
    }

    fn check_settings(settings: Vec<policy::Entry>) -> Result<(), Vec<policy::Problem>> {
        let problems: Vec<_> = check_settings::<P>(&settings)
            .into_iter()
            .map(|problem| policy::Problem { key: problem.key, message: problem.message })
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }
}

macro_rules! guest {
    ($slot:ident, $policy:ident) => {
        impl<P: slots::$slot::$policy + 'static> $slot::Guest for Component<P> {
            fn decide(request: $slot::Request) -> Result<$slot::Answer, $slot::Refusal> {
                slots::$slot::run::<P>(&request)
            }
        }
    };
}

guest!(demotion, DemotionPolicy);
guest!(budget, BudgetPolicy);
guest!(curator, CuratorPolicy);
guest!(provenance, ProvenancePolicy);

#[doc(hidden)]
#[macro_export]
macro_rules! export_world {
    ($policy:ty, $slot:ident, $export:ident, $section:ident, $world:literal) => {
        #[cfg(target_arch = "wasm32")]
        const _: () = {
            type Exported = $crate::export::Component<$policy>;
            $crate::bindings::exports::skillkeep::policy::policy::__export_skillkeep_policy_policy_0_1_0_cabi!(
                Exported with_types_in $crate::bindings::exports::skillkeep::policy::policy
            );
            $crate::bindings::exports::skillkeep::policy::$slot::$export!(
                Exported with_types_in $crate::bindings::exports::skillkeep::policy::$slot
            );
            #[used]
            #[unsafe(link_section = concat!("component-type:skillkeep:", $world))]
            static WORLD: [u8; $crate::bindings::worlds::$section.len()] =
                $crate::bindings::worlds::array($crate::bindings::worlds::$section);
        };
    };
}

/// Makes a [`DemotionPolicy`](crate::DemotionPolicy) a component.
#[macro_export]
macro_rules! export_demotion {
    ($policy:ty) => {
        $crate::export_world!(
            $policy,
            demotion,
            __export_skillkeep_policy_demotion_0_1_0_cabi,
            DEMOTION,
            "demotion"
        );
    };
}

/// Makes a [`BudgetPolicy`](crate::BudgetPolicy) a component.
#[macro_export]
macro_rules! export_budget {
    ($policy:ty) => {
        $crate::export_world!(
            $policy,
            budget,
            __export_skillkeep_policy_budget_0_1_0_cabi,
            BUDGET,
            "budget"
        );
    };
}

/// Makes a [`CuratorPolicy`](crate::CuratorPolicy) a component.
#[macro_export]
macro_rules! export_curator {
    ($policy:ty) => {
        $crate::export_world!(
            $policy,
            curator,
            __export_skillkeep_policy_curator_0_1_0_cabi,
            CURATOR,
            "curator"
        );
    };
}

/// Makes a [`ProvenancePolicy`](crate::ProvenancePolicy) a component.
#[macro_export]
macro_rules! export_provenance {
    ($policy:ty) => {
        $crate::export_world!(
            $policy,
            provenance,
            __export_skillkeep_policy_provenance_0_1_0_cabi,
            PROVENANCE,
            "provenance"
        );
    };
}
