#include "platform/opencl/hal/standing_events.h"

#include <new>

#include "base/mutex.h"
#include "platform/opencl/hal/event_rows.h"

namespace xsched::opencl {
namespace {

struct StandingEvent {
    StandingEvent* next;
    cl_event event;
};

constinit base::Mutex g_standing_mutex;
constinit EventRows<StandingEvent> g_standing;  // guarded by it

}  // namespace

void note_standing_event(cl_event event) {
    auto* node = new (std::nothrow) StandingEvent{nullptr, event};
    if (node == nullptr) return;
    base::Lock lock(g_standing_mutex);
    g_standing.add(node);
}

bool is_standing_event(cl_event event) {
    if (!g_standing.any()) return false;
    base::Lock lock(g_standing_mutex);
    return g_standing.find(event) != nullptr;
}

void forget_standing_event(cl_event event) {
    if (!g_standing.any()) return;
    StandingEvent* node = nullptr;
    {
        base::Lock lock(g_standing_mutex);
        node = g_standing.find(event);
        if (node != nullptr) g_standing.remove(node);
    }
    delete node;
}

}  // namespace xsched::opencl
