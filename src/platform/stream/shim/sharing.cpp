#include "platform/stream/shim/sharing.h"

#include <algorithm>

#include "base/mutex.h"
#include "base/pointer_map.h"
#include "platform.h"

namespace xsched::stream {
namespace {

// The streams of one context and priority; of all priorities, if the runtime ignores these.
struct Class {
    Context context = nullptr;
    int32_t priority = 0;
    uint32_t live = 0;              // under g_mutex
    std::atomic<uint32_t> most{0};  // at once, ever: only the first of them found unused queues
    std::atomic<bool> graphs{false};
};
constexpr unsigned kMostClasses = 192;

constinit base::Mutex g_mutex;
constinit Class g_classes[kMostClasses];
constinit std::atomic<unsigned> g_count{0};  // they are only added
constinit base::PointerMap<Class> g_created;  // by stream
constinit std::atomic<bool> g_uncounted{false};

// Returns a number; streams for which it differs never share a hardware queue.
int32_t class_priority(int32_t priority) { return priorities_ignored() ? 0 : std::clamp(priority, -1, 1); }

Class* find_class(Context context, int32_t priority) {
    const unsigned count = g_count.load(std::memory_order_acquire);
    for (unsigned i = 0; i < count; ++i)
        if (g_classes[i].context == context && g_classes[i].priority == priority) return &g_classes[i];
    return nullptr;
}

// Returns the class of streams with this context and priority, added if needed; nullptr: there are too many. g_mutex
// held.
Class* class_of(Context context, int32_t priority) {
    if (Class* found = find_class(context, priority)) return found;
    const unsigned count = g_count.load(std::memory_order_relaxed);
    if (count == kMostClasses) return nullptr;
    g_classes[count].context = context;
    g_classes[count].priority = priority;
    g_count.store(count + 1, std::memory_order_release);
    return &g_classes[count];
}

// Returns whether more streams need a queue than there are. The default stream of normal priority, and the runtime's
// own copies, need one as well.
bool more_than_queues(Context context, int32_t priority) {
    if (g_uncounted.load(std::memory_order_relaxed)) return true;
    const Class* found = find_class(context, priority);
    if (found == nullptr) return false;
    const uint32_t most = found->most.load(std::memory_order_relaxed) + (priority == 0 ? 1 : 0);
    return found->graphs.load(std::memory_order_relaxed) || most > hardware_queues();
}

}  // namespace

void count_created(Stream stream, Context context, int32_t priority) {
    base::Lock lock(g_mutex);
    Class* found = class_of(context, class_priority(priority));
    if (found == nullptr || !g_created.insert(stream, found)) return g_uncounted.store(true, std::memory_order_relaxed);
    if (++found->live > found->most.load(std::memory_order_relaxed))
        found->most.store(found->live, std::memory_order_relaxed);
}

void count_gone(Stream stream) {
    base::Lock lock(g_mutex);
    if (Class* found = g_created.erase(stream)) --found->live;
}

void count_graphs(Context context) {
    base::Lock lock(g_mutex);
    for (int32_t priority = -1; priority <= 1; ++priority)
        if (Class* found = class_of(context, class_priority(priority)))
            found->graphs.store(true, std::memory_order_relaxed);
}

bool may_share(const StreamEntry& entry, const StreamEntry& other) {
    if (entry.cooperative.load(std::memory_order_relaxed) && other.cooperative.load(std::memory_order_relaxed))
        return true;
    if (queues_observed() && entry.hardware.known() && other.hardware.known() && entry.hardware.meets(other.hardware))
        return true;
    const int32_t priority = class_priority(entry.priority.load(std::memory_order_relaxed));
    if (priority != class_priority(other.priority.load(std::memory_order_relaxed))) return false;
    if (streams_move()) return true;
    if (queues_observed()) return !entry.hardware.known() || !other.hardware.known();
    return more_than_queues(entry.context.load(std::memory_order_relaxed), priority);
}

}  // namespace xsched::stream
