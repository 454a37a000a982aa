//! The closed set of operations that bring a column of written values to one form, all or none of them.

pub mod amount;
pub mod chinese;
pub mod english;
pub mod exact;
pub mod moment;
pub mod units;
pub mod width;

use std::collections::BTreeMap;

use amount::{Amount, amount, step};
use moment::{Moment, moment};

use crate::calendar::{iso_date, iso_timestamp};
use crate::cells::days_from_civil;
use crate::numbers::double_is_exact;

/// A column in one form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Normalised {
    /// What was done, in a fixed order: `full_width`, `thousands`, `scale`, `strip_percent`, `cjk_numerals`,
    /// `number_words`, `unit`, `brackets`, `date`, `verbal_date`; or `verbatim` alone.
    pub operations: Vec<&'static str>,
    /// `INTEGER`, `REAL`, `DATE`, `TIMESTAMP` or `TEXT`.
    pub sql_type: &'static str,
    /// Unit of the values; empty for none.
    pub unit: String,
    /// The units and scales that the values are written in, the most frequent first.
    pub written: Vec<String>,
    /// One value for each that was given, in order.
    pub values: Vec<String>,
}

/// How a column may be read.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// Unit that the values shall have, if they can be converted to it.
    pub unit: Option<&'a str>,
    /// Whether a year alone may stand for its first day, and a month for its first.
    pub first_day: bool,
}

/// Brings `values` to one form; where one of them does not fit, all stay as they are written.
#[must_use]
pub fn normalise(values: &[&str], wanted: Wanted<'_>) -> Normalised {
    // 2023年第三季度末 is no number of 年第三季度末.
    moments(values, wanted)
        .or_else(|| amounts(values, wanted))
        .unwrap_or_else(|| Normalised {
            operations: vec!["verbatim"],
            sql_type: "TEXT",
            unit: String::new(),
            written: Vec::new(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        })
}

fn amounts(values: &[&str], wanted: Wanted<'_>) -> Option<Normalised> {
    let read: Option<Vec<Amount>> = values.iter().map(|value| amount(value)).collect();
    let read = with_currency(read.filter(|read| !read.is_empty())?);
    let family = &read[0].unit.family;
    // `(1)`, `(2)`, `(3)` number notes; among other numbers brackets mean a loss.
    if read.iter().any(|one| one.unit.family != *family) || read.iter().all(|one| one.steps & step::BRACKETS != 0) {
        return None;
    }
    let target = target_unit(&read, wanted.unit)?;
    let texts: Option<Vec<String>> = read
        .iter()
        .map(|one| one.value.shifted(one.unit.power - target.power).text())
        .collect();
    let texts = texts?;
    let sql_type = if texts.iter().all(|text| text.parse::<i64>().is_ok()) {
        "INTEGER"
    } else if texts.iter().all(|text| double_is_exact(text)) {
        "REAL"
    } else {
        "TEXT"
    };
    let steps = read.iter().fold(0, |steps, one| steps | one.steps);
    Some(Normalised {
        operations: operations(steps),
        sql_type,
        unit: target.name,
        written: by_frequency(read.iter().map(|one| {
            if one.scale == 0 {
                one.unit.name.clone()
            } else {
                format!("1e{} {}", one.scale, one.unit.name).trim_end().to_owned()
            }
        })),
        values: texts,
    })
}

/// Gives numbers without a unit the one currency that the others have: tables print it in their first and last rows.
fn with_currency(mut read: Vec<Amount>) -> Vec<Amount> {
    let told = read
        .iter()
        .find(|one| !one.unit.name.is_empty())
        .map(|one| one.unit.clone());
    if let Some(unit) = told.filter(units::Unit::is_currency) {
        for one in &mut read {
            if one.unit.name.is_empty() {
                one.unit = unit.clone();
            }
        }
    }
    read
}

struct Target {
    name: String,
    power: i32,
}

/// The unit that is wanted where it is of the family and known with its power; else the most frequent one.
fn target_unit(read: &[Amount], wanted: Option<&str>) -> Option<Target> {
    let family = &read[0].unit.family;
    if let Some(amount) = wanted.and_then(|unit| amount(&format!("1{unit}")))
        && amount.unit.family == *family
    {
        let scaled = amount.scale != 0;
        return Some(Target {
            name: if scaled {
                wanted.unwrap_or_default().to_owned()
            } else {
                amount.unit.name.clone()
            },
            power: amount.unit.power + amount.scale,
        });
    }
    let mut counts: BTreeMap<(&str, i32), usize> = BTreeMap::new();
    for one in read {
        *counts.entry((one.unit.name.as_str(), one.unit.power)).or_default() += 1;
    }
    let (&(name, power), _) = counts.iter().max_by_key(|&((_, power), count)| (*count, -power))?;
    Some(Target {
        name: name.to_owned(),
        power,
    })
}

fn operations(steps: u8) -> Vec<&'static str> {
    let found: Vec<_> = [
        (step::WIDTH, "full_width"),
        (step::THOUSANDS, "thousands"),
        (step::SCALE, "scale"),
        (step::PERCENT, "strip_percent"),
        (step::CHINESE, "cjk_numerals"),
        (step::WORDS, "number_words"),
        (step::UNIT, "unit"),
        (step::BRACKETS, "brackets"),
    ]
    .into_iter()
    .filter(|(bit, _)| steps & bit != 0)
    .map(|(_, name)| name)
    .collect();
    if found.is_empty() { vec!["number"] } else { found }
}

fn by_frequency(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    let mut ordered: Vec<_> = counts.into_iter().collect();
    ordered.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    ordered.into_iter().map(|(name, _)| name).collect()
}

fn moments(values: &[&str], wanted: Wanted<'_>) -> Option<Normalised> {
    let read: Option<Vec<Moment>> = values.iter().map(|value| moment(value)).collect();
    let read = settled(read.filter(|read| !read.is_empty())?)?;
    let verbal = read.iter().any(|one| matches!(one, Moment::Verbal(_)));
    let form = |sql_type, texts: Vec<String>| Normalised {
        operations: vec![if verbal { "verbal_date" } else { "date" }],
        sql_type,
        unit: String::new(),
        written: Vec::new(),
        values: texts,
    };
    let all = |text: &dyn Fn(&Moment) -> Option<String>| read.iter().map(text).collect::<Option<Vec<_>>>();
    let day = |one: &Moment| match *one {
        Moment::Day(days) | Moment::Verbal(days) => Some(iso_date(days)),
        Moment::Year(year) if wanted.first_day => days_from_civil(year, 1, 1).map(iso_date),
        Moment::Month(year, month) if wanted.first_day => days_from_civil(year, month, 1).map(iso_date),
        _ => None,
    };
    if let Some(texts) = all(&day) {
        return Some(form("DATE", texts));
    }
    let time = |one: &Moment| match *one {
        Moment::Time(micros) => Some(iso_timestamp(micros)),
        Moment::Day(days) => Some(format!("{} 00:00:00", iso_date(days))),
        _ => None,
    };
    if let Some(texts) = all(&time) {
        return Some(form("TIMESTAMP", texts));
    }
    let year = |one: &Moment| match *one {
        Moment::Year(year) => Some(year.to_string()),
        _ => None,
    };
    if let Some(texts) = all(&year) {
        return Some(form("INTEGER", texts));
    }
    let month = |one: &Moment| match *one {
        Moment::Month(year, month) => Some(format!("{year:04}-{month:02}")),
        _ => None,
    };
    let quarter = |one: &Moment| match *one {
        Moment::Quarter(year, quarter) => Some(format!("{year:04}-Q{quarter}")),
        _ => None,
    };
    all(&month).or_else(|| all(&quarter)).map(|texts| form("TEXT", texts))
}

/// Decides for a whole column whether the day or the month comes first; `None` where nothing tells.
fn settled(read: Vec<Moment>) -> Option<Vec<Moment>> {
    let either: Vec<(u32, u32)> = read
        .iter()
        .filter_map(|one| match *one {
            Moment::Either(one, two, _) => Some((one, two)),
            _ => None,
        })
        .collect();
    if either.is_empty() {
        return Some(read);
    }
    let day_first = either.iter().any(|(one, _)| *one > 12);
    let month_first = either.iter().any(|(_, two)| *two > 12);
    if day_first == month_first {
        return None;
    }
    read.into_iter()
        .map(|moment| match moment {
            Moment::Either(one, two, year) => {
                let (month, day) = if day_first { (two, one) } else { (one, two) };
                days_from_civil(year, month, day).map(Moment::Day)
            }
            other => Some(other),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Normalised, Wanted, normalise};

    fn plain(values: &[&str]) -> Normalised {
        normalise(values, Wanted::default())
    }

    #[test]
    fn mixed_units_become_one() {
        let found = plain(&["3.2万元", "1,500元", "2亿元"]);
        assert_eq!(found.values, ["32000", "1500", "200000000"]);
        assert_eq!((found.sql_type, found.unit.as_str()), ("INTEGER", "CNY"));
        assert_eq!(found.operations, ["thousands", "scale", "unit"]);
        assert_eq!(plain(&["$ 1,200", "(35)", "$1,165"]).values, ["1200", "-35", "1165"]);
        let found = plain(&["185 cm", "1.85 m", "170 cm"]);
        assert_eq!(
            (found.values, found.unit),
            (vec!["185".into(), "185".into(), "170".into()], "cm".to_owned())
        );
        let wanted = Wanted {
            unit: Some("万元"),
            first_day: false,
        };
        let found = normalise(&["3.2万元", "1,500元"], wanted);
        assert_eq!(
            (found.values, found.unit.as_str()),
            (vec!["3.2".into(), "0.15".into()], "万元")
        );
    }

    #[test]
    fn one_value_that_does_not_fit_leaves_all_as_written() {
        for values in [
            ["12%", "0.5"],
            ["000021", "600519"],
            ["5 kg", "5 cm"],
            ["2024-01-05", "soon"],
            ["1,234", "12,34"],
            ["03/04/2024", "05/06/2024"],
            ["1 2 3", "4"],
            ["(1)", "(2)"],
        ] {
            let found = plain(&values);
            assert_eq!(
                (found.operations, found.sql_type),
                (vec!["verbatim"], "TEXT"),
                "{values:?}"
            );
            assert_eq!(found.values, values);
        }
    }

    #[test]
    fn dates_of_a_column_agree_on_the_order_of_day_and_month() {
        assert_eq!(
            plain(&["03/04/2024", "25/04/2024"]).values,
            ["2024-04-03", "2024-04-25"]
        );
        assert_eq!(
            plain(&["03/04/2024", "04/25/2024"]).values,
            ["2024-03-04", "2024-04-25"]
        );
        assert_eq!(
            plain(&["2023年第三季度末", "2023年Q4末"]).values,
            ["2023-09-30", "2023-12-31"]
        );
        let found = plain(&["mid-March 2024", "2024-03-05"]);
        assert_eq!((found.sql_type, found.operations), ("DATE", vec!["verbal_date"]));
        assert_eq!(plain(&["2019年", "2020年"]).values, ["2019", "2020"]);
        let wanted = Wanted {
            unit: None,
            first_day: true,
        };
        assert_eq!(
            normalise(&["2019年", "2020年3月1日"], wanted).values,
            ["2019-01-01", "2020-03-01"]
        );
    }

    proptest! {
        #[test]
        fn the_order_of_values_changes_none(mut values in prop::collection::vec("[0-9]{1,4}(万|%|元)?", 1..6), turn in 0_usize..6) {
            let before = plain(&values.iter().map(String::as_str).collect::<Vec<_>>());
            let turn = turn % values.len();
            values.rotate_left(turn);
            let mut after = plain(&values.iter().map(String::as_str).collect::<Vec<_>>());
            after.values.rotate_right(turn);
            prop_assert_eq!(before.values, after.values);
        }

        #[test]
        fn there_are_as_many_values_as_before(values in prop::collection::vec(".{0,8}", 0..5)) {
            let texts: Vec<&str> = values.iter().map(String::as_str).collect();
            prop_assert_eq!(plain(&texts).values.len(), values.len());
        }
    }
}
