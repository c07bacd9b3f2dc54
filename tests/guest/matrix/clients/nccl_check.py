"""PyTorch's NCCL in a group of one process."""
import os

import torch
import torch.distributed

os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
torch.distributed.init_process_group("nccl", store=torch.distributed.HashStore(), rank=0, world_size=1)
data = torch.arange(1 << 22, device="cuda", dtype=torch.int64)
for _ in range(50):
    torch.distributed.all_reduce(data)
    torch.distributed.broadcast(data, 0)
torch.cuda.synchronize()
print("sum", data.sum().item())
torch.distributed.destroy_process_group()
