//! healc: a source instrumentation compiler for Python repositories.
//!
//! The way of a file: [`encoding`] and [`source`] read it, the passes fill a plan, the splice
//! renders it, the verifier proves it, [`artifact`] describes it; [`compile`] is that pipeline.
//! Around it: [`config`], [`rules`] and [`discover`] say which files, [`repo`] runs many of them,
//! [`emit`] writes, [`overlay`] and [`traceback`] read back, [`cli`] is the shell. [`gate`] stands
//! alone: it judges healing code; [`serve`] joins paused executions with
//! the agents of [`heal`].

pub mod artifact;
pub mod cli;
pub mod compile;
pub mod config;
pub mod discover;
pub mod emit;
pub mod encoding;
pub mod exact;
pub mod gate;
pub mod golden;
pub mod heal;
pub mod overlay;
mod pass;
mod plan;
pub mod prove;
pub mod repo;
mod report;
pub mod rules;
pub mod runtime;
mod semantics;
pub mod serve;
pub mod source;
mod splice;
mod suite;
pub mod traceback;
pub mod verify;
