"""What the benchmark runners share; Python's standard library only."""
