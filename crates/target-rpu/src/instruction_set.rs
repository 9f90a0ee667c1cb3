//! B512 for the command line: text to an image of the instruction memory and back.

use crate::execution::executed;
use crate::isa::{assemble, decode, encode, Program};
use crate::study::transform_time::{timed, GENERATORS};
use ringwright_target::{
    Alone, Assembled, AssembledInstruction, InstructionSet, InstructionSetError,
};

const BYTES: usize = 8;

/// B512.
pub const B512: InstructionSet = InstructionSet {
    name: "B512",
    target: "rpu",
    extension: "b512",
    assemble: assembled,
    disassemble: disassembled,
    alone: Some(Alone {
        memories: ["vdm", "sdm"],
        run: executed,
        generators: &GENERATORS,
        time_transform: timed,
    }),
};

fn assembled(name: &str, text: &str) -> Result<Assembled, InstructionSetError> {
    let program = assemble(name, text).map_err(|e| InstructionSetError(format!("{name}: {e}")))?;
    let instructions = program.instructions.iter().zip(&program.lines);
    let instructions = instructions.map(|(instruction, &line)| {
        let word = encode(instruction);
        let word = word.map_err(|e| InstructionSetError(format!("{name}: line {line}: {e}")))?;
        Ok(AssembledInstruction {
            line,
            word,
            text: instruction.to_string(),
        })
    });
    Ok(Assembled {
        instructions: instructions.collect::<Result<_, _>>()?,
        data_words: program.data.iter().map(|s| s.words.len() as u64).sum(),
    })
}

fn disassembled(image: &[u8]) -> Result<String, InstructionSetError> {
    if !image.len().is_multiple_of(BYTES) {
        return Err(InstructionSetError(format!(
            "{} bytes are no image of instructions; allowed are multiples of {BYTES}",
            image.len()
        )));
    }
    let words = image.chunks_exact(BYTES).enumerate();
    let instructions = words.map(|(i, bytes)| {
        let word = bytes
            .iter()
            .rev()
            .fold(0, |word, &byte| word << 8 | u64::from(byte));
        decode(word).map_err(|e| InstructionSetError(format!("instruction {i}: {e}")))
    });
    let program = Program::new("image", instructions.collect::<Result<_, _>>()?);
    Ok(program.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_reads_back_as_the_text_of_its_instructions() {
        let text = include_str!("../tests/programs/one_product.b512");
        let program = (B512.assemble)("one_product", text).expect("a program");
        let lines = program.instructions.iter().map(|i| format!("{}\n", i.text));
        let words = program.instructions.iter().map(|i| i.word);
        let image: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        assert_eq!((B512.disassemble)(&image), Ok(lines.collect()));
        assert!((B512.disassemble)(&image[1..]).is_err());
        assert!((B512.disassemble)(&[0; BYTES]).is_err());
    }
}
