#include "queue/stop/handover.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "base/fork.h"
#include "base/log.h"
#include "base/mutex.h"
#include "ipc/protocol.h"

namespace xsched::queue {

constinit std::atomic<void (*)()> g_handed_over{nullptr};

namespace {

struct Entry {
    XqHandover handover{};  // data: ours
    bool used = false;
    bool unsent = false;
};

constinit base::Mutex g_handover_mutex;
constinit Entry g_entries[kMostHandovers] = {};
constinit std::atomic<bool> g_pending{false};
constinit uint32_t g_generation = 0;  // generation of the process (base/fork.h) that made the entries

// g_handover_mutex held.
void forget_parents() {
    if (g_generation == base::fork_generation()) return;
    g_generation = base::fork_generation();
    for (Entry& entry : g_entries) {
        std::free(const_cast<void*>(entry.handover.data));
        entry = Entry{};
    }
    g_pending.store(false, std::memory_order_relaxed);
}

// Returns the entry with that key, or a free one. g_handover_mutex held.
Entry* entry_for(XPlatform platform, uint64_t key) {
    Entry* free_one = nullptr;
    for (Entry& entry : g_entries) {
        if (entry.used && entry.handover.platform == platform && entry.handover.key == key) return &entry;
        if (!entry.used && free_one == nullptr) free_one = &entry;
    }
    return free_one;
}

// Keeps a copy of the handover. Returns false if memory is exhausted. g_handover_mutex held.
bool keep(Entry& entry, const XqHandover& handover) {
    void* copy = handover.bytes != 0 ? std::malloc(handover.bytes) : nullptr;
    if (handover.bytes != 0 && copy == nullptr) return false;
    if (copy != nullptr) std::memcpy(copy, handover.data, handover.bytes);
    std::free(const_cast<void*>(entry.handover.data));
    entry.handover = handover;
    entry.handover.data = copy;
    entry.used = entry.unsent = true;
    return true;
}

}  // namespace

bool handovers_pending() { return g_pending.load(std::memory_order_acquire); }

void handovers_unsent() {
    base::Lock lock(g_handover_mutex);
    forget_parents();
    for (Entry& entry : g_entries) {
        entry.unsent = entry.used;
        if (entry.used) g_pending.store(true, std::memory_order_release);
    }
}

void send_handovers(bool (*send)(const XqHandover& handover, void* data), void* data) {
    base::Lock lock(g_handover_mutex);
    forget_parents();
    g_pending.store(false, std::memory_order_relaxed);
    for (Entry& entry : g_entries) {
        if (!entry.used || !entry.unsent) continue;
        if (!send(entry.handover, data)) {
            g_pending.store(true, std::memory_order_release);
            return;
        }
        entry.unsent = false;
        if (entry.handover.bytes == 0) entry.used = false;  // withdrawn
    }
}

void undo_handovers() {
    void (*undone[kMostHandovers])(void) = {};
    unsigned count = 0;
    {
        base::Lock lock(g_handover_mutex);
        forget_parents();
        for (const Entry& entry : g_entries)
            if (entry.used && entry.handover.undo != nullptr) undone[count++] = entry.handover.undo;
    }
    for (unsigned i = 0; i < count; ++i)
        if (i == 0 || undone[i] != undone[i - 1]) undone[i]();
}

}  // namespace xsched::queue

void xq_hand_over(const XqHandover* handover) {
    using namespace xsched::queue;
    if (handover->bytes > xsched::ipc::Handover::kMostBytes) return;
    {
        xsched::base::Lock lock(g_handover_mutex);
        forget_parents();
        Entry* entry = entry_for(handover->platform, handover->key);
        if (entry == nullptr || !keep(*entry, *handover)) {
            XLOG_DEBG("no room for another descriptor: if this process does not answer, its device cannot be freed");
            return;
        }
        g_pending.store(true, std::memory_order_release);
    }
    if (auto* tell = g_handed_over.load(std::memory_order_acquire)) tell();
}
