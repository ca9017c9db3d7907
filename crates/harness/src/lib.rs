//! The harness: suites of models, queries and engines, run under limits, recorded, compared and reported.
//!
//! | file | holds |
//! | --- | --- |
//! | `suite` | what a suite says, read from TOML |
//! | `task` | the runs that a suite stands for |
//! | `tool` | how our own and other programs are called, and what they print |
//! | `supervise`, `family_tree`, `cgroup` | one command under limits |
//! | `runner` | all runs of a suite, in random order, resumable |
//! | `export` | suites for GNU parallel, Slurm and BenchExec |
//! | `compare` | two sets of results side by side |
//! | `record` | one row of the results |
//! | `report` | pages and tables of saved results |
//! | `paper` | what papers print, beside what we measure |
//! | `provenance` | where and with what they were measured |

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
pub mod tool;
