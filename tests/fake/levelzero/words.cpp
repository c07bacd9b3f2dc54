// Memory of the host's that the driver knows, and waits for words in it. A loader with several drivers gives programs
// handles of its own: the function here takes only those that zelLoaderTranslateHandle returns, which are odd.
#include "fake/levelzero/words.h"

#include <level_zero/loader/ze_loader.h>

#include <cstdlib>
#include <set>

#include "fake/levelzero/engine.h"
#include "fake/levelzero/settings.h"

namespace {

constexpr uint32_t kGreaterOrEqual = 8;  // ZEX_WAIT_ON_MEMORY_FLAG_GREATER_THAN_EQUAL

// Under the graph's mutex.
std::set<const void*>& known() {
    static std::set<const void*>& all = *new std::set<const void*>;
    return all;
}

template <typename Handle>
Handle translated(Handle handle) {
    const auto number = reinterpret_cast<uintptr_t>(handle);
    if (number != 0 && (number & 1) == 0) fake::misuse("an extension's function with a handle of the loader's");
    return reinterpret_cast<Handle>(number & ~uintptr_t{1});
}

ze_result_t wait_on_memory(ze_command_list_handle_t list, fake_ze_wait_t* desc, void* word, uint32_t least,
                           ze_event_handle_t signal) {
    if (desc->action != kGreaterOrEqual) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (fake::g_settings.words == fake::Words::kRefused) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    {
        const std::lock_guard lock(fake::graph_mutex());
        if (!known().contains(word)) fake::misuse("a wait for memory that the driver does not know");
    }
    if (fake::g_settings.words == fake::Words::kCopied) word = new uint32_t(0);
    return fake::append_wait(translated(list), static_cast<uint32_t*>(word), least, translated(signal));
}

}  // namespace

ze_result_t fake::wait_function(void** address) {
    if (g_settings.words == Words::kMissing) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    *address = reinterpret_cast<void*>(&wait_on_memory);
    return ZE_RESULT_SUCCESS;
}

void fake::note_freed(ze_context_handle_t context, void* memory) {
    const std::lock_guard lock(graph_mutex());
    if (waits_for_word_in(memory)) misuse("zeMemFree of a word for which a command waits");
    if (known().erase(memory) != 0) context->objects.fetch_sub(1);
}

extern "C" {

ze_result_t zelLoaderTranslateHandle(zel_handle_type_t type, void* handle, void** translated_handle) {
    const auto kind = type == ZEL_HANDLE_COMMAND_LIST ? fake::Kind::kList : fake::Kind::kEvent;
    if (!fake::good(static_cast<fake::Object*>(handle), kind, __func__)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    *translated_handle = static_cast<char*>(handle) + 1;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeMemAllocHost(ze_context_handle_t context, const ze_host_mem_alloc_desc_t*, size_t size, size_t alignment,
                           void** made) {
    *made = std::aligned_alloc(alignment, size);
    if (*made == nullptr) return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    context->objects.fetch_add(1);
    const std::lock_guard lock(fake::graph_mutex());
    known().insert(*made);
    return ZE_RESULT_SUCCESS;
}
}
