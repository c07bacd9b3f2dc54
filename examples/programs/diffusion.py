#!/usr/bin/env python3
"""The work of an image generator: steps of a UNet over latents of 64 x 64, four images at once, in half precision.
It has convolutions, attention and skipped connections as Stable Diffusion's. Ordinary PyTorch. Prints steps a second.
"""
import common
import torch
from torch.nn import functional

WIDTHS, IMAGES, SIDE = (320, 640, 1280), 4, 64


class Block(torch.nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.first = torch.nn.Conv2d(inputs, outputs, 3, padding=1)
        self.second = torch.nn.Conv2d(outputs, outputs, 3, padding=1)
        self.across = torch.nn.Conv2d(inputs, outputs, 1)
        self.norms = torch.nn.ModuleList(torch.nn.GroupNorm(32, channels) for channels in (inputs, outputs))
        self.into, self.out = torch.nn.Linear(outputs, 3 * outputs), torch.nn.Linear(outputs, outputs)

    def forward(self, image):
        changed = self.first(functional.silu(self.norms[0](image)))
        image = self.across(image) + self.second(functional.silu(self.norms[1](changed)))
        points = image.flatten(2).transpose(1, 2)
        query, key, value = self.into(points).view(*points.shape[:2], 3, 8, -1).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value).transpose(1, 2).reshape(points.shape)
        return image + self.out(seen).transpose(1, 2).reshape(image.shape)


class UNet(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.into, self.out = torch.nn.Conv2d(4, WIDTHS[0], 3, padding=1), torch.nn.Conv2d(WIDTHS[0], 4, 3, padding=1)
        down = zip((WIDTHS[0], *WIDTHS), WIDTHS)
        self.down = torch.nn.ModuleList(Block(inputs, outputs) for inputs, outputs in down)
        up = ((2 * WIDTHS[2], WIDTHS[1]), (2 * WIDTHS[1], WIDTHS[0]), (2 * WIDTHS[0], WIDTHS[0]))
        self.middle = Block(WIDTHS[2], WIDTHS[2])
        self.up = torch.nn.ModuleList(Block(inputs, outputs) for inputs, outputs in up)

    def forward(self, image):
        image, kept = self.into(image), []
        for block in self.down:
            kept.append(block(image))
            image = functional.avg_pool2d(kept[-1], 2)
        image = self.middle(image)
        for block in self.up:
            image = block(torch.cat([functional.interpolate(image, scale_factor=2), kept.pop()], 1))
        return self.out(image)


class Diffusion:
    def __init__(self):
        torch.manual_seed(0)
        torch.backends.cudnn.benchmark = True
        with torch.device("cuda"):
            self.unet, self.image = UNet().half().eval(), torch.randn(IMAGES, 4, SIDE, SIDE).half()
        for _ in range(3):
            self.step()

    @torch.no_grad()
    def step(self):
        self.image = (self.image - 0.02 * self.unet(self.image)).clamp(-4, 4)
        torch.cuda.synchronize()


if __name__ == "__main__":
    diffusion = Diffusion()
    common.run(lambda seconds: common.rate_of(diffusion.step, seconds), __doc__)
