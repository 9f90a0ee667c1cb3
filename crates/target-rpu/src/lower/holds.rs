//! The rule of a part's commands: what moves is held.
//!
//! From when a list of moves may begin until the run that counts it has begun, nobody else touches the
//! words that it moves; and no move touches what a run reads or writes while that may be under way.
//! Hardware can hold it, for both queues know both counts. Here it is checked of every part that runs.

use super::commands::{Item, Moved, ProgramPlace, Run, What};
use super::part::{Part, Piece};
use super::start::Call;
use std::ops::Range;

/// The memories of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Memory {
    Instructions,
    Scalars,
    Vectors,
}

type Held = (Memory, Range<usize>);

/// Whether no run may meet a move; the first that may, in words.
pub fn check(part: &Part) -> Result<(), String> {
    let list = &part.commands.list;
    let runs = list.iter().filter_map(|command| match &command.what {
        What::Run(run) => Some(run),
        What::Moves(_) => None,
    });
    for (number, (run, beside)) in runs.zip(part.commands.beside()).enumerate() {
        let used = of_run(part, run);
        for index in beside {
            let What::Moves(items) = &list[index].what else {
                continue;
            };
            let moved = items.iter().flat_map(|&item| of_item(part, item));
            if let Some((memory, words)) = moved.into_iter().find(|held| meets(held, &used)) {
                return Err(format!(
                    "command {index} may move words {words:?} of {memory:?} while run {number} uses them"
                ));
            }
        }
    }
    Ok(())
}

fn meets((memory, words): &Held, others: &[Held]) -> bool {
    let meets = |(other, range): &Held| {
        other == memory && range.start < words.end && words.start < range.end
    };
    others.iter().any(meets)
}

fn of_program(part: &Part, piece: usize, at: ProgramPlace) -> [Held; 2] {
    let (instructions, arguments) = part.program(piece);
    let words = |first: u32, count: usize| first as usize..first as usize + count;
    [
        (Memory::Instructions, words(at.instructions, instructions)),
        (Memory::Scalars, words(at.arguments, arguments)),
    ]
}

fn of_run(part: &Part, run: &Run) -> Vec<Held> {
    let mut held = of_program(part, run.piece, run.at).to_vec();
    let vectors = |words| (Memory::Vectors, words);
    match &part.pieces[run.piece] {
        Piece::Start(start) => {
            held.extend(start.calls.iter().flat_map(Call::ranges).map(vectors));
        }
        Piece::Sweep(sweep) => {
            let spans = [false, true].map(|leaves| sweep.spans(run.block, leaves));
            held.extend(
                spans
                    .into_iter()
                    .flatten()
                    .map(|span| vectors(span.range())),
            );
        }
    }
    held
}

fn of_item(part: &Part, item: Item) -> Vec<Held> {
    let spans = part.spans(item).map(|span| (Memory::Vectors, span.range()));
    match item.what {
        Moved::Program { at, .. } => of_program(part, item.piece as usize, at).to_vec(),
        _ => spans.collect(),
    }
}
