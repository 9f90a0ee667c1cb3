"""`python -m ringwright` is the `ringwright` command."""

from ringwright.cli import main

main()
