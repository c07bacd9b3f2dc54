"""Two Triton kernels against PyTorch."""
import torch
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, size, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    inside = at < size
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def row_sum(x, out, columns, block: tl.constexpr):
    row, at = tl.program_id(0), tl.arange(0, block)
    tl.store(out + row, tl.sum(tl.load(x + row * columns + at, mask=at < columns, other=0.0)))


torch.manual_seed(1)
x, y = torch.randn(100000, device="cuda"), torch.randn(100000, device="cuda")
out = torch.empty_like(x)
for _ in range(50):
    add[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), block=1024)
print("add", "right" if torch.equal(out, x + y) else "wrong")
matrix, sums = torch.randn(512, 1000, device="cuda"), torch.empty(512, device="cuda")
row_sum[(512,)](matrix, sums, 1000, block=1024)
print("sums", "right" if torch.allclose(sums, matrix.sum(1), atol=1e-3) else "wrong")
