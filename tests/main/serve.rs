//! The healing side: tests/serve talks to the built binary over HTTP and MCP.

use crate::support::script;

#[test]
fn executions_and_agents_find_each_other() {
    script("tests/serve/run.py", &[]);
}
