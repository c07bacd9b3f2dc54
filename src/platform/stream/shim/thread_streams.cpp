#include "platform/stream/shim/thread_streams.h"

#include <pthread.h>

#include <new>

#include "base/mutex.h"
#include "platform.h"

namespace xsched::stream {
namespace {

// The per-thread default streams of one thread. Never freed, and used again for a later thread: other threads read it
// when a context is destroyed.
struct ThreadStreams {
    static constexpr unsigned kMost = 16;
    std::atomic<StreamEntry*> entries[kMost] = {};
    void (*end)(StreamEntry& entry) = nullptr;
    void (*over)() = nullptr;
    ThreadStreams* next = nullptr;
    bool used = false;
};

constinit base::Mutex g_thread_mutex;  // guards the list, `used` and the key
constinit ThreadStreams* g_threads = nullptr;
constinit pthread_key_t g_key = 0;
constinit bool g_key_made = false;
[[gnu::tls_model("initial-exec")]] thread_local ThreadStreams* t_streams = nullptr;

void end_thread(void* data) {
    auto* streams = static_cast<ThreadStreams*>(data);
    t_streams = nullptr;
    if (kThreadStreamsEndFirst) hal_thread_over();
    if (streams->over != nullptr) streams->over();
    streams->over = nullptr;
    for (std::atomic<StreamEntry*>& slot : streams->entries) {
        StreamEntry* entry = slot.exchange(nullptr, std::memory_order_acq_rel);
        if (entry == nullptr) continue;
        streams->end(*entry);
    }
    base::Lock lock(g_thread_mutex);
    streams->used = false;
}

ThreadStreams* own_streams() {
    if (t_streams != nullptr) return t_streams;
    base::Lock lock(g_thread_mutex);
    if (!g_key_made && pthread_key_create(&g_key, end_thread) != 0) return nullptr;
    g_key_made = true;
    ThreadStreams* streams = g_threads;
    while (streams != nullptr && streams->used) streams = streams->next;
    if (streams == nullptr) {
        streams = new (std::nothrow) ThreadStreams;
        if (streams == nullptr) return nullptr;
        streams->next = g_threads;
        g_threads = streams;
    }
    if (pthread_setspecific(g_key, streams) != 0) return nullptr;
    streams->used = true;
    return t_streams = streams;
}

}  // namespace

StreamEntry* find_thread_stream(Context context) {
    if (t_streams == nullptr) return nullptr;
    for (const std::atomic<StreamEntry*>& slot : t_streams->entries) {
        StreamEntry* entry = slot.load(std::memory_order_acquire);
        if (entry != nullptr && entry->context.load(std::memory_order_relaxed) == context) return entry;
    }
    return nullptr;
}

bool add_thread_stream(StreamEntry* entry, void (*end)(StreamEntry& entry)) {
    ThreadStreams* streams = own_streams();
    if (streams == nullptr) return false;
    streams->end = end;
    for (std::atomic<StreamEntry*>& slot : streams->entries) {
        StreamEntry* nothing = nullptr;
        if (slot.compare_exchange_strong(nothing, entry, std::memory_order_acq_rel)) return true;
    }
    return false;
}

bool follow_thread_end(void (*over)()) {
    ThreadStreams* streams = own_streams();
    if (streams != nullptr) streams->over = over;
    return streams != nullptr;
}

StreamEntry* take_thread_stream(Context context) {
    base::Lock lock(g_thread_mutex);
    for (ThreadStreams* streams = g_threads; streams != nullptr; streams = streams->next)
        for (std::atomic<StreamEntry*>& slot : streams->entries) {
            StreamEntry* entry = slot.load(std::memory_order_acquire);
            if (entry == nullptr || entry->context.load(std::memory_order_relaxed) != context) continue;
            if (slot.compare_exchange_strong(entry, nullptr, std::memory_order_acq_rel)) return entry;
        }
    return nullptr;
}

}  // namespace xsched::stream
