// llama.cpp's library: reads a prompt and says what comes next, always by the largest value. `llama_check MODEL`.
#include <cstdio>
#include <cstring>
#include <vector>

#include "llama_reading.h"

int main(int count, char** words) {
    if (count != 2) return 2;
    begin_silently();
    llama_model* model = llama_load_model_from_file(words[1], on_the_device());
    if (model == nullptr) return 1;
    llama_context* context = llama_new_context_with_model(model, of_one_thread());
    std::vector<llama_token> tokens(256);
    const int length = llama_tokenize(model, kPrompt, static_cast<int>(std::strlen(kPrompt)), tokens.data(),
                                      static_cast<int>(tokens.size()), true, false);
    if (context == nullptr || length <= 0) return 1;
    int past = 0;
    int fresh = length;
    for (int i = 0; i < kWords; ++i) {
        if (llama_decode(context, llama_batch_get_one(tokens.data(), fresh, past, 0)) != 0) return 1;
        past += fresh;
        tokens[0] = likeliest(llama_get_logits(context), llama_n_vocab(model));  // of the last token read
        fresh = 1;
        std::printf("%d ", tokens[0]);
    }
    std::printf("\n");
    llama_free(context);
    llama_free_model(model);
    llama_backend_free();
}
