// A command from admission to completion, on the caller's thread: a call that appends to an immediate list, or executes
// closed lists in a queue. Leaves errno as the driver left it.
//
// A hold is one more event to wait for, and so is a gate in a list that keeps no order. An event of ours tells the end:
// the command signals it itself if the program wants no event signalled, otherwise a barrier or a signal behind it
// does.
#pragma once

#include <cerrno>
#include <tuple>
#include <type_traits>

#include "base/extended_list.h"
#include "base/log.h"
#include "base/no_copies.h"
#include "platform/levelzero/shim/capture.h"
#include "platform/levelzero/shim/entry_points.h"
#include "platform/levelzero/shim/queues.h"

namespace xsched::levelzero {

// The last arguments of a function that appends, as the driver will get them.
struct EventArguments {
    ze_event_handle_t signal;
    uint32_t count;
    ze_event_handle_t* wait_list;
};

class Launch : base::NoCopies {
public:
    explicit Launch(const Queue& queue);
    // Notes that the command copies this many bytes.
    void note_copy(uint64_t bytes) const { xq_note_copy(queue_.xqueue, bytes); }
    // Notes that the driver's call has returned.
    void returned(bool succeeded);
    // Notes that nothing will tell the command's end: it counts as complete at once.
    void forget_mark();

    const XzeMark* hold = nullptr;  // nullptr: the command is not held
    const XzeMark* gate = nullptr;  // nullptr: the command waits for no gate besides
    XzeMark* mark = nullptr;  // nullptr: nothing tells the command's end

private:
    const Queue& queue_;
    XqTicket ticket_;
};

// The wait list of an append, with the gate and the hold.
class Append : base::NoCopies {
public:
    Append(const Queue& queue, EventArguments& events);
    void note_copy(uint64_t bytes) const { launch_.note_copy(bytes); }
    void returned(bool succeeded);

private:
    void add_waits();
    void mark_behind();

    static constexpr uint32_t kFewEvents = 16;

    const Queue& queue_;
    EventArguments& events_;
    Launch launch_;
    bool own_signal_ = false;
    base::ExtendedList<ze_event_handle_t, kFewEvents> with_ours_;
};

template <typename... Arguments>
uint64_t bytes_of_copy(const std::tuple<Arguments...>& all) {
    uint64_t size = 0;
    const auto note = [&](auto value) {
        if constexpr (std::is_same_v<decltype(value), size_t>) size = value;
    };
    std::apply([&](auto... arguments) { (note(arguments), ...); }, all);
    return size;
}

// A function whose first argument is a list, and whose last ones are an event to signal and a wait list.
template <typename Callee, typename Function = typename Callee::Type>
struct AppendHook;

template <typename Callee, typename... Arguments>
struct AppendHook<Callee, ze_result_t (*)(Arguments...)> {
    using All = std::tuple<Arguments...>;
    static constexpr size_t kTail = sizeof...(Arguments) - 3;
    static_assert(std::is_same_v<std::tuple_element_t<kTail, All>, ze_event_handle_t>);
    static_assert(std::is_same_v<std::tuple_element_t<kTail + 1, All>, uint32_t>);
    static_assert(std::is_same_v<std::tuple_element_t<kTail + 2, All>, ze_event_handle_t*>);

    static ze_result_t call(Arguments... arguments) {
        All all(arguments...);
        const int saved = errno;
        Queue* queue = scheduled_queue(std::get<0>(all));
        EventArguments events{std::get<kTail>(all), std::get<kTail + 1>(all), std::get<kTail + 2>(all)};
        // If the wait list is null although its count is not 0, it goes to the driver unchanged, which refuses it.
        if (queue == nullptr || (events.count != 0 && events.wait_list == nullptr) || records(std::get<0>(all))) {
            errno = saved;
            return std::apply(Callee::driver(), all);
        }
        XLOG_DEBG("%s on list %p", Callee::kName, queue->handle);
        Append append(*queue, events);
        if constexpr (Callee::kCopy != CopyBytes::kNone)
            append.note_copy(Callee::kCopy == CopyBytes::kLast ? bytes_of_copy(all) : 0);
        std::get<kTail>(all) = events.signal;
        std::get<kTail + 1>(all) = events.count;
        std::get<kTail + 2>(all) = events.wait_list;
        errno = saved;
        const ze_result_t result = std::apply(Callee::driver(), all);
        append.returned(result == ZE_RESULT_SUCCESS);
        return result;
    }
};

// zeCommandQueueExecuteCommandLists. Lists of ours come before and behind the program's, in the same call.
ze_result_t execute_lists(ze_command_queue_handle_t queue, uint32_t count, ze_command_list_handle_t* lists,
                          ze_fence_handle_t fence);

}  // namespace xsched::levelzero
