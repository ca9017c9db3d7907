#![doc = include_str!("../README.md")]

pub mod join;
pub mod pump;
pub mod split;
