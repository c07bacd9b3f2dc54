"""Models with random weights, their inputs, and CUDA graphs of them. Ordinary PyTorch, for benchmarks and tests."""
import hashlib
import os
import sys

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # before the first use of cuBLAS: deterministic results
os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing is fetched: all weights are random
import torch  # noqa: E402
import torch.utils.deterministic  # noqa: E402

GPT2_MEDIUM = {"n_embd": 1024, "n_layer": 24, "n_head": 16}


def deterministic(seed=0):
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # else every empty tensor costs a kernel
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = True


def wait_for_turn():
    """For a program that was loaded ahead: says so, and waits for a line, or the end, of standard input. Nothing of it
    has touched the device by then."""
    print("ready", flush=True)
    sys.stdin.buffer.raw.readline()


class Encoder(torch.nn.Module):
    """BERT's shape out of PyTorch's own layers."""

    def __init__(self, layers, hidden, words=30522, positions=512):
        super().__init__()
        self.words, self.positions = torch.nn.Embedding(words, hidden), torch.nn.Embedding(positions, hidden)
        layer = torch.nn.TransformerEncoderLayer(hidden, hidden // 64, 4 * hidden, activation="gelu", batch_first=True)
        self.layers = torch.nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)

    def forward(self, words):
        return self.layers(self.words(words) + self.positions.weight[:words.shape[1]])


class LastHidden(torch.nn.Module):
    """A transformers model that returns its hidden states alone."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, words):
        return self.model(input_ids=words).last_hidden_state


def bert(layers=12, hidden=768):
    from transformers import BertConfig, BertModel
    config = BertConfig(num_hidden_layers=layers, hidden_size=hidden, num_attention_heads=hidden // 64,
                        intermediate_size=4 * hidden)
    return LastHidden(BertModel(config, add_pooling_layer=False))


def gpt2(**shape):
    from transformers import GPT2Config, GPT2LMHeadModel
    return GPT2LMHeadModel(GPT2Config(resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, **shape))


def words(batch, length, vocabulary=30000, device="cuda"):
    """The same on every machine."""
    return torch.randint(1, vocabulary, (batch, length), generator=torch.Generator().manual_seed(1)).to(device)


def images(batch, device="cuda"):
    return torch.randn(batch, 3, 224, 224, generator=torch.Generator().manual_seed(1)).to(device)


def greedy(model, prompt, tokens):
    return model.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=tokens, min_new_tokens=tokens,
                          do_sample=False, pad_token_id=0)


def capture(model, static_input):
    """A CUDA graph of model(static_input); returns the graph and its output."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side), torch.no_grad():
        for _ in range(3):
            model(static_input)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph), torch.no_grad():
        output = model(static_input)
    return graph, output


def bert_graph(batch, length, model=None):
    """BERT-base in half precision as a CUDA graph: graph, input, output, and which implementation it is. That of
    transformers synchronizes while it is captured in some versions; then the same shape out of PyTorch's layers."""
    static_input = words(batch, length)
    try:
        graph, output = capture((model or bert()).eval().half().cuda(), static_input)
        return graph, static_input, output, "transformers"
    except Exception:  # whatever that version does not like
        torch.cuda.synchronize()
        graph, output = capture(Encoder(12, 768).eval().half().cuda(), static_input)
        return graph, static_input, output, "torch.nn"


def fingerprint(*tensors):
    """A number of at most 56 bits out of every bit of the tensors."""
    digest = hashlib.sha256()
    for tensor in tensors:
        flat = tensor.detach().contiguous().reshape(-1)
        digest.update(flat.view(torch.uint8).cpu().numpy().tobytes())
    return int.from_bytes(digest.digest()[:7], "big")
