//! Classes of wire records: what they all have.
//!
//! PyO3 takes one block of methods for a class, so the macro writes those of a record into the block
//! of the class's own.

/// The methods of a class that wraps a [`Record`](crate::record::Record), beside its own. The class
/// says what it is `under`, and is made `of` a record and its parameters.
macro_rules! record_class {
    (impl $class:ident: $($own:tt)*) => {
        #[pymethods]
        impl $class {
            $($own)*

            /// The parameters that it belongs to.
            #[getter]
            fn parameters(&self) -> $crate::parameters::Parameters {
                self.under().clone().into()
            }

            /// The secret key that it belongs to, as whoever wrote it says; `None` if nobody did.
            #[getter]
            fn key_id(&self) -> Option<String> {
                $crate::key_id::key_id(self.0.identity())
            }

            /// The wire record: versioned header, words packed to their primes' bits, checksum.
            fn to_bytes(&self, py: Python<'_>) -> PyResult<std::borrow::Cow<'static, [u8]>> {
                $crate::record::to_bytes(py, &self.0)
            }

            /// Bytes of the wire record, without making it.
            #[getter]
            fn encoded_len(&self) -> u64 {
                $crate::record::Record::length(&self.0)
            }

            /// Reads a wire record; every word is checked. Raises `FormatError` for damage and
            /// `KeyMismatchError` for a record of other parameters.
            #[staticmethod]
            fn from_bytes(
                py: Python<'_>,
                parameters: &$crate::parameters::Parameters,
                data: &[u8],
            ) -> PyResult<Self> {
                let record = $crate::record::from_bytes(py, &parameters.0, data)?;
                Ok(Self::of(record, &parameters.0))
            }

            /// Writes the wire record to a file, whole or not at all. Raises `StorageError`.
            fn save(&self, py: Python<'_>, path: std::path::PathBuf) -> PyResult<()> {
                $crate::record::save(py, &self.0, path)
            }

            /// Reads a file that `save` wrote. Raises as `from_bytes` does, and `StorageError`.
            #[staticmethod]
            fn load(
                py: Python<'_>,
                parameters: &$crate::parameters::Parameters,
                path: std::path::PathBuf,
            ) -> PyResult<Self> {
                let record = $crate::record::load(py, &parameters.0, path)?;
                Ok(Self::of(record, &parameters.0))
            }
        }
    };
}
pub(crate) use record_class;
