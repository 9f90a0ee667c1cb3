//! Between an instruction and its operands as numbers, each under the name that the table gives it.

use super::{AReg, Form, Instruction, MReg, Mode, Op, SReg, ShuffleOp, VReg};

impl Instruction {
    /// The word in text.
    pub fn mnemonic(&self) -> &'static str {
        use Instruction::*;
        match self {
            VLoad { .. } => "vload",
            VStore { .. } => "vstore",
            SLoad { .. } => "sload",
            MLoad { .. } => "mload",
            ALoad { .. } => "aload",
            Vector { op: Op::Add, .. } => "vadd",
            Vector { op: Op::Sub, .. } => "vsub",
            Vector { op: Op::Mul, .. } => "vmul",
            VectorScalar { op: Op::Add, .. } => "vadds",
            VectorScalar { op: Op::Sub, .. } => "vsubs",
            VectorScalar { op: Op::Mul, .. } => "vmuls",
            Butterfly { .. } => "bfly",
            Broadcast { .. } => "vbcast",
            Shuffle { op, .. } => match op {
                ShuffleOp::UnpackLow => "unpklo",
                ShuffleOp::UnpackHigh => "unpkhi",
                ShuffleOp::PackLow => "pklo",
                ShuffleOp::PackHigh => "pkhi",
            },
        }
    }

    /// Its operand of this name as a number; `None` if it has none.
    pub fn operand(&self, name: &str) -> Option<u64> {
        use Instruction::*;
        let v = |register: VReg| Some(register.number().into());
        match (*self, name) {
            (VLoad { vd, .. }, "vd") => v(vd),
            (VStore { vs, .. }, "vs") => v(vs),
            (VLoad { rm, .. } | VStore { rm, .. }, "rm") => Some(rm.number().into()),
            (VLoad { offset, .. } | VStore { offset, .. }, "offset") => Some(offset.into()),
            (VLoad { mode, .. } | VStore { mode, .. }, "mode") => Some(mode.code()),
            (VLoad { mode, .. } | VStore { mode, .. }, "value") => Some(mode.value().into()),
            (SLoad { rt, .. }, "rt") => Some(rt.number().into()),
            (MLoad { rt, .. }, "rt") => Some(rt.number().into()),
            (ALoad { rt, .. }, "rt") => Some(rt.number().into()),
            (SLoad { address, .. } | MLoad { address, .. } | ALoad { address, .. }, "address") => {
                Some(address.into())
            }
            (
                Vector { vd, .. }
                | VectorScalar { vd, .. }
                | Butterfly { vd, .. }
                | Broadcast { vd, .. }
                | Shuffle { vd, .. },
                "vd",
            ) => v(vd),
            (
                Vector { vs, .. }
                | VectorScalar { vs, .. }
                | Butterfly { vs, .. }
                | Shuffle { vs, .. },
                "vs",
            ) => v(vs),
            (Vector { vt, .. } | Butterfly { vt, .. } | Shuffle { vt, .. }, "vt") => v(vt),
            (VectorScalar { rt, .. } | Broadcast { rt, .. }, "rt") => Some(rt.number().into()),
            (Vector { rm, .. } | VectorScalar { rm, .. } | Butterfly { rm, .. }, "rm") => {
                Some(rm.number().into())
            }
            (Butterfly { vd1, .. }, "vd1") => v(vd1),
            (Butterfly { vt1, .. }, "vt1") => v(vt1),
            (Butterfly { form, .. }, "form") => Some(form.code()),
            _ => None,
        }
    }

    /// The instruction with these operands; `operand` is asked for each by name. `None` where the
    /// mnemonic, a mode or a form does not exist, or a number does not fit its type.
    pub fn from_operands(mnemonic: &str, operand: impl Fn(&str) -> u64) -> Option<Self> {
        let v = |name| VReg::new(u8::try_from(operand(name)).ok()?);
        let s = |name| SReg::new(u8::try_from(operand(name)).ok()?);
        let m = |name| MReg::new(u8::try_from(operand(name)).ok()?);
        let a = |name| AReg::new(u8::try_from(operand(name)).ok()?);
        let number = |name| u32::try_from(operand(name)).ok();
        let vector = |op| {
            let (vd, vs, vt, rm) = (v("vd")?, v("vs")?, v("vt")?, m("rm")?);
            Some(Instruction::Vector { op, vd, vs, vt, rm })
        };
        let scalar = |op| {
            let (vd, vs, rt, rm) = (v("vd")?, v("vs")?, s("rt")?, m("rm")?);
            Some(Instruction::VectorScalar { op, vd, vs, rt, rm })
        };
        let shuffle = |op| {
            let (vd, vs, vt) = (v("vd")?, v("vs")?, v("vt")?);
            Some(Instruction::Shuffle { op, vd, vs, vt })
        };
        let mode = || Mode::from_code(operand("mode"), operand("value"));
        match mnemonic {
            "vload" => Some(Instruction::VLoad {
                vd: v("vd")?,
                rm: a("rm")?,
                offset: number("offset")?,
                mode: mode()?,
            }),
            "vstore" => Some(Instruction::VStore {
                vs: v("vs")?,
                rm: a("rm")?,
                offset: number("offset")?,
                mode: mode()?,
            }),
            "sload" => Some(Instruction::SLoad {
                rt: s("rt")?,
                address: number("address")?,
            }),
            "mload" => Some(Instruction::MLoad {
                rt: m("rt")?,
                address: number("address")?,
            }),
            "aload" => Some(Instruction::ALoad {
                rt: a("rt")?,
                address: number("address")?,
            }),
            "vadd" => vector(Op::Add),
            "vsub" => vector(Op::Sub),
            "vmul" => vector(Op::Mul),
            "vadds" => scalar(Op::Add),
            "vsubs" => scalar(Op::Sub),
            "vmuls" => scalar(Op::Mul),
            "bfly" => Some(Instruction::Butterfly {
                form: Form::from_code(operand("form"))?,
                vd: v("vd")?,
                vd1: v("vd1")?,
                vs: v("vs")?,
                vt: v("vt")?,
                vt1: v("vt1")?,
                rm: m("rm")?,
            }),
            "vbcast" => Some(Instruction::Broadcast {
                vd: v("vd")?,
                rt: s("rt")?,
            }),
            "unpklo" => shuffle(ShuffleOp::UnpackLow),
            "unpkhi" => shuffle(ShuffleOp::UnpackHigh),
            "pklo" => shuffle(ShuffleOp::PackLow),
            "pkhi" => shuffle(ShuffleOp::PackHigh),
            _ => None,
        }
    }
}

impl Mode {
    /// Its number in the instruction.
    pub fn code(self) -> u64 {
        match self {
            Mode::Linear => 0,
            Mode::Strided(_) => 1,
            Mode::StridedSkip(_) => 2,
            Mode::Repeated(_) => 3,
        }
    }

    /// VALUE; 0 where the mode has none.
    pub fn value(self) -> u8 {
        match self {
            Mode::Linear => 0,
            Mode::Strided(v) | Mode::StridedSkip(v) | Mode::Repeated(v) => v,
        }
    }

    /// The mode of a code and a VALUE; `None` where there is none such.
    pub fn from_code(code: u64, value: u64) -> Option<Self> {
        let value = u8::try_from(value).ok().filter(|&v| v <= Mode::MAX_VALUE)?;
        match code {
            0 => (value == 0).then_some(Mode::Linear),
            1 => Some(Mode::Strided(value)),
            2 => Some(Mode::StridedSkip(value)),
            3 => Some(Mode::Repeated(value)),
            _ => None,
        }
    }
}

impl Form {
    /// Its number in the instruction.
    pub fn code(self) -> u64 {
        match self {
            Form::CooleyTukey => 0,
            Form::GentlemanSande => 1,
        }
    }

    /// The form of a code.
    pub fn from_code(code: u64) -> Option<Self> {
        match code {
            0 => Some(Form::CooleyTukey),
            1 => Some(Form::GentlemanSande),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::tables;

    #[test]
    fn modes_and_forms_have_the_codes_of_the_table() {
        let modes = [
            ("linear", Mode::Linear),
            ("strided", Mode::Strided(0)),
            ("strided_skip", Mode::StridedSkip(0)),
            ("repeated", Mode::Repeated(0)),
        ];
        let rows = &tables().modes;
        assert_eq!(rows.len(), modes.len());
        for (row, (name, mode)) in rows.iter().zip(modes) {
            assert_eq!((row.name.as_str(), row.code), (name, mode.code()));
            assert_eq!(row.value, mode != Mode::Linear);
        }
        let forms = [("ct", Form::CooleyTukey), ("gs", Form::GentlemanSande)];
        assert_eq!(tables().forms.len(), forms.len());
        for (row, (name, form)) in tables().forms.iter().zip(forms) {
            assert_eq!((row.name.as_str(), row.code), (name, form.code()));
        }
    }

    #[test]
    fn every_row_of_the_table_is_an_instruction_with_its_operands_and_registers() {
        for row in &tables().instructions {
            let place = |name: &str| row.operands.iter().position(|o| o.name == name);
            // Numbers that differ, so that two exchanged operands are seen.
            let number = |name: &str| match name {
                "mode" | "form" => 1,
                _ => place(name).map_or(63, |i| 10 + i as u64),
            };
            let made = Instruction::from_operands(&row.mnemonic, number).expect(&row.mnemonic);
            assert_eq!(made.mnemonic(), row.mnemonic);
            for operand in &row.operands {
                assert_eq!(made.operand(&operand.name), Some(number(&operand.name)));
            }
            let registers = |kind, access| {
                let of = row.operands.iter();
                let of = of.filter(move |o| o.kind == kind && o.access == Some(access));
                of.map(|o| number(&o.name)).collect::<Vec<_>>()
            };
            use crate::isa::{Access::*, Kind::*};
            let numbers = |of: &mut dyn Iterator<Item = VReg>| {
                of.map(|r| u64::from(r.number())).collect::<Vec<_>>()
            };
            assert_eq!(numbers(&mut made.vector_sources()), registers(Vector, Read));
            assert_eq!(
                numbers(&mut made.vector_destinations()),
                registers(Vector, Write)
            );
            let one = |number: Option<u8>| number.map(u64::from).into_iter().collect::<Vec<_>>();
            assert_eq!(
                one(made.modulus().map(MReg::number)),
                registers(Modulus, Read)
            );
            assert_eq!(
                one(made.scalar().map(SReg::number)),
                registers(Scalar, Read)
            );
            assert_eq!(
                one(made.address_register().map(AReg::number)),
                registers(Address, Read)
            );
            assert_eq!(made.class().name(), row.class);
        }
    }
}
