//! Declared parameters: name, unit, range, default, source; reads and checks machine descriptions.
