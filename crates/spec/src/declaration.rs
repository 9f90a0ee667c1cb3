//! Declarations: what a target's machine files may say, read from `spec/<target>/params.toml`.

mod file;

use crate::kind::Kind;
use crate::quantity::{Of, Quantity};
use crate::setting::Setting;
use crate::shipped;
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

/// A declared reading: the harshest one of what a paper leaves open.
#[derive(Clone, Debug, PartialEq)]
pub struct Strict {
    /// The value; of numbers the larger is the harsher.
    pub value: Setting,
    /// The words that it rests on.
    pub source: String,
}

impl ParamDecl {
    /// What may be given, for messages: `a whole number 0..=1024 threads`.
    pub fn allowed(&self) -> String {
        let plain = self.kind.in_unit(&self.unit);
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

/// All parameters of one target, of links or of hosts; or the operations of hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    name: &'static str,
    title: String,
    params: Vec<ParamDecl>,
}

impl Schema {
    /// The target's name, "link", "host" or "host operations".
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
        let (title, params) = file::read(text)?;
        let schema = Schema {
            name,
            title,
            params,
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
        let head = "title = \"t\"\n[[parameter]]\nname = \"p\"\nunit = \"none\"\nsummary = \"S.\"\nsource = \"x\"\n";
        Schema::parse("t", &format!("{head}{body}"))
    }

    #[test]
    fn a_declaration_must_be_complete_and_consistent() {
        let whole = "kind = \"int\"\nmin = 1\nmax = 2\n";
        assert!(declared(whole).is_ok());
        assert!(declared("kind = \"int\"\nmin = 1\n")
            .unwrap_err()
            .contains("Int takes min, max"));
        assert!(declared(&format!("{whole}default = 3\n"))
            .unwrap_err()
            .contains("3 is not allowed"));
        let strict = declared(&format!("{whole}strict = 3\nstrict_source = \"x\"\n"));
        assert!(strict.unwrap_err().contains("strict 3 is not allowed"));
        let bare = declared(&format!("{whole}strict = 2\n"));
        assert!(bare.unwrap_err().contains("goes with strict_source"));
        assert!(declared("kind = \"colour\"\n")
            .unwrap_err()
            .contains("unknown variant `colour`"));
        assert!(declared("kind = \"text\"\n")
            .unwrap_err()
            .contains("max_len"));
        let domain = |domain: &str| declared(&format!("{whole}domain = {domain}\n"));
        assert!(domain("\"power_of_two\"").is_ok());
        assert!(domain("{ multiple_of = 2 }")
            .unwrap_err()
            .contains("end of the range does not belong"));
        assert!(domain("\"prime\"").unwrap_err().contains("unknown variant"));
        assert!(declared("kind = \"bool\"\ndomain = \"power_of_two\"\n")
            .unwrap_err()
            .contains("Bool takes nothing"));
        let twice = format!(
            "{whole}[[parameter]]\nname = \"p\"\nunit = \"none\"\nsummary = \"S.\"\nsource = \"x\"\n{whole}"
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
}
