"""The models of torch_suite.py that PyTorch does not bring."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "cuda" / "pytorch"))
import models  # noqa: E402
from torch import nn  # noqa: E402


def mlp():
    return nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))


def cnn():
    return nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(32, 64, 3, padding=1), nn.BatchNorm2d(64), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
                         nn.Flatten(), nn.Linear(64, 10))


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.head = models.Encoder(2, 256), nn.Linear(256, 10)
        for module in self.modules():
            if isinstance(module, nn.Dropout):
                module.p = 0.1

    def forward(self, text):
        return self.head(self.encoder(text).mean(1))


def vision(name):
    import torchvision
    return getattr(torchvision.models, name)(weights=None)
