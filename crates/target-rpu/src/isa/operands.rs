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
        let given = Given(operand);
        let made = given.load_store(mnemonic);
        made.or_else(|| given.compute(mnemonic))
            .or_else(|| given.shuffle(mnemonic))
    }
}

/// Operands by name, and the instructions that they make, class by class.
struct Given<F>(F);

impl<F: Fn(&str) -> u64> Given<F> {
    fn register(&self, name: &str) -> Option<u8> {
        u8::try_from((self.0)(name)).ok()
    }

    fn v(&self, name: &str) -> Option<VReg> {
        VReg::new(self.register(name)?)
    }

    fn s(&self, name: &str) -> Option<SReg> {
        SReg::new(self.register(name)?)
    }

    fn m(&self, name: &str) -> Option<MReg> {
        MReg::new(self.register(name)?)
    }

    fn a(&self, name: &str) -> Option<AReg> {
        AReg::new(self.register(name)?)
    }

    fn number(&self, name: &str) -> Option<u32> {
        u32::try_from((self.0)(name)).ok()
    }

    fn load_store(&self, mnemonic: &str) -> Option<Instruction> {
        let mode = || Mode::from_code((self.0)("mode"), (self.0)("value"));
        Some(match mnemonic {
            "vload" => Instruction::VLoad {
                vd: self.v("vd")?,
                rm: self.a("rm")?,
                offset: self.number("offset")?,
                mode: mode()?,
            },
            "vstore" => Instruction::VStore {
                vs: self.v("vs")?,
                rm: self.a("rm")?,
                offset: self.number("offset")?,
                mode: mode()?,
            },
            "sload" => Instruction::SLoad {
                rt: self.s("rt")?,
                address: self.number("address")?,
            },
            "mload" => Instruction::MLoad {
                rt: self.m("rt")?,
                address: self.number("address")?,
            },
            "aload" => Instruction::ALoad {
                rt: self.a("rt")?,
                address: self.number("address")?,
            },
            _ => return None,
        })
    }

    fn compute(&self, mnemonic: &str) -> Option<Instruction> {
        match mnemonic {
            "vadd" => self.vectors(Op::Add),
            "vsub" => self.vectors(Op::Sub),
            "vmul" => self.vectors(Op::Mul),
            "vadds" => self.scalar(Op::Add),
            "vsubs" => self.scalar(Op::Sub),
            "vmuls" => self.scalar(Op::Mul),
            "bfly" => Some(Instruction::Butterfly {
                form: Form::from_code((self.0)("form"))?,
                vd: self.v("vd")?,
                vd1: self.v("vd1")?,
                vs: self.v("vs")?,
                vt: self.v("vt")?,
                vt1: self.v("vt1")?,
                rm: self.m("rm")?,
            }),
            "vbcast" => Some(Instruction::Broadcast {
                vd: self.v("vd")?,
                rt: self.s("rt")?,
            }),
            _ => None,
        }
    }

    fn vectors(&self, op: Op) -> Option<Instruction> {
        let (vd, vs) = (self.v("vd")?, self.v("vs")?);
        let (vt, rm) = (self.v("vt")?, self.m("rm")?);
        Some(Instruction::Vector { op, vd, vs, vt, rm })
    }

    fn scalar(&self, op: Op) -> Option<Instruction> {
        let (vd, vs) = (self.v("vd")?, self.v("vs")?);
        let (rt, rm) = (self.s("rt")?, self.m("rm")?);
        Some(Instruction::VectorScalar { op, vd, vs, rt, rm })
    }

    fn shuffle(&self, mnemonic: &str) -> Option<Instruction> {
        let op = match mnemonic {
            "unpklo" => ShuffleOp::UnpackLow,
            "unpkhi" => ShuffleOp::UnpackHigh,
            "pklo" => ShuffleOp::PackLow,
            "pkhi" => ShuffleOp::PackHigh,
            _ => return None,
        };
        let (vd, vs, vt) = (self.v("vd")?, self.v("vs")?, self.v("vt")?);
        Some(Instruction::Shuffle { op, vd, vs, vt })
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
