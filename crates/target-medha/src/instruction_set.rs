//! Microcode as text: one stream, a microinstruction a line. `#` begins a comment.

use crate::config::NAME;
use crate::microcode::ISA;
use ringwright_target::{Assembled, AssembledInstruction, InstructionSet, InstructionSetError};

/// Medha's microcode; several streams run at once, so one does not run alone.
pub const MICROCODE: InstructionSet = InstructionSet {
    name: "Medha microcode",
    target: NAME,
    extension: "medha",
    assemble,
    disassemble,
    alone: None,
};

/// Two words for each line: what to do, and what to wait for.
fn assemble(name: &str, text: &str) -> Result<Assembled, InstructionSetError> {
    let mut instructions = Vec::new();
    for (line, written) in (1..).zip(text.lines()) {
        let told = written.split('#').next().unwrap_or("").trim();
        if told.is_empty() {
            continue;
        }
        let wrong = |error| InstructionSetError(format!("{name}: line {line}: {error}"));
        let words = ISA.read(told).map_err(wrong)?;
        let text = ISA.write(words).map_err(wrong)?;
        instructions.extend(words.map(|word| AssembledInstruction {
            line,
            word,
            text: text.clone(),
        }));
    }
    Ok(Assembled {
        instructions,
        data_words: 0,
    })
}

fn disassemble(image: &[u8]) -> Result<String, InstructionSetError> {
    let (pairs, rest) = image.as_chunks::<16>();
    if !rest.is_empty() {
        let error = format!("{} bytes are no microinstructions of 16", image.len());
        return Err(InstructionSetError(error));
    }
    let line = |(number, pair): (usize, &[u8; 16])| {
        let word = |at: usize| {
            pair[at..at + 8]
                .iter()
                .rev()
                .fold(0, |w, &b| w << 8 | u64::from(b))
        };
        let wrong = |error| InstructionSetError(format!("microinstruction {number}: {error}"));
        ISA.write([word(0), word(8)])
            .map(|line| line + "\n")
            .map_err(wrong)
    };
    pairs.iter().enumerate().map(line).collect()
}
