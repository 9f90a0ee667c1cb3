//! Programs of B512 for one operation on one tower each, and which of them is started.
//!
//! Reading order: [`operation`] (what is computed), [`shape`] (where words lie), [`table`] and
//! [`constants`], [`tower_kernel`] (a program and its [`arguments`]), [`plain`] (programs in plain
//! order), [`compile`] (the compiler of transforms and its list scheduler), [`scheduled`] (what that
//! makes of every operation), [`library`] (which program is started: the plain one, or a scheduled one
//! where that is quicker), [`word_by_word`] (many operations at once), [`body`] and
//! [`chain`] (kernels one behind the other), [`alone`] (one kernel in memories of its own).

pub mod alone;
pub mod arguments;
pub mod body;
pub mod chain;
pub mod compile;
pub mod constants;
pub mod library;
mod made;
pub mod measured;
pub mod operation;
pub mod plain;
pub mod scheduled;
pub mod shape;
pub mod table;
pub mod tower_kernel;
pub mod word_by_word;

pub use body::Body;
pub use library::Library;
pub use measured::Measured;
pub use operation::{Operation, Scalar};
pub use shape::Shape;
pub use table::Symbol;
pub use tower_kernel::{Making, TowerKernel};
pub use word_by_word::{Formula, Layout, WordKernel};
