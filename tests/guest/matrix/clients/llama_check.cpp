// llama.cpp's library: reads a prompt and says what comes next, always by the largest value. `llama_check MODEL`.
#include <cstdio>
#include <cstring>
#include <vector>

#include "llama.h"

namespace {

constexpr int kWords = 180;
constexpr const char* kPrompt = "the rain in seine tones on and on as the tin rains on stones in the sea";

// Returns the likeliest successor of the last token read: only that token has values.
llama_token likeliest(llama_context* context) {
    const float* values = llama_get_logits(context);
    const int count = llama_n_vocab(llama_get_model(context));
    llama_token best = 0;
    for (int i = 1; i < count; ++i)
        if (values[i] > values[best]) best = i;
    return best;
}

}  // namespace

int main(int count, char** words) {
    if (count != 2) return 2;
    llama_log_set([](ggml_log_level, const char*, void*) {}, nullptr);
    llama_backend_init();
    llama_model_params of_model = llama_model_default_params();
    of_model.n_gpu_layers = 99;
    llama_model* model = llama_load_model_from_file(words[1], of_model);
    if (model == nullptr) return 1;
    llama_context_params parameters = llama_context_default_params();
    parameters.n_ctx = 256;
    parameters.n_threads = parameters.n_threads_batch = 1;
    llama_context* context = llama_new_context_with_model(model, parameters);
    std::vector<llama_token> tokens(256);
    const int length = llama_tokenize(model, kPrompt, static_cast<int>(std::strlen(kPrompt)), tokens.data(),
                                      static_cast<int>(tokens.size()), true, false);
    if (context == nullptr || length <= 0) return 1;
    int past = 0;
    int fresh = length;
    for (int i = 0; i < kWords; ++i) {
        if (llama_decode(context, llama_batch_get_one(tokens.data(), fresh, past, 0)) != 0) return 1;
        past += fresh;
        tokens[0] = likeliest(context);
        fresh = 1;
        std::printf("%d ", tokens[0]);
    }
    std::printf("\n");
    llama_free(context);
    llama_free_model(model);
    llama_backend_free();
}
