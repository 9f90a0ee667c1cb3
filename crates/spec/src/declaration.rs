//! Declarations: what a target's machine files may say, read from `spec/<target>/params.toml`.

use crate::quantity::{Measure, Of, Quantity};
use crate::setting::Setting;
use crate::shipped;
use crate::strict::Strict;
use serde::Deserialize;
use std::fmt;
use std::sync::LazyLock;

/// One declared parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ParamDecl {
    /// Key in the machine file.
    pub name: String,
    /// Unit of the value; "none" for a pure number or a name.
    pub unit: String,
    /// Type and range.
    pub kind: Kind,
    /// Value of a description that does not give one; without default it must be given.
    pub default: Option<Setting>,
    /// The harshest reading of the paper, where that leaves the value open.
    pub strict: Option<Strict>,
    /// How the value may be written with a unit, if it may.
    pub quantity: Option<Quantity>,
    /// What the parameter means, one sentence.
    pub summary: String,
    /// Where range and default come from.
    pub source: String,
}

impl ParamDecl {
    /// What may be given, for messages and for documentation: `a whole number 0..=1024 threads`.
    pub fn allowed(&self) -> String {
        let plain = match self.unit.as_str() {
            "none" => self.kind.to_string(),
            unit => format!("{} {unit}", self.kind),
        };
        match &self.quantity {
            None => plain,
            Some(quantity) => format!("{plain}, or with a unit: {:?}", quantity.measure.example()),
        }
    }

    /// The keys under which it may be given.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        let second = self.quantity.iter().map(|quantity| quantity.key.as_str());
        std::iter::once(self.name.as_str()).chain(second)
    }
}

/// Type and range of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Whole number, both ends included.
    Int {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// Real number, both ends included; never NaN or infinite. A whole number is accepted.
    Float {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// One name of a list.
    Choice(Vec<String>),
    /// Free text.
    Text {
        /// Most bytes of UTF-8.
        max_len: usize,
    },
    /// `true` or `false`.
    Bool,
}

impl Kind {
    /// Whether `setting` has this type and lies in this range.
    pub fn allows(&self, setting: &Setting) -> bool {
        match (self, setting) {
            (Kind::Int { min, max }, Setting::Int(x)) => (min..=max).contains(&x),
            (Kind::Float { min, max }, Setting::Float(x)) => (min..=max).contains(&x),
            (Kind::Choice(names), Setting::Text(x)) => names.contains(x),
            (Kind::Text { max_len }, Setting::Text(x)) => x.len() <= *max_len,
            (Kind::Bool, Setting::Bool(_)) => true,
            _ => false,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Int { min, max } => write!(f, "a whole number {min}..={max}"),
            Kind::Float { min, max } => write!(f, "a number {min:?}..={max:?}"),
            Kind::Choice(names) => write!(f, "one of {}", quoted(names)),
            Kind::Text { max_len } => write!(f, "text of at most {max_len} bytes"),
            Kind::Bool => write!(f, "true or false"),
        }
    }
}

fn quoted(names: &[String]) -> String {
    names
        .iter()
        .map(|name| format!("{name:?}"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// All parameters of one target, or of links.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    name: &'static str,
    title: String,
    params: Vec<ParamDecl>,
}

impl Schema {
    /// The folder under spec/: the target's name, or "link".
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// What is described, in a few words.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The parameters in the order of their declaration.
    pub fn params(&self) -> &[ParamDecl] {
        &self.params
    }

    /// The declaration of one key.
    pub fn param(&self, key: &str) -> Option<&ParamDecl> {
        self.params.iter().find(|declared| declared.name == key)
    }

    fn parse(name: &'static str, text: &str) -> Result<Self, String> {
        let raw: RawSchema = toml::from_str(text).map_err(|error| error.to_string())?;
        let params: Result<Vec<_>, _> = raw.parameter.into_iter().map(RawParam::check).collect();
        let schema = Schema {
            name,
            title: raw.title,
            params: params?,
        };
        let mut keys: Vec<&str> = schema.params.iter().flat_map(ParamDecl::keys).collect();
        keys.sort_unstable();
        if let Some(pair) = keys.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("`{}` is declared twice", pair[0]));
        }
        let all = schema.params.iter();
        all.filter_map(|p| Some((p, p.quantity.as_ref()?)))
            .try_for_each(|(p, quantity)| schema.depends_on_a_plain_number(&p.name, quantity))?;
        Ok(schema)
    }

    /// What a quantity depends on is read first, so it may depend on nothing itself.
    fn depends_on_a_plain_number(&self, name: &str, quantity: &Quantity) -> Result<(), String> {
        let Some(Of::Parameter(other)) = quantity.measure.of() else {
            return Ok(());
        };
        let declared = self.param(other);
        let declared = declared.ok_or(format!("`{name}`: `{other}` is not declared"))?;
        let depends = declared.quantity.iter().any(|q| q.measure.of().is_some());
        match declared.kind {
            Kind::Int { min: 1.., .. } if !depends => Ok(()),
            _ => Err(format!(
                "`{name}`: `{other}` is no whole number above 0 that depends on nothing"
            )),
        }
    }
}

/// The targets that are declared, in the order of the list of targets.
pub fn targets() -> Vec<&'static str> {
    TARGETS.iter().map(Schema::name).collect()
}

/// The parameters of a target.
pub fn schema(target: &str) -> Option<&'static Schema> {
    TARGETS.iter().find(|schema| schema.name == target)
}

/// The parameters of a link.
pub(crate) fn link_schema() -> &'static Schema {
    &LINK
}

/// The parameters of a host.
pub(crate) fn host_schema() -> &'static Schema {
    &HOST
}

/// The operations of a host.
pub(crate) fn host_operations() -> &'static Schema {
    &HOST_OPERATIONS
}

// The declarations are part of the program, not input: a test parses them all.
static TARGETS: LazyLock<Vec<Schema>> = LazyLock::new(|| {
    shipped::TARGET_PARAMS
        .iter()
        .map(|(name, text)| built_in(name, text))
        .collect()
});
static LINK: LazyLock<Schema> = LazyLock::new(|| built_in("link", shipped::LINK_PARAMS));
static HOST: LazyLock<Schema> = LazyLock::new(|| built_in("host", shipped::HOST_PARAMS));
static HOST_OPERATIONS: LazyLock<Schema> =
    LazyLock::new(|| built_in("host operations", shipped::HOST_OPERATIONS));

fn built_in(name: &'static str, text: &str) -> Schema {
    Schema::parse(name, text).unwrap_or_else(|error| panic!("spec/{name}/params.toml: {error}"))
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
    kind: String,
    unit: String,
    min: Option<toml::Value>,
    max: Option<toml::Value>,
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
        if self.source.is_empty() || self.summary.is_empty() || self.unit.is_empty() {
            return Err(format!(
                "`{}`: summary, unit and source must be given",
                self.name
            ));
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

    fn kind(&self) -> Result<Kind, String> {
        let float = |value: &Option<toml::Value>| match value {
            Some(toml::Value::Float(x)) if x.is_finite() => Ok(*x),
            _ => Err("float needs min and max".to_string()),
        };
        match (self.kind.as_str(), &self.min, &self.max) {
            ("int", Some(toml::Value::Integer(min)), Some(toml::Value::Integer(max))) => {
                Ok(Kind::Int {
                    min: *min,
                    max: *max,
                })
            }
            ("float", min, max) => Ok(Kind::Float {
                min: float(min)?,
                max: float(max)?,
            }),
            ("choice", None, None) => Ok(Kind::Choice(
                self.choices.clone().ok_or("choice needs choices")?,
            )),
            ("text", None, None) => Ok(Kind::Text {
                max_len: self.max_len.ok_or("text needs max_len")?,
            }),
            ("bool", None, None) => Ok(Kind::Bool),
            (other, ..) => Err(format!(
                "{other:?} is no kind, or its range is not complete"
            )),
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shipped_declarations_parse() {
        for (name, text) in shipped::TARGET_PARAMS {
            Schema::parse(name, text).unwrap();
        }
        Schema::parse("link", shipped::LINK_PARAMS).unwrap();
        Schema::parse("host", shipped::HOST_PARAMS).unwrap();
        Schema::parse("host operations", shipped::HOST_OPERATIONS).unwrap();
    }

    fn declared(body: &str) -> Result<Schema, String> {
        let head = "title = \"t\"\n[[parameter]]\nname = \"p\"\nunit = \"none\"\nsummary = \"s\"\nsource = \"x\"\n";
        Schema::parse("t", &format!("{head}{body}"))
    }

    #[test]
    fn a_declaration_must_be_complete_and_consistent() {
        let whole = "kind = \"int\"\nmin = 1\nmax = 2\n";
        assert!(declared(whole).is_ok());
        assert!(declared("kind = \"int\"\nmin = 1\n")
            .unwrap_err()
            .contains("range is not complete"));
        assert!(declared(&format!("{whole}default = 3\n"))
            .unwrap_err()
            .contains("3 is not allowed"));
        let strict = declared(&format!("{whole}strict = 3\nstrict_source = \"x\"\n"));
        assert!(strict.unwrap_err().contains("strict 3 is not allowed"));
        let bare = declared(&format!("{whole}strict = 2\n"));
        assert!(bare.unwrap_err().contains("goes with strict_source"));
        assert!(declared("kind = \"colour\"\n")
            .unwrap_err()
            .contains("is no kind"));
        assert!(declared("kind = \"text\"\n")
            .unwrap_err()
            .contains("max_len"));
        let twice = format!(
            "{whole}[[parameter]]\nname = \"p\"\nunit = \"none\"\nsummary = \"s\"\nsource = \"x\"\n{whole}"
        );
        assert!(declared(&twice).unwrap_err().contains("declared twice"));
        let refused = |quantity: &str, part: &str| {
            let error = declared(&format!("{whole}quantity = {{ {quantity} }}\n")).unwrap_err();
            assert!(error.contains(part), "{error}");
        };
        refused("key = \"k\", measure = \"colour\"", "is no measure");
        refused("key = \"k\", measure = \"clock\"", "cannot measure");
        refused("key = \"k\", measure = \"capacity\"", "`of` is amiss");
        refused("key = \"k\", measure = \"capacity\", of = 0", "above 0");
        refused(
            "key = \"k\", measure = \"capacity\", of = \"q\"",
            "`q` is not declared",
        );
        refused(
            "key = \"k\", measure = \"capacity\", of = \"p\"",
            "depends on nothing",
        );
        refused(
            "key = \"p\", measure = \"capacity\", of = 8",
            "declared twice",
        );
    }

    #[test]
    fn ranges_include_their_ends_and_refuse_nan() {
        let float = Kind::Float { min: 0.0, max: 1.0 };
        assert!(float.allows(&Setting::Float(0.0)) && float.allows(&Setting::Float(1.0)));
        assert!(!float.allows(&Setting::Float(f64::NAN)));
        assert!(!float.allows(&Setting::Float(1.5)));
        let int = Kind::Int { min: -1, max: 1 };
        assert!(int.allows(&Setting::Int(-1)) && int.allows(&Setting::Int(1)));
        assert!(!int.allows(&Setting::Int(2)) && !int.allows(&Setting::Bool(true)));
    }
}
