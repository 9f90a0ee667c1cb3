"""Many designs, one workload: a study, point by point, and its front::

    from ringwright import explore

    space = explore.Space.parse("rpu-128x128", ["hples=32..128:x2", "banks=64,128"])
    study = explore.run(space, explore.Workload.parse("ntt:4096"), "out/study", workers=2)
    for point in study.front(["time", "area"]):
        print(point["id"], point["time_us"], point["area_mm2"])

`space` says which designs there are, `designs` which of them a study asks for (`sampled`: as Optuna
chooses), `workload` what each of them does, `evaluate` how one is timed and what it costs, `engine`
who computes which points (Dask), `store` what is kept: a file for each point, named by what it is
computed from, so that nothing that is finished is lost or done twice. `front` compares finished
points, `sensitivity` says which parameter moves them.
"""

from ringwright.explore.designs import Plan, grid, one_by_one
from ringwright.explore.engine import run
from ringwright.explore.front import OBJECTIVES, front
from ringwright.explore.sampled import Sampled
from ringwright.explore.space import Space
from ringwright.explore.store import Study
from ringwright.explore.workload import Workload

__all__ = [
    "OBJECTIVES",
    "Plan",
    "Sampled",
    "Space",
    "Study",
    "Workload",
    "front",
    "grid",
    "one_by_one",
    "run",
]
