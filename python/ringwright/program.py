"""Programs over encrypted vectors: a Python function, traced once into the `he` dialect::

    @rw.program
    def motion(now, before):
        d = now - before
        return (d * d).sum(256)

A traced function sees values of class `Vector`, which read like numpy's: `+ - * / ** @`, slices,
`sum`, `mean`, `dot`, numpy arrays on either side, `np.roll` and its like; `rotate(k)` (also `<< k`,
`>> k`) and `conjugate()` besides. A product relinearises and rescales, which costs one level;
levels are aligned where operands differ. Every operation remembers the user's file and line, for
`explain()`, errors and timelines.

The function runs once per parameters and input types, so a Python `if` or `for` is decided while
tracing: it may depend on numbers, never on encrypted values. Calling a program inside another one
inlines it; `call` makes it a function of that program, traced and written once for all calls that
are alike. `plain(...)` computes the same in the clear.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ringwright import _ringwright as native
from ringwright import notebook
from ringwright.bootstrapping import Bootstrapping, Wanted
from ringwright.captures import Captures
from ringwright.ckks import Ciphertext, Input, Parameters
from ringwright.declared import check_length
from ringwright.errors import DepthError, ParameterError, ProgramError
from ringwright.explanation import Explanation, explanation
from ringwright.plain import Plain
from ringwright.plain_vector import PlainVector
from ringwright.rotations import Checked, Rotations, checked_rotations, compose_rotations
from ringwright.source_line import where
from ringwright.tracing import Trace, Type
from ringwright.vector import ScalesApart, Vector

__all__ = ["Program", "program"]

#: How many levels are added to see how deep a program is, one after another.
_MORE_LEVELS = (8, 24, 56, 96)

Traceable = Callable[..., Any]
#: What stands for an input: a declaration, or an example.
Given: TypeAlias = Input | Ciphertext | Plain


class Program:
    """A traceable function; made by the decorator `program`."""

    def __init__(
        self,
        function: Traceable,
        inputs: Mapping[str, Input] | None = None,
        name: str = "",
        rotations: Rotations | None = None,
        bootstrap: Wanted = None,
    ) -> None:
        if not inspect.isfunction(function):
            raise ProgramError(f"{function!r} given; a program is made of a Python function")
        self.function = self.__wrapped__ = function
        self._captures = Captures(function)
        self.name = name or function.__name__
        #: The rotations that have keys; `None`: each of its own.
        self.rotations = checked_rotations(rotations)
        #: What bootstrappings are made of that tracing places; `None`: it places none.
        if not (bootstrap is None or bootstrap == "auto" or isinstance(bootstrap, Bootstrapping)):
            raise ProgramError(
                f"{self.name}: bootstrap = {bootstrap!r} given; None, 'auto' or a "
                "rw.ckks.Bootstrapping allowed"
            )
        if isinstance(bootstrap, Bootstrapping) and bootstrap.period is not None:
            raise ProgramError(
                f"{self.name}: bootstrap has period = {bootstrap.period}; it is said of a vector, "
                "by x.bootstrap"
            )
        self.bootstrap: Wanted = bootstrap
        #: Operands of so many towers or fewer are bootstrapped before they are used.
        self.renew_at = 0
        self.__doc__ = function.__doc__
        code = function.__code__
        self._file, self._line = os.path.basename(code.co_filename), code.co_firstlineno
        self._at = f"{self._file}:{self._line}: {self.name}"
        self.input_names = _input_names(function, self._at)
        given = dict(inputs or {})
        self._declared = frozenset(given)
        self.inputs = tuple(given.pop(name, Input()) for name in self.input_names)
        if given:
            raise ProgramError(
                f"{self._at}: inputs {sorted(given)} given; its inputs are {list(self.input_names)}"
            )
        for each, declared in zip(self.input_names, self.inputs, strict=True):
            if not isinstance(declared, Input):
                raise ProgramError(
                    f"{self._at}: input {each} is {declared!r}; rw.ckks.Input allowed"
                )
        self._traced: dict[tuple[Parameters, tuple[Type, ...], Checked | None], _Traced] = {}

    def __repr__(self) -> str:
        return f"<program {self.name}({', '.join(self.input_names)})>"

    def _repr_html_(self) -> str:
        rows = [
            (name, *("" if value is None else value for value in vars(declared).values()))
            for name, declared in zip(self.input_names, self.inputs, strict=True)
        ]
        heads = ["input", *(each.name for each in fields(Input))]
        said = f"Program {self.name}, {self._file}:{self._line}. {inspect.getdoc(self) or ''}"
        return notebook.shown(said.strip(), notebook.table(heads, rows, range(1, len(heads))))

    def __call__(self, *vectors: Any, **named: Any) -> Any:
        """Inlines the program where another one is traced."""
        return self.function(*self.in_order(vectors, named))

    def call(self, *vectors: Any, **named: Any) -> Any:
        """Calls the program where another one is traced: one operation, instead of all of its own.

        The program is traced once for inputs of one level, scale and length, however often it is
        called; results and keys are the same as inlined. So are error bounds, but for polynomials:
        their slopes are taken for noise up to the next power of two. Rotations go by its own, or
        by those of the program around it. Outside of one, and on numbers, it is inlined. ::

            @rw.program
            def steps(x):
                for _ in range(3):
                    x = smooth.call(x)
                return x

        Raises `ProgramError` for inputs in the clear, and as `trace` does.
        """
        given = self.in_order(vectors, named)
        makers = [each._maker for each in given if isinstance(each, Vector)]
        if not makers or not isinstance(makers[0], Trace):
            return self.function(*given)
        return self._call(makers[0], given)

    def _call(self, trace: Trace, given: Sequence[Any]) -> Any:
        if len(given) != len(self.inputs) or not all(isinstance(each, Vector) for each in given):
            said = ", ".join(type(each).__name__ for each in given)
            raise ProgramError(
                f"{where()}: {self.name}.call of {said}; {len(self.inputs)} encrypted vectors "
                f"allowed ({', '.join(self.input_names)})"
            )
        declared = dict(zip(self.input_names, self.inputs, strict=True))
        for name, vector in zip(self.input_names, given, strict=True):
            length = declared[name].length
            if declared[name].plain or length not in (None, vector.length):
                raise ProgramError(
                    f"{where()}: {self.name}.call: input {name} is declared {declared[name]}; "
                    f"{vector!r} given"
                )
        known = [declared[name] if name in self._declared else None for name in self.input_names]
        pairs = zip(given, known, strict=True)
        types = tuple(trace.called_type(each, said) for each, said in pairs)
        rotations = self.rotations or trace.rotations
        traced = self._of_types(trace.parameters, types, rotations)
        results = trace.call(traced.program, given, traced.lengths)
        return results if traced.several else results[0]

    def renewing_at(self, towers: int) -> Program:
        """The same program, whose operands of so many towers or fewer are bootstrapped before they
        are used; with 0, as late as can be.
        """
        same = copy(self)
        same.renew_at, same._captures, same._traced = towers, Captures(self.function), {}
        return same

    def in_order(self, vectors: Sequence[Any], named: Mapping[str, Any]) -> tuple[Any, ...]:
        """Inputs as the function takes them, some by name; `ProgramError` for a wrong name."""
        if not named:
            return tuple(vectors)
        try:
            return inspect.signature(self.function).bind(*vectors, **named).args
        except TypeError as error:
            raise ProgramError(
                f"{self.name}: {error}; its inputs are {', '.join(self.input_names)}"
            ) from None

    def trace(
        self, parameters: Parameters, inputs: Sequence[Given] | None = None
    ) -> native.HeProgram:
        """The `he` program under these parameters; cached.

        `inputs`: what each encrypted input is, declared or by example; the default is what the
        decorator was given.
        Raises `DepthError` where the parameters do not carry it (the message names the smallest
        N that does), `ParameterError` where values could outgrow the modulus or a ciphertext
        carries more than was declared of it, `ProgramError` for anything else, with the user's
        file and line.
        """
        return self._find(parameters, inputs).program

    def lengths(
        self, parameters: Parameters, inputs: Sequence[Given] | None = None
    ) -> tuple[int, ...]:
        """How many numbers each returned vector has; the slots after them are undefined."""
        return self._find(parameters, inputs).lengths

    def _find(self, parameters: Parameters, inputs: Sequence[Given] | None) -> _Traced:
        given = self._given(parameters, inputs)
        types = Type.of_all(given, self.inputs, parameters)
        return self._of_types(parameters, types, self.rotations)

    def _of_types(
        self, parameters: Parameters, types: tuple[Type, ...], rotations: Checked | None
    ) -> _Traced:
        self._captures.check(self._at)
        key = (parameters, types, rotations)
        if key not in self._traced:
            try:
                self._traced[key] = self._trace(parameters, types, rotations)
            except DepthError as error:
                if self.bootstrap is not None:
                    raise
                raise self._too_deep(parameters, types, error) from None
            self._captures.remember()
        return self._traced[key]

    def _given(self, parameters: Parameters, inputs: Sequence[Given] | None) -> Sequence[Given]:
        """What stands for the inputs, checked against what was declared."""
        if not isinstance(parameters, Parameters):
            raise ParameterError(f"{self.name}: {parameters!r} given; rw.ckks.Parameters allowed")
        given = self.inputs if inputs is None else inputs
        if len(given) != len(self.inputs):
            raise ProgramError(
                f"{self.name}: {len(given)} inputs given; "
                f"{len(self.inputs)} expected ({', '.join(self.input_names)})"
            )
        self._check_given(given, parameters)
        return given

    def _check_given(self, given: Sequence[Given], parameters: Parameters) -> None:
        """What was declared is compared; what was not follows from what is given."""
        for name, each, declared in zip(self.input_names, given, self.inputs, strict=True):
            what, known = f"{self.name}: input {name}", name in self._declared
            if isinstance(each, Ciphertext) and declared.plain:
                raise ParameterError(f"{what}: a ciphertext given; rw.Plain(...) allowed")
            if isinstance(each, Plain) and known and not declared.plain:
                raise ParameterError(f"{what}: {each} given; a ciphertext allowed")
            if isinstance(each, Plain) and known:
                declared.check_plain(what, each, parameters.slots)
            elif isinstance(each, Ciphertext) and known:
                declared.check(what, each)
            elif isinstance(each, Ciphertext):
                check_length(what, each, None)

    def depth(self, parameters: Parameters, inputs: Sequence[Given] | None = None) -> int:
        """Levels that the program takes, with primes as long as these parameters', and whether or
        not they carry it.

        Raises as `trace`, but for `DepthError`: that only where no number of primes would do.
        """
        given = self._given(parameters, inputs)
        self._captures.check(self._at)
        return self._depth(parameters, Type.of_all(given, self.inputs, parameters))

    def _depth(self, parameters: Parameters, types: tuple[Type, ...]) -> int:
        for levels in _MORE_LEVELS:
            raised = tuple(ty if ty.plain else replace(ty, level=ty.level + levels) for ty in types)
            with suppress(DepthError):
                traced = self._trace(parameters.extended(levels), raised, self.rotations)
                return traced.program.depth
        raise DepthError(
            f"{self._at} takes more than {_MORE_LEVELS[-1]} levels beyond those of {parameters}"
        )

    def _too_deep(
        self, parameters: Parameters, types: tuple[Type, ...], first: DepthError
    ) -> DepthError:
        """The refusal of a program that runs out of levels, with the depth that it takes."""
        try:
            depth = self._depth(parameters, types)
        except ParameterError:  # more levels do not help
            return first
        line = str(first).partition(": ")[0]
        if isinstance(first, ScalesApart):  # says more than that levels are used up
            line = str(first)
        try:
            parameters.require_depth(depth, max(ty.level for ty in types))
        except DepthError as error:
            return DepthError(f"{line}: {error}")
        return first

    def _trace(
        self, parameters: Parameters, types: tuple[Type, ...], rotations: Checked | None
    ) -> _Traced:
        """Runs the function once; what it changes itself while it runs is no stale capture."""
        try:
            return self._run(parameters, types, rotations)
        finally:
            if self._traced:
                self._captures.remember()

    def _run(
        self, parameters: Parameters, types: tuple[Type, ...], rotations: Checked | None
    ) -> _Traced:
        builder = native.ProgramBuilder(parameters, self.name, self._file, self._line)
        compose_rotations(builder, rotations, parameters.slots, self._at)
        trace = Trace(builder, parameters, rotations, self.bootstrap, self.renew_at)
        named = zip(self.input_names, types, strict=True)
        vectors = [trace.input(name, given) for name, given in named]
        returned = self.function(*vectors)
        results = _results(returned, Vector, self._at)
        program = builder.finish([trace.number(vector) for vector in results])
        lengths = tuple(len(vector) for vector in results)
        return _Traced(program, lengths, isinstance(returned, (tuple, list)))

    def explain(self, parameters: Parameters) -> Explanation:
        """Level, scale, noise, keys and source line of every operation; the cost of every line."""
        return explanation(self.trace(parameters), parameters)

    def plain(self, *vectors: ArrayLike, **named: ArrayLike) -> Any:
        """The same computation in the clear, on numpy arrays.

        Inputs of a declared length have that; the others fill the slots, and are of one length.
        Real or complex numbers. Returns an array, or a tuple where the program returns one.
        """
        arrays = [_numbers(vector) for vector in self.in_order(vectors, named)]
        self._check_plain(arrays)
        pairs = zip(arrays, self.inputs, strict=True)
        slots = max(len(array) for array in arrays)
        plain = [
            PlainVector(_repeated(array, slots) if _repeats(each) else array, full=not each.length)
            for array, each in pairs
        ]
        results = self.function(*plain)
        values = tuple(result.values for result in _results(results, PlainVector, self._at))
        return values if isinstance(results, (tuple, list)) else values[0]

    def _check_plain(self, arrays: Sequence[NDArray[Any]]) -> None:
        if len(arrays) != len(self.inputs):
            raise ProgramError(
                f"{self.name}: {len(arrays)} inputs given; "
                f"{len(self.inputs)} expected ({', '.join(self.input_names)})"
            )
        arrays = [a for a, each in zip(arrays, self.inputs, strict=True) if not _repeats(each)]
        declared = [each.length for each in self.inputs if not _repeats(each)]
        shapes = [array.shape for array in arrays]
        filling = {shape for shape, length in zip(shapes, declared, strict=True) if length is None}
        wanted = [(length,) if length else next(iter(filling)) for length in declared]
        if shapes != wanted or any(len(shape) != 1 for shape in shapes):
            lengths = f" (declared lengths: {declared})" if any(declared) else ""
            raise ParameterError(
                f"{self.name}: shapes {shapes} given; {len(declared)} vectors of one length "
                f"allowed{lengths}"
            )


@dataclass(frozen=True)
class _Traced:
    """A traced program, the lengths of what it returns, and whether that is a tuple."""

    program: native.HeProgram
    lengths: tuple[int, ...]
    several: bool


@overload
def program(function: Traceable, /) -> Program: ...
@overload
def program(
    *,
    inputs: Mapping[str, Input] | None = None,
    name: str = "",
    rotations: Rotations | None = None,
    bootstrap: Wanted = None,
) -> Callable[[Traceable], Program]: ...
def program(
    function: Traceable | None = None,
    /,
    *,
    inputs: Mapping[str, Input] | None = None,
    name: str = "",
    rotations: Rotations | None = None,
    bootstrap: Wanted = None,
) -> Program | Callable[[Traceable], Program]:
    """Makes a program of a function whose parameters are encrypted vectors.

    `inputs`: magnitudes and lengths by parameter name; ciphertexts that carry more are refused.
    One that nothing is said of is traced for values up to 1, and again for each kind of ciphertext
    that it is given; it fills all slots. `name`: default the function's. `rotations`: the steps
    that have keys, of which every rotation is composed: `"powers"` (1, 2, 4, ...),
    `"signed powers"` (-1, -2, -4, ... too), or a list; default: a key for each step. An inlined
    program goes by those of the one around it. `bootstrap`: where levels are used up, tracing has
    the operand with the fewest bootstrapped, as this says, or with `"auto"` by the first of
    `Bootstrapping()` and `Bootstrapping.short()` that the parameters carry; the places are part of
    the program, so keys, records and servers agree. As late as can be, each value at most once;
    `rw.placed` finds the places where a machine is quickest. ::

        @rw.program(inputs={"now": rw.ckks.Input(max=1.0, rms=0.5)})
    """
    if function is not None:
        return Program(function)
    return lambda traced: Program(traced, inputs, name, rotations, bootstrap)


def _repeats(declared: Input) -> bool:
    """Whether the numbers of an input are repeated to fill the slots."""
    return declared.plain and declared.length is None


def _repeated(values: NDArray[Any], slots: int) -> NDArray[Any]:
    if values.ndim != 1 or not values.size or slots % values.size:
        raise ParameterError(
            f"a plain input of shape {values.shape} given; a length that divides {slots} allowed"
        )
    return np.tile(values, slots // values.size)


def _numbers(values: ArrayLike) -> NDArray[Any]:
    given = np.asarray(values)
    if given.dtype.kind not in "biufc":
        raise ParameterError(f"values of type {given.dtype} given; real or complex numbers allowed")
    return given.astype(np.complex128 if given.dtype.kind == "c" else np.float64)


def _results(returned: Any, kind: type[Any], name: str) -> list[Any]:
    results = list(returned) if isinstance(returned, (tuple, list)) else [returned]
    if results and all(isinstance(result, kind) for result in results):
        return results
    given = ", ".join(type(result).__name__ for result in results) or "nothing"
    raise ProgramError(f"{name} returns {given}; one encrypted vector or a tuple of them allowed")


def _input_names(function: Traceable, name: str) -> tuple[str, ...]:
    parameters = inspect.signature(function).parameters.values()
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    for parameter in parameters:
        if parameter.kind not in positional or parameter.default is not inspect.Parameter.empty:
            raise ProgramError(
                f"{name}: parameter {str(parameter)!r} given; "
                "a program's parameters are encrypted vectors, positional and without defaults"
            )
    if not parameters:
        raise ProgramError(f"{name}: no parameters given; at least one encrypted vector needed")
    return tuple(parameter.name for parameter in parameters)
