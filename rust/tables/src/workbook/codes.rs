//! Number formats that make a code of a number: `000000` shows 21 as `000021`.

/// Zeros and literal characters, as a number format arranges them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CodeFormat {
    /// `None` is the place of a digit.
    parts: Vec<Option<char>>,
    zeros: usize,
}

impl CodeFormat {
    /// Reads a format of two zeros or more with nothing but literals between them; of several sections, the first.
    /// A format that shows zero as a mere mark (`00;-00;"-"`) counts something, and is none of a code.
    ///
    /// Source: ECMA-376, part 1, section 18.8.31.
    pub(super) fn of(format: &str) -> Option<Self> {
        let sections = sections(format);
        if sections.get(2).is_some_and(|zero| !has_places(zero)) {
            return None;
        }
        let mut parts = Vec::new();
        let mut characters = sections.first()?.chars();
        while let Some(character) = characters.next() {
            match character {
                '0' => parts.push(None),
                '\\' => parts.push(Some(characters.next()?)),
                '"' => parts.extend(characters.by_ref().take_while(|c| *c != '"').map(Some)),
                '-' | ' ' | '(' | ')' | '/' => parts.push(Some(character)),
                _ => return None,
            }
        }
        let zeros = parts.iter().filter(|part| part.is_none()).count();
        (zeros >= 2).then_some(Self { parts, zeros })
    }

    /// The code that is shown for a number; `None` for a fraction or a negative number, which are no codes.
    pub(super) fn shown(&self, value: f64) -> Option<String> {
        if value.fract() != 0.0 || !(0.0..1e15).contains(&value) {
            return None;
        }
        let digits = format!("{value:0width$}", width = self.zeros);
        // More digits than zeros stand before the first.
        let mut spare = digits.len() - self.zeros;
        let mut digits = digits.chars();
        let mut shown = String::new();
        for part in &self.parts {
            if let Some(literal) = part {
                shown.push(*literal);
            } else {
                shown.extend(digits.by_ref().take(spare + 1));
                spare = 0;
            }
        }
        Some(shown)
    }

    /// Whether a number is none of a code, whatever its format: it is below zero or has a fraction.
    pub(super) fn is_quantity(value: f64) -> bool {
        value < 0.0 || value.fract() != 0.0
    }
}

/// The sections of a format, divided by semicolons that are no literals.
fn sections(format: &str) -> Vec<&str> {
    let (mut quoted, mut escaped) = (false, false);
    let divides = |character: char| {
        let literal = std::mem::take(&mut escaped);
        if !literal {
            quoted ^= character == '"';
            escaped = character == '\\' && !quoted;
        }
        character == ';' && !quoted && !literal
    };
    format.split(divides).collect()
}

/// Whether a section has a place for a digit or for the number as it is.
fn has_places(section: &str) -> bool {
    let (mut quoted, mut escaped) = (false, false);
    section.to_lowercase().replace("general", "0").chars().any(|character| {
        if std::mem::take(&mut escaped) {
            return false;
        }
        quoted ^= character == '"';
        escaped = character == '\\' && !quoted;
        !quoted && matches!(character, '0' | '#' | '?')
    })
}

#[cfg(test)]
mod tests {
    use super::CodeFormat;

    fn shown(format: &str, value: f64) -> Option<String> {
        CodeFormat::of(format)?.shown(value)
    }

    #[test]
    fn zeros_are_places_of_digits() {
        assert_eq!(shown("000000", 21.0).as_deref(), Some("000021"));
        assert_eq!(shown("000\\-00\\-0000", 12_345_678.0).as_deref(), Some("012-34-5678"));
        assert_eq!(shown("\"SKU\"0000", 7.0).as_deref(), Some("SKU0007"));
        assert_eq!(shown("00", 1234.0).as_deref(), Some("1234"));
        assert_eq!(shown("00-00", 12_345.0).as_deref(), Some("123-45"));
        assert_eq!(shown("00000;[Red]-00000", 7.0).as_deref(), Some("00007"));
        assert_eq!(shown("00000;;00000", 7.0).as_deref(), Some("00007"));
        assert_eq!(shown("\"a;b\"00", 7.0).as_deref(), Some("a;b07"));
    }

    #[test]
    fn numbers_stay_numbers() {
        for format in [
            "General",
            "0",
            "0.00",
            "#,##0",
            "0%",
            "0.00E+00",
            "00.0",
            "yyyy",
            "00;-00;\"-\"",
            "00;-00;",
            "00;-00;\"00\"",
        ] {
            assert_eq!(CodeFormat::of(format), None, "{format}");
        }
        assert_eq!(shown("000", 1.5), None);
        assert_eq!(shown("000", -1.0), None);
    }
}
