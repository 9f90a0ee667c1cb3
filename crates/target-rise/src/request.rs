//! The requests of the control register: which calls the hardware can do, and what the host writes
//! for one.
//!
//! The lowering cuts programs into calls of any length; what the papers' client asks for has one of
//! four forms, and those the I/O controller knows (`hw/rise/rtl/rise_io_control.sv`). A call of
//! another form runs on the simulated units, has no request here, and its steps are modelled.

use crate::core::{Group, Pointwise};
use crate::lowered::{Drawn, Instruction};
use crate::registers::REGISTERS;
use crate::shape::Layout;
use crate::slot::Slot;
use crate::twiddles::Direction;
use crate::units::sampler::Draw;
use ringwright_target::image::RegisterWrite;

/// Place of an instruction in the I/O controller's list, `slot_e` of `rise_io_control_pkg`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Source 0 into BG0.
    Fetch0,
    /// Its transform.
    Transform0,
    /// Source 1 into BG1.
    Load1,
    /// BG0 times BG1.
    Multiply,
    /// Source 2 into BG0.
    Fetch2,
    /// Its transform.
    Transform2,
    /// BG0 plus BG1.
    Add,
    /// The transform of the sum.
    TransformSum,
    /// The result to memory.
    Store,
}

/// What a place of a request must hold.
#[derive(Clone, Copy)]
enum Expected {
    Fetch(Layout),
    Load(Layout),
    Transform(Group, Direction),
    Pointwise(Pointwise),
    Store(Group, Layout),
}

use Direction::{Forward, Inverse};
use Expected::{Fetch, Load, Store, Transform};
use Group::{Bg0, Bg1};
use Layout::{ForwardIn, ForwardOut, InverseIn, InverseOut};

/// Name of the request, and its instructions in order.
type Form = (&'static str, &'static [(Place, Expected)]);

const FORMS: [Form; 4] = [
    (
        "half_encryption",
        &[
            (Place::Fetch0, Fetch(ForwardIn)),
            (Place::Transform0, Transform(Bg0, Forward)),
            (Place::Load1, Load(ForwardOut)),
            (Place::Multiply, Expected::Pointwise(Pointwise::Mul)),
            (Place::Fetch2, Fetch(ForwardIn)),
            (Place::Transform2, Transform(Bg0, Forward)),
            (Place::Add, Expected::Pointwise(Pointwise::Add)),
            (Place::Store, Store(Bg1, ForwardOut)),
        ],
    ),
    (
        "decryption",
        &[
            (Place::Fetch0, Fetch(InverseIn)),
            (Place::Load1, Load(InverseIn)),
            (Place::Multiply, Expected::Pointwise(Pointwise::Mul)),
            (Place::Fetch2, Fetch(InverseIn)),
            (Place::Add, Expected::Pointwise(Pointwise::Add)),
            (Place::TransformSum, Transform(Bg1, Inverse)),
            (Place::Store, Store(Bg1, InverseOut)),
        ],
    ),
    (
        "forward",
        &[
            (Place::Fetch0, Fetch(ForwardIn)),
            (Place::Transform0, Transform(Bg0, Forward)),
            (Place::Store, Store(Bg0, ForwardOut)),
        ],
    ),
    (
        "inverse",
        &[
            (Place::Fetch0, Fetch(InverseIn)),
            (Place::Transform0, Transform(Bg0, Inverse)),
            (Place::Store, Store(Bg0, InverseOut)),
        ],
    ),
];

impl Expected {
    fn admits(self, instruction: &Instruction) -> bool {
        match (self, instruction) {
            (Fetch(at), Instruction::Load(_, Bg0, layout))
            | (Fetch(at), Instruction::Sample(_, Bg0, layout))
            | (Fetch(at), Instruction::LoadSum(_, _, Bg0, layout))
            | (Load(at), Instruction::Load(_, Bg1, layout)) => at == *layout,
            (Transform(group, direction), Instruction::Transform(on, way)) => {
                group == *on && direction == *way
            }
            (Expected::Pointwise(operation), Instruction::Pointwise(found)) => operation == *found,
            (Store(group, at), Instruction::Store(_, from, layout)) => {
                group == *from && at == *layout
            }
            _ => false,
        }
    }
}

/// A call as the I/O controller takes it.
#[derive(Clone, Debug)]
pub struct Request {
    /// Value of the control register's field.
    pub number: u32,
    /// Of each instruction.
    pub places: Vec<Place>,
}

impl Request {
    /// The request whose form the call has.
    pub fn of(instructions: &[Instruction]) -> Option<Self> {
        let fits = |form: &&Form| {
            let pairs = form.1.iter().zip(instructions);
            form.1.len() == instructions.len() && pairs.into_iter().all(|((_, e), i)| e.admits(i))
        };
        let (name, form) = FORMS.iter().find(fits)?;
        Some(Request {
            number: REGISTERS.register("control").field("request").named(name),
            places: form.iter().map(|(place, _)| *place).collect(),
        })
    }
}

/// Where the host has put what a call needs, in bytes from the device's base.
pub trait Addresses {
    /// The constants of the call's prime.
    fn constants(&self) -> u32;
    /// A tower.
    fn tower(&self, slot: Slot) -> u32;
    /// The lane at which a stream's message goes on behind the seed, and its blocks.
    fn message(&self, stream: &str) -> (u32, u32);
}

/// What the host writes for a call, the control register last.
pub fn writes(
    instructions: &[Instruction],
    request: &Request,
    addresses: &impl Addresses,
) -> Vec<RegisterWrite> {
    let mut sources = [0; 3];
    let (mut destination, mut sample) = (0, 0);
    for (place, instruction) in request.places.iter().zip(instructions) {
        let source = match place {
            Place::Fetch0 => 0,
            Place::Load1 => 1,
            _ => 2,
        };
        match instruction {
            Instruction::Load(slot, ..) => sources[source] = addresses.tower(*slot),
            Instruction::Sample(drawn, ..) => sample |= draw(source, drawn, false, addresses),
            Instruction::LoadSum(slot, drawn, ..) => {
                sources[source] = addresses.tower(*slot);
                sample |= draw(source, drawn, true, addresses);
            }
            Instruction::Store(slot, ..) => destination = addresses.tower(*slot),
            _ => {}
        }
    }
    [
        ("constants", addresses.constants()),
        ("source_0", sources[0]),
        ("source_1", sources[1]),
        ("source_2", sources[2]),
        ("destination", destination),
        ("sample", sample),
        ("control", field("control", "request", request.number)),
    ]
    .map(|(name, value)| write(name, 0, value))
    .into()
}

/// The bits of the sample register for one source.
fn draw(source: usize, drawn: &Drawn, add: bool, addresses: &impl Addresses) -> u32 {
    let (tail, blocks) = addresses.message(&drawn.stream);
    let name = match drawn.draw {
        Draw::Ternary => "ternary",
        Draw::Binomial => "binomial",
    };
    let draw = REGISTERS.register("sample").field("draw_0").named(name);
    [
        ("draw", draw),
        ("add", add.into()),
        ("blocks", blocks),
        ("tail", tail),
    ]
    .map(|(part, value)| field("sample", &format!("{part}_{source}"), value))
    .into_iter()
    .fold(0, |bits, part| bits | part)
}

/// A word for a register of the file.
pub fn write(name: &str, index: u32, value: u32) -> RegisterWrite {
    RegisterWrite {
        offset: REGISTERS.register(name).offset + 4 * index,
        value,
    }
}

/// A value in its field's bits.
pub fn field(register: &str, field: &str, value: u32) -> u32 {
    REGISTERS.register(register).field(field).placed(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    struct Numbers;

    impl Addresses for Numbers {
        fn constants(&self) -> u32 {
            1003
        }

        fn tower(&self, slot: Slot) -> u32 {
            slot.0
        }

        fn message(&self, stream: &str) -> (u32, u32) {
            (stream.len() as u32, 1)
        }
    }

    fn drawn(draw: Draw, stream: &str) -> Arc<Drawn> {
        Arc::new(Drawn {
            draw,
            stream: stream.to_owned(),
            seed: 0,
        })
    }

    fn half_encryption() -> Vec<Instruction> {
        vec![
            Instruction::Sample(drawn(Draw::Ternary, "u"), Bg0, ForwardIn),
            Instruction::Transform(Bg0, Forward),
            Instruction::Load(Slot(7), Bg1, ForwardOut),
            Instruction::Pointwise(Pointwise::Mul),
            Instruction::LoadSum(Slot(8), drawn(Draw::Binomial, "e0"), Bg0, ForwardIn),
            Instruction::Transform(Bg0, Forward),
            Instruction::Pointwise(Pointwise::Add),
            Instruction::Store(Slot(9), Bg1, ForwardOut),
        ]
    }

    #[test]
    fn a_call_is_what_the_host_writes_the_control_register_last() {
        let call = half_encryption();
        let request = Request::of(&call).expect("a half-encryption");
        let writes = writes(&call, &request, &Numbers);
        assert_eq!(writes.len() as u64, REGISTERS.writes_per_call());
        let value = |name| {
            let offset = write(name, 0, 0).offset;
            let found = writes.iter().find(|write| write.offset == offset);
            found.expect("written").value
        };
        assert_eq!(value("constants"), 1003);
        let words = ["source_1", "source_2", "destination"].map(value);
        assert_eq!(words, [7, 8, 9]);
        let sample = value("sample");
        let part = |name: &str| {
            let [high, low] = REGISTERS.register("sample").field(name).bits;
            (sample >> low) & ((1 << (high - low + 1)) - 1)
        };
        assert_eq!(["draw_0", "add_0", "tail_0"].map(part), [1, 0, 1]);
        assert_eq!(["draw_2", "add_2", "tail_2"].map(part), [2, 1, 2]);
        assert_eq!(writes.last().map(|write| write.value), Some(request.number));
    }

    #[test]
    fn a_call_of_another_form_has_no_request() {
        let mut call = half_encryption();
        call.swap(1, 2);
        assert!(Request::of(&call).is_none());
        let mut call = half_encryption();
        call[6] = Instruction::Pointwise(Pointwise::SubFrom0);
        assert!(Request::of(&call).is_none());
        let mut call = half_encryption();
        call.pop();
        assert!(Request::of(&call).is_none());
    }
}
