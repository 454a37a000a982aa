//! Finds the table in the records: what stands before it, its header, its rows, and what stands below.

mod blocks;
mod fitting;
mod header;
mod rows;
mod shapes;
mod shifts;

use std::ops::Range;

pub use self::shifts::Shifts;
use crate::delimited::records::{MAX_COLUMNS, Records};
use crate::table::{Note, TableError};

/// Headers are looked for so far down; longer preambles are documents.
const PREAMBLE_ROWS: usize = 100;
/// Footers are looked for so far up.
const FOOTER_ROWS: usize = 50;
/// Rows that stand for the whole file where only the layout is in question.
const TYPICAL_ROWS: usize = 1_000;
/// A name that long is no name, and a file with one is no table.
const MAX_NAME_BYTES: usize = 1 << 16;

/// The table among the records.
#[derive(Debug)]
pub struct Layout {
    /// Records above the header.
    pub skipped: usize,
    /// Whether the first kept record names the columns.
    pub has_header: bool,
    /// Column names as the catalog shows them.
    pub names: Vec<String>,
    /// The records that are rows of the table, ascending.
    pub rows: Vec<u32>,
    /// Rows with a delimiter too many or too few, ascending, and how their fields are brought back in line.
    pub shifts: Shifts,
    /// What was left out or added.
    pub notes: Vec<Note>,
}

/// Another header was found further down: that many tables are read from one file at most.
const MAX_TABLES: usize = 64;

struct Finder<'r, 't> {
    records: &'r Records<'t>,
    /// The records that are looked at.
    start: usize,
    end: usize,
    /// Fields of an ordinary record.
    width: usize,
    /// Fields of an ordinary record that hold something.
    filled: usize,
    notes: Vec<Note>,
}

/// Lays out the records as one table or, where a similar header stands further down, as several; `divided` is false for a
/// text without a delimiter.
pub fn lay_out(records: &Records<'_>, divided: bool) -> Result<Vec<Layout>, TableError> {
    if records.len() == 0 {
        return Err(TableError::new("holds only blank lines").with_hint("delete the file, or export it again"));
    }
    let mut layouts: Vec<Layout> = Vec::new();
    let mut headers: Vec<usize> = Vec::new();
    let mut start = 0;
    while start < records.len() {
        let end = if divided && layouts.len() + 1 < MAX_TABLES {
            blocks::end_of_table(records, start)
        } else {
            records.len()
        };
        let mut finder = Finder {
            records,
            start,
            end,
            width: 1,
            filled: 0,
            notes: Vec::new(),
        };
        if divided {
            finder.width = usual_width(records, start..end);
        }
        finder.filled = finder.usual_filling();
        if layouts.len() + 1 < MAX_TABLES
            && let Some(next) = finder.next_header()
        {
            finder.end = next;
            finder.width = usual_width(records, start..next);
            finder.filled = finder.usual_filling();
        }
        let begin = std::mem::replace(&mut start, finder.end);
        let layout = finder.find()?;
        headers.push(begin + layout.skipped);
        layouts.push(layout);
    }
    let count = layouts.len();
    if count > 1 {
        let message = format!("the file holds {count} tables, one below the other");
        let note = Note::new("several-tables", message, count as u64);
        let below = headers[1..].iter();
        let note = below.fold(note, |note, header| note.with_sample(records.line(*header)));
        layouts[0].notes.push(note);
    }
    Ok(layouts)
}

/// The most frequent width above one; the larger where two are as frequent.
fn usual_width(records: &Records<'_>, rows: Range<usize>) -> usize {
    let mut counts: Vec<usize> = Vec::new();
    for row in rows {
        let width = records.width(row);
        if counts.len() <= width {
            counts.resize(width + 1, 0);
        }
        counts[width] += 1;
    }
    let frequent = counts.iter().enumerate().skip(2).filter(|(_, count)| **count > 0);
    frequent
        .max_by_key(|(width, count)| (**count, *width))
        .map_or(1, |(width, _)| width)
}

impl Finder<'_, '_> {
    fn filled(&self, row: usize) -> usize {
        self.records.fields(row).filter(|f| !f.inner.trim().is_empty()).count()
    }

    fn usual_filling(&self) -> usize {
        let step = (self.end - self.start).div_ceil(TYPICAL_ROWS);
        let mut counts: Vec<usize> = (self.start..self.end)
            .step_by(step)
            .filter(|row| self.records.width(*row) > 1 || self.width == 1)
            .map(|row| self.filled(row))
            .collect();
        if counts.is_empty() {
            return 1;
        }
        let middle = counts.len() / 2;
        *counts.select_nth_unstable(middle).1
    }

    fn is_comment(&self, row: usize) -> bool {
        self.records.begins_with(row, '#')
    }

    fn find(mut self) -> Result<Layout, TableError> {
        let first = self.first_row();
        let has_header = self.has_header(first);
        let mut body = first + usize::from(has_header);
        let mut header: Vec<String> = if has_header {
            self.records.fields(first).map(|f| f.text().into_owned()).collect()
        } else {
            let message = "the first row holds values, not names; columns are called `column_<i>`";
            self.notes
                .push(Note::new("no-header", message, 0).with_sample(self.records.line(first)));
            Vec::new()
        };
        if has_header && header::holds_values(&header) {
            let message = "the first row, which holds values, was taken for the names of the columns";
            self.notes
                .push(Note::new("values-as-header", message, 0).with_sample(self.records.line(first)));
        }
        if header.iter().any(|name| name.len() > MAX_NAME_BYTES) {
            return Err(
                TableError::new(format!("has a column name of more than {MAX_NAME_BYTES} bytes"))
                    .with_hint("check that the file is delimited text with line breaks"),
            );
        }
        if has_header && self.joins_header(first) {
            self.join_header(&mut header, body);
            body += 1;
        }
        let rows = self.rows(first, body, has_header);
        let shifts = self.realign(header.len(), &rows);
        let names = self.columns(header, &rows, has_header, &shifts)?;
        Ok(Layout {
            skipped: first - self.start,
            has_header,
            names,
            rows,
            shifts,
            notes: self.notes,
        })
    }

    fn note_lines(&mut self, code: &'static str, what: &str, rows: &[usize]) {
        if rows.is_empty() {
            return;
        }
        let mut note = Note::new(code, format!("{} {what}", rows.len()), rows.len() as u64);
        for &row in rows.iter().take(Note::MAX_SAMPLES) {
            note = note.with_sample(self.records.line(row));
        }
        self.notes.push(note);
    }
}

/// The error for a table on its side.
pub fn too_wide() -> TableError {
    TableError::new(format!("has more than {MAX_COLUMNS} columns"))
        .with_hint("transpose the table, or check the delimiter")
}

fn index(row: usize) -> u32 {
    u32::try_from(row).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delimited::dialect::sniff;

    fn layout(text: &str) -> (Vec<String>, usize, Vec<&'static str>) {
        let sniffed = sniff(text);
        let records = Records::split(text, sniffed.format, false);
        let layout = lay_out(&records, sniffed.divided).unwrap().remove(0);
        let codes = layout.notes.iter().map(|note| note.code).collect();
        (layout.names, layout.rows.len(), codes)
    }

    #[test]
    fn preambles_and_footers_are_left_out() {
        let text = "Sales report\n\nprinted 2024-01-05\nid,name,qty\n1,bolt,5\n2,nut,7\n\nTotal: 12\n";
        assert_eq!(
            layout(text),
            (
                ["id", "name", "qty"].map(str::to_owned).to_vec(),
                2,
                vec!["preamble", "footer"]
            )
        );
        let text = "Title,,\n,,\nid,name,qty\n1,bolt,5\n2,nut,7\n,,\n,,\n";
        assert_eq!(layout(text).1, 2);
        assert_eq!(layout("# made by x\n#id,name\n1,a\n2,b\n").0, ["#id", "name"]);
    }

    #[test]
    fn a_missing_header_is_noticed_only_where_it_is_clear() {
        assert_eq!(
            layout("1,a,2024-01-05\n2,b,2024-01-06\n3,c,2024-01-07\n").0,
            ["column_1", "column_2", "column_3"]
        );
        assert_eq!(
            layout("region,2019,2020\nnorth,1,2\nsouth,3,4\n").0,
            ["region", "2019", "2020"]
        );
        assert_eq!(layout("city,country\nOslo,Norway\nRome,Italy\n").0, ["city", "country"]);
    }

    #[test]
    fn ragged_rows_lose_nothing() {
        let (names, rows, codes) = layout("a,b,c\n1,2,3\n4,5\n6,7,8,9\n10,11,12,\n");
        assert_eq!(names, ["a", "b", "c", "column_4"]);
        assert_eq!((rows, codes), (4, vec!["short-rows", "long-rows", "renamed-columns"]));
    }

    fn tables(text: &str) -> Vec<(Vec<String>, usize)> {
        let sniffed = sniff(text);
        let records = Records::split(text, sniffed.format, false);
        let layouts = lay_out(&records, sniffed.divided).unwrap();
        layouts
            .into_iter()
            .map(|layout| (layout.names, layout.rows.len()))
            .collect()
    }

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn another_table_below_a_blank_line_is_its_own() {
        let two = tables("id,name,qty\n1,bolt,5\n2,nut,7\n\ncity,country\nOslo,Norway\nRome,Italy\n");
        assert_eq!(
            two,
            [(names(&["id", "name", "qty"]), 2), (names(&["city", "country"]), 2)]
        );
        // The larger one below, with a title and a remark between them.
        let two = tables(
            "id,qty\n1,5\n2,7\n\nas of May\n\nTable 2\ncity,country,pop\nOslo,Norway,5\nRome,Italy,3\nBonn,Germany,2\n",
        );
        assert_eq!(
            two,
            [(names(&["id", "qty"]), 2), (names(&["city", "country", "pop"]), 3)]
        );
        // The same width: a name stands above values again.
        let two = tables("id,name,qty\n1,bolt,5\n2,nut,7\n\ncode,city,pop\n7,Oslo,5\n8,Rome,3\n");
        assert_eq!(
            two,
            [(names(&["id", "name", "qty"]), 2), (names(&["code", "city", "pop"]), 2)]
        );
    }

    #[test]
    fn a_row_with_a_word_for_its_value_divides_no_table() {
        let text = "Region,Product,Units\nNorth,Bolt,10\nNorth,Nut,8\n\nSouth,Bolt,pending\nSouth,Nut,5\n";
        assert_eq!(tables(text), [(names(&["Region", "Product", "Units"]), 4)]);
        // Whatever speaks for a header, a value from above is none of its names.
        let text = "Region,Product,Units\nNorth,Bolt,10\nNorth,Nut,8\n\n\nMay\nSouth,Bolt,pending\nSouth,Nut,5\n";
        assert_eq!(tables(text).len(), 1);
        let above = "id,name,qty\n1,bolt,5\n2,nut,7\n";
        assert_eq!(tables(&format!("{above}\nx3,screw,open\nx4,pin,9\n")).len(), 1);
        assert_eq!(tables("key,qty\nk,5\nl,7\n\nm,open\nn,9\n").len(), 1);
        for below in [
            "\n\nkey,city,pop\na,Oslo,5\nb,Rome,3\n",
            "\nTable 2\nkey,city,pop\na,Oslo,5\nb,Rome,3\n",
            "\nkey,name,pop\na,Oslo,5\nb,Rome,3\n",
        ] {
            let above = "key,name,qty\nk,bolt,5\nl,nut,7\n";
            assert_eq!(tables(&format!("{above}{below}")).len(), 2, "{below}");
        }
    }

    #[test]
    fn a_gap_alone_divides_no_table() {
        for text in [
            "id,name,qty\n1,bolt,5\n2,nut,7\n\n3,screw,9\n4,nail\n5,pin\n",
            "id,name,qty\n1,bolt,5\n\n2,nut,7\n\n3,screw,9\n\nx,nail,1\n\ny,pin,3\n",
            "a,b,c\nx,y,z\nu,v,w\n\nk,l,m\nn,o,p\n",
        ] {
            assert_eq!(tables(text).len(), 1, "{text}");
        }
        // Keys and values above the table are its preamble.
        let text = "Report,Sales,\nDate,2024-01-05,\n\nid,name,qty\n1,bolt,5\n2,nut,7\n";
        assert_eq!(tables(text), [(names(&["id", "name", "qty"]), 2)]);
    }

    #[test]
    fn padded_remarks_are_a_footer_and_totals_with_numbers_are_rows() {
        let text = "region,q1,q2\nnorth,1,2\nsouth,3,4\nTotal,,\nSource: a bureau,,\n";
        assert_eq!(layout(text), (names(&["region", "q1", "q2"]), 2, vec!["footer"]));
        assert_eq!(
            layout("区域,一季度,二季度\n北,1,2\n南,3,4\n合计,,\n来源：统计局,,\n").1,
            2
        );
        let text = "region,q1,q2\nnorth,1,2\nsouth,3,4\nTotal,4,6\n";
        assert_eq!(layout(text), (names(&["region", "q1", "q2"]), 3, vec!["total-row"]));
        // A record of which nothing is known but its key, whatever the key.
        assert_eq!(layout("key,value\nname,x\nsource,\n").1, 2);
        assert_eq!(
            layout("firm,a,b\nAcme,1,2\nSource Capital,,\nBolt,3,4\nNote Partners,,\nNuts,5,6\n").1,
            5
        );
    }

    #[test]
    fn what_a_single_column_leaves_out_is_said() {
        assert_eq!(layout("name\nAda\n\nGrace\n\n").2, ["blank-lines"]);
        assert_eq!(layout("5\napple\npear\n"), (names(&["5"]), 2, vec!["values-as-header"]));
        assert_eq!(layout("2019,2020\n1,2\n3,4\n").2, ["values-as-header"]);
    }

    #[test]
    fn keys_and_values_below_a_wide_gap_are_a_footer() {
        let above = "id,v\n1,2\n2,3\n";
        let pairs = "Total rows,2\nGenerated,2024-01-01\n";
        assert_eq!(
            layout(&format!("{above}\n\n{pairs}")),
            (names(&["id", "v"]), 2, vec!["footer"])
        );
        // One blank line leaves it open whether they are rows; so does a first column of words.
        assert_eq!(
            layout(&format!("{above}\n{pairs}")),
            (names(&["id", "v"]), 4, vec!["doubtful-rows"])
        );
        assert_eq!(layout(&format!("id,v\na,2\nb,3\n\n\n{pairs}")).1, 4);
        assert_eq!(layout("id,v,w\n1,2,3\n2,3,4\n\n\nx,4,5\n").1, 3);
        assert_eq!(layout(&format!("{above}{pairs}")).2, Vec::<&str>::new());
    }

    #[test]
    fn a_header_below_a_title_alone_is_said() {
        let codes = |text: &str| layout(text).2;
        let text = "id,v\n1,2\n2,3\nSection B\nname,price\nx,4.5\ny,5.5\n";
        assert_eq!(codes(text), ["second-header", "short-rows"]);
        // A heading among rows, and a row of words below one.
        for text in [
            "region,pop\nEurope\nFrance,60\nItaly,59\nAsia\nJapan,125\nIndia,1400\n",
            "name,city\nAda,London\nothers\nAlan,Wilmslow\nGrace,New York\n",
        ] {
            assert_eq!(codes(text), ["short-rows"], "{text}");
        }
    }

    #[test]
    fn headers_under_merged_cells_are_joined() {
        let text = "Date,Travel,,Cost\n,Air,Rail,\n2024-01-05,1,2,3\n2024-01-06,4,5,9\n";
        assert_eq!(layout(text).0, ["Date", "Travel Air", "Travel Rail", "Cost"]);
    }
}
