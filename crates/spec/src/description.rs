//! A description: the values of one machine, link or host, checked against their declarations.
//!
//! ```toml
//! [parameters]
//! threads = { value = 4, source = "cores of the board, data sheet page 3" }
//! ```
//!
//! Where the declaration has a `quantity`, the value may be text with a unit, under the parameter's
//! own key or under its second one: `clock = { value = "1.68 GHz", source = "…" }`.

use crate::declaration::{ParamDecl, Schema};
use crate::document::Document;
use crate::error::SpecError;
use crate::kind::{Domain, Kind};
use crate::quantity::{self, Of, Quantity};
use crate::setting::Setting;
use std::collections::BTreeMap;
use toml::de::{DeTable, DeValue};
use toml::Spanned;

/// A value and where it comes from.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// The value; its kind and range are those of the declaration.
    pub setting: Setting,
    /// Never empty; the declaration's own when the value is its default.
    pub source: String,
    /// Whether a file or a strict reading gave it, rather than the declaration's default.
    pub given: bool,
}

/// Name, title, and a value for every declared parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    name: String,
    title: String,
    schema: &'static Schema,
    values: BTreeMap<String, Value>,
}

impl Description {
    /// The name as reports print it: lower-case letters, digits, `-`, `_` and `.`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it is, in a few words.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The declarations that it was checked against.
    pub fn schema(&self) -> &'static Schema {
        self.schema
    }

    /// Every declared parameter with its value, in the order of declaration.
    pub fn values(&self) -> impl Iterator<Item = (&'static ParamDecl, &Value)> {
        self.schema
            .params()
            .iter()
            .map(|declared| (declared, &self.values[&declared.name]))
    }

    /// The value of one parameter; `None` when it is not declared.
    pub fn value(&self, key: &str) -> Option<&Value> {
        self.values.get(key)
    }

    /// Whether it has each of these values.
    pub fn agrees_with(&self, values: &BTreeMap<String, Setting>) -> bool {
        let mut values = values.iter();
        values.all(|(key, value)| self.setting(key) == Some(value))
    }

    /// The value of a declared whole number.
    pub fn int(&self, key: &str) -> Result<i64, SpecError> {
        match self.setting(key) {
            Some(Setting::Int(x)) => Ok(*x),
            _ => Err(self.not_declared("int", key)),
        }
    }

    /// log2 of the value of a parameter that is declared a power of two.
    pub fn log2(&self, key: &str) -> Result<u32, SpecError> {
        let declared = self.schema.param(key).map(|declared| &declared.kind);
        match (declared, self.setting(key)) {
            (
                Some(Kind::Int {
                    domain: Some(Domain::PowerOfTwo),
                    ..
                }),
                Some(Setting::Int(x)),
            ) => Ok(x.trailing_zeros()),
            _ => Err(self.not_declared("power of two", key)),
        }
    }

    /// The value of a declared real number.
    pub fn float(&self, key: &str) -> Result<f64, SpecError> {
        match self.setting(key) {
            Some(Setting::Float(x)) => Ok(*x),
            _ => Err(self.not_declared("float", key)),
        }
    }

    /// The value of a declared text or choice.
    pub fn text(&self, key: &str) -> Result<&str, SpecError> {
        match self.setting(key) {
            Some(Setting::Text(x)) => Ok(x),
            _ => Err(self.not_declared("text or choice", key)),
        }
    }

    /// The value of a declared truth value.
    pub fn bool(&self, key: &str) -> Result<bool, SpecError> {
        match self.setting(key) {
            Some(Setting::Bool(x)) => Ok(*x),
            _ => Err(self.not_declared("bool", key)),
        }
    }

    fn setting(&self, key: &str) -> Option<&Setting> {
        self.values.get(key).map(|value| &value.setting)
    }

    fn not_declared(&self, kind: &'static str, key: &str) -> SpecError {
        SpecError::NotDeclared {
            name: self.name.clone(),
            schema: self.schema.name().to_string(),
            kind,
            key: key.to_string(),
        }
    }

    /// Another value for a declared parameter.
    pub(crate) fn set(&mut self, key: &str, value: Value) {
        self.values.insert(key.to_owned(), value);
    }

    pub(crate) fn rename(&mut self, name: &str) {
        name.clone_into(&mut self.name);
    }

    /// Reads `name`, `title` and `[parameters]`; the caller has looked at the other keys.
    pub(crate) fn read(doc: &Document<'_>, schema: &'static Schema) -> Result<Self, SpecError> {
        let name = doc.text(&doc.root, "name", NAME_ALLOWED, is_name)?;
        let title = doc.text(&doc.root, "title", TEXT_ALLOWED, is_text)?;
        let empty = DeTable::new();
        let given = match doc.root.get("parameters") {
            None => &empty,
            Some(value) => match value.get_ref() {
                DeValue::Table(table) => table,
                _ => return Err(doc.not_allowed("parameters", value, "a table")),
            },
        };
        let known: Vec<&str> = schema.params().iter().flat_map(ParamDecl::keys).collect();
        doc.only_keys(given, &known)?;
        let values: Result<BTreeMap<_, _>, _> = schema
            .params()
            .iter()
            .map(|declared| {
                let value = value_of(doc, given, schema, declared)?;
                Ok((declared.name.clone(), value))
            })
            .collect();
        Ok(Self {
            name,
            title,
            schema,
            values: values?,
        })
    }
}

pub(crate) const NAME_ALLOWED: &str = "1 to 64 of a-z, 0-9, '-', '_' and '.'";
pub(crate) const TEXT_ALLOWED: &str = "text of 1 to 1000 bytes on one line";

pub(crate) fn is_name(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"-_.".contains(&b))
}

pub(crate) fn is_text(text: &str) -> bool {
    (1..=1000).contains(&text.len()) && !text.contains(char::is_control)
}

fn value_of(
    doc: &Document<'_>,
    given: &DeTable<'_>,
    schema: &Schema,
    declared: &ParamDecl,
) -> Result<Value, SpecError> {
    let mut entries = declared
        .keys()
        .filter_map(|key| Some((key, given.get(key)?)));
    match (entries.next(), entries.next(), &declared.default) {
        (Some((_, first)), Some((key, second)), _) => Err(doc.not_allowed(
            key,
            second,
            &format!(
                "one of the two: `{}` is given at {}",
                declared.name,
                doc.place(first)
            ),
        )),
        (Some((key, entry)), None, _) => {
            let of = || depends_on(doc, given, schema, declared);
            given_value(doc, key, entry, declared, of)
        }
        (None, _, Some(default)) => Ok(Value {
            setting: default.clone(),
            source: declared.source.clone(),
            given: false,
        }),
        (None, _, None) => Err(SpecError::Missing {
            file: doc.file.clone(),
            key: format!("parameters.{}", declared.name),
            allowed: format!("{}; {}", declared.allowed(), declared.summary),
        }),
    }
}

/// What the quantity of a parameter depends on: bits of a word, femtoseconds of a cycle.
fn depends_on(
    doc: &Document<'_>,
    given: &DeTable<'_>,
    schema: &Schema,
    declared: &ParamDecl,
) -> Result<Option<i64>, SpecError> {
    let of = declared.quantity.as_ref().and_then(|q| q.measure.of());
    let parameter = match of {
        None => return Ok(None),
        Some(Of::Number(x)) => return Ok(Some(*x)),
        Some(Of::Parameter(name)) => schema.param(name),
    };
    // Declarations are checked: it is declared, a whole number, and depends on nothing.
    let value = parameter.map(|other| value_of(doc, given, schema, other));
    match value.transpose()?.map(|value| value.setting) {
        Some(Setting::Int(x)) => Ok(Some(x)),
        _ => Ok(None),
    }
}

/// `{ value = …, source = "…" }`: a bare value is refused, because a number without source is.
fn given_value(
    doc: &Document<'_>,
    key: &str,
    entry: &Spanned<DeValue<'_>>,
    declared: &ParamDecl,
    of: impl Fn() -> Result<Option<i64>, SpecError>,
) -> Result<Value, SpecError> {
    let DeValue::Table(table) = entry.get_ref() else {
        let wanted = format!(
            "{{ value = {}, source = \"where it comes from\" }} with {}",
            doc.quote(entry),
            declared.allowed()
        );
        return Err(doc.not_allowed(key, entry, &wanted));
    };
    doc.only_keys(table, &["value", "source"])?;
    let path = format!("{key}.value");
    let value = doc
        .require(table, "value", &declared.allowed())
        .map_err(|e| under(e, &path))?;
    let setting = match (value.get_ref(), &declared.quantity) {
        (DeValue::String(text), Some(quantity)) => {
            Some(with_unit(doc, key, value, declared, text, quantity, of()?)?)
        }
        // What has a second key says its unit there.
        (_, Some(quantity)) if quantity.key == key => None,
        (plain, _) => setting(plain, declared),
    };
    let setting = setting.ok_or_else(|| doc.not_allowed(key, value, &allowed(key, declared)))?;
    let path = format!("{key}.source");
    let source = doc
        .text(table, "source", TEXT_ALLOWED, is_text)
        .map_err(|e| under(e, &path))?;
    Ok(Value {
        setting,
        source,
        given: true,
    })
}

/// What may stand under `key`: under its second key a parameter is written with its unit.
fn allowed(key: &str, declared: &ParamDecl) -> String {
    match &declared.quantity {
        Some(quantity) if quantity.key == key => format!(
            "text with a unit, such as {:?}; a plain number stands under `{}`",
            quantity.measure.example(),
            declared.name
        ),
        _ => declared.allowed(),
    }
}

fn with_unit(
    doc: &Document<'_>,
    key: &str,
    value: &Spanned<DeValue<'_>>,
    declared: &ParamDecl,
    text: &str,
    quantity: &Quantity,
    of: Option<i64>,
) -> Result<Setting, SpecError> {
    let refused = |reason| SpecError::Quantity {
        place: doc.place(value),
        key: key.to_string(),
        given: doc.quote(value),
        reason: Box::new(reason),
        allowed: declared.allowed(),
    };
    let read = quantity::read(text, &quantity.measure, &declared.unit, of).map_err(refused)?;
    let setting = Setting::Int(read);
    if declared.kind.allows(&setting) {
        return Ok(setting);
    }
    let given = format!("{} (that is {read} {})", doc.quote(value), declared.unit);
    Err(SpecError::NotAllowed {
        place: doc.place(value),
        key: key.to_string(),
        given,
        allowed: declared.allowed(),
    })
}

/// Names the full path of a key in an error about its last part.
fn under(error: SpecError, path: &str) -> SpecError {
    match error {
        SpecError::Missing { file, allowed, .. } => SpecError::Missing {
            file,
            key: format!("parameters.{path}"),
            allowed,
        },
        SpecError::NotAllowed {
            place,
            given,
            allowed,
            ..
        } => SpecError::NotAllowed {
            place,
            key: path.to_string(),
            given,
            allowed,
        },
        other => other,
    }
}

/// The setting, if it has the declared kind and lies in the declared range.
pub(crate) fn setting(value: &DeValue<'_>, declared: &ParamDecl) -> Option<Setting> {
    let setting = match (value, &declared.kind) {
        (DeValue::Integer(x), Kind::Float { .. }) => {
            Setting::Float(i64::from_str_radix(x.as_str(), x.radix()).ok()? as f64)
        }
        (DeValue::Integer(x), _) => Setting::Int(i64::from_str_radix(x.as_str(), x.radix()).ok()?),
        (DeValue::Float(x), _) => Setting::Float(x.as_str().parse().ok()?),
        (DeValue::String(x), _) => Setting::Text(x.to_string()),
        (DeValue::Boolean(x), _) => Setting::Bool(*x),
        _ => return None,
    };
    declared.kind.allows(&setting).then_some(setting)
}
