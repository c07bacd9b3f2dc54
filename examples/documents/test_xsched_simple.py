#!/usr/bin/python3
"""One matrix product on the default stream. LD_PRELOAD=.../libshimhip.so test_xsched_simple.py"""
import os
import sys

try:
    import torch
except ImportError:
    sys.exit("skipped: this Python has no torch")
if not torch.cuda.is_available():
    sys.exit("skipped: torch finds no device")
torch.manual_seed(1)
a, b = (torch.randn(512, 512, device="cuda") for _ in range(2))
total = (a @ b).sum().item()
preloaded = "libshim" in os.environ.get("LD_PRELOAD", "")
print(f"{torch.cuda.get_device_name(0)}: sum {total:.6f} ({'with' if preloaded else 'without'} a shim)")
