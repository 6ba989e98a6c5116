//! Constants that would take too much memory or time: C code that no alarm can interrupt.

use ruff_python_ast::{Expr, Number, Operator, UnaryOp};

/// What is known of a constant integer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Size {
    /// If it fits.
    pub(super) value: Option<i128>,
    /// Its length.
    pub(super) bits: f64,
}

impl Size {
    fn of(value: i128) -> Self {
        let bits = if value == 0 {
            1.0
        } else {
            (value.unsigned_abs() as f64).log2() + 1.0
        };
        Self {
            value: Some(value),
            bits,
        }
    }

    fn large(bits: f64) -> Self {
        Self { value: None, bits }
    }
}

/// Of an expression that is made of integers only.
pub(super) fn size(expr: &Expr) -> Option<Size> {
    match expr {
        Expr::NumberLiteral(number) => match &number.value {
            Number::Int(int) => Some(match int.as_u64() {
                Some(value) => Size::of(i128::from(value)),
                None => {
                    let digits = int.to_string();
                    digits
                        .parse()
                        .map_or_else(|_| Size::large(digits.len() as f64 * 3.33), Size::of)
                }
            }),
            Number::Float(_) | Number::Complex { .. } => None,
        },
        Expr::UnaryOp(unary) if matches!(unary.op, UnaryOp::USub | UnaryOp::UAdd) => {
            let inner = size(&unary.operand)?;
            let sign = if unary.op == UnaryOp::USub { -1 } else { 1 };
            Some(Size {
                value: inner.value.map(|value| value.saturating_mul(sign)),
                ..inner
            })
        }
        Expr::BinOp(binary) => {
            let (left, right) = (size(&binary.left)?, size(&binary.right)?);
            combine(left, binary.op, right)
        }
        _ => None,
    }
}

fn combine(left: Size, op: Operator, right: Size) -> Option<Size> {
    let exact = match (left.value, right.value) {
        (Some(a), Some(b)) => match op {
            Operator::Add => a.checked_add(b),
            Operator::Sub => a.checked_sub(b),
            Operator::Mult => a.checked_mul(b),
            Operator::FloorDiv => (b != 0).then(|| a.div_euclid(b)),
            Operator::LShift => u32::try_from(b)
                .ok()
                .filter(|b| *b < 100 && left.bits < 26.0)
                .map(|b| a << b),
            Operator::Pow => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)),
            _ => None,
        },
        _ => None,
    };
    if let Some(value) = exact {
        return Some(Size::of(value));
    }
    let power = |size: Size| {
        size.value
            .map_or(f64::INFINITY, |value| value.unsigned_abs() as f64)
    };
    Some(Size::large(match op {
        Operator::Add | Operator::Sub => left.bits.max(right.bits) + 1.0,
        Operator::Mult => left.bits + right.bits,
        Operator::Pow if right.value.is_some_and(|value| value < 0) => return None,
        Operator::Pow => left.bits * power(right),
        Operator::LShift => left.bits + power(right),
        Operator::FloorDiv | Operator::RShift => left.bits,
        _ => left.bits.max(right.bits),
    }))
}
