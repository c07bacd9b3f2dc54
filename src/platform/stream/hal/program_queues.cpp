#include "platform/stream/hal/program_queues.h"

#include <new>

#include "base/mutex.h"
#include "queue/abi/queue_abi.h"
#include "xsched/xqueue.h"

namespace xsched::stream {
namespace {

struct ProgramQueue {
    HwQueueHandle hwq;
    Context context;
    ProgramQueue* next;
};

constinit base::Mutex g_program_queues_mutex;
constinit ProgramQueue* g_program_queues = nullptr;

// Takes the queues for which picked(queue) is true out of the list, and returns them as a list.
template <typename Pick>
ProgramQueue* take_program_queues(Pick picked) {
    ProgramQueue* taken = nullptr;
    base::Lock lock(g_program_queues_mutex);
    for (ProgramQueue** at = &g_program_queues; *at != nullptr;) {
        ProgramQueue* queue = *at;
        if (!picked(*queue)) {
            at = &queue->next;
            continue;
        }
        *at = queue->next;
        queue->next = taken;
        taken = queue;
    }
    return taken;
}

void end_program_queue(HwQueueHandle hwq) {
    XQueueHandle xqueue = 0;
    if (XQueueGet(&xqueue, hwq) == kXSchedSuccess)
        xq_retire(xq_from_handle(xqueue), kXqLastReport);
    else
        HwQueueDestroy(hwq);
}

}  // namespace

void note_program_queue(HwQueueHandle hwq, Context context) {
    ProgramQueue* gone = take_program_queues([](const ProgramQueue& it) { return xq_hwq_impl(it.hwq) == nullptr; });
    while (gone != nullptr) {
        ProgramQueue* next = gone->next;
        delete gone;
        gone = next;
    }
    auto* made = new (std::nothrow) ProgramQueue{hwq, context, nullptr};
    if (made == nullptr) return;
    base::Lock lock(g_program_queues_mutex);
    made->next = g_program_queues;
    g_program_queues = made;
}

void end_program_queues(Context context) {
    ProgramQueue* queue = take_program_queues([&](const ProgramQueue& it) { return it.context == context; });
    while (queue != nullptr) {
        ProgramQueue* next = queue->next;
        end_program_queue(queue->hwq);
        delete queue;
        queue = next;
    }
}

}  // namespace xsched::stream
