//! The text of a `params.toml`, read into declarations.

use super::{ParamDecl, Strict};
use crate::kind::{Domain, Kind};
use crate::quantity::{Measure, Of, Quantity};
use crate::setting::Setting;
use serde::Deserialize;

/// Title and parameters, each consistent in itself; what is amiss, by the parameter's name.
pub(super) fn read(text: &str) -> Result<(String, Vec<ParamDecl>), String> {
    let raw: RawSchema = toml::from_str(text).map_err(|error| error.to_string())?;
    let params: Result<Vec<_>, _> = raw.parameter.into_iter().map(RawParam::check).collect();
    Ok((raw.title, params?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSchema {
    title: String,
    parameter: Vec<RawParam>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawParam {
    name: String,
    kind: RawKind,
    unit: String,
    min: Option<toml::Value>,
    max: Option<toml::Value>,
    domain: Option<Domain>,
    choices: Option<Vec<String>>,
    max_len: Option<usize>,
    default: Option<toml::Value>,
    strict: Option<toml::Value>,
    strict_source: Option<String>,
    quantity: Option<RawQuantity>,
    summary: String,
    source: String,
}

impl RawParam {
    fn check(self) -> Result<ParamDecl, String> {
        let kind = self
            .kind()
            .map_err(|problem| format!("`{}`: {problem}", self.name))?;
        let default = self.default.map(|value| setting(&value, &kind)).transpose();
        let default = default.map_err(|problem| format!("`{}`: default {problem}", self.name))?;
        let strict = match (self.strict, self.strict_source) {
            (None, None) => None,
            (Some(value), Some(source)) if !source.is_empty() => Some(Strict {
                value: setting(&value, &kind)
                    .map_err(|problem| format!("`{}`: strict {problem}", self.name))?,
                source,
            }),
            _ => return Err(format!("`{}`: strict goes with strict_source", self.name)),
        };
        let quantity = self.quantity.map(|raw| raw.check(&kind, &self.unit));
        let quantity = quantity
            .transpose()
            .map_err(|problem| format!("`{}`: quantity {problem}", self.name))?;
        if self.source.is_empty() || self.unit.is_empty() {
            return Err(format!("`{}`: unit and source must be given", self.name));
        }
        if !self.summary.ends_with('.') {
            return Err(format!("`{}`: summary is no sentence", self.name));
        }
        Ok(ParamDecl {
            name: self.name,
            unit: self.unit,
            kind,
            default,
            strict,
            quantity,
            summary: self.summary,
            source: self.source,
        })
    }

    /// What is declared of another kind is amiss here: the range of a choice, the domain of a text.
    fn kind(&self) -> Result<Kind, String> {
        let ends = (&self.min, &self.max, self.domain);
        match (self.kind, ends, &self.choices, self.max_len) {
            (RawKind::Int, (Some(min), Some(max), domain), None, None) => {
                whole_numbers(min, max, domain)
            }
            (RawKind::Float, (Some(min), Some(max), None), None, None) => Ok(Kind::Float {
                min: finite(min)?,
                max: finite(max)?,
            }),
            (RawKind::Choice, (None, None, None), Some(names), None) => {
                Ok(Kind::Choice(names.clone()))
            }
            (RawKind::Text, (None, None, None), None, Some(max_len)) => Ok(Kind::Text { max_len }),
            (RawKind::Bool, (None, None, None), None, None) => Ok(Kind::Bool),
            (kind, ..) => Err(format!("{kind:?} takes {}", kind.takes())),
        }
    }
}

/// The word under `kind`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RawKind {
    Int,
    Float,
    Choice,
    Text,
    Bool,
}

impl RawKind {
    /// What stands beside it.
    fn takes(self) -> &'static str {
        match self {
            RawKind::Int => "min, max and perhaps a domain",
            RawKind::Float => "min and max",
            RawKind::Choice => "choices",
            RawKind::Text => "max_len",
            RawKind::Bool => "nothing",
        }
    }
}

/// The ends are values themselves: a range that says more than its domain would be misread.
fn whole_numbers(
    min: &toml::Value,
    max: &toml::Value,
    domain: Option<Domain>,
) -> Result<Kind, String> {
    let (Some(min), Some(max)) = (min.as_integer(), max.as_integer()) else {
        return Err(format!("{min} to {max} are no whole numbers"));
    };
    let kind = Kind::Int { min, max, domain };
    match [min, max]
        .map(Setting::Int)
        .iter()
        .all(|end| kind.allows(end))
    {
        true => Ok(kind),
        false => Err(format!("an end of the range does not belong to it: {kind}")),
    }
}

fn finite(end: &toml::Value) -> Result<f64, String> {
    let finite = end.as_float().filter(|x| x.is_finite());
    finite.ok_or_else(|| format!("{end} is no finite number"))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawQuantity {
    key: String,
    measure: String,
    of: Option<toml::Value>,
}

impl RawQuantity {
    fn check(self, kind: &Kind, unit: &str) -> Result<Quantity, String> {
        let of = self.of.map(|value| match value {
            toml::Value::Integer(x) if x > 0 => Ok(Of::Number(x)),
            toml::Value::String(name) => Ok(Of::Parameter(name)),
            other => Err(format!(
                "of = {other}: allowed are a number above 0 and a parameter"
            )),
        });
        let measure = match (self.measure.as_str(), of.transpose()?) {
            ("clock", None) => Measure::Clock,
            ("time", None) => Measure::Time,
            ("rate", None) => Measure::Rate,
            ("capacity", Some(of)) => Measure::Capacity(of),
            ("width", Some(of)) => Measure::Width(of),
            (other, _) => return Err(format!("{other:?} is no measure, or `of` is amiss")),
        };
        if !matches!(kind, Kind::Int { min: 0.., .. }) || !measure.suits(unit) {
            return Err(format!("cannot measure {kind} {unit}"));
        }
        Ok(Quantity {
            key: self.key,
            measure,
        })
    }
}

fn setting(value: &toml::Value, kind: &Kind) -> Result<Setting, String> {
    let setting = match value {
        toml::Value::Integer(x) => Setting::Int(*x),
        toml::Value::Float(x) => Setting::Float(*x),
        toml::Value::String(x) => Setting::Text(x.clone()),
        toml::Value::Boolean(x) => Setting::Bool(*x),
        other => return Err(format!("{other} is no number, text or truth value")),
    };
    if kind.allows(&setting) {
        Ok(setting)
    } else {
        Err(format!("{setting} is not allowed: {kind}"))
    }
}
