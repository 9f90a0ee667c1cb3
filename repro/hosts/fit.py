"""Fits the hosts and writes machines/hosts/: `python repro/hosts/fit.py`.

Needs the built package: the rows of RACE take its simulated cycles.
"""

from __future__ import annotations

from pathlib import Path

from ringwright.reproduce import fit

HOSTS = Path(__file__).resolve().parents[2] / "machines" / "hosts"


def main() -> None:
    """Writes every fitted host and prints what cannot be told apart."""
    for name in ("blackparrot-published",):
        plan = fit.plan_of(name)
        fitted = fit.fit(plan)
        (HOSTS / f"{name}.toml").write_text(fit.host_file(plan, fitted), encoding="utf-8")
        for row in fitted.rows:
            kind = "fitted" if row.used else "predicted"
            print(f"{fitted.residual(row):+7.1%}  {kind:9}  {row.id}")
        ranges = zip(fitted.unknowns, fitted.cycles, fitted.ranges, strict=True)
        for operation, cycles, (low, high) in ranges:
            print(f"{operation:20} {cycles:9.4g} cycles, from {low:.4g} to {high:.4g}")


if __name__ == "__main__":
    main()
