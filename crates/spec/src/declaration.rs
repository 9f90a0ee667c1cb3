//! Declarations: what a target's machine files may say, read from `spec/<target>/params.toml`.

use crate::setting::Setting;
use crate::shipped;
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
    /// What the parameter means, one sentence.
    pub summary: String,
    /// Where range and default come from.
    pub source: String,
}

impl ParamDecl {
    /// What may be given, for messages and for documentation: `int 0..=1024 threads`.
    pub fn allowed(&self) -> String {
        match self.unit.as_str() {
            "none" => self.kind.to_string(),
            unit => format!("{} {unit}", self.kind),
        }
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
        let mut keys: Vec<&str> = schema.params.iter().map(|p| p.name.as_str()).collect();
        keys.sort_unstable();
        match keys.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(format!("`{}` is declared twice", pair[0])),
            None => Ok(schema),
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
