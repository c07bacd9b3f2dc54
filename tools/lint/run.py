#!/usr/bin/python3
"""Runs one check of this folder: tools/lint/run.py CHECK [--root FOLDER] [--self-test]."""
import importlib
import sys

import lint

rule = importlib.import_module(sys.argv.pop(1))
lint.main(rule.check, rule.GOOD, rule.BAD)
