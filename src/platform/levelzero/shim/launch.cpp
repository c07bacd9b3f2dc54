#include "platform/levelzero/shim/launch.h"

#include <cstring>
#include <new>

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
    if (mark != nullptr) return;
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
    if (launch_.hold != nullptr) add_hold();
    own_signal_ = launch_.mark != nullptr && events.signal == nullptr;
    if (own_signal_) events.signal = launch_.mark->event;
}

void Append::add_hold() {
    ze_event_handle_t* list = few_;
    if (events_.count >= kFewEvents) {
        many_ = new (std::nothrow) ze_event_handle_t[size_t{events_.count} + 1];
        if (many_ == nullptr) return;  // no memory: it runs unheld
        list = many_;
    }
    if (events_.count > 0) std::memcpy(list, events_.wait_list, events_.count * sizeof *list);
    list[events_.count] = launch_.hold->event;
    events_.wait_list = list;
    ++events_.count;
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

namespace {

// The program's lists with ours around them.
class AllLists : base::NoCopies {
public:
    AllLists(const Launch& launch, uint32_t count, ze_command_list_handle_t* lists) {
        if (count + 2 > kFew) many_ = new (std::nothrow) ze_command_list_handle_t[size_t{count} + 2];
        list_ = count + 2 > kFew ? many_ : few_;
        if (list_ == nullptr) return;
        if (launch.hold != nullptr) list_[count_++] = launch.hold->list;
        for (uint32_t i = 0; i < count; ++i) list_[count_++] = lists[i];
        if (launch.mark != nullptr) list_[count_++] = launch.mark->list;
    }
    ~AllLists() { delete[] many_; }

    ze_command_list_handle_t* list() const { return list_; }  // nullptr: no memory
    uint32_t count() const { return count_; }

private:
    static constexpr uint32_t kFew = 8;

    ze_command_list_handle_t few_[kFew];
    ze_command_list_handle_t* many_ = nullptr;
    ze_command_list_handle_t* list_ = nullptr;
    uint32_t count_ = 0;
};

}  // namespace

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
    const AllLists all(launch, count, lists);
    if (all.list() == nullptr) launch.forget_mark();
    errno = saved;
    const ze_result_t result =
        all.list() != nullptr ? driver(handle, all.count(), all.list(), fence) : driver(handle, count, lists, fence);
    const int after = errno;
    launch.returned(result == ZE_RESULT_SUCCESS);
    errno = after;
    return result;
}

}  // namespace xsched::levelzero
