#include "platform/levelzero/shim/launch.h"

#include "platform/levelzero/shim/npu_workload.h"

namespace xsched::levelzero {
namespace {

constinit std::atomic<bool> g_untracked_logged{false};

void log_untracked() {
    if (!g_untracked_logged.exchange(true))
        XLOG_WARN("the Level Zero driver makes no event for a command's end: such commands count as complete at once");
}

}  // namespace

Launch::Launch(const Queue& queue) : queue_(queue) {
    queue.waits ? xq_admit_unheld(queue.xqueue, &ticket_) : xq_admit(queue.xqueue, &ticket_);
    if (ticket_.hold != nullptr) hold = xze_mark_of_hold(ticket_.hold);
    if (ticket_.token == 0) return;
    mark = xze_next_mark(queue.hwq);
    if (mark != nullptr) {
        gate = xze_put_gate(queue_.hwq, mark, hold != nullptr);
        return;
    }
    hold = nullptr;  // its event is used again once the mark tells that the command has passed it
    log_untracked();
}

void Launch::forget_mark() {
    if (mark != nullptr) xze_refused(queue_.hwq, mark);
    mark = nullptr;
    log_untracked();
}

void Launch::returned(bool succeeded) {
    const XqToken token = ticket_.token;
    xq_launched(queue_.xqueue, &ticket_, succeeded ? kXqSucceeded : kXqFailed);
    if (mark != nullptr && succeeded) xze_launched(queue_.hwq, mark, token);
    if (mark != nullptr && !succeeded) xze_refused(queue_.hwq, mark);
    if (mark == nullptr && succeeded && token != 0) xq_complete(token);
}

Append::Append(const Queue& queue, EventArguments& events) : queue_(queue), events_(events), launch_(queue) {
    if (launch_.hold != nullptr || launch_.gate != nullptr) add_waits();
    own_signal_ = launch_.mark != nullptr && events.signal == nullptr;
    if (own_signal_) events.signal = launch_.mark->event;
}

void Append::add_waits() {
    const ze_event_handle_t* gate = launch_.gate != nullptr ? &launch_.gate->event : nullptr;
    const ze_event_handle_t* hold = launch_.hold != nullptr ? &launch_.hold->event : nullptr;
    if (!with_ours_.make(gate, events_.wait_list, events_.count, hold)) return;  // it runs unheld
    events_.wait_list = with_ours_.list();
    events_.count = with_ours_.count();
}

// In a list that keeps order a signal comes behind the command by itself; in others a barrier sees to that.
void Append::mark_behind() {
    const ze_event_handle_t event = launch_.mark->event;
    const ze_result_t result = queue_.queue.in_order
                                   ? below<kEntry_zeCommandListAppendSignalEvent>()(queue_.queue.list, event)
                                   : below<kEntry_zeCommandListAppendBarrier>()(queue_.queue.list, event, 0, nullptr);
    if (result != ZE_RESULT_SUCCESS) launch_.forget_mark();
}

void Append::returned(bool succeeded) {
    const int saved = errno;
    if (succeeded && launch_.mark != nullptr && !own_signal_) mark_behind();
    launch_.returned(succeeded);
    errno = saved;
}

ze_result_t execute_lists(ze_command_queue_handle_t handle, uint32_t count, ze_command_list_handle_t* lists,
                          ze_fence_handle_t fence) {
    const auto driver = below<kEntry_zeCommandQueueExecuteCommandLists>();
    const int saved = errno;
    Queue* queue = count != 0 && lists != nullptr ? scheduled_queue(handle) : nullptr;
    if (queue == nullptr) {
        errno = saved;
        return driver(handle, count, lists, fence);
    }
    XLOG_DEBG("zeCommandQueueExecuteCommandLists on queue %p", queue->handle);
    Launch launch(*queue);
    if (queue->waits) follow_priority(*queue, handle);
    constexpr uint32_t kFewLists = 8;  // judgement: programs seldom give more in one call
    base::ExtendedList<ze_command_list_handle_t, kFewLists> all;
    // A hold's list may be in flight several times: a list may be submitted more than once, and only several queues may
    // not execute it at once (Level Zero's Programming Guide, "Submission").
    const XzeMark* before = launch.hold != nullptr ? launch.hold : launch.gate;
    const bool made = all.make(before != nullptr ? &before->list : nullptr, lists, count,
                               launch.mark != nullptr ? &launch.mark->list : nullptr);
    if (!made) launch.forget_mark();
    errno = saved;
    const ze_result_t result =
        made ? driver(handle, all.count(), all.list(), fence) : driver(handle, count, lists, fence);
    const int after = errno;
    launch.returned(result == ZE_RESULT_SUCCESS);
    errno = after;
    return result;
}

}  // namespace xsched::levelzero
