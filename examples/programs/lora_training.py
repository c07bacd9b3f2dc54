#!/usr/bin/env python3
"""Training that adapts a language model (LoRA): the weights of 24 layers stand still, small matrices beside them learn.
Batches of 8 texts of 512 words, bfloat16, AdamW. Ordinary PyTorch. Prints steps a second."""
import common
import torch
from torch.nn import functional

LAYERS, HIDDEN, HEADS, WORDS, RANK, BATCH, LENGTH = 24, 2048, 16, 32000, 16, 8, 512


class Adapted(torch.nn.Module):
    """A fixed linear layer and what is learned beside it."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.fixed = torch.nn.Linear(inputs, outputs, bias=False).requires_grad_(False)
        self.down, self.up = torch.nn.Linear(inputs, RANK, bias=False), torch.nn.Linear(RANK, outputs, bias=False)

    def forward(self, state):
        return self.fixed(state) + self.up(self.down(state))


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.into, self.out = Adapted(HIDDEN, 3 * HIDDEN), Adapted(HIDDEN, HIDDEN)
        self.wide, self.narrow = Adapted(HIDDEN, 4 * HIDDEN), Adapted(4 * HIDDEN, HIDDEN)

    def forward(self, state):
        parts = self.into(functional.layer_norm(state, (HIDDEN,)))
        query, key, value = parts.view(*state.shape[:2], 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        seen = functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        state = state + self.out(seen.transpose(1, 2).reshape(state.shape))
        return state + self.narrow(functional.gelu(self.wide(functional.layer_norm(state, (HIDDEN,)))))


class Training:
    def __init__(self):
        torch.manual_seed(0)
        torch.set_default_dtype(torch.bfloat16)
        with torch.device("cuda"):
            self.words = torch.nn.Embedding(WORDS, HIDDEN).requires_grad_(False)
            self.layers = torch.nn.Sequential(*(Layer() for _ in range(LAYERS)))
            self.texts = torch.randint(WORDS, (BATCH, LENGTH + 1))
        self.learner = torch.optim.AdamW((it for it in self.layers.parameters() if it.requires_grad), lr=1e-4)
        for _ in range(2):
            self.step()

    def step(self):
        state = self.layers(self.words(self.texts[:, :-1]))
        loss = functional.cross_entropy((state @ self.words.weight.T).flatten(0, 1), self.texts[:, 1:].flatten())
        self.learner.zero_grad()
        loss.backward()
        self.learner.step()
        return loss.item()


if __name__ == "__main__":
    training = Training()
    common.run(lambda seconds: common.rate_of(training.step, seconds), __doc__)
