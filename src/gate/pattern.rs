//! Regular expressions that take exponential time: a repeated group in which everything may
//! itself repeat or be left out, as in `(a+)+`.
//!
//! This sees the well-known shape in a constant pattern, no more; the execution alarm is for the
//! rest.

/// Whether the pattern repeats such a group without bound.
pub(super) fn explodes(pattern: &str) -> bool {
    let chars: Vec<char> = pattern.chars().collect();
    let mut at = 0;
    let mut found = false;
    // Closing brackets that open nothing make an invalid pattern, which is not for us.
    while at < chars.len() {
        alternatives(&chars, &mut at, &mut found, 0);
        at += 1;
    }
    found
}

/// What a pattern, or a group's body, consists of.
#[derive(Clone, Copy)]
struct Body {
    /// Some alternative has no item that stands exactly once.
    loose: bool,
}

/// Up to the closing bracket or the end.
fn alternatives(chars: &[char], at: &mut usize, found: &mut bool, depth: u32) -> Body {
    let mut body = Body { loose: false };
    let (mut items, mut fixed, mut endless) = (0_u32, 0_u32, 0_u32);
    loop {
        let c = chars.get(*at).copied();
        if matches!(c, None | Some(')' | '|')) {
            body.loose |= items > 0 && fixed == 0 && endless > 0;
            (items, fixed, endless) = (0, 0, 0);
            if c != Some('|') {
                return body;
            }
            *at += 1;
            continue;
        }
        let inner = item(chars, at, found, depth);
        let (least, most) = quantifier(chars, at);
        let repeats = most.is_none();
        if repeats && inner.is_some_and(|inner| inner.loose) {
            *found = true;
        }
        items += 1;
        // An item that is a loose group counts as what is in it.
        let loose = inner.is_some_and(|inner| inner.loose);
        if repeats || loose {
            endless += 1;
        } else if least > 0 {
            fixed += 1;
        }
    }
}

/// One item; the body if it is a group.
fn item(chars: &[char], at: &mut usize, found: &mut bool, depth: u32) -> Option<Body> {
    let c = chars[*at];
    *at += 1;
    match c {
        '\\' => *at += 1,
        '[' => {
            // A bracket right after the opening, or after its `^`, is an ordinary character.
            if chars.get(*at) == Some(&'^') {
                *at += 1;
            }
            if chars.get(*at) == Some(&']') {
                *at += 1;
            }
            while let Some(c) = chars.get(*at) {
                *at += 1;
                match c {
                    '\\' => *at += 1,
                    ']' => break,
                    _ => {}
                }
            }
        }
        '(' if depth < 50 => {
            if chars.get(*at) == Some(&'?') {
                *at += 1;
                let close = |from: usize, end: char| {
                    chars[from..]
                        .iter()
                        .position(|c| *c == end)
                        .map_or(chars.len(), |i| from + i + 1)
                };
                match (chars.get(*at), chars.get(*at + 1)) {
                    (Some('P'), Some('<')) => *at = close(*at + 2, '>'),
                    (Some('<'), Some('=' | '!')) => *at += 2,
                    (Some('#'), _) => {
                        *at = close(*at, ')');
                        return None;
                    }
                    _ => {
                        while chars
                            .get(*at)
                            .is_some_and(|c| !matches!(c, ':' | '=' | '!' | ')' | '>'))
                        {
                            *at += 1;
                        }
                        if chars.get(*at).is_some_and(|c| *c != ')') {
                            *at += 1;
                        }
                    }
                }
            }
            let body = alternatives(chars, at, found, depth + 1);
            *at += 1;
            return Some(body);
        }
        _ => {}
    }
    None
}

/// Least and most repetitions; none for no bound.
fn quantifier(chars: &[char], at: &mut usize) -> (u32, Option<u32>) {
    let (mut least, mut most) = (1, Some(1));
    match chars.get(*at) {
        Some('*') => (least, most) = (0, None),
        Some('+') => (least, most) = (1, None),
        Some('?') => (least, most) = (0, Some(1)),
        Some('{') => {
            let Some(end) = chars[*at..].iter().position(|c| *c == '}') else {
                return (least, most);
            };
            let text: String = chars[*at + 1..*at + end].iter().collect();
            let (low, high) = text
                .split_once(',')
                .map_or((&*text, None), |(low, high)| (low, Some(high)));
            let number = |text: &str| text.parse::<u32>().ok();
            if !text.chars().all(|c| c.is_ascii_digit() || c == ',') || text.is_empty() {
                return (least, most);
            }
            least = number(low).unwrap_or(0);
            most = match high {
                None => Some(least),
                Some("") => None,
                Some(high) => number(high),
            };
            // Large bounds are as good as none.
            if most.is_some_and(|most| most > 30 && most > least) {
                most = None;
            }
            *at += end;
        }
        _ => return (least, most),
    }
    *at += 1;
    // Lazy or possessive.
    if matches!(chars.get(*at), Some('?' | '+')) {
        *at += 1;
    }
    (least, most)
}
