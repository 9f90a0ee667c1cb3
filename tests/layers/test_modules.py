"""Inside a crate no module imports in a circle: parent and child alone may see each other."""

from __future__ import annotations

from pathlib import Path

import pytest
from rust_modules import cycle, imports, read_crate

ROOT = Path(__file__).resolve().parents[2]
CRATES = sorted(path.parent.parent.name for path in ROOT.glob("crates/*/src/lib.rs"))


@pytest.mark.parametrize("name", CRATES)
def test_no_imports_in_a_circle(name: str) -> None:
    assert cycle(read_crate(ROOT / "crates" / name / "src" / "lib.rs")) == []


def write_crate(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder / "lib.rs"


CIRCLES = {
    "two files": {
        "lib.rs": "mod a; mod b;",
        "a.rs": "use crate::b::f;",
        "b.rs": "fn f() { crate::a::g() }",
    },
    "three files": {
        "lib.rs": "mod a; mod b; mod c;",
        "a.rs": "use super::b;",
        "b.rs": "use super::{c::{self, h as k}};",
        "c.rs": "pub(crate) use crate::a;",
    },
    "two rooms through different files": {
        "lib.rs": "mod a; mod b;",
        "a.rs": "mod x; mod y;",
        "a/x.rs": "use crate::b::f;",
        "a/y.rs": "",
        "b/mod.rs": "mod z;",
        "b/z.rs": "use crate::a::y::g;",
    },
    "through a name that the parent passes on": {
        "lib.rs": "mod a; mod b; pub use a::A; use b::B;",
        "a.rs": "use super::B;",
        "b.rs": "use crate::A;",
    },
    "through a module in scope": {
        "lib.rs": "mod p;",
        "p.rs": "mod a; mod b; pub use a::f;",
        "p/a.rs": "use super::b::g;",
        "p/b.rs": "use crate::p; fn g<'a>(x: &'a str) { p::f(\"}\", '\"', '{') }",
    },
}

NO_CIRCLES = {
    "parent and child": {
        "lib.rs": "mod a;",
        "a.rs": "mod b; use b::f; struct S;",
        "a/b.rs": "use super::S; use crate::a; fn f() { a::g() }",
    },
    "in tests, comments and strings": {
        "lib.rs": "mod a; mod b;",
        "a.rs": "use crate::b::f;",
        "b.rs": """
            // use crate::a;
            /* crate::a::g() */
            fn f() { "crate::a::g()" }
            #[cfg(test)]
            #[rustfmt::skip]
            mod tests { use crate::a; fn g() { { crate::a::g() } } }
            #[cfg(test)]
            use crate::a;
            pub(in crate::b) fn h() {}
        """,
    },
}


@pytest.mark.parametrize("files", CIRCLES.values(), ids=CIRCLES)
def test_a_circle_is_found(files: dict[str, str], tmp_path: Path) -> None:
    circle = cycle(read_crate(write_crate(tmp_path, files)))
    assert len(circle) >= 2
    for line in circle:
        importer, imported = line.split(" imports ")
        assert importer != imported
        assert {importer, imported} <= set(files)


@pytest.mark.parametrize("files", NO_CIRCLES.values(), ids=NO_CIRCLES)
def test_what_is_no_circle_is_none(files: dict[str, str], tmp_path: Path) -> None:
    assert cycle(read_crate(write_crate(tmp_path, files))) == []


def test_what_a_module_imports() -> None:
    crate = read_crate(ROOT / "crates" / "arith" / "src" / "lib.rs")
    assert (("montgomery",), ("word",)) in imports(crate)
    assert not [pair for pair in imports(crate) if pair[0] == ("word",)]
