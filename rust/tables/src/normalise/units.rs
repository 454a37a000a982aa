//! Units that amounts are written in: their one spelling, and how many powers of ten lie between those of a family.

use super::english;

/// A unit as it counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Its one spelling, such as `CNY`, `kg`, `%` or the word as it was written.
    pub name: String,
    /// What it can be converted within: `length`, `mass`, `volume`, or the unit's own name.
    pub family: String,
    /// Power of ten between it and its family's base unit.
    pub power: i32,
}

/// Spellings in lower case; one spelling, family, power of ten to the family's base unit.
const KNOWN: [(&[&str], &str, &str, i32); 19] = [
    (&["%", "percent", "per cent", "pct"], "%", "", 0),
    (
        &["元", "元人民币", "人民币元", "人民币", "yuan", "rmb", "cny", "¥"],
        "CNY",
        "",
        0,
    ),
    (
        &["$", "us$", "usd", "dollar", "dollars", "us dollars", "美元"],
        "USD",
        "",
        0,
    ),
    (&["€", "eur", "euro", "euros", "欧元"], "EUR", "", 0),
    (&["£", "gbp", "英镑"], "GBP", "", 0),
    (&["hk$", "hkd", "港元", "港币"], "HKD", "", 0),
    (&["日元", "jpy", "yen"], "JPY", "", 0),
    (
        &["mm", "毫米", "millimetre", "millimetres", "millimeter", "millimeters"],
        "mm",
        "length",
        -3,
    ),
    (
        &[
            "cm",
            "厘米",
            "公分",
            "centimetre",
            "centimetres",
            "centimeter",
            "centimeters",
        ],
        "cm",
        "length",
        -2,
    ),
    (&["m", "米", "metre", "metres", "meter", "meters"], "m", "length", 0),
    (
        &[
            "km",
            "公里",
            "千米",
            "kilometre",
            "kilometres",
            "kilometer",
            "kilometers",
        ],
        "km",
        "length",
        3,
    ),
    (&["mg", "毫克", "milligram", "milligrams"], "mg", "mass", -3),
    (&["g", "克", "gram", "grams"], "g", "mass", 0),
    (
        &["kg", "千克", "公斤", "kilogram", "kilograms", "kilo", "kilos"],
        "kg",
        "mass",
        3,
    ),
    (&["t", "吨", "tonne", "tonnes"], "t", "mass", 6),
    (
        &["ml", "毫升", "millilitre", "millilitres", "milliliter", "milliliters"],
        "ml",
        "volume",
        -3,
    ),
    (&["l", "升", "litre", "litres", "liter", "liters"], "l", "volume", 0),
    (
        &["percentage points", "percentage point", "个百分点", "百分点"],
        "pp",
        "",
        0,
    ),
    (&["‰", "per mille"], "‰", "", 0),
];

/// Letters that a unit of no known family may have.
const MOST_LETTERS: usize = 16;

impl Unit {
    /// No unit.
    #[must_use]
    pub fn none() -> Self {
        Self::own(String::new())
    }

    fn own(name: String) -> Self {
        Self {
            family: name.clone(),
            name,
            power: 0,
        }
    }

    /// Whether it is money.
    #[must_use]
    pub fn is_currency(&self) -> bool {
        matches!(self.name.as_str(), "CNY" | "USD" | "EUR" | "GBP" | "HKD" | "JPY")
    }

    /// Reads what stands behind or before a number; `None` where it is no unit.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() {
            return Some(Self::none());
        }
        if let Some(unit) = Self::known(text) {
            return Some(unit);
        }
        let letters = text.chars().count();
        let plain = text
            .chars()
            .all(|letter| letter.is_alphabetic() || matches!(letter, ' ' | '-' | '/' | '²' | '³'));
        if !plain || letters > MOST_LETTERS || text.split(' ').count() > 2 {
            return None;
        }
        let lower = text.to_lowercase();
        if lower.split(' ').any(|word| english::scale(word).is_some()) {
            return None;
        }
        // `years` and `year` are one unit.
        let singular = lower
            .strip_suffix('s')
            .filter(|stem| stem.len() > 2 && stem.is_ascii())
            .unwrap_or(&lower);
        Some(Self::own(singular.to_owned()))
    }

    /// Reads a unit of the table.
    #[must_use]
    pub fn known(text: &str) -> Option<Self> {
        let lower = text.trim().to_lowercase();
        KNOWN
            .iter()
            .find(|(spellings, ..)| spellings.contains(&lower.as_str()))
            .map(|&(_, name, family, power)| Self {
                name: name.to_owned(),
                family: if family.is_empty() { name } else { family }.to_owned(),
                power,
            })
    }
}

/// The longest sign or code of a currency at the head of `text`, and what follows it.
#[must_use]
pub fn currency(text: &str) -> Option<(Unit, &str)> {
    const HEADS: [&str; 17] = [
        "US$",
        "HK$",
        "人民币",
        "RMB",
        "CNY",
        "USD",
        "EUR",
        "GBP",
        "HKD",
        "JPY",
        "¥",
        "$",
        "€",
        "£",
        "美元",
        "港元",
        "欧元",
    ];
    let head = HEADS.iter().find(|head| text.starts_with(**head))?;
    Some((Unit::known(head)?, text[head.len()..].trim_start()))
}

#[cfg(test)]
mod tests {
    use super::{Unit, currency};

    #[test]
    fn spellings_of_one_unit_are_one() {
        for (one, other) in [
            ("元", "yuan"),
            ("公斤", "kg"),
            ("percent", "%"),
            ("years", "year"),
            ("People", "people"),
        ] {
            assert_eq!(Unit::parse(one), Unit::parse(other), "{one}");
        }
        assert_eq!(
            Unit::parse("km").map(|unit| (unit.family, unit.power)),
            Some(("length".to_owned(), 3))
        );
        assert_eq!(Unit::parse("of the total value"), None);
        assert_eq!(Unit::parse("5"), None);
        assert_eq!(
            currency("US$5").map(|(unit, rest)| (unit.name, rest)),
            Some(("USD".to_owned(), "5"))
        );
    }
}
