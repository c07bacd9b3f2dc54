// llama.cpp's library on CUDA: reads a prompt and says what comes next, always by the largest value.
// `llama_cuda_check MODEL`. Ends with 1 where the model is not on a GPU.
#include <cstdio>
#include <cstring>
#include <vector>

#include "ggml-backend.h"
#include "llama_reading.h"

int main(int count, char** words) {
    if (count != 2) return 2;
    begin_silently();
    if (ggml_backend_dev_by_type(GGML_BACKEND_DEVICE_TYPE_GPU) == nullptr) return 1;
    llama_model* model = llama_model_load_from_file(words[1], on_the_device());
    if (model == nullptr) return 1;
    llama_context* context = llama_init_from_model(model, of_one_thread());
    const llama_vocab* vocabulary = llama_model_get_vocab(model);
    std::vector<llama_token> tokens(256);
    int fresh = llama_tokenize(vocabulary, kPrompt, static_cast<int>(std::strlen(kPrompt)), tokens.data(),
                               static_cast<int>(tokens.size()), true, false);
    if (context == nullptr || fresh <= 0) return 1;
    for (int i = 0; i < kWords; ++i) {
        if (llama_decode(context, llama_batch_get_one(tokens.data(), fresh)) != 0) return 1;
        tokens[0] = likeliest(llama_get_logits_ith(context, -1), llama_vocab_n_tokens(vocabulary));
        fresh = 1;
        std::printf("%d ", tokens[0]);
    }
    std::printf("\n");
    llama_free(context);
    llama_model_free(model);
    llama_backend_free();
}
