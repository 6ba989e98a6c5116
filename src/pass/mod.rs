//! The passes, in the order in which they run. Each reads the file and adds to the plan.

pub mod handlers;
mod retained;
