//! Other values of a parameter: what a study of one parameter at a time changes it to.

use crate::declaration::ParamDecl;
use crate::description::{Description, Value};
use crate::kind::Kind;
use crate::setting::Setting;

/// How the source of a value begins that no paper prints.
const OPEN: &str = "open";

impl Value {
    /// Whether no source prints it: the reason for it stands where a source would.
    pub fn is_open(&self) -> bool {
        self.source.starts_with(OPEN)
    }
}

impl Description {
    /// Other values of a parameter, each allowed by its declaration: of a number about half and twice
    /// as much, of a list every other name, and the harshest reading where there is one. Whether they
    /// go together with the rest the target decides.
    ///
    /// Empty for text and for what is not declared.
    pub fn near(&self, key: &str) -> Vec<Setting> {
        let declared = self.schema().param(key);
        let pair = declared.zip(self.value(key));
        pair.map_or_else(Vec::new, |(declared, value)| declared.near(&value.setting))
    }
}

impl ParamDecl {
    fn near(&self, value: &Setting) -> Vec<Setting> {
        let mut found = match (&self.kind, value) {
            (Kind::Int { min, max, .. }, &Setting::Int(x)) => {
                let allowed = |x: &i64| self.kind.allows(&Setting::Int(*x));
                let half = (x / 2).max(*min).min(x);
                let twice = x.saturating_mul(2).max(x.saturating_add(1)).min(*max);
                let below = (half..x).find(allowed);
                let above = (x.saturating_add(1)..=twice).rev().find(allowed);
                below.into_iter().chain(above).map(Setting::Int).collect()
            }
            (Kind::Float { min, max }, &Setting::Float(x)) => {
                let both = [x / 2.0, x * 2.0].map(|near| near.clamp(*min, *max));
                let others = both.into_iter().filter(|near| *near != x);
                others.map(Setting::Float).collect()
            }
            (Kind::Choice(names), Setting::Text(x)) => {
                let others = names.iter().filter(|name| *name != x);
                others.cloned().map(Setting::Text).collect()
            }
            (Kind::Bool, &Setting::Bool(x)) => vec![Setting::Bool(!x)],
            _ => vec![],
        };
        let strict = self.strict.iter().map(|strict| strict.value.clone());
        let others: Vec<_> = strict
            .filter(|s| s != value && !found.contains(s))
            .collect();
        found.extend(others);
        found
    }
}

#[cfg(test)]
mod tests {
    use crate::machine::Machine;

    #[test]
    fn every_value_near_is_allowed_and_another_one() {
        for shipped in Machine::shipped() {
            let machine = Machine::load(shipped.name).unwrap_or_else(|error| panic!("{error}"));
            for (declared, value) in machine.values() {
                for near in machine.near(&declared.name) {
                    assert!(declared.kind.allows(&near), "{}: {near}", declared.name);
                    assert_ne!(near, value.setting, "{}", declared.name);
                }
            }
        }
    }
}
