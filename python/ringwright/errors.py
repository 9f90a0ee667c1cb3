"""Everything that Ringwright refuses, as typed exceptions.

The messages are written by the Rust crates: what was given, what is allowed, and where. The
native module raises these classes; nothing else in the package invents its own hierarchy.
"""

__all__ = [
    "DepthError",
    "FormatError",
    "KeyMismatchError",
    "MachineError",
    "MismatchError",
    "MissingToolError",
    "ParameterError",
    "PrecisionError",
    "ProgramError",
    "RingwrightError",
    "ScheduleError",
    "SecurityError",
    "StaleCaptureError",
    "StorageError",
]


class RingwrightError(Exception):
    """Base of every error that Ringwright raises on purpose."""


class ParameterError(RingwrightError, ValueError):
    """A value outside its range: a ring degree, a prime size, a level, the length of a vector."""


class SecurityError(ParameterError):
    """Parameters below 128 bits of security, or a caller's seed, without `insecure=True`."""


class DepthError(ParameterError):
    """A program that the parameters do not carry; names what can.

    It multiplies deeper than their levels, or it multiplies or rotates under a set without
    special primes, which only encrypts and decrypts.
    """


class PrecisionError(ParameterError):
    """A scale too short for what is computed: nothing of the values would be left in the noise."""


class KeyMismatchError(RingwrightError):
    """A key or ciphertext of other parameters, or a key that the program needs and is not there."""


class FormatError(RingwrightError, ValueError):
    """A record or file that holds something else: cut off, damaged, of another kind or version."""


class StorageError(RingwrightError, OSError):
    """A file could not be read or written; a file that failed to be written is not left behind."""


class MachineError(RingwrightError):
    """A machine or link description that does not exist, is wrong, or cannot run the program."""


class MismatchError(RingwrightError):
    """A simulated machine that computes other words than this computer for the same operands.

    Names the kernel, its call, the user's source line, the tower and the first word.
    """


class MissingToolError(RingwrightError):
    """A tool that this computer lacks; says how to install it."""


class ProgramError(RingwrightError):
    """A program that breaks a rule: scales that differ, a constant of the wrong length, no result.

    Names the operation and the user's source line.
    """


class StaleCaptureError(ProgramError):
    """Something that a traced program read from around its function has changed since."""


class ScheduleError(RingwrightError, ValueError):
    """Stages that cannot be scheduled: a predecessor that does not exist, a negative duration."""
