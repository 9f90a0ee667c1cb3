//! Rules that no text can break: numbering, order of functions, shapes of the tables. And the
//! builder's own refusals.

use ringwright_arith::primes::ntt_primes;
use ringwright_ir::ring::{
    Basis, Domain, FuncId, Function, Loc, Module, ModuleBuilder, OpKind, Type, ValueId,
};
use ringwright_ir::verify;

fn builder() -> ModuleBuilder {
    ModuleBuilder::new(4, &ntt_primes(30, 4, 2).unwrap())
}

fn poly() -> Type {
    Type::poly(&Basis::range(0..2), Domain::Eval)
}

/// `inner` doubles, `main` calls it and negates.
fn module() -> Module {
    let mut mb = builder();
    let mut fb = mb.function("inner");
    let x = fb.param("x", poly(), false);
    let y = fb.add(x, x).unwrap();
    let inner = fb.finish(&[y]).unwrap();
    let mut fb = mb.function("main");
    let x = fb.param("x", poly(), false);
    fb.at(Loc {
        file: "camera.py".into(),
        line: 7,
    });
    let y = fb.call(inner, &[x]).unwrap()[0];
    let z = fb.neg(y).unwrap();
    let main = fb.finish(&[z]).unwrap();
    mb.finish(main).unwrap()
}

/// The message after `break_it` has changed `main`.
fn refusal(break_it: impl FnOnce(&mut Function)) -> String {
    let mut module = module();
    break_it(module.funcs.last_mut().unwrap());
    verify(&module).unwrap_err().to_string()
}

#[track_caller]
fn contains(message: String, part: &str) {
    assert!(message.contains(part), "{message}");
}

#[test]
fn values_are_defined_before_use_and_numbered_in_order() {
    contains(
        refusal(|f| f.ops.swap(0, 1)),
        "camera.py:7: in `main`: `%2 = neg %1`: `%1` is used before",
    );
    contains(
        refusal(|f| f.ops[1].results = vec![ValueId(5)]),
        "numbered in order of definition, from 2",
    );
    contains(refusal(|f| f.ops[1].results = Vec::new()), "written as");
    contains(
        refusal(|f| f.returns = vec![ValueId(9)]),
        "`%9` is returned but not defined",
    );
    contains(refusal(|f| f.returns = Vec::new()), "nothing is returned");
}

#[test]
fn callees_stand_before_callers() {
    for callee in [1, 2, u32::MAX] {
        let call = OpKind::Call {
            func: FuncId(callee),
        };
        contains(refusal(|f| f.ops[0].kind = call), "callees precede callers");
    }
    let mut module = module();
    module.entry = FuncId(2);
    contains(
        verify(&module).unwrap_err().to_string(),
        "the entry is function number 2, but there are 2",
    );
}

#[test]
fn tables_fit_together() {
    contains(refusal(|f| f.types.truncate(2)), "do not fit together");
    contains(refusal(|f| f.names.push(None)), "do not fit together");
    contains(
        refusal(|f| {
            f.types.push(poly());
            f.names.push(None);
        }),
        "4 value types, but 3 values",
    );
    contains(
        refusal(|f| f.names[0] = Some("y".into())),
        "value 0 is not parameter `x`",
    );
    contains(refusal(|f| f.names[1] = Some(String::new())), "empty name");
    contains(refusal(|f| f.name = String::new()), "needs a name");
}

#[test]
fn types_name_primes_of_the_module() {
    let beyond = Type::poly(&Basis::range(1..3), Domain::Eval);
    contains(
        refusal(|f| {
            f.types[0] = beyond.clone();
            f.params[0].ty = beyond;
        }),
        "names q2, but the module has 2 primes",
    );
}

#[test]
fn calls_nest_to_a_limit() {
    let chain = |length: usize| {
        let mut mb = builder();
        let mut last = None;
        for i in 0..=length {
            let mut fb = mb.function(&format!("f{i}"));
            let mut x = fb.param("x", poly(), false);
            if let Some(callee) = last {
                x = fb.call(callee, &[x]).unwrap()[0];
            }
            last = Some(fb.finish(&[x]).unwrap());
        }
        mb.finish(last.unwrap())
    };
    assert!(chain(64).is_ok());
    contains(
        chain(65).unwrap_err().to_string(),
        "calls nest 65 deep; allowed are 64",
    );
}

#[test]
fn the_builder_refuses_at_once() {
    let mut mb = builder();
    let mut fb = mb.function("main");
    let x = fb.param("x", poly(), false);
    fb.at(Loc {
        file: "camera.py".into(),
        line: 3,
    });
    contains(
        fb.ntt(x).unwrap_err().to_string(),
        "camera.py:3: in `main`: `ntt x`: operand 1 is",
    );
    contains(
        fb.neg(ValueId(8)).unwrap_err().to_string(),
        "%8 is not defined",
    );
    contains(fb.element(x, 0).unwrap_err().to_string(), "takes an array");
    let y = fb.neg(x).unwrap();
    fb.name(y, "x");
    fb.param("late", poly(), false);
    contains(
        fb.finish(&[y]).unwrap_err().to_string(),
        "parameter `late` comes after an operation",
    );

    let mut fb = mb.function("main");
    let x = fb.param("x", poly(), false);
    contains(
        fb.finish(&[ValueId(4)]).unwrap_err().to_string(),
        "returned value 4 is not defined",
    );
    let mut fb = mb.function("main");
    fb.param("x", Type::poly(&Basis::range(5..6), Domain::Eval), false);
    contains(
        fb.finish(&[x]).unwrap_err().to_string(),
        "parameter `x`: poly[q5; eval] names q5",
    );
}

#[test]
fn the_builder_keeps_names_apart() {
    let mut mb = builder();
    let mut fb = mb.function("main");
    let x = fb.param("x", poly(), false);
    let [y, z] = [fb.neg(x).unwrap(), fb.neg(x).unwrap()];
    fb.name(y, "x");
    fb.name(z, "x");
    let main = fb.finish(&[y, z]).unwrap();
    let module = mb.finish(main).unwrap();
    let names = [x, y, z].map(|v| module.entry().value_name(v));
    assert_eq!(names, ["x", "x_2", "x_3"]);
}
