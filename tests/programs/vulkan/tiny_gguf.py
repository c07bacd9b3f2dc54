#!/usr/bin/env python3
"""Writes a Llama with arbitrary weights as a GGUF file, small enough for a test unless it is told otherwise.

    tiny_gguf.py OUT [--layers 2] [--width 128] [--heads 4] [--inner 256] [--words 512] [--half]
"""
import argparse
import random
import struct

ALIGNED = 32  # bytes, GGUF's default
VERSION = 3
UINT32, FLOAT32, STRING, ARRAY, INT32 = 4, 6, 8, 9, 5  # GGUF's types of values
SINGLE, HALF = 0, 1                                    # kinds of tensors
NORMAL, CONTROL, BYTE, UNKNOWN = 1, 3, 6, 2            # kinds of tokens
SPECIAL = [("<unk>", UNKNOWN), ("<s>", CONTROL), ("</s>", CONTROL)]


def text(value):
    raw = value.encode()
    return struct.pack("<Q", len(raw)) + raw


def number(kind, value):
    return struct.pack("<f" if kind == FLOAT32 else "<i" if kind == INT32 else "<I", value)


def entry(name, kind, value, of=None):
    if kind == ARRAY:
        items = b"".join(text(item) if of == STRING else number(of, item) for item in value)
        return text(name) + struct.pack("<IIQ", ARRAY, of, len(value)) + items
    return text(name) + struct.pack("<I", kind) + (text(value) if kind == STRING else number(kind, value))


def tokens(count):
    known = SPECIAL + [(f"<0x{byte:02X}>", BYTE) for byte in range(256)]
    return known + [(f"\u2581w{i}", NORMAL) for i in range(count - len(known))]


def metadata(shape):
    words = tokens(shape.words)
    llama = {"context_length": 2048, "embedding_length": shape.width, "block_count": shape.layers,
             "feed_forward_length": shape.inner, "attention.head_count": shape.heads,
             "attention.head_count_kv": shape.heads, "rope.dimension_count": shape.width // shape.heads,
             "vocab_size": shape.words}
    rows = [entry("general.architecture", STRING, "llama"), entry("general.name", STRING, "tiny"),
            entry("general.file_type", UINT32, HALF if shape.half else SINGLE)]
    rows += [entry(f"llama.{name}", UINT32, value) for name, value in llama.items()]
    rows += [entry("llama.attention.layer_norm_rms_epsilon", FLOAT32, 1e-5),
             entry("tokenizer.ggml.model", STRING, "llama"),
             entry("tokenizer.ggml.tokens", ARRAY, [word for word, _ in words], STRING),
             entry("tokenizer.ggml.scores", ARRAY, [-float(i) for i in range(len(words))], FLOAT32),
             entry("tokenizer.ggml.token_type", ARRAY, [kind for _, kind in words], INT32)]
    rows += [entry(f"tokenizer.ggml.{name}_token_id", UINT32, value)
             for name, value in (("unknown", 0), ("bos", 1), ("eos", 2))]
    return rows


def tensors(shape):
    wide, inner = shape.width, shape.inner
    yield "token_embd.weight", (wide, shape.words)
    yield "output_norm.weight", (wide,)
    yield "output.weight", (wide, shape.words)
    for i in range(shape.layers):
        for name in ("attn_norm", "ffn_norm"):
            yield f"blk.{i}.{name}.weight", (wide,)
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            yield f"blk.{i}.{name}.weight", (wide, wide)
        for name, size in (("ffn_gate", (wide, inner)), ("ffn_up", (wide, inner)), ("ffn_down", (inner, wide))):
            yield f"blk.{i}.{name}.weight", size


def padded(raw):
    return raw + bytes(-len(raw) % ALIGNED)


def packed(values, half):
    return struct.pack(f"<{len(values)}{'e' if half else 'f'}", *values)


def weights(size, noise, wide):
    """`noise`: numbers of `wide` bytes each, which are repeated from a random one on."""
    if len(size) == 1:
        return packed([1.0] * size[0], False)
    count, start = size[0] * size[1] * wide, random.randrange(len(noise) // wide) * wide
    return ((noise[start:] + noise[:start]) * (count // len(noise) + 1))[:count]


def write(path, shape):
    random.seed(7)
    wide = 2 if shape.half else 4
    noise = packed([random.gauss(0, 0.05) for _ in range(65537)], shape.half)
    infos, place = [], 0
    for name, size in tensors(shape):
        kind = HALF if shape.half and len(size) > 1 else SINGLE
        infos.append(text(name) + struct.pack(f"<I{len(size)}QIQ", len(size), *size, kind, place))
        place += len(padded(weights(size, noise, wide)))
    rows = metadata(shape)
    head = b"GGUF" + struct.pack("<IQQ", VERSION, len(infos), len(rows)) + b"".join(rows + infos)
    random.seed(8)
    with open(path, "wb") as file:
        file.write(padded(head))
        for _, size in tensors(shape):
            file.write(padded(weights(size, noise, wide)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    for name, default in (("layers", 2), ("width", 128), ("heads", 4), ("inner", 256), ("words", 512)):
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--half", action="store_true", help="weights of 16 bits")
    shape = parser.parse_args()
    write(shape.out, shape)


if __name__ == "__main__":
    main()
