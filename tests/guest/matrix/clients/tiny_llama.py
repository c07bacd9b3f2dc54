#!/usr/bin/env python3
"""A llama model of some 100 KB with arbitrary weights, for llama.cpp: no real one can be had here.

  tiny_llama.py OUT.gguf
"""
import random
import struct
import sys

STATE, HEADS, LAYERS, INNER, CONTEXT = 64, 2, 2, 128, 256  # rows of 32 and more go to the device
UINT32, FLOAT32, STRING, ARRAY, INT32 = 4, 6, 8, 9, 5
NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6  # kinds of tokens
ALIGNED = 32
FORMATS = {UINT32: "I", FLOAT32: "f", INT32: "i"}


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def plain(kind, value):
    return text(value) if kind == STRING else struct.pack("<" + FORMATS[kind], value)


def setting(key, kind, value):
    return text(key) + struct.pack("<I", kind) + plain(kind, value)


def listed(key, kind, values):
    head = text(key) + struct.pack("<IIQ", ARRAY, kind, len(values))
    return head + b"".join(plain(kind, value) for value in values)


def tokens():
    """Pairs of a token's text and its kind."""
    single = ["\u2581", *"abcdefghijklmnopqrstuvwxyz"]
    pairs = [first + second for first in single for second in "aeinorst"]
    return [("<unk>", UNKNOWN), ("<s>", CONTROL), ("</s>", CONTROL),
            *((f"<0x{byte:02X}>", BYTE) for byte in range(256)), *((token, NORMAL) for token in single + pairs)]


def settings(words):
    return [setting("general.architecture", STRING, "llama"), setting("general.name", STRING, "tiny"),
            setting("llama.context_length", UINT32, CONTEXT), setting("llama.embedding_length", UINT32, STATE),
            setting("llama.block_count", UINT32, LAYERS), setting("llama.feed_forward_length", UINT32, INNER),
            setting("llama.attention.head_count", UINT32, HEADS),
            setting("llama.attention.layer_norm_rms_epsilon", FLOAT32, 1e-5),
            setting("llama.rope.dimension_count", UINT32, STATE // HEADS),
            setting("tokenizer.ggml.model", STRING, "llama"),
            listed("tokenizer.ggml.tokens", STRING, [token for token, _ in words]),
            listed("tokenizer.ggml.scores", FLOAT32, [float(len(token)) for token, _ in words]),
            listed("tokenizer.ggml.token_type", INT32, [kind for _, kind in words]),
            setting("tokenizer.ggml.bos_token_id", UINT32, 1), setting("tokenizer.ggml.eos_token_id", UINT32, 2),
            setting("tokenizer.ggml.unknown_token_id", UINT32, 0)]


def shapes(words):
    """Pairs of a tensor's name and its sides; a norm has one."""
    made = [("token_embd.weight", (STATE, words)), ("output_norm.weight", (STATE,)), ("output.weight", (STATE, words))]
    for layer in range(LAYERS):
        name = f"blk.{layer}."
        made += [(name + part + ".weight", (STATE, STATE)) for part in ("attn_q", "attn_k", "attn_v", "attn_output")]
        made += [(name + part + ".weight", (STATE, INNER)) for part in ("ffn_gate", "ffn_up")]
        made += [(name + "ffn_down.weight", (INNER, STATE))]
        made += [(name + part + ".weight", (STATE,)) for part in ("attn_norm", "ffn_norm")]
    return made


def values(sides):
    if len(sides) == 1:
        return [1.0] * sides[0]
    return [random.gauss(0, 0.3) for _ in range(sides[0] * sides[1])]


def padded(data):
    return data + bytes(-len(data) % ALIGNED)


def main():
    random.seed(1)
    words = tokens()
    told, tensors = settings(words), shapes(len(words))
    head, body = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(told)) + b"".join(told), b""
    for name, sides in tensors:
        head += text(name) + struct.pack(f"<I{len(sides)}QIQ", len(sides), *sides, 0, len(body))  # 0: 32-bit floats
        data = values(sides)
        body += padded(struct.pack(f"<{len(data)}f", *data))
    with open(sys.argv[1], "wb") as file:
        file.write(padded(head) + body)


if __name__ == "__main__":
    main()
