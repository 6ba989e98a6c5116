//! Whether two statements have the same tree.
//!
//! The text of both is known to be the same (`erase`), so a tree is given by its nodes: what each is
//! and where it starts and ends. Nothing is allocated for a node, unlike with comparable trees,
//! which the thorough proof compares on top.

use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, TraversalSignal};
use ruff_python_ast::{AnyNodeRef, Expr, NodeKind, Stmt};
use ruff_text_size::Ranged;

use crate::splice::Segment;

/// A node in source order. Of a node with suites, whose text ends with them, only the start counts.
type Node = (NodeKind, u32, u32);

/// The nodes of a statement, suites left out.
#[derive(Default)]
struct Outline {
    nodes: Vec<Node>,
}

impl<'a> SourceOrderVisitor<'a> for Outline {
    fn enter_node(&mut self, node: AnyNodeRef<'a>) -> TraversalSignal {
        let range = node.range();
        let start = range.start().to_u32();
        let end = match node {
            AnyNodeRef::StmtFunctionDef(_)
            | AnyNodeRef::StmtClassDef(_)
            | AnyNodeRef::StmtFor(_)
            | AnyNodeRef::StmtWhile(_)
            | AnyNodeRef::StmtIf(_)
            | AnyNodeRef::StmtWith(_)
            | AnyNodeRef::StmtMatch(_)
            | AnyNodeRef::StmtTry(_)
            | AnyNodeRef::ElifElseClause(_)
            | AnyNodeRef::MatchCase(_)
            | AnyNodeRef::ExceptHandlerExceptHandler(_) => start,
            _ => range.end().to_u32(),
        };
        self.nodes.push((node.kind(), start, end));
        TraversalSignal::Traverse
    }

    fn visit_body(&mut self, _: &'a [Stmt]) {}
}

/// Compares trees of the original with trees of the output.
pub struct Comparison<'a> {
    segments: &'a [Segment],
    /// The segment that was needed last.
    current: usize,
    original: Outline,
    output: Outline,
}

impl<'a> Comparison<'a> {
    pub fn new(segments: &'a [Segment]) -> Self {
        Self {
            segments,
            current: 0,
            original: Outline::default(),
            output: Outline::default(),
        }
    }

    pub fn same_statement(&mut self, original: &Stmt, output: &Stmt) -> bool {
        self.clear();
        self.original.visit_stmt(original);
        self.output.visit_stmt(output);
        self.same()
    }

    pub fn same_expression(&mut self, original: &Expr, output: &Expr) -> bool {
        self.clear();
        self.original.visit_expr(original);
        self.output.visit_expr(output);
        self.same()
    }

    fn clear(&mut self) {
        self.original.nodes.clear();
        self.output.nodes.clear();
    }

    fn same(&mut self) -> bool {
        let (left, right) = (
            std::mem::take(&mut self.original.nodes),
            std::mem::take(&mut self.output.nodes),
        );
        let same = left.len() == right.len()
            && match self.shift_of_all(&right) {
                Some(shift) => left.iter().zip(&right).all(|(original, output)| {
                    original.0 == output.0
                        && original.1.wrapping_add(shift) == output.1
                        && original.2.wrapping_add(shift) == output.2
                }),
                None => left.iter().zip(&right).all(|(original, output)| {
                    original.0 == output.0
                        && self.source(output.1) == Some(original.1)
                        && self.end(output.1, output.2) == Some(original.2)
                }),
            };
        (self.original.nodes, self.output.nodes) = (left, right);
        same
    }

    /// How far the text of all nodes was moved, if by the same distance: most stand in one segment.
    fn shift_of_all(&mut self, nodes: &[Node]) -> Option<u32> {
        let (_, start, _) = *nodes.first()?;
        let end = nodes.iter().map(|node| node.2).max()?;
        let shift = start.wrapping_sub(self.source(start)?);
        let segment = &self.segments[self.current];
        (end <= segment.out + segment.out_len).then_some(shift)
    }

    fn end(&mut self, start: u32, end: u32) -> Option<u32> {
        if end == start {
            return self.source(start);
        }
        // What ends with a segment does not belong to the next.
        Some(self.source(end - 1)? + 1)
    }

    /// Where copied text stood in the original.
    fn source(&mut self, out: u32) -> Option<u32> {
        let holds = |segment: &Segment| {
            segment.is_copy() && segment.out <= out && out < segment.out + segment.out_len
        };
        if !self.segments.get(self.current).is_some_and(holds) {
            let after = self.segments.partition_point(|segment| segment.out <= out);
            self.current = after.checked_sub(1)?;
        }
        let segment = &self.segments[self.current];
        holds(segment).then(|| segment.src + (out - segment.out))
    }
}
