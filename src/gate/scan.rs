//! What is said about the bytes and tokens before anything is parsed.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::Mode;
use ruff_python_parser::lexer::lex;
use ruff_text_size::{TextRange, TextSize};

use super::{Policy, Raw};

/// Up to this measure of depth a normal stack is more than enough.
pub(super) const SHALLOW: u32 = 60;
/// For the deepest code that the limits let through.
pub(super) const STACK_BYTES: usize = 64 << 20;

/// Offsets to lines and columns.
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut starts = vec![0];
        starts.extend(
            text.bytes()
                .enumerate()
                .filter(|(_, byte)| *byte == b'\n')
                .map(|(at, _)| at + 1),
        );
        Self { text, starts }
    }

    /// Both from 1, the column in characters.
    pub(super) fn position(&self, at: TextSize) -> (u32, u32) {
        let mut at = at.to_usize().min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let line = self.starts.partition_point(|start| *start <= at) - 1;
        let column = self.text[self.starts[line]..at].chars().count();
        (line as u32 + 1, column as u32 + 1)
    }
}

fn range(start: usize, len: usize) -> TextRange {
    TextRange::at(TextSize::new(start as u32), TextSize::new(len as u32))
}

fn raw(range: TextRange, rule: &'static str, message: String, policy: &Policy) -> Raw {
    Raw {
        range,
        rule,
        message,
        instead: policy.instead(rule, &[]),
    }
}

/// The text, and what is wrong with its characters.
pub(super) fn decode<'a>(code: &'a [u8], policy: &Policy) -> Result<(&'a str, Vec<Raw>), Box<Raw>> {
    let limit = policy.limits.bytes;
    if code.len() > limit {
        let message = format!(
            "the code has {} bytes, more than the {limit} that are allowed",
            code.len()
        );
        return Err(Box::new(raw(range(0, 0), "size", message, policy)));
    }
    let text = match std::str::from_utf8(code) {
        Ok(text) => text,
        Err(error) => {
            // The position is that of the good part's end.
            let good = std::str::from_utf8(&code[..error.valid_up_to()]).unwrap_or("");
            let (line, column) = Lines::new(good).position(TextSize::of(good));
            let message = format!("the code is not UTF-8: line {line}, column {column}");
            return Err(Box::new(raw(range(0, 0), "encoding", message, policy)));
        }
    };
    let mut found = Vec::new();
    if text.starts_with('\u{feff}') {
        found.push(raw(
            range(0, 3),
            "encoding",
            "the code begins with a byte order mark".into(),
            policy,
        ));
    }
    for (start, line) in first_lines(text) {
        if let Some(name) = cookie(line) {
            let plain = name.to_ascii_lowercase().replace('_', "-");
            if plain != "utf-8" && plain != "utf8" {
                let message = format!("the comment declares the encoding `{name}`");
                found.push(raw(range(start, line.len()), "encoding", message, policy));
            }
        }
    }
    let mut characters = text.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        let next_is_feed = c == '\r' && characters.peek().is_some_and(|(_, next)| *next == '\n');
        let bad = match c {
            '\n' | '\t' => false,
            '\r' => !next_is_feed,
            // Marks that make the text look different from what it is.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
            _ => c.is_control(),
        };
        if bad {
            let message = format!("the code contains the control character U+{:04X}", c as u32);
            found.push(raw(
                range(at, c.len_utf8()),
                "control-character",
                message,
                policy,
            ));
        }
    }
    Ok((text, found))
}

/// Where an encoding comment counts. A lone carriage return is a finding of its own.
fn first_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split('\n').take(2).scan(0, |at, line| {
        let start = *at;
        *at += line.len() + 1;
        Some((start, line.trim_end_matches('\r')))
    })
}

/// The name in an encoding comment (PEP 263).
fn cookie(line: &str) -> Option<&str> {
    let comment = line
        .trim_start_matches([' ', '\t', '\x0c', '\u{feff}'])
        .strip_prefix('#')?;
    let (at, _) = comment
        .match_indices("coding")
        .find(|(at, _)| comment[at + 6..].starts_with([':', '=']))?;
    let rest = comment[at + 7..].trim_start_matches([' ', '\t']);
    let end = rest
        .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_' | '.'))
        .unwrap_or(rest.len());
    (end > 0).then(|| &rest[..end])
}

pub(super) fn too_deep(text: &str, at: usize, policy: &Policy) -> Raw {
    let at = at.min(text.len());
    raw(
        range(at, 0),
        "nesting",
        "the code is nested too deeply here, or a bracket is never closed".into(),
        policy,
    )
}

/// A bound for the depth of the syntax tree, or the place where it goes beyond the limits.
pub(super) fn depth(text: &str, policy: &Policy) -> Result<u32, Box<Raw>> {
    if let Some(deepest) = measure(text, policy) {
        return Ok(deepest);
    }
    // The shortest beginning of the text that is too deep ends at the culprit. The lexer does not
    // tell positions; this needs as many passes as the length has bits.
    let (mut low, mut high) = (0, text.len());
    while low < high {
        let mut middle = low + (high - low) / 2;
        while !text.is_char_boundary(middle) {
            middle -= 1;
        }
        if middle < low || measure(&text[..middle], policy).is_none() {
            high = middle.max(low);
        } else {
            low = middle + 1;
            while low < high && !text.is_char_boundary(low) {
                low += 1;
            }
        }
    }
    let mut at = high.saturating_sub(1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    Err(Box::new(too_deep(text, at, policy)))
}

/// No parser needs more levels than there are tokens since the last comma or line end, counted
/// at every open bracket. Commas in a lambda's parameters end nothing, so lambdas count for good.
fn measure(text: &str, policy: &Policy) -> Option<u32> {
    let limits = &policy.limits;
    let mut lexer = lex(text, Mode::Module);
    let mut open: Vec<u32> = vec![0];
    let (mut sum, mut deepest) = (0_u32, 0_u32);
    let (mut indents, mut branches, mut lambdas) = (0_usize, 0_usize, 0_u32);
    loop {
        let kind = lexer.next_token();
        match kind {
            TokenKind::EndOfFile => return Some(deepest + indents as u32),
            TokenKind::Lpar
            | TokenKind::Lsqb
            | TokenKind::Lbrace
            | TokenKind::FStringStart
            | TokenKind::TStringStart => {
                open.push(1);
                sum += 1;
                if open.len() > limits.brackets + 1 {
                    return None;
                }
            }
            TokenKind::Rpar
            | TokenKind::Rsqb
            | TokenKind::Rbrace
            | TokenKind::FStringEnd
            | TokenKind::TStringEnd => {
                if open.len() > 1 {
                    sum -= open.pop().unwrap_or(0);
                }
                *open.last_mut().expect("never empty") += 1;
                sum += 1;
            }
            TokenKind::Comma => {
                let last = open.last_mut().expect("never empty");
                sum -= *last;
                *last = 0;
            }
            TokenKind::Newline => {
                // An unclosed bracket may be taken back by the parser's recovery, but not by us.
                let last = open.last_mut().expect("never empty");
                sum -= *last;
                *last = 0;
                lambdas = 0;
            }
            TokenKind::Indent => {
                indents += 1;
                if indents > limits.indents {
                    return None;
                }
            }
            TokenKind::Dedent => indents = indents.saturating_sub(1),
            TokenKind::Elif => {
                branches += 1;
                if branches > limits.branches {
                    return None;
                }
            }
            TokenKind::Comment | TokenKind::NonLogicalNewline => {}
            kind => {
                if kind == TokenKind::Lambda {
                    lambdas += 2;
                }
                *open.last_mut().expect("never empty") += 1;
                sum += 1;
            }
        }
        deepest = deepest.max(sum + lambdas);
        if deepest as usize > limits.chain {
            return None;
        }
    }
}
