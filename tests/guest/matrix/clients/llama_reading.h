// The common part of the programs on llama.cpp's library: what they read, how much they say, and how the next word is
// chosen.
#pragma once

#include "llama.h"

constexpr int kWords = 180;
constexpr const char* kPrompt = "the rain in seine tones on and on as the tin rains on stones in the sea";

inline void begin_silently() {
    llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    llama_backend_init();
}

inline llama_model_params on_the_device() {
    llama_model_params parameters = llama_model_default_params();
    parameters.n_gpu_layers = 99;
    return parameters;
}

inline llama_context_params of_one_thread() {
    llama_context_params parameters = llama_context_default_params();
    parameters.n_ctx = 256;
    parameters.n_threads = parameters.n_threads_batch = 1;
    return parameters;
}

// Returns the token with the largest of `count` values.
inline llama_token likeliest(const float* values, int count) {
    llama_token best = 0;
    for (int i = 1; i < count; ++i)
        if (values[i] > values[best]) best = i;
    return best;
}
