"""The claims of one paper as a self-contained page: figures, then every claim with its verdict."""

from __future__ import annotations

from collections.abc import Sequence

from ringwright.machines import host
from ringwright.report import page
from ringwright.reproduce import verdict
from ringwright.reproduce.figures import figures_of
from ringwright.reproduce.systems import HOST
from ringwright.reproduce.verdict import Result

TITLES = {
    "race": "RACE: en- and decryption on the edge",
    "rise": "RISE: error sampling and parallel transforms",
    "tax-he": "The tax of homomorphic encryption",
    "rpu": "RPU: the Ring Processing Unit",
    "trebuchet": "TREBUCHET: a chip of such tiles",
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
#: Papers whose processor is the fitted host.
_HOSTED = ("race", "rise", "tax-he")


def report(paper: str, results: Sequence[Result]) -> str:
    """The page."""
    counts = verdict.counts(results)
    tally = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    body = [
        f"<header><div class='eyebrow'>Ringwright &#183; reproduce {page.text(paper)}</div>"
        f"<h1>{page.text(TITLES[paper])}</h1><p class='summary'>{len(results)} published values: "
        f"{page.text(tally)}.</p></header>"
    ]
    drawn = figures_of(paper)
    hosted = paper in _HOSTED
    leads = [_ON_A_HOST if hosted else _ON_A_TILE, *[""] * (len(drawn) - 1)]
    body += [
        page.section(title, lead, svg) for lead, (title, svg) in zip(leads, drawn, strict=True)
    ]
    body.append(page.section("Claims", _CLAIMS, _table(results)))
    body += [_host()] if hosted else []
    return page.page(f"reproduce {paper}", body)


_CLAIMS = (
    "<em>Calibrated</em>: the value entered a fit or is the published number itself. "
    "<em>Inconsistent source</em>: it contradicts its own document or another one, and nothing is "
    "tuned to it. A miss stands with its reason."
)


def _table(results: Sequence[Result]) -> str:
    heads = ["claim", "published", "ours", "unit", "deviation", "verdict", "reason or remark"]
    rows = [
        [
            f"{page.text(r.claim.quantity)}<br><small>{page.text(r.claim.figure)}; "
            f"{page.text(r.claim.conditions)}</small>",
            page.text(published_text(r)),
            page.text(value_text(r.ours)),
            page.text(r.claim.unit),
            page.text(deviation_text(r)),
            f"<span class='verdict {_tone(r)}'>{page.text(r.verdict)}</span>",
            page.text(r.reason),
        ]
        for r in results
    ]
    return page.table(heads, rows, [1, 2, 4])


def _host() -> str:
    chosen = host(HOST)
    rows = [
        [
            f"<code>{page.text(name)}</code>",
            f"{cost['cycles']:.4g}",
            f"{cost['low']:.4g} to {cost['high']:.4g}",
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
    """The published value; a bound with its sign."""
    bound = "< " if result.claim.relation == "below" else ""
    return "" if result.claim.published is None else bound + value_text(result.claim.published)


def value_text(value: float | None) -> str:
    """Four significant digits; nothing for nothing."""
    return "" if value is None else f"{value:,.4g}"


def deviation_text(result: Result) -> str:
    """In percent, or as a factor from 10 on; nothing inside a bound."""
    deviation = result.deviation
    if deviation is None or (result.claim.relation == "below" and not deviation):
        return ""
    return f"{deviation + 1:.3g} x" if deviation >= 9 else f"{100 * deviation:+.1f} %"


def _tone(result: Result) -> str:
    return {"reproduced": "good", "miss": "bad"}.get(result.verdict, "")
