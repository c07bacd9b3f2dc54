#!/usr/bin/env python3
"""A server of a language model with continuous batching: 16 places, a static cache of keys and values, one CUDA graph
that decodes a token for all places, and prompts that are read one at a time when a place is free. Requests of 128 words
arrive at random (Poisson), each wants 64. The model has random weights: the words mean nothing, the work is that of a
model with 1.1 billion parameters in bfloat16. Ordinary PyTorch, no XSched in it.

Prints the time to the first token (from the arrival) and the time between the tokens of one request."""
import random
import time

import common
import torch
from torch.nn import functional

LAYERS, HIDDEN, HEADS, INNER, WORDS = 16, 2048, 16, 8192, 32000
PLACES, CONTEXT, PROMPT, ANSWER = 16, 256, 128, 64
REQUESTS_PER_SECOND = 8
SIDE = HIDDEN // HEADS


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.into = torch.nn.Linear(HIDDEN, 3 * HIDDEN, bias=False)
        self.out = torch.nn.Linear(HIDDEN, HIDDEN, bias=False)
        self.gate_up = torch.nn.Linear(HIDDEN, 2 * INNER, bias=False)
        self.down = torch.nn.Linear(INNER, HIDDEN, bias=False)

    def forward(self, state, attend):
        batch, length, _ = state.shape
        parts = self.into(functional.rms_norm(state, (HIDDEN,))).view(batch, length, 3, HEADS, SIDE)
        query, key, value = parts.permute(2, 0, 3, 1, 4)
        state = state + self.out(attend(query, key, value).transpose(1, 2).reshape(batch, length, HIDDEN))
        gate, up = self.gate_up(functional.rms_norm(state, (HIDDEN,))).chunk(2, -1)
        return state + self.down(functional.silu(gate) * up)


class Server:
    def __init__(self):
        torch.manual_seed(0)
        torch.set_default_dtype(torch.bfloat16)
        with torch.device("cuda"):
            self.layers = torch.nn.ModuleList(Layer() for _ in range(LAYERS))
            self.words, self.places = torch.nn.Embedding(WORDS, HIDDEN), torch.nn.Embedding(CONTEXT, HIDDEN)
            self.cache = torch.zeros(LAYERS, 2, PLACES, HEADS, CONTEXT, SIDE)
            self.word, self.at = torch.zeros(PLACES, 1, dtype=torch.long), torch.zeros(PLACES, dtype=torch.long)
            self.rows, self.columns = torch.arange(PLACES), torch.arange(CONTEXT)
        self.said = torch.zeros(PLACES, 1, dtype=torch.long, pin_memory=True)
        self.free, self.active = list(range(PLACES)), {}  # active: place -> [tokens left, time of the last one]
        self.graph = self.capture()

    def step(self):
        """One token for every place, whether it has a request or not."""
        state, mask = self.words(self.word) + self.places(self.at)[:, None], self.columns <= self.at[:, None]
        for number, layer in enumerate(self.layers):
            def attend(query, key, value, keys=self.cache[number, 0], values=self.cache[number, 1]):
                keys[self.rows, :, self.at], values[self.rows, :, self.at] = key[:, :, 0], value[:, :, 0]
                return functional.scaled_dot_product_attention(query, keys, values, attn_mask=mask[:, None, None])
            state = layer(state, attend)
        self.word.copy_((state[:, -1] @ self.words.weight.T).argmax(-1, keepdim=True))
        self.at.copy_((self.at + 1).clamp(max=CONTEXT - 1))

    def capture(self):
        graph, side = torch.cuda.CUDAGraph(), torch.cuda.Stream()
        with torch.no_grad():
            with torch.cuda.stream(side):
                for _ in range(3):
                    self.step()
                self.read_prompt(0)
            torch.cuda.synchronize()
            with torch.cuda.graph(graph):
                self.step()
        return graph

    def read_prompt(self, place):
        """Reads a prompt into a place and returns its first token."""
        prompt = torch.randint(WORDS, (1, PROMPT), device="cuda")
        state = self.words(prompt) + self.places.weight[:PROMPT]
        for number, layer in enumerate(self.layers):
            def attend(query, key, value, cache=self.cache[number, :, place]):
                cache[0, :, :PROMPT], cache[1, :, :PROMPT] = key[0], value[0]
                return functional.scaled_dot_product_attention(query, key, value, is_causal=True)
            state = layer(state, attend)
        self.word[place] = (state[:, -1] @ self.words.weight.T).argmax(-1)
        self.at[place] = PROMPT
        return int(self.word[place])

    @torch.no_grad()
    def measure(self, seconds):
        first, between, chance = [], [], random.Random(1)
        begin = time.monotonic()
        arrival = begin + chance.expovariate(REQUESTS_PER_SECOND)
        while (now := time.monotonic()) < begin + seconds:
            if self.free and arrival <= now:
                place = self.free.pop()
                self.read_prompt(place)
                self.active[place] = [ANSWER, time.monotonic()]
                first.append(self.active[place][1] - arrival)
                arrival += chance.expovariate(REQUESTS_PER_SECOND)
            elif self.active:
                self.decode(between)
            else:
                time.sleep(min(arrival - now, 0.01))
        self.free, self.active = list(range(PLACES)), {}
        return {"first_token_ms": common.in_ms(first), "between_tokens_ms": common.in_ms(between)}

    def decode(self, between):
        self.graph.replay()
        self.said.copy_(self.word, non_blocking=True)
        torch.cuda.current_stream().synchronize()
        now = time.monotonic()
        for place, request in list(self.active.items()):
            between.append(now - request[1])
            request[:] = request[0] - 1, now
            if request[0] == 0:
                del self.active[place]
                self.free.append(place)


if __name__ == "__main__":
    common.run(Server().measure, __doc__)
