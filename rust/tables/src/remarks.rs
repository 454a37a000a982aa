//! Words that stand below a table: remarks on it and totals.

/// Words that open a remark below a table, in lower case; a colon follows.
const REMARKS: [&str; 22] = [
    "source",
    "sources",
    "data source",
    "note",
    "notes",
    "n.b",
    "remark",
    "remarks",
    "footnote",
    "footnotes",
    "disclaimer",
    "last updated",
    "quelle",
    "fuente",
    "来源",
    "资料来源",
    "数据来源",
    "注",
    "备注",
    "附注",
    "说明",
    "更新时间",
];
/// Words that stand before a total, in lower case.
const TOTALS: [&str; 12] = [
    "total",
    "totals",
    "grand total",
    "subtotal",
    "sub-total",
    "sum",
    "summe",
    "合计",
    "总计",
    "小计",
    "共计",
    "总和",
];

/// Whether the only field of a row with all its delimiters remarks on the table: `Source: …`, `* estimated`, and in a
/// table of three columns or more a `Total` without any number.
pub(crate) fn is_remark(field: &str, width: usize) -> bool {
    let field = field.to_lowercase();
    if width >= 3 && TOTALS.contains(&field.trim_end_matches([':', '：', ' '])) {
        return true;
    }
    let opening = field.split([':', '：']).next().unwrap_or_default().trim();
    let colon = opening.len() < field.len();
    (colon && (REMARKS.contains(&opening) || TOTALS.contains(&opening)))
        || ["* ", "** ", "† ", "‡ ", "※"]
            .iter()
            .any(|mark| field.starts_with(mark))
}

/// Whether the first field of a row with values calls it a total.
pub(crate) fn is_total(field: &str) -> bool {
    TOTALS.contains(&field.trim().trim_end_matches([':', '：', ' ']).to_lowercase().as_str())
}
