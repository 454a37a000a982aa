//! Numbers that must not be rounded: when a DOUBLE is enough, when a DECIMAL is, and how they are written.

use arrow_schema::DataType;

/// 2^53: beyond it a DOUBLE skips integers.
pub const MAX_EXACT_INTEGER: u64 = 1 << 53;
/// Digits of the widest DECIMAL, in `DuckDB` as in Arrow's 128 bits.
pub const MAX_DECIMAL_DIGITS: u32 = 38;

/// Programs print doubles with at most 17 digits, some with 19; what has more is no double.
const MAX_DOUBLE_DIGITS: usize = 20;

/// Whether a DOUBLE, printed with as many digits as `number` has, gives `number` back.
#[must_use]
pub fn double_is_exact(number: &str) -> bool {
    // Doubles hold every decimal of 15 digits; only an exponent leads out of their range.
    if number.len() <= 15 && !number.contains(['e', 'E']) {
        return true;
    }
    let (Some(written), Ok(value)) = (Parts::of(number), number.parse::<f64>()) else {
        return false;
    };
    if written.digits.len() > MAX_DOUBLE_DIGITS {
        return false;
    }
    let printed = format!("{value:.*e}", written.digits.len().saturating_sub(1));
    Parts::of(&printed).is_some_and(|printed| printed == written)
}

/// The shortest digits that read back as the same number, with `.0` or an exponent so that it stays a fraction.
#[must_use]
pub fn shortest(value: f64) -> String {
    format!("{value:?}")
}

/// The digits before and after the point that all numbers of a column need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DecimalShape {
    whole: u32,
    scale: u32,
}

impl DecimalShape {
    /// Makes room for `number`; false where 38 digits do not hold it beside the others, or it is no finite number.
    pub fn widen(&mut self, number: &str) -> bool {
        let Some(parts) = Parts::of(number) else { return false };
        self.whole = self.whole.max(parts.whole());
        self.scale = self.scale.max(parts.scale());
        self.whole + self.scale <= MAX_DECIMAL_DIGITS
    }

    /// `number` times 10^scale; `None` where the shape has no room for it.
    #[must_use]
    pub fn unscaled(self, number: &str) -> Option<i128> {
        let parts = Parts::of(number)?;
        if parts.scale() > self.scale || parts.whole() > self.whole {
            return None;
        }
        if parts.digits.is_empty() {
            return Some(0);
        }
        let zeros = u32::try_from(i64::from(self.scale) + parts.exponent).ok()?;
        let value = parts
            .digits
            .parse::<i128>()
            .ok()?
            .checked_mul(10_i128.checked_pow(zeros)?)?;
        Some(if parts.negative { -value } else { value })
    }

    /// The name of the type in `DuckDB`; all digits a DECIMAL has, so that sums have room.
    #[must_use]
    pub fn sql_type(self) -> String {
        if self.scale == 0 {
            "HUGEINT".to_owned()
        } else {
            format!("DECIMAL({MAX_DECIMAL_DIGITS},{})", self.scale)
        }
    }

    /// The Arrow type that carries it.
    #[must_use]
    pub fn arrow_type(self) -> DataType {
        DataType::Decimal128(38, i8::try_from(self.scale).unwrap_or(i8::MAX))
    }
}

/// A number as significant digits and a power of ten.
#[derive(PartialEq, Eq)]
struct Parts {
    negative: bool,
    /// Without leading and trailing zeros; empty for zero.
    digits: String,
    exponent: i64,
}

impl Parts {
    fn of(number: &str) -> Option<Self> {
        let (negative, unsigned) = match number.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, number),
        };
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.len() + fraction.len() == 0 || !(whole.bytes().chain(fraction.bytes())).all(|b| b.is_ascii_digit()) {
            return None;
        }
        let all = format!("{whole}{fraction}");
        let digits = all.trim_end_matches('0');
        let exponent = exponent
            .checked_sub(i64::try_from(fraction.len()).ok()?)?
            .checked_add(i64::try_from(all.len() - digits.len()).ok()?)?;
        let digits = digits.trim_start_matches('0').to_owned();
        let exponent = if digits.is_empty() { 0 } else { exponent };
        Some(Self {
            negative,
            digits,
            exponent,
        })
    }

    /// Digits before the point; more than 38 where it is more than that.
    fn whole(&self) -> u32 {
        let whole = i64::try_from(self.digits.len())
            .unwrap_or(i64::MAX)
            .saturating_add(self.exponent);
        u32::try_from(whole.clamp(0, 1000)).unwrap_or(0)
    }

    fn scale(&self) -> u32 {
        u32::try_from(self.exponent.saturating_neg().clamp(0, 1000)).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{DecimalShape, double_is_exact, shortest};

    fn shape(numbers: &[&str]) -> Option<DecimalShape> {
        let mut shape = DecimalShape::default();
        numbers.iter().all(|number| shape.widen(number)).then_some(shape)
    }

    #[test]
    fn a_shape_holds_every_number_of_a_column() {
        let both = shape(&["9007199254740993", "0.5", "1e3", "-2.25e1", "0e99"]).unwrap();
        assert_eq!(both.sql_type(), "DECIMAL(38,1)");
        assert_eq!(both.unscaled("9007199254740993"), Some(90_071_992_547_409_930));
        assert_eq!(both.unscaled("-2.25e1"), Some(-225));
        assert_eq!(both.unscaled("0e99"), Some(0));
        assert_eq!(both.unscaled("0.25"), None);
        assert_eq!(shape(&["18446744073709551616"]).unwrap().sql_type(), "HUGEINT");
    }

    #[test]
    fn what_needs_more_than_38_digits_has_no_shape() {
        assert_eq!(shape(&["1e-30", "123456789"]), None);
        assert_eq!(shape(&["1e308"]), None);
        assert_eq!(shape(&["inf"]), None);
        assert_eq!(shape(&["1e9223372036854775807", "1"]), None);
    }

    #[test]
    fn a_double_is_enough_where_its_digits_come_back() {
        for number in [
            "0.1",
            "0.30000000000000004",
            "0.10000000000000001",
            "1E5",
            "1.7976931348623157e308",
            "-0.0",
        ] {
            assert!(double_is_exact(number), "{number}");
        }
        for number in ["9007199254740993", "0.1234567890123456789", "1e400", "1e-400"] {
            assert!(!double_is_exact(number), "{number}");
        }
    }

    proptest! {
        #[test]
        fn integers_and_their_shapes_agree(value in any::<i64>(), scale in 1_u32..18) {
            let fraction = format!("0.{:0>width$}", 1, width = scale as usize);
            let shape = shape(&[&value.to_string(), &fraction]).unwrap();
            prop_assert_eq!(shape.unscaled(&value.to_string()), Some(i128::from(value) * 10_i128.pow(scale)));
            prop_assert_eq!(shape.unscaled(&fraction), Some(1));
        }

        #[test]
        fn the_shortest_spelling_reads_back(value in any::<f64>()) {
            let back: f64 = shortest(value).parse().unwrap();
            prop_assert!(back.to_bits() == value.to_bits() || (back.is_nan() && value.is_nan()));
        }
    }
}
