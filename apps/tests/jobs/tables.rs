//! Tests of tables like those of spreadsheets and pandas, sorted, split, counted and selected by a column.

use crate::workdir::Workdir;

/// A table with quotes, a byte order mark, CRLF, an empty cell, an empty line, and a line break in a cell.
const SALES: &str = "\u{feff}name,price,region\r\n\"Tea, green\",2.50,2\r\n\"say \"\"hi\"\"\",-1,1\r\n\r\n\
                     Milk,,2\r\n\"two\r\nlines\",10,1\r\nBread,2.5,1\r\n";

#[test]
fn rows_are_sorted_by_a_column() {
    let workdir = Workdir::new();
    workdir.write("sales.csv", SALES);
    let ran = workdir.job("sort sales.csv --column price -o out.csv --verify --argsort order.txt");
    ran.expect_err("1 empty cell; these rows come last");
    let header = "\u{feff}name,price,region\r\n";
    let (tea, hi, milk, lines, bread) = (
        "\"Tea, green\",2.50,2\r\n",
        "\"say \"\"hi\"\"\",-1,1\r\n",
        "Milk,,2\r\n",
        "\"two\r\nlines\",10,1\r\n",
        "Bread,2.5,1\r\n",
    );
    assert_eq!(workdir.text("out.csv"), [header, hi, tea, bread, lines, milk].concat());
    assert_eq!(workdir.text("order.txt"), "1\n0\n4\n3\n2\n");
    // Two columns; the first has priority.
    workdir.job("sort sales.csv --column region --column price -o out.csv --force --descending");
    assert_eq!(workdir.text("out.csv"), [header, tea, milk, lines, bread, hi].concat());
    workdir.job("sort sales.csv --column 2 --keys-only -o keys.txt --type f32");
    assert_eq!(workdir.text("keys.txt"), "-1.0\n2.5\n2.5\n10.0\n");
    // Another separator requires other quotes.
    workdir.job("sort sales.csv --column price -o out.tsv");
    let begin = "name\tprice\tregion\n\"say \"\"hi\"\"\"\t-1\t1\n";
    assert!(workdir.text("out.tsv").starts_with(begin));
    // A table without a header, from standard input, with semicolons.
    let out = workdir.pipe("sort - --column 2 -o -", b"a;3\nb;1\n");
    assert_eq!(String::from_utf8_lossy(&out), "b;1\na;3\n");
}

#[test]
fn rows_are_split_and_counted() {
    let workdir = Workdir::new();
    workdir.write("t.tsv", "id\tx\na\t0.5\nb\t9\nc\t1.5\nd\t-3\n");
    workdir.job(
        "split t.tsv --column x --by delta --range 0 2 --buckets 2 --each part-{}.tsv -o all.tsv",
    );
    assert_eq!(workdir.text("part-0.tsv"), "id\tx\na\t0.5\nd\t-3\n");
    assert_eq!(workdir.text("part-1.tsv"), "id\tx\nb\t9\nc\t1.5\n");
    assert_eq!(workdir.text("all.tsv"), "id\tx\na\t0.5\nd\t-3\nb\t9\nc\t1.5\n");
    workdir.write("u.csv", "x\n1\n\n2\n\"\"\n");
    let ran = workdir.job("histogram u.csv --column x --bins 2 --json");
    ran.expect_out(&["\"counts\":[1,1]", "\"missing\":1"]);
}

#[test]
fn table_errors_are_reported() {
    let workdir = Workdir::new();
    workdir.write("t.csv", "id,x\n1,2\n3,four\n");
    workdir.write("ragged.csv", "id,x\n1,2\n3\n");
    workdir.write("gap.csv", "id,x\n1,2\n3,\n");
    workdir.write("a.npy", crate::arrays::npy(1, "<u4", 0, &[]));
    for (line, part) in [
        ("sort t.csv -o out.csv", "has several columns (id, x); choose one with --column"),
        ("sort t.csv -o out.csv --column y", "no column `y`; it has id, x"),
        ("sort t.csv -o out.csv --column x", "t.csv, line 3: `four` in column `x` is not a number"),
        (
            "sort ragged.csv -o out.csv --column x",
            "ragged.csv, line 3: the row has 1 cells, but the first row has 2",
        ),
        ("sort t.csv -o out.npy --column id", "rows of a table can only be written as text"),
        ("sort t.csv -o out --column id --output-format npy", "but out has a binary format"),
        (
            "split t.csv --column id --by identity --buckets 4 --each part-{}.npy",
            "but part-0.npy has a binary format",
        ),
        ("sort a.npy -o out.csv --column id", "a.npy has format npy, which has no columns"),
        (
            "split gap.csv -o out.csv --column x --buckets 2 --by delta",
            "gap.csv, line 3: the cell of column `x` is empty",
        ),
    ] {
        workdir.fails(line, part);
    }
}

#[test]
fn topk_finds_largest_and_smallest_rows() {
    let workdir = Workdir::new();
    workdir.write("sales.csv", SALES);
    let header = "\u{feff}name,price,region\r\n";
    let (tea, lines) = ("\"Tea, green\",2.50,2\r\n", "\"two\r\nlines\",10,1\r\n");
    workdir.job("topk sales.csv --column price -k 2 -o best.csv --indices where.txt --verify");
    assert_eq!(workdir.text("best.csv"), [header, lines, tea].concat());
    assert_eq!(workdir.text("where.txt"), "3\n0\n");
    // Rows without a price come last.
    workdir.job("topk sales.csv --column price -k 5 --smallest --indices all.txt");
    assert_eq!(workdir.text("all.txt"), "1\n0\n4\n3\n2\n");
    workdir.job("topk sales.csv --column price -k 2 --keys-only --type f32 -o keys.txt");
    assert_eq!(workdir.text("keys.txt"), "10.0\n2.5\n");
    let part = "-k 6 is too large: sales.csv has 5 rows";
    workdir.fails("topk sales.csv --column price -k 6 -o none.csv", part);
    workdir.run("topk sales.csv --column price --column region -k 1 -o none.csv").expect(2);
}

/// Rows that are written after an unclosed quote would become part of the quoted cell.
#[test]
fn unclosed_quotes_are_rejected() {
    let workdir = Workdir::new();
    workdir.write("open.csv", "a,b\n3,x\n2,y\n1,\"not closed\n");
    let part = "open.csv, line 4: a quote is not closed";
    workdir.fails("sort open.csv --column a -o out.csv", part);
    workdir.write("closed.csv", "a,b\n3,x\"\n2,\"y \"\"z\"\"\"\n1,\"two\nlines\"\n");
    workdir.job("sort closed.csv --column a -o out.csv");
    let expected = "a,b\n1,\"two\nlines\"\n2,\"y \"\"z\"\"\"\n3,x\"\n";
    assert_eq!(workdir.text("out.csv"), expected);
}

/// Integers that an f64 cannot represent are an error unless `--type f64` requests rounding.
#[test]
fn integers_are_not_rounded_silently() {
    let workdir = Workdir::new();
    workdir.write("ids.csv", "id\n9007199254740993\n9007199254740992\n-0.5\n");
    workdir.fails("sort ids.csv --column id -o out.csv", "line 2: `9007199254740993`");
    workdir.job("sort ids.csv --column id -o out.csv --type f64");
}
