//! What the verifier has to reject: every small change to the text that is ours.

use ruff_python_ast::comparable::ComparableStmt;
use ruff_python_parser::parse_module;

use super::{Proof, verify};
use crate::config::Returns;
use crate::pass;
use crate::plan::Plan;
use crate::rules::Rules;
use crate::source::SourceFile;
use crate::splice::{Segment, Spliced, splice};

const PROGRAM: &str = "\
'''Doc.'''
from __future__ import annotations
import os; import sys

class Parser(object):
    limit = os.getpid()
    def parse(self, text,
              strict=False):
        if strict: text = text.strip(); return text
        try:
            for part in text.split(
                ','  # separator
            ):
                yield (part,
                       '''
''')
        except (ValueError,
                KeyError) as error:
            raise self.wrong(error) \\
                from None
        else:
            with self.lock, open(text) as file:
                text += file.read()
        return text

def first(values):
    value = values[0]
    return value
";

fn compiled(text: &str) -> (SourceFile, Plan, Spliced) {
    let file = SourceFile::parse(text.into(), None).expect("valid");
    let mut plan = Plan::default();
    pass::handlers::run(&file, &Rules::builtin(), Returns::Auto, &mut plan);
    let spliced = splice(&file, &plan);
    (file, plan, spliced)
}

/// `text` with the bytes at `at..to` replaced, and the segments behind it moved.
fn edited(spliced: &Spliced, at: usize, to: usize, with: &str) -> Spliced {
    let mut text = spliced.text.clone();
    text.replace_range(at..to, with);
    let moved = |segment: &Segment| Segment {
        out: match segment.out as usize >= to {
            true => segment.out + with.len() as u32 - (to - at) as u32,
            false => segment.out,
        },
        ..*segment
    };
    Spliced {
        text,
        segments: spliced.segments.iter().map(moved).collect(),
    }
}

fn same_meaning(a: &str, b: &str) -> bool {
    let (Ok(a), Ok(b)) = (parse_module(a), parse_module(b)) else {
        return false;
    };
    let (a, b) = (&a.syntax().body, &b.syntax().body);
    a.iter()
        .map(ComparableStmt::from)
        .eq(b.iter().map(ComparableStmt::from))
}

#[test]
fn what_is_emitted_holds() {
    let (file, plan, spliced) = compiled(PROGRAM);
    for proof in [Proof::Usual, Proof::Thorough] {
        verify(&file, &plan, &spliced, proof).expect("proven");
    }
}

#[test]
fn no_change_of_our_text_goes_unnoticed() {
    let (file, plan, spliced) = compiled(PROGRAM);
    let copied = |at: usize| {
        spliced.segments.iter().any(|segment| {
            (segment.out as usize..(segment.out + segment.out_len) as usize).contains(&at)
        })
    };
    let mut tried = 0;
    for at in (0..spliced.text.len()).filter(|at| !copied(*at)) {
        let byte = &spliced.text[at..=at];
        for with in ["", " ", "\n", "0", "_", &byte.repeat(2)] {
            let mutant = edited(&spliced, at, at + 1, with);
            if with == byte {
                continue;
            }
            tried += 1;
            for proof in [Proof::Usual, Proof::Thorough] {
                assert!(
                    verify(&file, &plan, &mutant, proof).is_err()
                        || same_meaning(&spliced.text, &mutant.text),
                    "{proof:?} accepts\n{}",
                    mutant.text
                );
            }
        }
    }
    assert!(tried > 5000, "{tried}");
}

#[test]
fn no_line_of_ours_can_be_lost_doubled_or_moved() {
    let (file, plan, spliced) = compiled(PROGRAM);
    let mut at = 0;
    for line in spliced.text.split_inclusive('\n') {
        let range = at..at + line.len();
        at = range.end;
        let touches = |segment: &Segment| {
            (segment.out as usize) < range.end
                && segment.out as usize + segment.out_len as usize > range.start
        };
        if spliced.segments.iter().any(touches) {
            continue;
        }
        let mutants = [
            String::new(),
            line.repeat(2),
            format!("    {line}"),
            line.trim_start().to_string(),
        ];
        for with in mutants {
            let mutant = edited(&spliced, range.start, range.end, &with);
            assert!(
                verify(&file, &plan, &mutant, Proof::Usual).is_err()
                    || same_meaning(&spliced.text, &mutant.text),
                "accepted:\n{}",
                mutant.text
            );
        }
    }
}
