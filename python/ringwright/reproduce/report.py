"""The claims of one paper as a self-contained page: figures, then every claim with its verdict."""

from __future__ import annotations

from collections.abc import Sequence

from ringwright.errors import MachineError
from ringwright.machines import host
from ringwright.quantity import significant
from ringwright.report import page
from ringwright.reproduce import verdict
from ringwright.reproduce.figures import Figure, figures_of
from ringwright.reproduce.systems import HOST
from ringwright.reproduce.verdict import Result

TITLES = {
    "race": "RACE: en- and decryption on the edge",
    "rise": "RISE: error sampling and parallel transforms",
    "tax-he": "The tax of homomorphic encryption",
    "rpu": "RPU: the Ring Processing Unit",
    "trebuchet": "TREBUCHET: a chip of such tiles",
    "medha": "Medha: a unit for each prime, joined by a ring",
}
_ON_A_HOST = (
    "Columns are ours: simulated cycles of the machine, host functions on a processor whose costs "
    "are fitted to the papers' own totals. A line across a column is the published value."
)
_ON_A_TILE = (
    "Columns are simulated cycles, counted without values: the paper's program by Korn and "
    "Lambiotte, with its instruction counts, and ours. A line across a column is the published "
    "value. Processor times are measured where this page was made."
)
_ON_RESIDUES = (
    "Columns are what the slides count of a relinearisation, and whole products of ours, their "
    "operands in the RPAUs. A line across a column is the published value."
)
#: What a paper's figures are drawn from, where it is not the fitted host.
_LEADS = {"rpu": _ON_A_TILE, "trebuchet": _ON_A_TILE, "medha": _ON_RESIDUES}


def report(paper: str, results: Sequence[Result]) -> str:
    """The page."""
    counts, total = verdict.counts(results), verdict.independent(results)
    tally = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    body = [
        f"<header><div class='eyebrow'>Ringwright &#183; reproduce {page.text(paper)}</div>"
        f"<h1>{page.text(TITLES[paper])}</h1><p class='summary'>{total.reproduced} of "
        f"{total.of} independent values are reproduced. {len(results)} published values in all: "
        f"{page.text(tally)}.</p></header>"
    ]
    drawn = figures_of(paper)
    hosted = paper not in _LEADS
    leads = [_LEADS.get(paper, _ON_A_HOST), *[""] * (len(drawn) - 1)]
    body += [
        page.section(figure.title, lead, _drawn(figure))
        for lead, figure in zip(leads, drawn, strict=True)
    ]
    body.append(page.section("Claims", _CLAIMS, _table(results)))
    body += [_host()] if hosted else []
    return page.page(f"reproduce {paper}", body)


def _drawn(figure: Figure) -> str:
    try:
        return figure.draw().html()
    except MachineError as error:
        return f"<p class='lead'>skipped: {page.text(error)}</p>"


_CLAIMS = (
    "<em>Reproduced</em>: within the tolerance, and nothing of ours was told the value. "
    "<em>Calibrated</em>: the value entered a fit. <em>Derived</em>: computed from what entered "
    "one, from a printed number, or from results that other claims stand for. "
    "<em>By construction</em>: parameters and printed numbers alone. <em>Compared</em>: our own "
    "program, which the paper does not have. <em>Inconsistent source</em>: the value contradicts "
    "its own document or another one, and nothing is tuned to it. A miss stands with its reason."
)


def _table(results: Sequence[Result]) -> str:
    heads = ["claim", "published", "ours", "unit", "deviation", "tolerance", "verdict"]
    heads.append("reason or remark")
    rows = [
        [
            f"{page.text(r.claim.quantity)}<br><small>{page.text(r.claim.figure)}; "
            f"{page.text(r.claim.conditions)}</small>",
            page.text(published_text(r)),
            page.text(value_text(r.ours)),
            page.text(r.claim.unit),
            page.text(deviation_text(r)),
            page.text(tolerance_text(r)),
            f"<span class='verdict {_tone(r)}'>{page.text(r.verdict)}</span>",
            page.text(r.reason),
        ]
        for r in results
    ]
    return page.table(heads, rows, [1, 2, 4, 5])


def _host() -> str:
    chosen = host(HOST)
    rows = [
        [
            f"<code>{page.text(name)}</code>",
            significant(cost["cycles"], 4),
            f"{significant(cost['low'], 4)} to {significant(cost['high'], 4)}",
            page.provenance(cost["provenance"]),
        ]
        for name, cost in chosen.operations.items()
    ]
    lead = (
        f"{page.text(chosen.title)}. The range holds the values that the published totals and "
        "shares cannot tell apart."
    )
    heads = ["operation", "cycles", "range", "provenance"]
    return page.section(f"Host {HOST}", lead, page.table(heads, rows, [1, 2]))


def published_text(result: Result) -> str:
    """The published value; a limit with its sign."""
    limit = "< " if result.claim.relation == "below" else ""
    return "" if result.claim.published is None else limit + value_text(result.claim.published)


def value_text(value: float | None) -> str:
    """Four significant digits; nothing for nothing."""
    return "" if value is None else significant(value, 4)


def deviation_text(result: Result) -> str:
    """In percent, or as a factor from 10 on; nothing inside a limit."""
    deviation = result.deviation
    if deviation is None or (result.claim.relation == "below" and not deviation):
        return ""
    return f"{significant(deviation + 1)} x" if deviation >= 9 else f"{100 * deviation:+.1f} %"


def tolerance_text(result: Result) -> str:
    """Which deviation still counts as reproduced; nothing for a limit, for what is skipped and
    for what the paper prints no number of.
    """
    claim = result.claim
    is_limit = claim.relation == "below"
    if claim.tolerance is None or claim.published is None or result.ours is None or is_limit:
        return ""
    return f"{100 * claim.tolerance:g} %"


def _tone(result: Result) -> str:
    return {"reproduced": "good", "miss": "bad"}.get(result.verdict, "")
