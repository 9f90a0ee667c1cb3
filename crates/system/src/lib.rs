//! Hosts, links, stage placement, tax ledger.
