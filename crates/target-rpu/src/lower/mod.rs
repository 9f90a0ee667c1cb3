//! Turns ring programs into parts: runs of kernels, with the moves of towers beside them.
//!
//! What a program computes, tower by tower, and where it is cut, is [`ringwright_towers`]'s; which
//! towers lie in which slots when is its `residency`'s. Reading order: [`plan`] (what is tried),
//! [`program`], [`part`] (a kernel of the program in pieces), [`lowering`] (how its operations
//! become calls: [`kinds`] says which tower kernel computes what, [`key_parts`] what memory holds
//! joined, [`fused`] what is done word by word together, [`streams`] where calls read and write),
//! [`start`] (which calls are started together), [`phases`] and [`sweep`] (what is done on blocks,
//! where towers are long), [`commands`] with [`waits`] and [`queues`] (moves and runs as the
//! device's list, and what they wait for), [`holds`] (the rule of that list).
//!
//! For chips of several tiles: [`spread`] (a kernel in shares), [`placement`] with [`clusters`] and
//! [`estimate`] (who does what), [`landing`] (what tiles send each other).

pub mod clusters;
pub mod commands;
pub mod estimate;
pub mod fused;
pub mod holds;
pub mod key_parts;
pub mod kinds;
pub mod landing;
pub mod lowering;
pub mod order;
pub mod part;
pub mod phases;
pub mod placement;
pub mod plan;
pub mod program;
pub mod queues;
pub mod spread;
pub mod start;
pub mod streams;
pub mod sweep;
pub mod waits;
