#include "platform/stream/hal/pinned_words.h"

#include <unistd.h>

#include <atomic>
#include <new>

#include "base/futex.h"
#include "base/mutex.h"
#include "platform/stream/hal/driver_use.h"

namespace xsched::stream {
namespace {

struct Page {
    uintptr_t address;
    Context context;
    Page* next;
    bool registered;
    bool ours;  // registered by us, not by the program
};

constinit base::Mutex g_mutex;
constinit Page* g_pages = nullptr;
constinit std::atomic<uint32_t> g_epoch{0};

// Raised when a registration has ended.
constinit base::FutexWord g_ended{0};

enum class Found { kRegistered, kMine, kNoMemory };

// Begins the registration of a page: either it is registered already, or this thread must register it and then call
// `ended`. Waits for another thread's registration. While that goes on, a second one is refused, or succeeds wrongly:
// the word still faults in the second one's context, and a device's fault ends every context of the process (NVIDIA's
// driver 580).
Found begin(uintptr_t address, Context context) {
    for (;;) {
        const uint32_t seen = g_ended.load(std::memory_order_acquire);
        {
            base::Lock lock(g_mutex);
            Page* page = g_pages;
            while (page != nullptr && page->address != address) page = page->next;
            if (page != nullptr && page->registered) return Found::kRegistered;
            if (page == nullptr) {
                page = new (std::nothrow) Page{address, context, g_pages, false, false};
                if (page == nullptr) return Found::kNoMemory;
                g_pages = page;
                return Found::kMine;
            }
        }
        base::futex_wait(g_ended, seen);
    }
}

void end(uintptr_t address, bool registered, bool ours) {
    {
        base::Lock lock(g_mutex);
        for (Page** at = &g_pages; *at != nullptr; at = &(*at)->next) {
            if ((*at)->address != address) continue;
            (*at)->registered = registered;
            (*at)->ours = ours;
            if (registered) break;
            Page* page = *at;
            *at = page->next;
            delete page;
            break;
        }
    }
    g_ended.fetch_add(1, std::memory_order_release);
    base::futex_wake_all(g_ended);
}

// Takes the context's pages out of the list and returns them as a list of their own.
Page* take_pages(Context context) {
    Page* taken = nullptr;
    base::Lock lock(g_mutex);
    for (Page** at = &g_pages; *at != nullptr;) {
        Page* page = *at;
        if (page->context != context) {
            at = &page->next;
            continue;
        }
        *at = page->next;
        page->next = taken;
        taken = page;
        g_epoch.fetch_add(1, std::memory_order_acq_rel);
    }
    return taken;
}

void give_back(const Api& api, const Page* page) {
    const OwnCalls own(api);
    if (!registrations_go_first(api)) return;
    const RelaxedCapture relaxed(api);
    for (; page != nullptr; page = page->next)
        if (page->ours) host_unregister(api, reinterpret_cast<void*>(page->address));
}

}  // namespace

bool pin_word(const Api& api, Context context, uint32_t* word, DevicePtr* address, Result* code) {
    const auto bytes = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t page = reinterpret_cast<uintptr_t>(word) & ~(bytes - 1);
    const Found found = begin(page, context);
    if (found == Found::kNoMemory) *code = kOutOfMemory;
    if (found == Found::kMine) {
        *code = host_register(api, reinterpret_cast<void*>(page), bytes);
        const bool ours = *code == kSuccess;
        if (*code == kAlreadyRegistered) *code = kSuccess;  // by the program: the same memory
        end(page, *code == kSuccess, ours);
    }
    if (found != Found::kRegistered && *code != kSuccess) return false;
    *code = device_pointer(api, address, word);
    return *code == kSuccess;
}

uint32_t pin_epoch() { return g_epoch.load(std::memory_order_acquire); }

void forget_pins(const Api& api, Context context) {
    Page* page = take_pages(context);
    if (page != nullptr) give_back(api, page);
    while (page != nullptr) {
        Page* next = page->next;
        delete page;
        page = next;
    }
}

}  // namespace xsched::stream
