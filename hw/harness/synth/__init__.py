"""Blocks of the RTL mapped onto standard cells: area, cells, depth, longest path.

`blocks` says which blocks there are, `flow` maps one, `liberty` and `netlist` read what yosys works
with, `timing` finds the longest path, `record` keeps results in `spec/silicon/synthesised.toml`.
"""
