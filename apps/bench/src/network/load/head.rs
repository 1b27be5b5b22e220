//! Parses the header of a network file.

use multisplit_sssp::network::Direction;

use super::blocks::Blocks;
use super::cursor::{Cursor, ParseError, parse_error};
use super::format::Format;
use crate::network::error::Result;

/// Format of the weight after the two vertices of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WeightText {
    Nothing,
    Integer,
    Real,
    /// Integers, or floats if a weight of the file is fractional or exceeds the maximum of u32.
    Either,
}

/// Header of a file, which determines how to parse its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// The character that begins each edge line; `None` if edge lines begin with a vertex.
    pub mark: Option<u8>,
    /// The lowest vertex number.
    pub base: u64,
    pub weight: WeightText,
    pub direction: Direction,
    /// Number of vertices, if the file contains it.
    pub vertices: Option<u64>,
    /// Number of edge lines, if the file contains it.
    pub announced: Option<u64>,
}

/// The header that is assumed for an edge list without weights, because such files do not contain one.
const LIST: Head = Head {
    mark: None,
    base: 0,
    weight: WeightText::Nothing,
    direction: Direction::Directed,
    vertices: None,
    announced: None,
};

impl Head {
    /// Reads the header and leaves the edges in `blocks`.
    pub fn read(format: Format, blocks: &mut Blocks<'_>) -> Result<Self> {
        match format {
            Format::EdgeList => Ok(LIST),
            Format::WeightedEdgeList => Ok(Self { weight: WeightText::Either, ..LIST }),
            Format::MatrixMarket => {
                let missing = "the line with the numbers of rows, columns and entries is missing";
                let mut head = None;
                lines(blocks, missing, |line| matrix_market(line, &mut head))
            }
            Format::Dimacs => lines(blocks, "the line `p sp VERTICES ARCS` is missing", dimacs),
        }
    }
}

/// Calls `parse` for each line until it returns a header. If the file ends first, returns an error with the text
/// `missing`.
fn lines(
    blocks: &mut Blocks<'_>,
    missing: &str,
    mut parse: impl FnMut(&mut Cursor<'_>) -> Result<Option<Head>, ParseError>,
) -> Result<Head> {
    let mut number = 0;
    while let Some(block) = blocks.next()? {
        number = block.first_line;
        let mut cursor = Cursor::new(&block.text);
        while !cursor.at_end() {
            let head = parse(&mut cursor).map_err(|text| blocks.malformed(number, text))?;
            if let Some(head) = head {
                blocks.push_back(&block, cursor.at);
                return Ok(head);
            }
            number += 1;
        }
    }
    Err(blocks.malformed(number.max(1), missing))
}

/// Parses a line of a Matrix Market header: the banner, which is stored in `banner`, a comment, or the line with the
/// numbers of rows, columns and entries, which completes the header.
fn matrix_market(
    line: &mut Cursor<'_>,
    banner: &mut Option<Head>,
) -> Result<Option<Head>, ParseError> {
    let Some(head) = *banner else {
        *banner = Some(matrix_market_banner(line)?);
        return Ok(None);
    };
    if matches!(line.first(), b'%' | b'\n') {
        line.skip_line();
        return Ok(None);
    }
    let (rows, columns, entries) = (line.integer()?, line.integer()?, line.integer()?);
    line.end_of_line()?;
    if rows != columns {
        return Err(format!(
            "there are {rows} rows and {columns} columns, but a network needs a square matrix"
        ));
    }
    Ok(Some(Head { vertices: Some(rows), announced: Some(entries), ..head }))
}

fn matrix_market_banner(line: &mut Cursor<'_>) -> Result<Head, ParseError> {
    let mut next = || line.word().to_ascii_lowercase();
    let (banner, object, form, field, symmetry) = (next(), next(), next(), next(), next());
    for (word, text, expected) in [
        (banner, "%%matrixmarket", "`%%MatrixMarket`"),
        (object, "matrix", "`matrix`"),
        (form, "coordinate", "`coordinate`"),
    ] {
        if word != text.as_bytes() {
            return Err(parse_error(&word, expected));
        }
    }
    let weight = match field.as_slice() {
        b"pattern" => WeightText::Nothing,
        b"integer" => WeightText::Integer,
        b"real" => WeightText::Real,
        other => return Err(parse_error(other, "`pattern`, `integer` or `real`")),
    };
    let direction = match symmetry.as_slice() {
        b"general" => Direction::Directed,
        b"symmetric" => Direction::Undirected,
        other => return Err(parse_error(other, "`general` or `symmetric`")),
    };
    line.end_of_line()?;
    Ok(Head { base: 1, weight, direction, ..LIST })
}

/// Parses a line of a DIMACS header: a comment, or the problem line, which completes the header.
fn dimacs(line: &mut Cursor<'_>) -> Result<Option<Head>, ParseError> {
    match line.first() {
        b'c' | b'\n' => {
            line.skip_line();
            return Ok(None);
        }
        b'p' => line.skip(),
        _ => return Err(parse_error(line.word(), "a comment `c` or the problem `p`")),
    }
    let problem = line.word();
    if problem != b"sp" {
        return Err(parse_error(problem, "`sp`"));
    }
    let (vertices, arcs) = (Some(line.integer()?), Some(line.integer()?));
    line.end_of_line()?;
    let (mark, weight) = (Some(b'a'), WeightText::Integer);
    Ok(Some(Head { mark, base: 1, weight, vertices, announced: arcs, ..LIST }))
}
