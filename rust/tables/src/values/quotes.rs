//! What a question puts between quotation marks.

use std::ops::Range;

use super::fold::is_unspaced;

/// What stands between quotation marks, in characters, without the marks.
pub(super) fn quoted(question: &str) -> Vec<Range<usize>> {
    const PAIRS: [(char, char); 11] = [
        ('"', '"'),
        ('“', '”'),
        ('‘', '’'),
        ('「', '」'),
        ('『', '』'),
        ('《', '》'),
        ('`', '`'),
        ('\'', '\''),
        ('«', '»'),
        ('【', '】'),
        ('＂', '＂'),
    ];
    let letters: Vec<char> = question.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while at < letters.len() {
        let close = PAIRS
            .iter()
            .find(|(open, _)| *open == letters[at])
            .map(|(_, close)| *close);
        // An apostrophe inside or behind a word opens nothing.
        let opens = at == 0 || !letters[at - 1].is_alphanumeric() || is_unspaced(letters[at - 1]);
        let end = close.filter(|_| opens).and_then(|close| {
            let after = letters[at + 1..].iter().enumerate().find(|(i, c)| {
                let next = letters.get(at + 2 + i);
                **c == close && (close != '\'' || next.is_none_or(|next| !next.is_alphanumeric()))
            });
            after.map(|(i, _)| at + 1 + i)
        });
        if let Some(end) = end {
            found.push(at + 1..end);
            at = end;
        }
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn marks_enclose_and_apostrophes_do_not() {
        let between = |text: &str| -> Vec<String> {
            let letters: Vec<char> = text.chars().collect();
            quoted(text)
                .into_iter()
                .map(|range| letters[range].iter().collect())
                .collect()
        };
        assert_eq!(between("the film \"Alien 3\" and 'It's'"), ["Alien 3", "It's"]);
        assert_eq!(between("Ann's and Bob's dogs"), [""; 0]);
        assert_eq!(between("《红楼梦》的作者，“曹”"), ["红楼梦", "曹"]);
        assert_eq!(between("an \"open end"), [""; 0]);
    }
}
