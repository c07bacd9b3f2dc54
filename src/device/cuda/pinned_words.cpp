#include "device/cuda/pinned_words.h"

#include <unistd.h>

#include <atomic>
#include <new>

#include "base/mutex.h"

namespace xsched::cuda {
namespace {

struct Page {
    uintptr_t address;
    CUcontext context;
    Page* next;
};

constinit base::Mutex g_mutex;
constinit Page* g_pages = nullptr;
constinit std::atomic<uint32_t> g_epoch{0};

bool known(uintptr_t address) {
    base::Lock lock(g_mutex);
    for (const Page* page = g_pages; page != nullptr; page = page->next)
        if (page->address == address) return true;
    return false;
}

void remember(uintptr_t address, CUcontext context) {
    auto* page = new (std::nothrow) Page{address, context, nullptr};
    if (page == nullptr) return;  // it will be registered again, which the driver refuses harmlessly
    base::Lock lock(g_mutex);
    page->next = g_pages;
    g_pages = page;
}

}  // namespace

bool pin_word(const CuApi& api, CUcontext context, uint32_t* word, CUdeviceptr* address, CUresult* code) {
    const auto bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t page = reinterpret_cast<uintptr_t>(word) & ~(bytes - 1);
    if (!known(page)) {
        *code = api.cuMemHostRegister_v2(reinterpret_cast<void*>(page), bytes,
                                         CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP);
        // Two threads at once, or the program registered it: it is the same memory.
        if (*code != CUDA_SUCCESS && *code != CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED) return false;
        if (*code == CUDA_SUCCESS) remember(page, context);
    }
    *code = api.cuMemHostGetDevicePointer_v2(address, word, 0);
    return *code == CUDA_SUCCESS;
}

uint32_t pin_epoch() { return g_epoch.load(std::memory_order_acquire); }

void forget_pins(CUcontext context) {
    base::Lock lock(g_mutex);
    for (Page** at = &g_pages; *at != nullptr;) {
        Page* page = *at;
        if (page->context != context) {
            at = &page->next;
            continue;
        }
        *at = page->next;
        delete page;
        g_epoch.fetch_add(1, std::memory_order_acq_rel);
    }
}

}  // namespace xsched::cuda
