"""Models of the published workloads by name, with random weights. Ordinary PyTorch."""
import contextlib
import importlib
import sys

import models
import torch

BERT = {"bert": (12, 768), "bert_large": (24, 1024)}
GPT2 = {"gpt2_medium": models.GPT2_MEDIUM, "gpt2_large": {"n_embd": 1280, "n_layer": 36, "n_head": 20}}
IMAGE_SIDE = {"inception_v3": 299}
WHISPER_FRAMES, WHISPER_WORDS = 3000, 64
VOCABULARY = 30000


class Whisper(torch.nn.Module):
    """Whisper large: both its inputs out of one tensor."""

    def __init__(self):
        super().__init__()
        from transformers import WhisperConfig, WhisperForConditionalGeneration
        shape = {"d_model": 1280, "encoder_layers": 32, "decoder_layers": 32, "encoder_attention_heads": 20,
                 "decoder_attention_heads": 20, "encoder_ffn_dim": 5120, "decoder_ffn_dim": 5120, "use_cache": False}
        self.model = WhisperForConditionalGeneration(WhisperConfig(**shape))

    def forward(self, sound):
        said = torch.ones(sound.shape[0], WHISPER_WORDS, dtype=torch.long, device=sound.device)
        return self.model(input_features=sound, labels=said).loss


def build(name):
    """The model, not yet on the device."""
    if name in BERT:
        return models.bert(*BERT[name])
    if name == "transformer":  # PyTorch's layers
        return models.Encoder(12, 512)
    if name in GPT2:
        return models.gpt2(**GPT2[name])
    if name == "whisper_large":
        return Whisper()
    import torchvision
    options = {"init_weights": False} if name == "inception_v3" else {}
    return getattr(torchvision.models, name)(weights=None, **options)


def load_libraries():
    """All that models are made of, which takes seconds. None uses the device."""
    for library in ("torchvision", "transformers.models.bert.modeling_bert"):
        with contextlib.suppress(ImportError):
            importlib.import_module(library)


def build_on_device(name):
    """The same with weights that are made there, which takes much less time."""
    try:
        with torch.device("cuda"):
            return build(name)
    except Exception:  # a library that makes some of them on the processor
        return build(name)


def takes_words(name):
    return name in BERT or name in GPT2 or name == "transformer"


def given(name, batch, words):
    """The same input on every machine."""
    if takes_words(name):
        return models.words(batch, words, VOCABULARY)
    shape = (batch, 80, WHISPER_FRAMES) if name == "whisper_large" else (batch, 3, *[IMAGE_SIDE.get(name, 224)] * 2)
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1)).cuda()


def inference(model, name, batch, words, half, graph=False):
    """A function of one request, once the model is on the device; `graph`: as one CUDA graph, if it can be one."""
    model = (model.half() if half else model).eval().cuda()
    data = given(name, batch, words)
    data = data.half() if half and data.is_floating_point() else data
    captured = as_graph(model, name, data, half) if graph else None
    if captured is not None:
        return lambda _kept=(model, data, captured): captured[0].replay()  # with what the graph uses

    def one():
        with torch.no_grad():
            return model(data)
    return one


def as_graph(model, name, data, half):
    """A graph and its output. A BERT that cannot be captured becomes one of the same shape; anything else None."""
    try:
        return models.capture(model, data)
    except Exception as error:  # whatever a library does that no graph can hold
        print(f"{name}: no CUDA graph: {error}", file=sys.stderr)
        torch.cuda.synchronize()
    if name not in BERT:
        return None
    model = models.Encoder(*BERT[name])
    return as_graph((model.half() if half else model).eval().cuda(), f"{name} of PyTorch's layers", data, False)


def scalar(output):
    """A loss out of whatever a model returns."""
    for name in ("loss", "logits"):
        if getattr(output, name, None) is not None:
            output = getattr(output, name)
            break
    return output.float().pow(2).mean() if output.dim() else output


def training(model, name, batch, words, _half):
    """A function of one step."""
    model, data = model.train().cuda(), given(name, batch, words)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4, momentum=0.9)

    def one():
        scalar(model(data)).backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return one
