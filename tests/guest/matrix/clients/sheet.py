#!/usr/bin/python3
"""Prints a sheet of 3,000 rows with formulas, as comma-separated values."""
for row in range(1, 3001):
    print(f"{row},{row * 7 % 101},=A{row}*B{row}+SUM(A{max(row - 20, 1)}:A{row})")
