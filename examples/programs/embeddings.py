#!/usr/bin/env python3
"""Turns texts into vectors, as a search index is filled: an encoder of BERT-large's size, batches of 256 texts of 256
words in half precision. Ordinary PyTorch. Prints batches a second."""
import common
import torch

WORDS, HIDDEN, BATCH, LENGTH = 30522, 1024, 256, 256


class Embeddings:
    def __init__(self):
        torch.manual_seed(0)
        with torch.device("cuda"):
            layer = torch.nn.TransformerEncoderLayer(HIDDEN, 16, 4 * HIDDEN, activation="gelu", batch_first=True)
            self.encoder = torch.nn.TransformerEncoder(layer, 24, enable_nested_tensor=False).half().eval()
            self.words = torch.nn.Embedding(WORDS, HIDDEN).half()
        for _ in range(2):
            self.step()

    @torch.no_grad()
    def step(self):
        texts = torch.randint(WORDS, (BATCH, LENGTH)).cuda()
        return self.encoder(self.words(texts)).mean(1).float().cpu()


if __name__ == "__main__":
    torch.set_num_threads(1)
    embeddings = Embeddings()
    common.run(lambda seconds: common.rate_of(embeddings.step, seconds), __doc__)
