//! One binary for all integration tests; each topic is a module.

mod cli; // exit codes, flags, maps, tracebacks, in-place and back, each in a folder of its own
mod conformance; // programs behave as the originals do, on every interpreter
mod determinism; // the same bytes with any number of threads, at any path, in any order
mod exact; // nothing a program can see of its source has changed
mod golden; // what programs become, as files to read
mod heal;
mod hostile; // bad input; library files in other layouts
mod prove; // a test command, plain and instrumented
mod runtime; // healing for real, and staying out of the way
mod serve; // the server, its agents and what they say to each other
mod support;
mod tidy; // rules of the repository itself
