"""A ResNet-50 with random weights names images: the same each time."""
import torch
import torchvision

torch.manual_seed(1)
torch.use_deterministic_algorithms(True)
model = torchvision.models.resnet50().cuda().eval()
with torch.no_grad():
    for batch in (1, 8, 32):
        print(batch, model(torch.randn(batch, 3, 224, 224, device="cuda")).argmax(1).tolist())
