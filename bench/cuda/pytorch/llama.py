"""A model of Llama's shape with random weights in bfloat16: decoding steps as one CUDA graph, and prefills. Ordinary
PyTorch. Positions are a factor instead of a rotation, which costs about the same; the words mean nothing."""
import torch
from torch.nn import functional

LAYERS, HIDDEN, HEADS, KEY_HEADS, INNER, WORDS = 32, 4096, 32, 8, 14336, 128256
SIDE = HIDDEN // HEADS
CONTEXT = 1024  # words that each sequence of a decoding batch has
WARM_UP = 3


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        made = {"device": "cuda", "dtype": torch.bfloat16}
        self.norms = torch.nn.Parameter(torch.ones(2, HIDDEN, **made))
        self.question = torch.nn.Linear(HIDDEN, HIDDEN, bias=False, **made)
        self.keys = torch.nn.Linear(HIDDEN, 2 * KEY_HEADS * SIDE, bias=False, **made)
        self.out = torch.nn.Linear(HIDDEN, HIDDEN, bias=False, **made)
        self.gates = torch.nn.Linear(HIDDEN, 2 * INNER, bias=False, **made)
        self.down = torch.nn.Linear(INNER, HIDDEN, bias=False, **made)

    def forward(self, state, turn, cache=None):
        batch, length, _ = state.shape
        normal = functional.rms_norm(state, (HIDDEN,), self.norms[0])
        question = self.question(normal).view(batch, length, HEADS, SIDE).transpose(1, 2) * turn
        keys, values = self.keys(normal).view(batch, length, 2 * KEY_HEADS, SIDE).transpose(1, 2).chunk(2, 1)
        keys = keys * turn
        if cache is not None:  # a decoding step: the last place is this token's
            cache[0][:, :, -1:], cache[1][:, :, -1:] = keys, values
            keys, values = cache
        seen = functional.scaled_dot_product_attention(question, keys, values, is_causal=cache is None,
                                                       enable_gqa=True)
        state = state + self.out(seen.transpose(1, 2).reshape(batch, length, HIDDEN))
        gate, up = self.gates(functional.rms_norm(state, (HIDDEN,), self.norms[1])).chunk(2, -1)
        return state + self.down(functional.silu(gate) * up)


class Llama(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words = torch.nn.Embedding(WORDS, HIDDEN, device="cuda", dtype=torch.bfloat16)
        self.layers = torch.nn.ModuleList(Layer() for _ in range(LAYERS))

    def forward(self, words, caches=None):
        state = self.words(words)
        turn = torch.cos(torch.arange(words.shape[1], device="cuda")).to(torch.bfloat16)[:, None]
        for number, layer in enumerate(self.layers):
            state = layer(state, turn, caches[number] if caches else None)
        return (state[:, -1] @ self.words.weight.T).argmax(-1, keepdim=True)


def decode(batch):
    """A function of one step of the batch: a graph that feeds its own words back."""
    model, words = Llama(), torch.ones(batch, 1, dtype=torch.long, device="cuda")
    caches = [torch.zeros(2, batch, KEY_HEADS, CONTEXT, SIDE, device="cuda", dtype=torch.bfloat16)
              for _ in range(LAYERS)]
    graph, side = torch.cuda.CUDAGraph(), torch.cuda.Stream()
    with torch.no_grad():
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(WARM_UP):
                words.copy_(model(words, caches))
        torch.cuda.current_stream().wait_stream(side)
        with torch.cuda.graph(graph):
            words.copy_(model(words, caches))

    def one(_kept=(model, words, caches)):  # what the graph uses
        graph.replay()
    return one


def prefill(length):
    """A function of one prompt of so many words."""
    model, words = Llama(), torch.ones(1, length, dtype=torch.long, device="cuda")

    def one():
        with torch.no_grad():
            return model(words)
    return one
