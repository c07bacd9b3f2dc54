"""The common part of the benchmark runners; Python's standard library only."""
