//! The bytes of a Python source file as text, the way CPython's tokenizer reads them.
//!
//! The text that is parsed is UTF-8, but what is written back are the file's own bytes with ASCII
//! between them. [`Decoded`] therefore keeps the bytes and leads offsets in the text back to them.
//! Only encodings in which ASCII bytes outside of multi-byte characters mean ASCII are decoded. A
//! file that CPython refuses is refused here, and so is a file whose text is not certain.

#[rustfmt::skip]
mod tables;

use std::fmt;

use memchr::memchr;

use tables::{ALIASES, CHARMAPS, MULTIBYTE};

const BOM: &[u8] = b"\xef\xbb\xbf";
const UTF_8: &str = "utf-8";
const LATIN_1: &str = "iso-8859-1";
/// Stands in [`CHARMAPS`] for a byte that is not defined; no codec maps a byte to it.
const UNDEFINED: char = '\u{fffd}';

/// Codecs of Python's that are not decoded: stateful, not a superset of ASCII, not text, only on
/// Windows, or (JIS X 0213, Johab) so rare that their tables are not worth their size.
const UNSUPPORTED: &[&str] = &[
    "base64_codec",
    "bz2_codec",
    "charmap",
    "cp037",
    "cp1026",
    "cp1140",
    "cp273",
    "cp424",
    "cp500",
    "cp864",
    "cp875",
    "euc_jis_2004",
    "euc_jisx0213",
    "hex_codec",
    "hz",
    "idna",
    "iso2022_jp",
    "iso2022_jp_1",
    "iso2022_jp_2",
    "iso2022_jp_2004",
    "iso2022_jp_3",
    "iso2022_jp_ext",
    "iso2022_kr",
    "johab",
    "mbcs",
    "oem",
    "punycode",
    "quopri_codec",
    "raw_unicode_escape",
    "rot_13",
    "shift_jis_2004",
    "shift_jisx0213",
    "undefined",
    "unicode_escape",
    "unicode_internal",
    "utf_16",
    "utf_16_be",
    "utf_16_le",
    "utf_32",
    "utf_32_be",
    "utf_32_le",
    "utf_7",
    "uu_codec",
    "zlib_codec",
];

/// A multi-byte codec of Python's in terms of a decoder of `encoding_rs`.
struct Multibyte {
    module: &'static str,
    decoder: &'static encoding_rs::Encoding,
    shape: Shape,
    /// Ranges of characters (big-endian numbers of their bytes, both ends included) that Python
    /// takes, out of those that the decoder takes.
    accepted: &'static [(u32, u32)],
    /// Characters that Python decodes differently from the decoder, or that only Python decodes.
    changed: &'static [(u32, &'static str)],
}

/// How a lead byte tells the length of a character.
enum Shape {
    DoubleByte,
    ShiftJis,
    EucJp,
    Gb18030,
}

enum Codec {
    Utf8,
    Ascii,
    Latin1,
    Charmap(&'static str, &'static str),
    Multibyte(&'static Multibyte),
}

/// A source file, decoded. The bytes are kept, once.
#[derive(Debug, Clone)]
pub struct Decoded {
    encoding: &'static str,
    repr: Repr,
}

#[derive(Debug, Clone)]
enum Repr {
    /// The text is the bytes behind the byte order mark.
    Same { bytes: String, bom: usize },
    /// The text differs from the bytes.
    Mapped {
        text: String,
        bytes: Vec<u8>,
        runs: Vec<Run>,
    },
}

/// Characters in a row that are of one size in the text and of one size in the file.
#[derive(Debug, Clone, Copy)]
struct Run {
    text: usize,
    byte: usize,
    text_step: u8,
    byte_step: u8,
}

/// Why a file has no text, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodeError {
    kind: DecodeErrorKind,
    offset: usize,
    line: usize,
    column: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    #[error("null byte, which Python does not allow in source; {}", match utf_16 {
        true => "the file is UTF-16, save it as UTF-8",
        false => "remove it",
    })]
    NulByte { utf_16: bool },
    #[error(
        "byte {byte:#04x} is not UTF-8 and the file declares no other encoding; save it as UTF-8, or declare its encoding in the first line, as in `# coding: latin-1`"
    )]
    NotUtf8 { byte: u8 },
    #[error(
        "byte {byte:#04x} cannot be decoded as {encoding}, the encoding that the file declares; correct the declaration or the text"
    )]
    UndecodableIn { encoding: &'static str, byte: u8 },
    #[error(
        "Python knows no encoding `{name}`; correct the declaration, or remove it if the file is UTF-8"
    )]
    UnknownEncoding { name: String },
    #[error("encoding `{name}` is not supported; save the file as UTF-8")]
    UnsupportedEncoding { name: String },
    #[error(
        "the file starts with a UTF-8 byte order mark but declares `{cookie}`, which Python refuses; declare `utf-8`, or remove the mark or the declaration"
    )]
    BomConflict { cookie: String },
}

impl DecodeError {
    pub fn kind(&self) -> &DecodeErrorKind {
        &self.kind
    }

    /// Offset in the bytes of the file.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Line, from 1.
    pub fn line(&self) -> usize {
        self.line
    }

    /// Column in characters, from 1; a byte order mark is none.
    pub fn column(&self) -> usize {
        self.column
    }

    /// `before` is the text of the file up to the error.
    fn new(kind: DecodeErrorKind, offset: usize, before: &str) -> DecodeError {
        let ends = before.matches('\n').count()
            + before
                .match_indices('\r')
                .filter(|&(at, _)| before.as_bytes().get(at + 1) != Some(&b'\n'))
                .count();
        let start = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        DecodeError {
            kind,
            offset,
            line: ends + 1,
            column: before[start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for DecodeError {}

impl Decoded {
    /// Decodes a file. UTF-8 and pure ASCII are not copied.
    pub fn decode(bytes: Vec<u8>) -> Result<Decoded, DecodeError> {
        let bom = if bytes.starts_with(BOM) { BOM.len() } else { 0 };
        let lossy = |end: usize| String::from_utf8_lossy(&bytes[bom..end]).into_owned();
        if let Some(at) = memchr(0, &bytes) {
            let utf_16 = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
            let before = lossy(at.max(bom));
            return Err(DecodeError::new(
                DecodeErrorKind::NulByte { utf_16 },
                at,
                &before,
            ));
        }
        let cookie = find_cookie(&bytes[bom..]);
        let declared = cookie.is_some();
        let codec = match cookie {
            None => Codec::Utf8,
            Some((start, name)) => {
                let error = |kind| DecodeError::new(kind, bom + start, &lossy(bom + start));
                let normal = normal_name(name);
                if bom > 0 && normal != UTF_8 {
                    let cookie = name.to_owned();
                    return Err(error(DecodeErrorKind::BomConflict { cookie }));
                }
                find_codec(normal).map_err(error)?
            }
        };
        if matches!(codec, Codec::Utf8) || bytes.is_ascii() {
            let encoding = codec.name();
            return match String::from_utf8(bytes) {
                Ok(bytes) => {
                    let repr = Repr::Same { bytes, bom };
                    Ok(Decoded { encoding, repr })
                }
                Err(error) => {
                    let at = error.utf8_error().valid_up_to();
                    let bytes = error.into_bytes();
                    let byte = bytes[at];
                    let kind = match declared {
                        true => DecodeErrorKind::UndecodableIn { encoding, byte },
                        false => DecodeErrorKind::NotUtf8 { byte },
                    };
                    let before = String::from_utf8_lossy(&bytes[bom..at]);
                    Err(DecodeError::new(kind, at, &before))
                }
            };
        }
        let encoding = codec.name();
        let mut mapper = Mapper::with_capacity(bytes.len());
        codec.decode(&bytes, &mut mapper).map_err(|at| {
            let byte = bytes[at];
            let kind = DecodeErrorKind::UndecodableIn { encoding, byte };
            DecodeError::new(kind, at, &mapper.text)
        })?;
        let Mapper { text, runs, .. } = mapper;
        let repr = Repr::Mapped { text, bytes, runs };
        Ok(Decoded { encoding, repr })
    }

    /// The text, without a byte order mark.
    pub fn text(&self) -> &str {
        match &self.repr {
            Repr::Same { bytes, bom } => &bytes[*bom..],
            Repr::Mapped { text, .. } => text,
        }
    }

    /// Python's name of the codec, as in `utf-8`, `iso-8859-1`, `cp1252` or `shift_jis`.
    pub fn encoding(&self) -> &'static str {
        self.encoding
    }

    pub fn has_bom(&self) -> bool {
        matches!(self.repr, Repr::Same { bom, .. } if bom > 0)
    }

    /// The bytes that were decoded, byte order mark included.
    pub fn original(&self) -> &[u8] {
        match &self.repr {
            Repr::Same { bytes, .. } => bytes.as_bytes(),
            Repr::Mapped { bytes, .. } => bytes,
        }
    }

    /// The bytes that were decoded, byte order mark included.
    pub fn into_original(self) -> Vec<u8> {
        match self.repr {
            Repr::Same { bytes, .. } => bytes.into_bytes(),
            Repr::Mapped { bytes, .. } => bytes,
        }
    }

    /// Where in the original bytes the character at `text_offset` starts. The end of the text, and
    /// what lies behind it, is the end of the bytes; an offset within a character is its start.
    pub fn byte_offset(&self, text_offset: usize) -> usize {
        match &self.repr {
            Repr::Same { bytes, bom } => (text_offset.saturating_add(*bom)).min(bytes.len()),
            Repr::Mapped { text, bytes, .. } if text_offset >= text.len() => bytes.len(),
            Repr::Mapped { runs, .. } => {
                let after = runs.partition_point(|run| run.text <= text_offset);
                let run = &runs[after - 1];
                let characters = (text_offset - run.text) / usize::from(run.text_step);
                run.byte + characters * usize::from(run.byte_step)
            }
        }
    }
}

/// Collects text along with the runs that lead it back to the bytes.
struct Mapper {
    text: String,
    runs: Vec<Run>,
    byte: usize,
}

impl Mapper {
    fn with_capacity(bytes: usize) -> Mapper {
        Mapper {
            text: String::with_capacity(bytes + bytes / 2),
            runs: Vec::new(),
            byte: 0,
        }
    }

    fn start_run(&mut self, text_step: usize, byte_step: usize) {
        let (text_step, byte_step) = (text_step as u8, byte_step as u8);
        let same = |run: &Run| run.text_step == text_step && run.byte_step == byte_step;
        if !self.runs.last().is_some_and(same) {
            self.runs.push(Run {
                text: self.text.len(),
                byte: self.byte,
                text_step,
                byte_step,
            });
        }
    }

    fn push_ascii(&mut self, ascii: &str) {
        self.start_run(1, 1);
        self.text.push_str(ascii);
        self.byte += ascii.len();
    }

    /// Adds what `byte_len` bytes stand for: a character, or a pair that one code stands for.
    fn push(&mut self, decoded: &str, byte_len: usize) {
        self.start_run(decoded.len(), byte_len);
        self.text.push_str(decoded);
        self.byte += byte_len;
    }
}

impl Codec {
    fn name(&self) -> &'static str {
        match self {
            Codec::Utf8 => UTF_8,
            Codec::Ascii => "ascii",
            Codec::Latin1 => LATIN_1,
            Codec::Charmap(name, _) => name,
            Codec::Multibyte(codec) => codec.module,
        }
    }

    /// Decodes all of `bytes`, or returns the offset of the first byte that cannot be.
    fn decode(&self, bytes: &[u8], mapper: &mut Mapper) -> Result<(), usize> {
        let upper: Vec<char> = match self {
            Codec::Charmap(_, table) => table.chars().collect(),
            Codec::Latin1 => ('\u{80}'..='\u{ff}').collect(),
            Codec::Utf8 | Codec::Ascii | Codec::Multibyte(_) => Vec::new(),
        };
        let mut utf_8 = [0; 4];
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let ascii = rest.iter().position(|byte| !byte.is_ascii());
            let ascii = ascii.unwrap_or(rest.len());
            if ascii > 0 {
                mapper.push_ascii(std::str::from_utf8(&rest[..ascii]).map_err(|_| at)?);
                at += ascii;
                continue;
            }
            match self {
                Codec::Utf8 | Codec::Ascii => return Err(at),
                Codec::Latin1 | Codec::Charmap(..) => {
                    let decoded = upper[usize::from(rest[0] - 0x80)];
                    if decoded == UNDEFINED {
                        return Err(at);
                    }
                    mapper.push(decoded.encode_utf8(&mut utf_8), 1);
                    at += 1;
                }
                Codec::Multibyte(codec) => {
                    let unit = codec.unit(rest).ok_or(at)?;
                    codec.push(unit, mapper).ok_or(at)?;
                    at += unit.len();
                }
            }
        }
        Ok(())
    }
}

impl Multibyte {
    /// The bytes of the character that `bytes` start with; the first one is not ASCII.
    fn unit<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let len = match (&self.shape, bytes[0]) {
            (Shape::ShiftJis, 0x80 | 0xa0..=0xdf | 0xfd..=0xff) => 1,
            (Shape::EucJp, 0x8f) => 3,
            (Shape::Gb18030, _) if bytes.get(1).is_some_and(u8::is_ascii_digit) => 4,
            _ => 2,
        };
        bytes.get(..len)
    }

    /// Adds the one character that `unit` stands for in Python.
    fn push(&self, unit: &[u8], mapper: &mut Mapper) -> Option<()> {
        let code = unit
            .iter()
            .fold(0, |code, &byte| code << 8 | u32::from(byte));
        if let Ok(index) = self.changed.binary_search_by_key(&code, |&(code, _)| code) {
            mapper.push(self.changed[index].1, unit.len());
            return Some(());
        }
        let range = self.accepted.partition_point(|&(_, last)| last < code);
        if self
            .accepted
            .get(range)
            .is_none_or(|&(first, _)| code < first)
        {
            return None;
        }
        let decoded = self
            .decoder
            .decode_without_bom_handling_and_without_replacement(unit)?;
        // Anything else than one character would mean that the bytes were cut differently.
        if decoded.chars().count() != 1 {
            return None;
        }
        mapper.push(&decoded, unit.len());
        Some(())
    }
}

/// The declared encoding and its offset, by the rules of PEP 263 as CPython's tokenizer has them:
/// in a comment on a line of its own, in line 1, or in line 2 if line 1 holds no code.
fn find_cookie(bytes: &[u8]) -> Option<(usize, &str)> {
    let mut start = 0;
    for _ in 0..2 {
        let rest = &bytes[start..];
        let end = memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let line = &rest[..end];
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\x0c');
        let text = line.iter().position(|byte| !blank(byte)).unwrap_or(end);
        match line.get(text) {
            None => {}
            Some(b'#') => {
                if let Some(range) = cookie_in_comment(&line[text..]) {
                    let name = std::str::from_utf8(&line[text..][range.clone()]).ok()?;
                    return Some((start + text + range.start, name));
                }
            }
            Some(_) => return None,
        }
        let crlf = rest[end..].starts_with(b"\r\n");
        start = (start + end + if crlf { 2 } else { 1 }).min(bytes.len());
    }
    None
}

fn cookie_in_comment(comment: &[u8]) -> Option<std::ops::Range<usize>> {
    const KEY: &[u8] = b"coding";
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    memchr::memmem::find_iter(comment, KEY).find_map(|key| {
        let mut at = key + KEY.len();
        if !matches!(comment.get(at), Some(b':' | b'=')) {
            return None;
        }
        at += 1;
        at += comment[at..]
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t'))
            .count();
        let len = comment[at..]
            .iter()
            .take_while(|byte| is_name(byte))
            .count();
        (len > 0).then_some(at..at + len)
    })
}

/// `get_normal_name` of CPython's tokenizer: what it takes for UTF-8 and Latin-1 without a look at
/// the codecs, by the first 12 characters.
fn normal_name(name: &str) -> &str {
    let buffer: String = name
        .chars()
        .take(12)
        .map(|c| {
            if c == '_' {
                '-'
            } else {
                c.to_ascii_lowercase()
            }
        })
        .collect();
    let is = |normal: &str| {
        buffer
            .strip_prefix(normal)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
    };
    if is(UTF_8) {
        UTF_8
    } else if is("latin-1") || is(LATIN_1) || is("iso-latin-1") {
        LATIN_1
    } else {
        name
    }
}

/// The codec that `codecs.lookup` finds.
fn find_codec(name: &str) -> Result<Codec, DecodeErrorKind> {
    let lower = name.to_ascii_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '.')
        .filter(|word| !word.is_empty())
        .collect();
    let normal = words.join("_");
    let alias = |name: &str| {
        let index = ALIASES
            .binary_search_by_key(&name, |&(alias, _)| alias)
            .ok()?;
        Some(ALIASES[index].1)
    };
    let aliased = alias(&normal).or_else(|| alias(&normal.replace('.', "_")));
    let modules = [aliased.unwrap_or(&normal), &normal];
    for module in modules {
        match module {
            "utf_8" | "utf_8_sig" => return Ok(Codec::Utf8),
            "ascii" => return Ok(Codec::Ascii),
            "latin_1" | "iso8859_1" => return Ok(Codec::Latin1),
            _ => {}
        }
        if let Some(&(_, name, table)) = CHARMAPS.iter().find(|&&(other, ..)| other == module) {
            return Ok(Codec::Charmap(name, table));
        }
        if let Some(codec) = MULTIBYTE.iter().find(|codec| codec.module == module) {
            return Ok(Codec::Multibyte(codec));
        }
        if UNSUPPORTED.contains(&module) {
            let name = name.to_owned();
            return Err(DecodeErrorKind::UnsupportedEncoding { name });
        }
    }
    let name = name.to_owned();
    Err(DecodeErrorKind::UnknownEncoding { name })
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::{Path, PathBuf};
    use std::process::{Command, Stdio};

    use super::*;

    /// Interpreters under pyenv, by version, oldest first; none where there is no pyenv.
    fn pythons() -> Vec<((u32, u32), PathBuf)> {
        let root = std::env::var_os("PYENV_ROOT")
            .map(PathBuf::from)
            .or_else(|| {
                let home = std::env::var_os("HOME")?;
                Some(Path::new(&home).join(".pyenv"))
            });
        let versions = root.and_then(|root| std::fs::read_dir(root.join("versions")).ok());
        let mut found: Vec<_> = versions
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let mut parts = name.split('.').map_while(|part| part.parse().ok());
                let version = (parts.next()?, parts.next()?);
                let python = entry.path().join("bin/python");
                (version >= (3, 6) && python.exists()).then_some((version, python))
            })
            .collect();
        found.sort();
        found.dedup_by_key(|(version, _)| *version);
        found
    }

    /// What `script` prints when fed with `input`.
    fn run(python: &Path, script: &str, input: Vec<u8>) -> String {
        let mut child = Command::new(python)
            .args(["-W", "ignore", "-c", script])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || stdin.write_all(&input));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    }

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn decode(bytes: &[u8]) -> Result<Decoded, DecodeError> {
        Decoded::decode(bytes.to_vec())
    }

    fn kind(bytes: &[u8]) -> DecodeErrorKind {
        decode(bytes).unwrap_err().kind
    }

    /// Offsets ascend with the bytes, and a byte that is ASCII in the text was so in the file, but
    /// for codecs like mac-arabic that have a second code for it.
    fn check_map(decoded: &Decoded) {
        for (start, c) in decoded.text().char_indices() {
            let (byte, end) = (
                decoded.byte_offset(start),
                decoded.byte_offset(start + c.len_utf8()),
            );
            let original = decoded.original()[byte];
            assert!(end >= byte && (end == byte + 1 || !original.is_ascii()));
            assert!(!original.is_ascii() || char::from(original) == c);
        }
        let len = decoded.original().len();
        assert_eq!(decoded.byte_offset(decoded.text().len()), len);
        assert_eq!(decoded.byte_offset(usize::MAX), len);
    }

    #[test]
    fn utf_8_is_not_copied() {
        let bytes = "é = 1\n".as_bytes().to_vec();
        let at = bytes.as_ptr();
        let decoded = Decoded::decode(bytes).unwrap();
        assert_eq!(decoded.text().as_ptr(), at);
        assert_eq!((decoded.text(), decoded.encoding()), ("é = 1\n", "utf-8"));
        assert!(!decoded.has_bom());
        assert_eq!(decoded.byte_offset(3), 3);
        check_map(&decoded);

        let bytes = b"\xef\xbb\xbf# coding: UTF_8-sig\nx".to_vec();
        let decoded = Decoded::decode(bytes.clone()).unwrap();
        assert_eq!(decoded.text(), "# coding: UTF_8-sig\nx");
        assert!(decoded.has_bom());
        assert_eq!((decoded.byte_offset(0), decoded.byte_offset(2)), (3, 5));
        assert_eq!(decoded.original(), bytes);
        check_map(&decoded);
        assert_eq!(decoded.into_original(), bytes);
        assert_eq!(decode(b"").unwrap().text(), "");
        assert_eq!(decode(BOM).unwrap().text(), "");
    }

    #[test]
    fn mapped_offsets() {
        let decoded = decode(b"# coding: latin-1\r\ns = '\xe9\xe8a\x80'\n").unwrap();
        assert_eq!(decoded.text(), "# coding: latin-1\r\ns = 'éèa\u{80}'\n");
        assert_eq!(decoded.encoding(), "iso-8859-1");
        let a = decoded.text().rfind('a').unwrap();
        assert_eq!(decoded.original()[decoded.byte_offset(a)], b'a');
        assert_eq!(decoded.byte_offset(a - 1), decoded.byte_offset(a - 2));
        check_map(&decoded);

        let decoded = decode(b"# coding: shift_jis\ns = '\x95\x5c\xb1\x8f\x5c'; t\n").unwrap();
        assert_eq!(decoded.text(), "# coding: shift_jis\ns = '表ｱ十'; t\n");
        let t = decoded.text().rfind('t').unwrap();
        assert_eq!(decoded.original()[decoded.byte_offset(t)], b't');
        check_map(&decoded);

        let decoded = decode(b"# coding: big5-hkscs\n'\x88\x62a'\n").unwrap();
        let a = decoded.text().rfind('a').unwrap();
        assert_eq!(decoded.original()[decoded.byte_offset(a)], b'a');
        assert_eq!(decoded.byte_offset(a - 2), decoded.byte_offset(a) - 2);
    }

    #[test]
    fn errors_say_where() {
        let place = |error: &DecodeError| (error.offset(), error.line(), error.column());
        let error = decode(b"x\ry\r\n  z\0").unwrap_err();
        assert_eq!(place(&error), (8, 3, 4));
        assert_eq!(error.kind, DecodeErrorKind::NulByte { utf_16: false });
        assert_eq!(
            kind(b"\xff\xfex\0"),
            DecodeErrorKind::NulByte { utf_16: true }
        );

        let error = decode(b"\xef\xbb\xbf\xc3\xa9\n\xc3\xa9\xc3").unwrap_err();
        assert_eq!(place(&error), (8, 2, 2));
        assert_eq!(error.kind, DecodeErrorKind::NotUtf8 { byte: 0xc3 });
        assert!(error.to_string().starts_with("byte 0xc3 is not UTF-8"));

        let error = decode(b"#\n# coding:cp1252\nx = '\x80\x81'").unwrap_err();
        assert_eq!(place(&error), (24, 3, 7));
        for (name, encoding) in [
            ("cp1252", "cp1252"),
            ("utf8", "utf-8"),
            ("us-ascii", "ascii"),
        ] {
            let bytes = [b"# coding: ", name.as_bytes(), b"\n\x81"].concat();
            let byte = 0x81;
            assert_eq!(
                kind(&bytes),
                DecodeErrorKind::UndecodableIn { encoding, byte }
            );
        }

        let error = decode(b"\n# coding: nope.1").unwrap_err();
        assert_eq!(place(&error), (11, 2, 11));
        let name = "nope.1".to_owned();
        assert_eq!(error.kind, DecodeErrorKind::UnknownEncoding { name });
        for name in "utf-7 U16 iso-2022-jp hz cp037 cp864 rot13 Base64 mbcs johab idna".split(' ') {
            let bytes = format!("# coding: {name}\n");
            let name = name.to_owned();
            let expected = DecodeErrorKind::UnsupportedEncoding { name };
            assert_eq!(kind(bytes.as_bytes()), expected);
        }
        for cookie in ["latin-1", "utf8", "cp1252", "nope"] {
            let bytes = format!("\u{feff}# coding: {cookie}\n");
            let cookie = cookie.to_owned();
            assert_eq!(
                kind(bytes.as_bytes()),
                DecodeErrorKind::BomConflict { cookie }
            );
        }
    }

    /// Heads of files that declare an encoding, or seem to.
    const HEADS: &[&str] = &[
        "",
        "# -*- mode: python; coding: latin-1-unix -*-\n",
        "# vim:fileencoding=UTF_8:ts=4\n",
        "#coding=L1\n",
        "#!/usr/bin/python\n#   This file: coding:    cp1252   (windows)\n",
        "# -*- coding: utf-8-dos -*-\n",
        "# one\n# two\n# coding: latin-1\n",
        "x = 1\n# coding: latin-1\n",
        "# one\r# coding: latin-1\r",
        "\r\n# coding: latin-1\r\n",
        "\r\r# coding: latin-1\r",
        "\n\r# coding: latin-1\n",
        " \t\x0c\n \t\x0c# coding: latin-1\n",
        "pass # coding: latin-1\n",
        "'''\n# coding: latin-1\n'''\n",
        "\\\n# coding: latin-1\n",
        "# coding latin-1\n",
        "# coding : latin-1\n",
        "# coding: \n# coding: latin-1\n",
        "# coding:\t latin-1\n",
        "# coding:\x0clatin-1\n",
        "# coding=: coding:latin-1\n",
        "# codingcoding:latin-1\n",
        "# Coding: latin-1\n",
        "# encoding:latin-1 coding: utf-8\n",
        "# coding: é coding: latin-1\n",
        "# é coding: latin-1\n",
        "# coding: latin-1é\n",
        "# coding: iso-latin-1-unix\n",
        "# coding: ISO_8859-1-x\n",
        "# coding: iso-8859-15\n",
        "# coding: iso-8859-1x\n",
        "# coding: latin-1x\n",
        "# coding: latin1-unix\n",
        "# coding: utf-8x\n",
        "# coding: utf-8-\n",
        "# coding: utf8-dos\n",
        "# coding: utf8_sig\n",
        "# coding: utf_8_sig\n",
        "# coding: utf--8\n",
        "# coding: -latin_1-\n",
        "# coding: ..\n",
        "# coding: .\n",
        "# coding: --\n",
        "# coding: cp.1252\n",
        "# coding: iso.8859.2\n",
        "# coding: iso.8859..2\n",
        "# coding: cp1252.\n",
        "# coding: aliases\n",
        "# coding: CP-1252\n",
        "# coding: cp 1252\n",
        "# coding: x-mac-roman\n",
        "# coding: x-sjis\n",
        "#coding:l1",
    ];

    /// Runs files through `compile` and prints the string that each assigns, or why there is none.
    const COMPILE: &str = "
import sys
for line in sys.stdin:
    names = {}
    try:
        exec(compile(bytes.fromhex(line), 'f', 'exec'), names)
        print(names.get('x', '').encode('utf-8', 'surrogatepass').hex())
    except (SyntaxError, ValueError, LookupError, UnicodeError):
        print('-')
";

    /// The string behind `x = ` that Python would see.
    fn assigned(text: &str) -> &str {
        let rest = text.rsplit_once("x = '").map_or("", |(_, rest)| rest);
        rest.trim_end_matches(['\n', '\''])
    }

    #[test]
    fn declarations_agree_with_python() {
        let mut heads: Vec<String> = HEADS.iter().map(|head| (*head).to_owned()).collect();
        let modules = CHARMAPS.iter().map(|&(module, ..)| module);
        let modules = modules.chain(MULTIBYTE.iter().map(|codec| codec.module));
        for name in ALIASES.iter().map(|&(alias, _)| alias).chain(modules) {
            heads.push(format!("# coding: {name}\n"));
            heads.push(format!(
                "# coding: {}\n",
                name.to_uppercase().replace('_', "-")
            ));
            heads.push(format!("# coding: -{}-\n", name.replace('_', ".")));
        }
        // As UTF-8, two letters; in Latin-1, four; in the multi-byte codecs, mostly two.
        let tails = [
            &b"\nx = '\xc3\xa4\xb5\xc4'\n"[..],
            b"\nx = '\xc3\xa4'\n",
            b"\nx = ''",
        ];
        let mut files: Vec<Vec<u8>> = Vec::new();
        for head in &heads {
            for bom in [&b""[..], BOM] {
                files.extend(tails.map(|tail| [bom, head.as_bytes(), tail].concat()));
            }
        }
        let input: String = files.iter().map(|file| hex(file) + "\n").collect();
        let pythons = pythons();
        let newest = pythons.last().map(|&(version, _)| version);
        for (version, python) in &pythons {
            let output = run(python, COMPILE, input.clone().into_bytes());
            assert_eq!(output.lines().count(), files.len());
            for (file, theirs) in files.iter().zip(output.lines()) {
                let show = String::from_utf8_lossy(file);
                match decode(file) {
                    Ok(decoded) => {
                        check_map(&decoded);
                        // An older Python may not know the name yet.
                        if theirs != "-" || Some(*version) == newest {
                            let ours = hex(assigned(decoded.text()).as_bytes());
                            assert_eq!(ours, theirs, "{version:?} {show:?}");
                        }
                    }
                    Err(error) => match error.kind {
                        DecodeErrorKind::UnsupportedEncoding { .. } => {}
                        _ => assert_eq!("-", theirs, "{version:?} {show:?}: {error}"),
                    },
                }
            }
        }
    }

    /// Decodes the bytes given after a codec's name, strictly.
    const DECODE: &str = "
import sys
for line in sys.stdin:
    codec, data = line.split()
    try:
        print(bytes.fromhex(data).decode(codec).encode('utf-8').hex())
    except UnicodeDecodeError:
        print('-')
";

    /// Every byte of the single-byte codecs, every code of two bytes of the multi-byte ones, and
    /// longer ones where there are any.
    #[test]
    fn tables_agree_with_python() {
        let pythons = pythons();
        let Some((_, python)) = pythons.iter().find(|(version, _)| *version >= (3, 11)) else {
            return;
        };
        let mut cases: Vec<(&str, Vec<u8>)> = Vec::new();
        let modules = CHARMAPS.iter().map(|&(module, ..)| module);
        for name in modules.chain(["ascii", "latin_1", "utf_8"]) {
            cases.extend((1..=255).map(|byte| (name, vec![byte])));
        }
        for codec in MULTIBYTE {
            let name = codec.module;
            for lead in 0x80..=0xff {
                cases.push((name, vec![lead]));
                cases.extend((1..=255).map(|trail| (name, vec![lead, trail])));
            }
            for trail in 0x80..=0xff {
                if matches!(codec.shape, Shape::EucJp) {
                    cases.extend((0x80..=0xff).map(|last| (name, vec![0x8f, trail, last])));
                }
                if matches!(codec.shape, Shape::Gb18030) {
                    for lead in [
                        *b"\x810", *b"\x815", *b"\x841", *b"\x900", *b"\xe32", *b"\xff0",
                    ] {
                        let units = (b'/'..=b':').map(|last| [&lead[..], &[trail, last]].concat());
                        cases.extend(units.map(|unit| (name, unit)));
                    }
                }
            }
        }
        // What follows a truncated character must not vanish in it.
        let file_of = |name: &str, unit: &[u8]| {
            let head = format!("#coding:{name}\n");
            [head.as_bytes(), unit, b"\\'\n"].concat()
        };
        let lines = cases.iter().map(|(name, unit)| {
            let file = file_of(name, unit);
            format!("{name} {}\n", hex(&file))
        });
        let output = run(python, DECODE, lines.collect::<String>().into_bytes());
        assert_eq!(output.lines().count(), cases.len());
        for ((name, unit), theirs) in cases.iter().zip(output.lines()) {
            let ours = decode(&file_of(name, unit)).map(|decoded| {
                check_map(&decoded);
                hex(decoded.text().as_bytes())
            });
            assert_eq!(
                ours.as_deref().unwrap_or("-"),
                theirs,
                "{name} {}",
                hex(unit)
            );
        }
    }

    /// A trail byte that is a backslash, a quote's neighbour, or a letter.
    #[test]
    fn trail_bytes_are_not_ascii() {
        for (name, bytes, text) in [
            ("shift_jis", &b"'\x95\x5c'"[..], "'表'"),
            ("cp932", b"'\x87\x40\x83\x5c'", "'①ソ'"),
            ("gbk", b"'\x81\x5c'", "'乗'"),
            ("gb18030", b"'\x81\x5c\x81\x30\x81\x30'", "'乗\u{80}'"),
            ("big5", b"'\xb3\x5c\xa5\x5c'", "'許功'"),
            ("cp950", b"'\xb3\x5c'", "'許'"),
            ("big5hkscs", b"'\xb3\x5c'", "'許'"),
            ("cp949", b"'\x81\x41\x81\x7a'", "'갂걕'"),
            ("euc_jp", b"'\xc9\xbd\x8e\xb1'", "'表ｱ'"),
        ] {
            let head = format!("#coding:{name}\n");
            let decoded = decode(&[head.as_bytes(), bytes].concat()).unwrap();
            assert_eq!(decoded.text().lines().nth(1), Some(text), "{name}");
            assert_eq!(decoded.encoding(), name);
            check_map(&decoded);
        }
        // No character starts like this: Python does not go on at the quote, and neither do we.
        for name in [
            "shift_jis",
            "euc_jp",
            "gbk",
            "gb18030",
            "big5",
            "euc_kr",
            "cp949",
        ] {
            let head = format!("#coding:{name}\n'");
            let error = decode(&[head.as_bytes(), b"\x82'\n"].concat()).unwrap_err();
            assert_eq!(error.offset(), head.len(), "{name}");
        }
    }
}
