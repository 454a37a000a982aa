//! A decimal number without rounding: digits and a power of ten.

/// `digits` times 10^`exponent`; without trailing zeros in `digits` where it is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact {
    digits: i128,
    exponent: i32,
}

impl Exact {
    /// The integer itself.
    #[must_use]
    pub const fn whole(value: i128) -> Self {
        Self {
            digits: value,
            exponent: 0,
        }
    }

    /// Reads ASCII digits with at most one point between or before them; at most 30 digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let all = whole.len() + fraction.len();
        let ascii = whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit());
        if all == 0 || all > 30 || !ascii || (text.contains('.') && fraction.is_empty()) {
            return None;
        }
        let digits = format!("{whole}{fraction}").parse().ok()?;
        Some(Self {
            digits,
            exponent: -i32::try_from(fraction.len()).ok()?,
        })
    }

    /// This number times 10^`power`.
    #[must_use]
    pub const fn shifted(self, power: i32) -> Self {
        Self {
            digits: self.digits,
            exponent: self.exponent + power,
        }
    }

    /// This number with the other sign.
    #[must_use]
    pub const fn negated(self) -> Self {
        Self {
            digits: -self.digits,
            exponent: self.exponent,
        }
    }

    /// The sum; `None` where it does not fit.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        let exponent = self.exponent.min(other.exponent);
        let scaled = |one: Self| {
            let power = u32::try_from(one.exponent - exponent).ok()?;
            one.digits.checked_mul(10_i128.checked_pow(power)?)
        };
        Some(Self {
            digits: scaled(self)?.checked_add(scaled(other)?)?,
            exponent,
        })
    }

    /// The plain spelling: no exponent, no trailing zero behind the point, no `-0`; `None` beyond 38 digits.
    #[must_use]
    pub fn text(self) -> Option<String> {
        let (mut digits, mut exponent) = (self.digits, self.exponent);
        if digits == 0 {
            return Some("0".to_owned());
        }
        while digits % 10 == 0 && exponent < 0 {
            digits /= 10;
            exponent += 1;
        }
        if exponent >= 0 {
            let power = u32::try_from(exponent).ok()?;
            return Some(digits.checked_mul(10_i128.checked_pow(power)?)?.to_string());
        }
        let places = usize::try_from(-exponent).ok()?;
        let plain = format!("{:0>width$}", digits.unsigned_abs(), width = places + 1);
        let (whole, fraction) = plain.split_at(plain.len() - places);
        let sign = if digits < 0 { "-" } else { "" };
        (whole.len() + fraction.len() <= 38).then(|| format!("{sign}{whole}.{fraction}"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::Exact;

    #[test]
    fn a_number_is_moved_and_printed_without_rounding() {
        let text = |text: &str, power| Exact::parse(text).and_then(|value| value.shifted(power).text());
        assert_eq!(text("1.25", 4).as_deref(), Some("12500"));
        assert_eq!(text("0.1", 0).as_deref(), Some("0.1"));
        assert_eq!(text("120", -3).as_deref(), Some("0.12"));
        assert_eq!(text("0.00", 8).as_deref(), Some("0"));
        assert_eq!(text("1.", 0), None);
        assert_eq!(text("1.2.3", 0), None);
        assert_eq!(
            Exact::whole(5)
                .plus(Exact::parse("0.5").unwrap())
                .and_then(Exact::text)
                .as_deref(),
            Some("5.5")
        );
        assert_eq!(
            Exact::parse("5").unwrap().negated().shifted(-1).text().as_deref(),
            Some("-0.5")
        );
    }

    proptest! {
        #[test]
        fn what_is_printed_reads_back(value in 0_i64.., places in 0_i32..12) {
            let one = Exact::whole(value.into()).shifted(-places);
            let text = one.text().unwrap();
            let back = Exact::parse(&text).unwrap().text().unwrap();
            prop_assert_eq!(&back, &text);
            let moved = Exact::parse(&text).unwrap().shifted(places).text().unwrap();
            prop_assert_eq!(moved, value.to_string());
        }
    }
}
