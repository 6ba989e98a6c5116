//! What passes decide: which statement gets which wrapper, and what is declined.
//!
//! A plan speaks of statements by their number (see [`crate::suite`]) and of original offsets only;
//! layout is the business of [`crate::splice`].

use std::ops::Range;

/// How a wrapped statement is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// In a function: the handler can re-raise, resume, or return a healed value.
    Statement,
    /// `return expr`, evaluated into `_eh_rtn` and returned after the handler.
    ReturnCapture,
    /// `return expr` inside the `try`; a healed value comes from the runtime.
    ReturnInline,
    /// Where a generated `return` would be illegal or warn: re-raise or resume.
    NoReturn,
    /// In a class body: as `NoReturn`, with names looked up past the class namespace.
    Class,
}

impl Form {
    pub fn as_str(self) -> &'static str {
        match self {
            Form::Statement => "statement",
            Form::ReturnCapture => "return-capture",
            Form::ReturnInline => "return-inline",
            Form::NoReturn => "no-return",
            Form::Class => "class",
        }
    }
}

/// One place that emitted code names by its dense id (its index in [`Plan::sites`]).
#[derive(Debug, Clone)]
pub struct Site {
    /// Number of the statement.
    pub statement: u32,
    pub form: Form,
    /// The statement kind, as in Python's `ast` but in lower case with dashes.
    pub kind: &'static str,
    /// The whole statement in the original text.
    pub range: Range<u32>,
    /// The part that the key is made from: the header of a compound, else the statement.
    pub header: Range<u32>,
    /// Index into [`Plan::functions`]; `None` at module level.
    pub function: Option<u32>,
    /// Innermost enclosing `try` whose body holds the site: index into [`Plan::tries`].
    pub in_try: Option<u32>,
}

/// A `try` of the original; together they form chains.
#[derive(Debug, Clone)]
pub struct TryScope {
    pub range: Range<u32>,
    /// Text of each handler's type; `None` for a bare `except:`.
    pub handlers: Vec<Option<Range<u32>>>,
    pub is_star: bool,
    pub outer: Option<u32>,
}

/// A statement that is left as it is although it could raise.
#[derive(Debug, Clone)]
pub struct Declined {
    pub range: Range<u32>,
    pub reason: Reason,
    /// Statements that this leaves without a handler.
    pub statements: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// CPython allows 20 nested blocks.
    BlockDepth,
    /// CPython allows 100 levels of indentation.
    IndentDepth,
    /// The parser of 3.6 and 3.7 has little room for brackets below blocks.
    BracketDepth,
    /// A decorator compiles or re-reads the function: the rule's id.
    Decorator(String),
    /// A call in the function can see where its lines are: the rule's id.
    Call(String),
    /// From Python 3.14 an annotation inside a `try` adds a name to the class namespace.
    ClassAnnotation,
    /// `# healc: skip` or `# healc: off`.
    Switch,
}

impl Reason {
    /// Left alone because a rule or the user says so, and not because a wrapper would be unsafe.
    pub fn is_choice(&self) -> bool {
        matches!(
            self,
            Reason::Decorator(_) | Reason::Call(_) | Reason::Switch
        )
    }

    pub fn code(&self) -> String {
        match self {
            Reason::BlockDepth => "block-depth".into(),
            Reason::IndentDepth => "indent-depth".into(),
            Reason::BracketDepth => "bracket-depth".into(),
            Reason::Decorator(id) => format!("decorator:{id}"),
            Reason::Call(id) => format!("call:{id}"),
            Reason::ClassAnnotation => "class-annotation".into(),
            Reason::Switch => "switch".into(),
        }
    }
}

/// Everything decided about one file.
#[derive(Debug, Default)]
pub struct Plan {
    pub sites: Vec<Site>,
    /// Site id of each statement, by number.
    pub wrapped: Vec<Option<u32>>,
    /// Qualified names of functions and classes that hold sites.
    pub functions: Vec<String>,
    pub tries: Vec<TryScope>,
    pub declined: Vec<Declined>,
    /// Offsets of switch comments that had no effect.
    pub unused_switches: Vec<u32>,
}
