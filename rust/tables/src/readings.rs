//! The numbers and dates that a text cell offers to whoever asks for them, though its column stays text.

/// A reading that a text cell offers to whoever asks for numbers or dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reading {
    /// `12.5%`
    Percent,
    /// `￥1200`, `$74.69`, `1200元`
    Currency,
    /// `200万`, `1.5亿`, `3.2k` is none of them
    Scaled,
    /// `1,5`, `1.234,56`
    DecimalComma,
    /// `1,234`, `1 234.5`
    Thousands,
    /// `000021`, as long as every cell is made of digits
    LeadingZeros,
    /// `+1.5`, `1E5` and numbers too long for a type
    Number,
    /// `2024/1/5`, `05.01.2024`, `2026年1月5日`, with or without a time
    Date,
    /// `10:15`, `1:54.455`
    Time,
}

impl Reading {
    /// The code of the note that tells of it.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Percent => "percent-text",
            Self::Currency => "currency-text",
            Self::Scaled => "scaled-text",
            Self::DecimalComma => "decimal-comma-text",
            Self::Thousands => "thousands-text",
            Self::LeadingZeros => "leading-zeros",
            Self::Number => "number-text",
            Self::Date => "date-text",
            Self::Time => "time-text",
        }
    }
}

const CURRENCIES: [&str; 13] = [
    "￥", "¥", "$", "€", "£", "₹", "₩", "元", "美元", "US$", "RMB", "CNY", "USD",
];
const SCALES: [&str; 6] = ["万亿", "百万", "千万", "万", "亿", "萬"];

/// Returns how `cell`, which is no canonical number or date, could be read as one.
#[must_use]
pub fn reading(cell: &str) -> Option<Reading> {
    let cell = cell.trim();
    let first = cell.as_bytes().first()?;
    if first.is_ascii_alphabetic() && !cell.starts_with("US") && !cell.starts_with("RMB") && !cell.starts_with("CNY") {
        return None;
    }
    if cell.len() > 64 {
        return None;
    }
    if cell.bytes().all(|b| b.is_ascii_digit()) {
        let zeros = cell.len() > 1 && *first == b'0';
        return Some(if zeros { Reading::LeadingZeros } else { Reading::Number });
    }
    if let Some(kind) = date_reading(cell) {
        return Some(kind);
    }
    let (mut body, mut kind) = (cell, None);
    if let Some(inner) = body.strip_prefix('(').and_then(|b| b.strip_suffix(')')) {
        // Accountants put a loss in brackets.
        body = inner;
        kind = Some(Reading::Number);
    }
    for sign in ["-", "+", "−"] {
        body = body.strip_prefix(sign).unwrap_or(body);
    }
    if let Some(rest) = body.strip_suffix('%').or_else(|| body.strip_suffix('％')) {
        body = rest.trim_end();
        kind = Some(Reading::Percent);
    }
    for currency in CURRENCIES {
        if let Some(rest) = body.strip_prefix(currency).or_else(|| body.strip_suffix(currency)) {
            body = rest.trim();
            kind = Some(Reading::Currency);
        }
    }
    for scale in SCALES {
        if let Some(rest) = body.strip_suffix(scale) {
            body = rest.trim_end();
            kind = Some(kind.unwrap_or(Reading::Scaled));
        }
    }
    body = body.strip_prefix('-').unwrap_or(body);
    number_shape(body).map(|shape| match (kind, shape) {
        (Some(kind), _) => kind,
        (None, shape) => shape,
    })
}

/// `1234`, `1,234,567.8`, `12,34,567`, `1 234`, `1E5`: the shape of an unsigned number.
fn number_shape(body: &str) -> Option<Reading> {
    // Three digits behind a comma are a group, unless a zero stands first: no group of thousands starts with one.
    if let Some((whole, fraction)) = body.split_once(',')
        && (fraction.len() != 3 || whole.starts_with('0') || whole.contains('.'))
        && !fraction.is_empty()
        && fraction.bytes().all(|b| b.is_ascii_digit())
        && whole.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && number_shape(&whole.replace('.', ",")).is_some_and(|shape| shape != Reading::DecimalComma)
    {
        return Some(Reading::DecimalComma);
    }
    let (whole, fraction) = body.split_once('.').unwrap_or((body, ""));
    let (fraction, exponent) = fraction.split_once(['e', 'E']).unwrap_or((fraction, "0"));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if !digits(fraction) || !digits(exponent.trim_start_matches(['+', '-'])) || exponent.is_empty() {
        return None;
    }
    if whole.is_empty() {
        return (!fraction.is_empty()).then_some(Reading::Number);
    }
    if digits(whole) {
        let zeros = whole.len() > 1 && whole.starts_with('0') && !body.contains('.');
        return Some(if zeros { Reading::LeadingZeros } else { Reading::Number });
    }
    if let Some((mantissa, exponent)) = whole.split_once(['e', 'E']) {
        let exponent = exponent.trim_start_matches(['+', '-']);
        let number = !mantissa.is_empty() && digits(mantissa) && !exponent.is_empty() && digits(exponent);
        return number.then_some(Reading::Number);
    }
    let groups: Vec<&str> = whole.split([',', '，', ' ', '\u{a0}', '\'']).collect();
    let grouped = groups.len() > 1
        && groups.iter().all(|group| digits(group))
        && (1..=3).contains(&groups[0].len())
        && !groups[0].starts_with('0')
        && groups[1..groups.len() - 1].iter().all(|g| (2..=4).contains(&g.len()))
        && groups[groups.len() - 1].len() == 3;
    grouped.then_some(Reading::Thousands)
}

fn date_reading(cell: &str) -> Option<Reading> {
    let (day, clock) = match cell.split_once([' ', 'T']) {
        Some((day, clock)) if !day.is_empty() => (day, Some(clock.trim())),
        _ => (cell, None),
    };
    if clock.is_none() && is_clock(cell) {
        return Some(Reading::Time);
    }
    let parts: Vec<&str> = day
        .trim_end_matches(['日', '号'])
        .split(['/', '-', '.', '年', '月'])
        .collect();
    let numeric = |p: &&str| (1..=4).contains(&p.len()) && p.bytes().all(|b| b.is_ascii_digit());
    let year = |p: &str| p.len() == 4 && (p.starts_with("19") || p.starts_with("20") || p.starts_with("18"));
    let small = |p: &str, limit: u32| p.len() <= 2 && p.parse::<u32>().is_ok_and(|n| (1..=limit).contains(&n));
    if !parts.iter().all(numeric) && !day.ends_with('月') {
        return None;
    }
    let dated = match parts.as_slice() {
        [y, m, d] if year(y) => small(m, 12) && (small(d, 31) || d.is_empty()),
        [a, b, y] if year(y) => small(a, 31) && small(b, 31) && (small(a, 12) || small(b, 12)),
        _ => false,
    };
    (dated && clock.is_none_or(|clock| is_clock(clock.trim_end_matches('Z').split(['+', ' ']).next().unwrap_or(clock))))
        .then_some(Reading::Date)
}

/// `1:54.455`, `10:15`, `23:59:59`
fn is_clock(cell: &str) -> bool {
    let mut parts = cell.split(':');
    let first = parts
        .next()
        .is_some_and(|h| (1..=2).contains(&h.len()) && h.bytes().all(|b| b.is_ascii_digit()));
    let mut count = 0;
    first
        && parts.all(|part| {
            count += 1;
            let (whole, fraction) = part.split_once('.').unwrap_or((part, "0"));
            whole.len() == 2
                && whole.bytes().all(|b| b.is_ascii_digit())
                && !fraction.is_empty()
                && fraction.bytes().all(|b| b.is_ascii_digit())
        })
        && (1..=2).contains(&count)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn text_offers_its_readings() {
        for (text, kind) in [
            ("12.5%", Reading::Percent),
            ("￥1200", Reading::Currency),
            ("$1,200.50", Reading::Currency),
            ("1200元", Reading::Currency),
            ("200万", Reading::Scaled),
            ("1,234", Reading::Thousands),
            ("-1,234.5", Reading::Thousands),
            ("1,5", Reading::DecimalComma),
            ("1.234,56", Reading::DecimalComma),
            ("0,125", Reading::DecimalComma),
            ("-0,500", Reading::DecimalComma),
            ("1.234,567", Reading::DecimalComma),
            ("10,125", Reading::Thousands),
            ("000021", Reading::LeadingZeros),
            ("+1.5", Reading::Number),
            ("1E5", Reading::Number),
            ("2024/1/5", Reading::Date),
            ("01/02/2026", Reading::Date),
            ("2026年1月5日", Reading::Date),
            ("2026年1月", Reading::Date),
            ("2024-01-05 10:00:00+08", Reading::Date),
            ("1:54.455", Reading::Time),
        ] {
            assert_eq!(reading(text), Some(kind), "{text}");
        }
        for text in [
            "abc",
            "",
            "1,2,3",
            "12/40/2024",
            "1-2",
            "%",
            "$",
            "万",
            "192.168.1.1",
            "a1",
            "1.2.3",
            "0,125,000",
            "0.125,5",
            "1.5,5",
        ] {
            assert_eq!(reading(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn nothing_panics(text in "\\PC{0,20}") {
            let _ = reading(&text);
        }
    }
}
