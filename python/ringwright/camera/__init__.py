"""The private camera: real video encrypted at the edge, computed on by a server that cannot see it.

    from ringwright import camera
    result = camera.film(camera.Options(compute="motion", frames=10))
    camera.save(result, Path("out/camera"))

Reading order: `video` and `packing` (pixels to slots), `circuit` and `programs` (the computation in
the clear and on ciphertexts), `pipeline` (the stages of a frame), `run` (ledger and figures),
`report`.
"""

from ringwright.camera.application import Film, Options, film, save
from ringwright.camera.circuit import Alarm
from ringwright.camera.video import Size, Source, VideoError

__all__ = [
    "Alarm",
    "Film",
    "Options",
    "Size",
    "Source",
    "VideoError",
    "film",
    "save",
]
