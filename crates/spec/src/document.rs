//! A TOML file with its positions: what the checker needs to say where something stands.

use crate::error::SpecError;
use crate::one_line::one_line;
use crate::provenance::Provenance;
use toml::de::{DeTable, DeValue};
use toml::Spanned;

/// The largest description that is read; the largest shipped one has about 1 KB.
pub(crate) const MAX_BYTES: u64 = 1 << 20;

/// A parsed file; keys keep their places.
pub(crate) struct Document<'t> {
    pub(crate) file: String,
    text: &'t str,
    pub(crate) root: DeTable<'t>,
}

impl<'t> Document<'t> {
    pub(crate) fn parse(file: &str, text: &'t str) -> Result<Self, SpecError> {
        let file = one_line(file);
        if text.len() as u64 > MAX_BYTES {
            return Err(SpecError::TooLarge {
                file,
                limit: MAX_BYTES,
            });
        }
        match DeTable::parse(text) {
            Ok(root) => Ok(Self {
                file,
                text,
                root: root.into_inner(),
            }),
            Err(error) => {
                let start = error.span().map_or(0, |span| span.start);
                let place = place(&file, text, start);
                Err(SpecError::Syntax {
                    place,
                    reason: one_line(error.message()),
                })
            }
        }
    }

    /// `file:line` of something that was read.
    pub(crate) fn place<T>(&self, at: &Spanned<T>) -> String {
        place(&self.file, self.text, at.span().start)
    }

    /// The text of a value as the user wrote it.
    pub(crate) fn quote<T>(&self, at: &Spanned<T>) -> String {
        one_line(self.text.get(at.span()).unwrap_or(""))
    }

    /// The value of a key that must hold text that fits.
    pub(crate) fn text(
        &self,
        table: &DeTable<'t>,
        key: &str,
        allowed: &str,
        fits: impl Fn(&str) -> bool,
    ) -> Result<String, SpecError> {
        let value = self.require(table, key, allowed)?;
        match value.get_ref() {
            DeValue::String(text) if fits(text) => Ok(text.to_string()),
            _ => Err(self.not_allowed(key, value, allowed)),
        }
    }

    /// The provenance whose word a key must hold.
    pub(crate) fn provenance(
        &self,
        table: &DeTable<'t>,
        key: &str,
    ) -> Result<Provenance, SpecError> {
        let words = Provenance::ALL.map(Provenance::as_str).join(", ");
        let allowed = format!("one of {words}");
        let value = self.require(table, key, &allowed)?;
        let named = match value.get_ref() {
            DeValue::String(word) => word.parse().ok(),
            _ => None,
        };
        named.ok_or_else(|| self.not_allowed(key, value, &allowed))
    }

    /// The same; `None` where the key is not there.
    pub(crate) fn optional_provenance(
        &self,
        table: &DeTable<'t>,
        key: &str,
    ) -> Result<Option<Provenance>, SpecError> {
        match table.contains_key(key) {
            true => self.provenance(table, key).map(Some),
            false => Ok(None),
        }
    }

    pub(crate) fn require<'d>(
        &self,
        table: &'d DeTable<'t>,
        key: &str,
        allowed: &str,
    ) -> Result<&'d Spanned<DeValue<'t>>, SpecError> {
        table.get(key).ok_or_else(|| SpecError::Missing {
            file: self.file.clone(),
            key: key.to_string(),
            allowed: allowed.to_string(),
        })
    }

    pub(crate) fn not_allowed(
        &self,
        key: &str,
        value: &Spanned<DeValue<'t>>,
        allowed: &str,
    ) -> SpecError {
        SpecError::NotAllowed {
            place: self.place(value),
            key: key.to_string(),
            given: self.quote(value),
            allowed: allowed.to_string(),
        }
    }

    /// Refuses every key of `table` that is not in `known`.
    pub(crate) fn only_keys(&self, table: &DeTable<'t>, known: &[&str]) -> Result<(), SpecError> {
        let Some((key, _)) = table
            .iter()
            .find(|(key, _)| !known.contains(&key.get_ref().as_ref()))
        else {
            return Ok(());
        };
        let given: &str = key.get_ref();
        Err(SpecError::UnknownKey {
            place: self.place(key),
            key: one_line(given),
            known: known.iter().map(|k| k.to_string()).collect(),
            nearest: crate::nearest::nearest(given, known.iter().copied()).map(str::to_string),
        })
    }
}

fn place(file: &str, text: &str, offset: usize) -> String {
    let before = text.as_bytes().get(..offset).unwrap_or(text.as_bytes());
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    format!("{file}:{line}")
}
