//! Parses the header of a file.

use multisplit_sssp::network::Direction;

use super::blocks::Blocks;
use super::cursor::{Cursor, ParseError, parse_error};
use super::format::Format;
use super::problem::Problem;

/// The weight after the two vertices of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WeightText {
    Nothing,
    Integer,
    Real,
    /// Integers, unless at least one is fractional.
    Either,
}

/// Header of a file, which determines how to parse its lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// The word at the beginning of an edge line.
    pub mark: Option<u8>,
    /// The lowest vertex number.
    pub base: u64,
    pub weight: WeightText,
    pub direction: Direction,
    /// Number of vertices, if the file contains it.
    pub vertices: Option<u64>,
    pub announced: Option<u64>,
}

impl Head {
    /// Reads the header and leaves the edges in `blocks`.
    pub fn read(format: Format, blocks: &mut Blocks<'_>) -> Result<Self, Problem> {
        let list = |weight| Self {
            mark: None,
            base: 0,
            weight,
            direction: Direction::Directed,
            vertices: None,
            announced: None,
        };
        match format {
            Format::EdgeList => Ok(list(WeightText::Nothing)),
            Format::WeightedEdgeList => Ok(list(WeightText::Either)),
            Format::MatrixMarket => lines(blocks, MatrixMarket::default()),
            Format::Dimacs => lines(blocks, Dimacs),
        }
    }
}

/// Parses the lines of a header.
trait HeadLines {
    /// Parses a line. Returns `Some` if it was the last line of the header.
    fn line(&mut self, line: &mut Cursor<'_>) -> Result<Option<Head>, ParseError>;
    /// Error message if the file ends before the header is complete.
    const MISSING: &'static str;
}

fn lines<H: HeadLines>(blocks: &mut Blocks<'_>, mut reader: H) -> Result<Head, Problem> {
    let mut number = 0;
    while let Some(block) = blocks.next()? {
        number = block.first_line;
        let mut cursor = Cursor::new(&block.text);
        while !cursor.at_end() {
            let head = reader.line(&mut cursor).map_err(|text| Problem::Line(number, text))?;
            if let Some(head) = head {
                blocks.push_back(&block, cursor.at());
                return Ok(head);
            }
            number += 1;
        }
    }
    Err(Problem::Line(number.max(1), H::MISSING.to_owned()))
}

/// A banner, comments, and a line with rows, columns and entries.
#[derive(Default)]
struct MatrixMarket {
    banner: Option<(WeightText, Direction)>,
}

impl HeadLines for MatrixMarket {
    const MISSING: &'static str =
        "the line with the numbers of rows, columns and entries is missing";

    fn line(&mut self, line: &mut Cursor<'_>) -> Result<Option<Head>, ParseError> {
        let Some((weight, direction)) = self.banner else {
            self.banner = Some(Self::banner(line)?);
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
        let (vertices, announced) = (Some(rows), Some(entries));
        Ok(Some(Head { mark: None, base: 1, weight, direction, vertices, announced }))
    }
}

impl MatrixMarket {
    fn banner(line: &mut Cursor<'_>) -> Result<(WeightText, Direction), ParseError> {
        let mut next = || line.word().to_ascii_lowercase();
        let (banner, object, form, field, symmetry) = (next(), next(), next(), next(), next());
        if banner != b"%%matrixmarket" {
            return Err(parse_error(&banner, "`%%MatrixMarket`"));
        }
        if object != b"matrix" {
            return Err(parse_error(&object, "`matrix`"));
        }
        if form != b"coordinate" {
            return Err(parse_error(&form, "`coordinate`"));
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
        Ok((weight, direction))
    }
}

/// Comments, and a problem line.
struct Dimacs;

impl HeadLines for Dimacs {
    const MISSING: &'static str = "the line `p sp VERTICES ARCS` is missing";

    fn line(&mut self, line: &mut Cursor<'_>) -> Result<Option<Head>, ParseError> {
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
        let (vertices, arcs) = (line.integer()?, line.integer()?);
        line.end_of_line()?;
        Ok(Some(Head {
            mark: Some(b'a'),
            base: 1,
            weight: WeightText::Integer,
            direction: Direction::Directed,
            vertices: Some(vertices),
            announced: Some(arcs),
        }))
    }
}
