#!/usr/bin/env python3
"""Reads prompts or writes tokens with llama.cpp's library, as it was built or downloaded (CUDA, Vulkan, CPU).

LLAMA_CPP_LIBRARY is the folder with libllama*.so and its backends, and LLAMA_CPP_MODEL a GGUF file. Without options a
token is written after the other, and the times between them are printed. --prompt: prompts of 512 tokens are read
without a pause, and prompts a second are printed."""
import ctypes
import itertools
import os
import sys
import time
from pathlib import Path

import common

PROMPT, CONTEXT, BEGIN = 512, 1024, 32  # tokens


class Parameters(ctypes.Structure):
    """llama_model_params and llama_context_params, as long as any version has them. Both are passed in memory, of which
    the library reads what it knows. A context's parameters begin with these three sizes."""
    _fields_ = [("context", ctypes.c_uint32), ("batch", ctypes.c_uint32), ("at_once", ctypes.c_uint32),
                ("rest", ctypes.c_uint8 * 500)]


class Batch(ctypes.Structure):
    _fields_ = [("tokens", ctypes.c_int32), ("arrays", ctypes.c_void_p * 6)]


def library(folder):
    """Loads llama.cpp's library from a folder, and its backends."""
    folder = Path(folder)
    ggml = ctypes.CDLL(min(path for path in folder.glob("libggml*.so*") if not path.name.startswith("libggml-")))
    ggml.ggml_backend_load_all_from_path(str(folder).encode())
    llama = ctypes.CDLL(min(path for path in folder.glob("libllama*.so*") if "common" not in path.name))
    pointer = ctypes.c_void_p
    for name, answer, *given in (
            ("model_default_params", Parameters), ("context_default_params", Parameters),
            ("model_load_from_file", pointer, ctypes.c_char_p, Parameters), ("model_get_vocab", pointer, pointer),
            ("vocab_n_tokens", ctypes.c_int32, pointer), ("init_from_model", pointer, pointer, Parameters),
            ("batch_get_one", Batch, pointer, ctypes.c_int32), ("decode", ctypes.c_int32, pointer, Batch),
            ("get_memory", pointer, pointer), ("memory_clear", None, pointer, ctypes.c_bool),
            ("get_logits_ith", ctypes.POINTER(ctypes.c_float), pointer, ctypes.c_int32),
            ("log_set", None, pointer, pointer)):
        function = getattr(llama, f"llama_{name}")
        function.restype, function.argtypes = answer, given
    return llama


class Llama:
    def __init__(self):
        self.llama = library(os.environ["LLAMA_CPP_LIBRARY"])
        self.silent = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)(lambda *_: None)
        self.llama.llama_log_set(self.silent, None)
        self.model = self.llama.llama_model_load_from_file(os.environ["LLAMA_CPP_MODEL"].encode(),
                                                           self.llama.llama_model_default_params())
        if not self.model:
            sys.exit("llama.cpp could not load the model")
        self.words = self.llama.llama_vocab_n_tokens(self.llama.llama_model_get_vocab(self.model))
        sizes = self.llama.llama_context_default_params()
        sizes.context, sizes.batch, sizes.at_once = CONTEXT, PROMPT, PROMPT
        self.context = self.llama.llama_init_from_model(self.model, sizes)
        if not self.context:
            sys.exit("llama.cpp could not make a context")
        self.forget()
        self.read(range(PROMPT))
        self.write_one()

    def forget(self):
        self.llama.llama_memory_clear(self.llama.llama_get_memory(self.context), True)
        self.length = 0

    def read(self, tokens):
        """Puts tokens through the model, and waits for the most likely next one."""
        given = (ctypes.c_int32 * len(tokens))(*(token % self.words for token in tokens))
        if failed := self.llama.llama_decode(self.context, self.llama.llama_batch_get_one(given, len(tokens))):
            sys.exit(f"llama_decode returned {failed}")
        self.length += len(tokens)
        logits = self.llama.llama_get_logits_ith(self.context, -1)  # this waits for the device
        self.next = max(range(min(self.words, 512)), key=logits.__getitem__)

    def write_one(self):
        if self.length >= CONTEXT:
            self.forget()
            self.read(range(BEGIN))
        self.read([self.next])

    def prompt(self):
        self.forget()
        self.read(range(PROMPT))

    def between_tokens(self, seconds):
        self.forget()
        self.read(range(BEGIN))
        end, times = time.monotonic() + seconds, [time.monotonic()]
        while times[-1] < end:
            self.write_one()
            times.append(time.monotonic())
        return {"between_tokens_ms": common.in_ms([after - before for before, after in itertools.pairwise(times)])}


if __name__ == "__main__":
    for needed in ("LLAMA_CPP_LIBRARY", "LLAMA_CPP_MODEL"):
        if needed not in os.environ:
            sys.exit(f"{needed} is not set. {__doc__}")
    llama = Llama()
    if "--prompt" in sys.argv:
        common.run(lambda seconds: common.rate_of(llama.prompt, seconds), __doc__)
    else:
        common.run(llama.between_tokens, __doc__)
