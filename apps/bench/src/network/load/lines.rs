//! Parses lines into edges on all cores.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use multisplit_sssp::network::{EdgeList, EdgeWeights};

use super::blocks::{Block, Blocks};
use super::cursor::{Cursor, ParseError, parse_error};
use super::head::{Head, WeightText};
use crate::data;
use crate::network::error::Result;

/// The edges of one block. Weights are in `integers` or in `real`; without weights, both are empty.
#[derive(Default)]
struct Parsed {
    from: Vec<u32>,
    to: Vec<u32>,
    integers: Vec<u32>,
    real: Vec<f64>,
    /// Whether any weight is fractional or exceeds the maximum of u32.
    fractions: bool,
}

type Outcome = Result<Parsed, (u64, ParseError)>;
/// Index and result of each parsed block.
type Outcomes = Mutex<Vec<(usize, Outcome)>>;

/// Parses all remaining `blocks`.
pub(super) fn parse(head: &Head, blocks: &mut Blocks<'_>) -> Result<EdgeList> {
    let threads = data::cores();
    let outcomes = Outcomes::default();
    let failed = AtomicBool::new(false);
    // Bounded, so that a fast reader does not fill memory.
    let (sender, receiver) = sync_channel::<(usize, Block)>(2 * threads);
    let receiver = Mutex::new(receiver);
    let read: Result<()> = thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| work(head, &receiver, &outcomes, &failed));
        }
        // Move the sender into this scope, so that the parsers stop even if this returns early.
        let sender = sender;
        let mut index = 0;
        while !failed.load(Ordering::Relaxed)
            && let Some(block) = blocks.next()?
        {
            if sender.send((index, block)).is_err() {
                break;
            }
            index += 1;
        }
        Ok(())
    });
    let mut outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    outcomes.sort_by_key(|(index, _)| *index);
    let mut all = Vec::with_capacity(outcomes.len());
    // Threads take the blocks in the order of the file, so all blocks before a failed one have been parsed, and the
    // first error here is the first one of the file.
    for (_, outcome) in outcomes {
        all.push(outcome.map_err(|(line, problem)| blocks.malformed(line, problem))?);
    }
    read?;
    let count: usize = all.iter().map(|block| block.from.len()).sum();
    blocks.check_memory("the list of edges", 12 * count)?;
    Ok(join(head, all))
}

fn work(
    head: &Head,
    receiver: &Mutex<Receiver<(usize, Block)>>,
    outcomes: &Outcomes,
    failed: &AtomicBool,
) {
    let next = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
    while let Ok((index, block)) = next() {
        let outcome = parse_block(head, &block);
        if outcome.is_err() {
            failed.store(true, Ordering::Relaxed);
        }
        outcomes.lock().unwrap_or_else(PoisonError::into_inner).push((index, outcome));
    }
}

fn parse_block(head: &Head, block: &Block) -> Outcome {
    // An edge takes about 16 bytes of text.
    let guess = block.text.len() / 16;
    let mut parsed = Parsed { from: Vec::with_capacity(guess), ..Parsed::default() };
    parsed.to.reserve(guess);
    let mut cursor = Cursor::new(&block.text);
    let mut line = block.first_line;
    while !cursor.at_end() {
        parse_line(head, &mut cursor, &mut parsed).map_err(|problem| (line, problem))?;
        line += 1;
    }
    Ok(parsed)
}

fn parse_line(head: &Head, line: &mut Cursor<'_>, parsed: &mut Parsed) -> Result<(), ParseError> {
    match (line.first(), head.mark) {
        (b'\n', _) | (b'%' | b'#', None) | (b'c', Some(_)) => {
            line.skip_line();
            return Ok(());
        }
        (first, Some(mark)) if first == mark => line.skip(),
        (_, Some(mark)) => {
            return Err(parse_error(line.word(), &format!("`{}`", char::from(mark))));
        }
        (_, None) => {}
    }
    parsed.from.push(vertex(head, line)?);
    parsed.to.push(vertex(head, line)?);
    match head.weight {
        WeightText::Nothing => {}
        WeightText::Integer => parsed.integers.push(integer_weight(line)?),
        WeightText::Real | WeightText::Either => {
            let weight = line.real()?;
            if !(weight >= 0.0 && (weight as f32).is_finite()) {
                return Err(format!(
                    "the weight is {weight:?}; weights must be from 0 to {:?}",
                    f32::MAX
                ));
            }
            parsed.fractions |= weight.fract() != 0.0 || weight > f64::from(u32::MAX);
            parsed.real.push(weight);
        }
    }
    line.end_of_line()
}

fn vertex(head: &Head, line: &mut Cursor<'_>) -> Result<u32, ParseError> {
    let number = line.integer()?;
    // Without an announced vertex count, accept 2^32 - 1 vertices; `Network::new` checks its own
    // limits.
    let end = head.vertices.unwrap_or(u64::from(u32::MAX)).saturating_add(head.base);
    if number < head.base || number >= end {
        return Err(format!(
            "vertex {number} does not exist; vertices are numbered from {} to {}",
            head.base,
            end - 1
        ));
    }
    u32::try_from(number - head.base)
        .map_err(|_| format!("vertex {number} does not fit in 32 bits"))
}

fn integer_weight(line: &mut Cursor<'_>) -> Result<u32, ParseError> {
    if line.first() == b'-' {
        let word = String::from_utf8_lossy(line.word()).into_owned();
        return Err(format!("the weight is {word}; weights must not be negative"));
    }
    let weight = line.integer()?;
    u32::try_from(weight).map_err(|_| format!("the weight {weight} does not fit in 32 bits"))
}

fn join(head: &Head, blocks: Vec<Parsed>) -> EdgeList {
    let count = blocks.iter().map(|block| block.from.len()).sum();
    let fractions = blocks.iter().any(|block| block.fractions);
    // If all weights are integers and a 32-bit float cannot represent one of them, keep integers.
    let rounded = |&weight: &f64| f64::from(weight as f32) != weight;
    let inexact = !fractions && blocks.iter().any(|block| block.real.iter().any(rounded));
    let mut edges = EdgeList {
        from: Vec::with_capacity(count),
        to: Vec::with_capacity(count),
        weights: match head.weight {
            WeightText::Nothing => EdgeWeights::Ones,
            WeightText::Real if !inexact => EdgeWeights::F32(Vec::with_capacity(count)),
            WeightText::Either if fractions => EdgeWeights::F32(Vec::with_capacity(count)),
            WeightText::Integer | WeightText::Either | WeightText::Real => {
                EdgeWeights::U32(Vec::with_capacity(count))
            }
        },
    };
    // Each block is freed after it has been added.
    for block in blocks {
        edges.from.extend_from_slice(&block.from);
        edges.to.extend_from_slice(&block.to);
        match &mut edges.weights {
            EdgeWeights::Ones => {}
            EdgeWeights::U32(weights) if head.weight == WeightText::Integer => {
                weights.extend_from_slice(&block.integers);
            }
            EdgeWeights::U32(weights) => weights.extend(block.real.iter().map(|&w| w as u32)),
            EdgeWeights::F32(weights) => weights.extend(block.real.iter().map(|&w| w as f32)),
        }
    }
    edges
}
