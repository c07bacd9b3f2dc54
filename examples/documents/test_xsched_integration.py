#!/usr/bin/python3
"""A BERT-like encoder on a torch stream of its own: natively, then with an XSchedQueue of that stream. The outputs must
be the same bit for bit. Run with the shim preloaded (xcli run -- test_xsched_integration.py)."""
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
os.environ.setdefault("XSCHED_SCHEDULER", "local")
os.environ.setdefault("XSCHED_POLICY", "HPF")
try:
    import torch
except ImportError:
    sys.exit("skipped: this Python has no torch")
if not torch.cuda.is_available():
    sys.exit("skipped: torch finds no device")


def outputs(model, batches, stream):
    found = []
    with torch.no_grad(), torch.cuda.stream(stream):
        for batch in batches:
            found.append(model(batch))
    stream.synchronize()
    return found


def main():
    import xsched
    torch.manual_seed(1)
    layer = torch.nn.TransformerEncoderLayer(768, 12, 3072, batch_first=True)
    model = torch.nn.TransformerEncoder(layer, 12).eval().cuda()
    batches = [torch.randn(4, 128, 768, device="cuda") for _ in range(5)]
    torch.cuda.synchronize()
    native = outputs(model, batches, torch.cuda.Stream())
    stream = torch.cuda.Stream(priority=-1)
    with xsched.XSchedQueue(stream, priority=10) as queue:
        scheduled = outputs(model, batches, stream)
        print(f"{queue}: {queue.commands} commands")
    same = all(torch.equal(a, b) for a, b in zip(native, scheduled))
    print("PASS" if same else "FAIL")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
