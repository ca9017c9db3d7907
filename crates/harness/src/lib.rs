#![doc = include_str!("../README.md")]

mod cgroup;
pub mod compare;
pub mod export;
mod family_tree;
pub mod lola;
pub mod paper;
pub mod provenance;
pub mod record;
pub mod report;
pub mod runner;
pub mod suite;
pub mod supervise;
pub mod task;
mod tool;
