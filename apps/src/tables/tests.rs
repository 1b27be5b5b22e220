use super::{Dialect, Table, TableError, separator};
use crate::formats::{Data, Element};

fn table(text: &str, columns: &[&str]) -> Table {
    let columns: Vec<String> = columns.iter().map(|&column| column.to_owned()).collect();
    Table::new("t.csv".to_owned(), text.into(), Dialect::default(), &columns)
        .expect("the table is valid")
}

fn written(table: &Table, separator: u8, order: &[u32]) -> String {
    let mut out = Vec::new();
    table.write(&mut out, separator, order.iter().copied()).expect("the table can be written");
    String::from_utf8(out).expect("the text is UTF-8")
}

#[test]
fn rows_are_written_unchanged() {
    let text = "\u{feff}name,price\r\n\"a, \"\"b\"\"\",2\r\n\r\n\"line\r\nbreak\",-1\r\nc,3";
    let table = table(text, &["price"]);
    assert_eq!(table.len(), 3);
    let column = table.column("price", None).expect("the column contains numbers");
    assert_eq!(column.keys.data(), &Data::Bytes8(vec![2, u64::MAX, 3]));
    assert_eq!(
        written(&table, b',', &[1, 0, 2]),
        "\u{feff}name,price\r\n\"line\r\nbreak\",-1\r\n\"a, \"\"b\"\"\",2\r\nc,3\r\n"
    );
    assert_eq!(written(&table, b'\t', &[2, 0]), "name\tprice\nc\t3\n\"a, \"\"b\"\"\"\t2\n");
}

#[test]
fn first_row_is_a_header_unless_its_cell_is_a_number() {
    for (text, columns, rows) in [
        ("a,b\n1,2\n", &["2"][..], 1),
        ("1,2\n3,4\n", &["2"], 2),
        ("a,1\n3,4\n", &["1"], 1),
        ("a,1\n3,4\n", &["2"], 2),
        ("2020,x\n3,4\n", &["2020"], 1),
        ("a;b\n1;2\n", &["b"], 1),
        ("\"a,b\"|c\n1|2\n", &["c"], 1),
    ] {
        assert_eq!(table(text, columns).len(), rows, "{text}");
    }
    let dialect = Dialect { separator: Some(b','), no_header: true };
    let all = Table::new(String::new(), b"a,b\nc,d\n".to_vec(), dialect, &["2".to_owned()]);
    assert_eq!(all.expect("the table is valid").len(), 2);
}

#[test]
fn column_type_is_the_first_that_represents_all_cells() {
    let table = table("i,u,f,e\n-1,1,0.5,\n2,18446744073709551615,3,7\n", &["i"]);
    let element =
        |name: &str| table.column(name, None).expect("the column contains numbers").keys.element();
    assert_eq!(
        ["i", "u", "f", "e"].map(element),
        [Element::I64, Element::U64, Element::F64, Element::I64]
    );
    let gaps = table.column("e", None).expect("the column contains numbers");
    assert_eq!((gaps.missing, gaps.present, gaps.keys.len()), (vec![0], Some(vec![1]), 1));
    let asked = table.column("f", Some(Element::F32)).expect("the column contains numbers");
    assert_eq!(asked.keys.data(), &Data::Bytes4(vec![0.5f32.to_bits(), 3f32.to_bits()]));
}

#[test]
fn table_errors_are_reported() {
    let table = table("a,b,b\n1,x,2\n", &["a"]);
    let text = |error: TableError| error.to_string();
    let problem = |name: &str, asked| table.column(name, asked).map(|_| ()).map_err(text);
    assert_eq!(problem("z", None), Err("t.csv has no column `z`; it has a, b, b".to_owned()));
    assert_eq!(
        problem("b", None),
        Err("t.csv has several columns `b`; choose one by its number".to_owned())
    );
    assert_eq!(
        problem("2", None),
        Err("t.csv, line 2: `x` in column `b` is not a number".to_owned())
    );
    assert!(problem("4", None).is_err() && problem("0", None).is_err());
    let ragged = Table::new("t.csv".to_owned(), b"a,b\n1\n".to_vec(), Dialect::default(), &[]);
    assert_eq!(
        ragged.map(|_| ()).map_err(text),
        Err("t.csv, line 2: the row has 1 cells, but the first row has 2".to_owned())
    );
    assert_eq!((separator("tab"), separator(";")), (Ok(b'\t'), Ok(b';')));
    assert!(separator("ab").is_err() && separator("\"").is_err());
}
