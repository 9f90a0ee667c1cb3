//! Points of blocks, and what lies between them.

use crate::block::{shown, Block, Settings};
use crate::fit::Fit;
use crate::term::{Numbers, Term};
use crate::ProcessError;
use ringwright_spec::Setting;
use serde::Deserialize;

/// A block with parameters, mapped.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Point {
    pub(crate) block: String,
    pub(crate) parameters: Settings,
    #[serde(default)]
    pub(crate) flipflops: f64,
    pub(crate) area_um2: f64,
    pub(crate) path_ps: f64,
    /// Of one operation, operands random; of a point of ours, in its library.
    pub(crate) energy_pj: Option<f64>,
}

/// A block of `blocks.toml`; what the synthesis alone reads of it is left out.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Declared {
    name: String,
    #[serde(default)]
    variants: Vec<String>,
    #[serde(default)]
    terms: Vec<String>,
    #[serde(default)]
    path_terms: Vec<String>,
}

/// How a block's size follows from its parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shape {
    variants: Vec<String>,
    terms: Vec<Term>,
    path_terms: Vec<Term>,
}

impl Shape {
    pub(crate) fn read(declared: Declared) -> Result<(String, Self), String> {
        let parse = |terms: &[String]| {
            terms
                .iter()
                .map(|text| Term::parse(text))
                .collect::<Result<Vec<_>, _>>()
        };
        let shape = Self {
            terms: parse(&declared.terms)?,
            path_terms: parse(&declared.path_terms)?,
            variants: declared.variants,
        };
        Ok((declared.name, shape))
    }

    /// Whether both are the same variant.
    fn is_variant(&self, point: &Point, block: &Block) -> bool {
        let same = |name: &String| point.parameters.get(name) == block.settings.get(name);
        self.variants.iter().all(same)
    }

    /// The terms' values for these parameters.
    fn row(terms: &[Term], block: &Block, settings: &Settings) -> Result<Vec<f64>, ProcessError> {
        let values: Numbers = settings
            .iter()
            .filter_map(|(name, value)| match value {
                Setting::Int(number) => Some((name.clone(), *number as f64)),
                _ => None,
            })
            .collect();
        let each = terms.iter().map(|term| {
            term.of(&values)
                .map_err(|parameter| ProcessError::NoParameter {
                    block: block.name.clone(),
                    term: term.text().into(),
                    parameter,
                    given: shown(settings),
                })
        });
        each.collect()
    }
}

/// What a block has in the library of its points.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) flipflops: f64,
    pub(crate) area_um2: f64,
    /// Shortest and longest that is likely, and the most likely.
    pub(crate) path_ps: [f64; 3],
    pub(crate) energy: Option<Energy>,
    /// By how much the sum of terms misses the points; `None` of a point itself.
    pub(crate) fitted: Option<f64>,
}

/// What an operation takes, if every point says it, and by how much a sum of terms misses those.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Energy {
    pub(crate) pj: f64,
    pub(crate) error: f64,
}

/// Looks a block up among points, or between them.
pub(crate) fn find(points: &[&Point], shape: &Shape, block: &Block) -> Result<Found, ProcessError> {
    let same: Vec<&Point> = points
        .iter()
        .copied()
        .filter(|p| shape.is_variant(p, block))
        .collect();
    let wanted = Shape::row(&shape.terms, block, &block.settings)?;
    let rows = same
        .iter()
        .map(|p| Shape::row(&shape.terms, block, &p.parameters));
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    // Without terms, a point is one of exactly these parameters.
    let is_it = |(p, row): &(&&Point, &Vec<f64>)| match shape.terms.is_empty() {
        true => p.parameters == block.settings,
        false => **row == wanted,
    };
    if let Some((point, _)) = same.iter().zip(&rows).find(is_it) {
        return Ok(Found {
            flipflops: point.flipflops,
            area_um2: point.area_um2,
            path_ps: [point.path_ps; 3],
            energy: point.energy_pj.map(|pj| Energy { pj, error: 0.0 }),
            fitted: None,
        });
    }
    let too_few = || ProcessError::TooFewPoints {
        block: block.name.clone(),
        given: shown(&block.settings),
        points: same.len(),
        terms: shape.terms.len(),
    };
    let areas: Vec<f64> = same.iter().map(|p| p.area_um2).collect();
    let fit = Fit::through(&rows, &areas).ok_or_else(too_few)?;
    let area_um2 = fit.at(&wanted).max(0.0);
    let total: f64 = areas.iter().sum();
    let flipflops: f64 = same.iter().map(|p| p.flipflops).sum();
    let energies: Option<Vec<f64>> = same.iter().map(|p| p.energy_pj).collect();
    let energy = energies.and_then(|each| Fit::through(&rows, &each));
    Ok(Found {
        flipflops: (flipflops / total * area_um2).round(),
        area_um2,
        path_ps: path(&same, shape, block)?,
        energy: energy.map(|fit| Energy {
            pj: fit.at(&wanted).max(0.0),
            error: fit.largest_error,
        }),
        fitted: Some(fit.largest_error),
    })
}

/// The longest path between points: a sum of terms, or what the points have.
fn path(points: &[&Point], shape: &Shape, block: &Block) -> Result<[f64; 3], ProcessError> {
    let paths: Vec<f64> = points.iter().map(|p| p.path_ps).collect();
    let least = paths.iter().copied().fold(f64::INFINITY, f64::min);
    let most = paths.iter().copied().fold(0.0, f64::max);
    if !shape.path_terms.is_empty() {
        let rows = points
            .iter()
            .map(|p| Shape::row(&shape.path_terms, block, &p.parameters));
        if let Some(fit) = Fit::through(&rows.collect::<Result<Vec<_>, _>>()?, &paths) {
            // A path has a flip-flop at least, as the shortest of the points do.
            let expected = fit
                .at(&Shape::row(&shape.path_terms, block, &block.settings)?)
                .max(least / 2.0);
            let off = fit.largest_error;
            return Ok([
                expected * (1.0 - off).max(0.0),
                expected,
                expected * (1.0 + off),
            ]);
        }
    }
    Ok([least, most, most])
}
