//! What the butterfly units' instructions take, from a run of them on zeros.

use crate::config::Config;
use crate::core::{Activity, Core, Group, Pointwise};
use crate::shape::Shape;
use crate::twiddles::{Constants, Direction};
use crate::units::bank_group::PortError;

/// Of one machine and degree.
pub struct Measured {
    forward: Transform,
    inverse: Transform,
    /// Cycles of a product, sum or difference.
    pub pointwise: u64,
}

/// A transform of one polynomial.
#[derive(Clone, Copy, Debug)]
pub struct Transform {
    /// How long it takes.
    pub cycles: u64,
    /// What the units do meanwhile.
    pub activity: Activity,
}

impl Measured {
    /// Runs each once.
    pub fn new(config: &Config, shape: Shape, constants: &Constants) -> Result<Self, PortError> {
        let transform = |direction| {
            let mut core = Core::new(config, shape);
            let cycles = core.transform(0, Group::Bg0, direction, constants)?;
            let activity = core.activity();
            Ok(Transform { cycles, activity })
        };
        let mut core = Core::new(config, shape);
        Ok(Measured {
            forward: transform(Direction::Forward)?,
            inverse: transform(Direction::Inverse)?,
            pointwise: core.pointwise(0, Pointwise::Mul, constants)?,
        })
    }

    /// That of a direction.
    pub fn transform(&self, direction: Direction) -> Transform {
        match direction {
            Direction::Forward => self.forward,
            Direction::Inverse => self.inverse,
        }
    }
}
