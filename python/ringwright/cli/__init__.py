"""The `ringwright` command line: one module per verb.

Exit codes: 0 done; 1 a wrong answer, and nothing else; 2 what was given is wrong, an option or what
stands in a file; 3 what this computer lacks or refuses, a file, a camera, a tool, room on a disk;
70 a defect of ours, with its traceback; 130 interrupted; 141 whoever read the output went away.
Results go to stdout, progress and errors to stderr; an error is one line that says what was given
and what is allowed.
"""

from ringwright.cli.app import main

__all__ = ["main"]
