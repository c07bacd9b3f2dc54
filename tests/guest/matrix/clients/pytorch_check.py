"""PyTorch: a network is trained for some steps, and a CUDA graph replayed. Its output is the same each time."""
import torch

torch.use_deterministic_algorithms(True)
torch.backends.cudnn.benchmark = False
torch.manual_seed(1)


def trained(device):
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 16, 3), torch.nn.ReLU(), torch.nn.Conv2d(16, 32, 3, stride=2),
                                torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.LazyLinear(10)).to(device)
    images, labels = torch.randn(64, 3, 32, 32, device=device), torch.arange(64, device=device) % 10
    model(images)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for step in range(200):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        if step % 40 == 0:
            print("step", step, "loss", f"{loss.item():.6f}", flush=True)


def replayed(device):
    stream, graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
    value = torch.ones(1 << 20, device=device)
    with torch.cuda.stream(stream):
        value.mul_(1.0)
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        for _ in range(20):
            value.add_(1.0)
    for _ in range(50):
        graph.replay()
    torch.cuda.synchronize()
    print("graph", value.sum().item())


trained("cuda")
replayed("cuda")
