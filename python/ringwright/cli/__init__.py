"""The `ringwright` command line: one module per verb.

Exit codes: 0 done, 1 a wrong answer or a failure, 2 bad usage, 130 interrupted. Results go to
stdout, progress and errors to stderr; an error is one line that says what was given and what is
allowed.
"""

from ringwright.cli.app import main

__all__ = ["main"]
