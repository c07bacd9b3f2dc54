#!/usr/bin/env python3
"""A whisper model of a few megabytes with arbitrary weights, for whisper.cpp: no real one can be had here.

  tiny_whisper.py FOR_TESTS.bin OUT.bin     FOR_TESTS: whisper.cpp's models/for-tests-ggml-tiny.en.bin, which has a
                                            vocabulary and no weights
"""
import random
import struct
import sys

STATE, HEADS, LAYERS, AUDIO, TEXT = 64, 2, 2, 1500, 32  # rows of 32 and more go to the device
F32, F16 = 0, 1
FORMATS = {F32: "f", F16: "e"}


def weights(count, kind, spread):
    """Repeats a short arbitrary row, so that big tensors take no time."""
    period = min(count, 4093)
    row = struct.pack(f"<{period}{FORMATS[kind]}", *(random.gauss(0, spread) for _ in range(period)))
    size = count * struct.calcsize(FORMATS[kind])
    return (row * (size // len(row) + 1))[:size]


def tensor(name, shape, kind, data=None, spread=0.2):
    count = 1
    for side in shape:
        count *= side
    text = name.encode()
    head = struct.pack(f"<3i{len(shape)}i", len(shape), len(text), kind, *shape)
    return head + text + (data if data is not None else weights(count, kind, spread))


def norm(name):
    ones = struct.pack(f"<{STATE}f", *[1.0] * STATE)
    return tensor(name + ".weight", (STATE,), F32, ones) + tensor(name + ".bias", (STATE,), F32, spread=0.02)


def linear(name, inner, outer, bias=True):
    made = tensor(name + ".weight", (inner, outer), F16)
    return made + (tensor(name + ".bias", (outer,), F32, spread=0.02) if bias else b"")


def attention(name):
    return norm(name + "_ln") + b"".join(
        linear(f"{name}.{part}", STATE, STATE, part != "key") for part in ("query", "key", "value", "out"))


def block(name, cross):
    made = attention(name + ".attn") + (attention(name + ".cross_attn") if cross else b"")
    return made + norm(name + ".mlp_ln") + linear(name + ".mlp.0", STATE, 4 * STATE) + linear(
        name + ".mlp.2", 4 * STATE, STATE)


def convolution(name, inner):
    return tensor(name + ".weight", (3, inner, STATE), F16) + tensor(name + ".bias", (1, STATE), F32, spread=0.02)


def main():
    source, target = sys.argv[1:]
    with open(source, "rb") as file:
        given = file.read()
    magic, words, *_, mels, kind = struct.unpack_from("<12i", given)
    random.seed(1)
    parts = [struct.pack("<12i", magic, words, AUDIO, STATE, HEADS, LAYERS, TEXT, STATE, HEADS, LAYERS, mels, kind),
             given[48:],
             tensor("encoder.positional_embedding", (STATE, AUDIO), F32), convolution("encoder.conv1", mels),
             convolution("encoder.conv2", STATE), norm("encoder.ln_post"),
             tensor("decoder.positional_embedding", (STATE, TEXT), F32),
             tensor("decoder.token_embedding.weight", (STATE, words), F16), norm("decoder.ln")]
    parts += [block(f"{side}.blocks.{layer}", side == "decoder") for side in ("encoder", "decoder")
              for layer in range(LAYERS)]
    with open(target, "wb") as file:
        file.write(b"".join(parts))


if __name__ == "__main__":
    main()
