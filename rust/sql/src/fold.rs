//! When two spellings are the same name: white space, width, quotation marks and case apart.

use std::borrow::Cow;

use unicode_normalization::{UnicodeNormalization, is_nfc};

/// The ASCII character that a full-width or typographic form stands for.
#[must_use]
pub fn narrow(c: char) -> Option<char> {
    match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0),
        '‘' | '’' | '‛' => Some('\''),
        '“' | '”' | '‟' => Some('"'),
        '￥' => Some('¥'),
        '￠' => Some('¢'),
        '￡' => Some('£'),
        _ => None,
    }
}

/// White space anywhere in a name, and marks without width.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

/// Writes into `key` what all spellings of `name` share: no white space, ASCII forms for full-width ones, lower case.
pub fn fold_into(name: &str, key: &mut String) {
    key.clear();
    if name.is_ascii() {
        key.push_str(name);
        key.make_ascii_lowercase();
        if key.bytes().any(|b| b.is_ascii_whitespace()) {
            key.retain(|c| !c.is_ascii_whitespace());
        }
        return;
    }
    let mut composed = true;
    for c in name.chars() {
        let c = narrow(c).unwrap_or(c);
        if ('\u{ff61}'..='\u{ff9f}').contains(&c) {
            // Half-width katakana: the voicing mark is a character of its own until composed.
            unicode_normalization::char::decompose_compatible(c, |part| key.push(part));
            composed = false;
        } else if !is_blank(c) {
            key.extend(c.to_lowercase());
        }
    }
    if !composed || !is_nfc(key) {
        *key = key.nfc().collect();
    }
}

/// Whether a glance tells that `name` is what all its spellings share.
pub(crate) fn is_folded(name: &str) -> bool {
    name.bytes()
        .all(|byte| byte.is_ascii_graphic() && !byte.is_ascii_uppercase())
}

/// What all spellings of `name` share.
#[must_use]
pub fn fold(name: &str) -> Cow<'_, str> {
    if is_folded(name) {
        return Cow::Borrowed(name);
    }
    let mut key = String::with_capacity(name.len());
    fold_into(name, &mut key);
    Cow::Owned(key)
}

/// Whether `name` folds to `key`, without folding it where a glance tells.
#[must_use]
pub fn folds_to(name: &str, key: &str) -> bool {
    if !name.is_ascii() {
        return fold(name) == key;
    }
    let mut left = key.bytes();
    name.bytes()
        .filter(|b| !b.is_ascii_whitespace())
        .all(|b| left.next() == Some(b.to_ascii_lowercase()))
        && left.next().is_none()
}

/// Whether `DuckDB` takes the two spellings for one name: it ignores the case of ASCII letters alone.
#[must_use]
pub fn same_name(left: &str, right: &str) -> bool {
    left.eq_ignore_ascii_case(right)
}

/// How far apart two names are, in edits a character of the longer one: 0.0 is equal, 1.0 has nothing in common.
///
/// Names beyond 64 characters are compared by their first 64: the bound keeps the cost of an error small.
#[must_use]
pub fn distance(left: &str, right: &str) -> f64 {
    let left: Vec<char> = fold(left).chars().filter(|c| *c != '_').take(64).collect();
    let right: Vec<char> = fold(right).chars().filter(|c| *c != '_').take(64).collect();
    let longest = left.len().max(right.len());
    if longest == 0 {
        return 0.0;
    }
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let next = (diagonal + usize::from(a != b)).min(row[j] + 1).min(row[j + 1] + 1);
            diagonal = row[j + 1];
            row[j + 1] = next;
        }
    }
    #[allow(clippy::cast_precision_loss)] // at most 64
    let ratio = row[right.len()] as f64 / longest as f64;
    ratio
}

/// At most `count` of `names`, the nearest to `name` first; names with nothing in common are left out.
#[must_use]
pub fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>, count: usize) -> Vec<&'a str> {
    let mut ranked: Vec<(f64, &str)> = names.map(|known| (closeness(name, known), known)).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(b.1)));
    ranked.dedup_by(|a, b| a.1 == b.1);
    ranked
        .into_iter()
        .filter(|(far, _)| *far < 0.75)
        .take(count)
        .map(|(_, known)| known)
        .collect()
}

/// Like [`distance`], but a name that contains the other is near: `price` to `unit_price`.
fn closeness(name: &str, known: &str) -> f64 {
    let far = distance(name, known);
    let (a, b) = (fold(name), fold(known));
    if a.chars().count() > 1 && b.chars().count() > 1 && (a.contains(&*b) || b.contains(&*a)) {
        far * 0.5
    } else {
        far
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_width_and_case_are_folded() {
        for spelling in ["在任基金数 (只)", "在任基金数（只）", "在任基金数\u{3000}(只) "] {
            assert_eq!(fold(spelling), "在任基金数(只)");
        }
        assert_eq!(fold("ＡＢＣ"), fold("abc"));
        assert_eq!(fold("ｶﾞｽ"), fold("ガス"));
        assert_eq!(fold("e\u{301}"), fold("É"));
        assert_ne!(fold("a_b"), fold("ab"));
        assert_ne!(fold("①"), fold("1"));
        assert!(folds_to("User Name", "username") && folds_to("姓 名", "姓名"));
        assert!(!folds_to("User", "username") && !folds_to("usernames", "username"));
    }

    #[test]
    fn nearest_prefers_few_edits_and_containment() {
        let names = ["销售金额", "成本", "unit_price", "id"];
        assert_eq!(nearest("销售额", names.into_iter(), 1), ["销售金额"]);
        assert_eq!(nearest("price", names.into_iter(), 1), ["unit_price"]);
        assert!(nearest("zzzz", names.into_iter(), 3).is_empty());
        assert!((distance("kitten", "sitting") - 3.0 / 7.0).abs() < 1e-12);
    }
}
