//! Templates of `str.format`, as far as a constant one tells what it will read.

/// What a template must not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// A field follows attributes or items.
    Path,
    /// A field's name is reserved or a dunder name.
    Name,
    Malformed,
    /// A width or precision.
    TooWide,
}

/// The first fault of a template.
pub(super) fn fault(template: &str, widest: usize) -> Option<Fault> {
    let mut rest = template.chars().peekable();
    markup(&mut rest, 0, widest).err()
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn markup(chars: &mut Chars<'_>, depth: u32, widest: usize) -> Result<(), Fault> {
    let mut number = 0_usize;
    while let Some(c) = chars.next() {
        match c {
            // In a format spec braces cannot be doubled: `{{` there opens two fields.
            '{' if depth == 0 && chars.peek() == Some(&'{') => {
                chars.next();
            }
            '{' => field(chars, depth + 1, widest)?,
            '}' if depth > 0 => return Ok(()),
            '}' if chars.peek() == Some(&'}') => {
                chars.next();
            }
            '}' => return Err(Fault::Malformed),
            _ if depth > 0 => number = digits(number, c, widest)?,
            _ => {}
        }
    }
    if depth > 0 {
        Err(Fault::Malformed)
    } else {
        Ok(())
    }
}

fn digits(number: usize, c: char, widest: usize) -> Result<usize, Fault> {
    let Some(digit) = c.to_digit(10) else {
        return Ok(0);
    };
    let number = number.saturating_mul(10).saturating_add(digit as usize);
    if number > widest {
        Err(Fault::TooWide)
    } else {
        Ok(number)
    }
}

/// After the opening brace, up to and with the closing one.
fn field(chars: &mut Chars<'_>, depth: u32, widest: usize) -> Result<(), Fault> {
    // CPython allows a field in a spec, but none in that one's spec.
    if depth > 2 {
        return Err(Fault::Malformed);
    }
    let mut name = String::new();
    loop {
        match chars.next() {
            None | Some('{') => return Err(Fault::Malformed),
            Some('}') => return check_name(&name),
            Some(':') => {
                check_name(&name)?;
                return markup(chars, depth, widest);
            }
            Some('!') => {
                check_name(&name)?;
                if !matches!(chars.next(), Some('r' | 's' | 'a')) {
                    return Err(Fault::Malformed);
                }
                return match chars.next() {
                    Some('}') => Ok(()),
                    Some(':') => markup(chars, depth, widest),
                    _ => Err(Fault::Malformed),
                };
            }
            Some(c) => name.push(c),
        }
    }
}

fn check_name(name: &str) -> Result<(), Fault> {
    if name.contains(['.', '[', ']']) {
        return Err(Fault::Path);
    }
    let number = name.chars().all(|c| c.is_ascii_digit());
    let word = name.chars().all(|c| c == '_' || c.is_alphanumeric())
        && !name.starts_with(|c: char| c.is_ascii_digit());
    if !number && !word {
        return Err(Fault::Malformed);
    }
    if name.starts_with("__") || name.starts_with("_eh_") {
        return Err(Fault::Name);
    }
    Ok(())
}

/// Whether a width or precision in a `%` template, or in a plain format spec, is too large.
pub(super) fn too_wide(spec: &str, widest: usize) -> bool {
    let mut number = 0;
    for c in spec.chars() {
        match digits(number, c, widest) {
            Ok(next) => number = next,
            Err(_) => return true,
        }
    }
    false
}
