// The path of one enqueue function: a template for every function whose arguments end in (cl_uint num_events, const
// cl_event* wait_list, cl_event* event). Functions that return a pointer have cl_int* errcode_ret behind them. On the
// caller's thread, no lock.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "base/extended_list.h"
#include "base/log.h"
#include "base/no_copies.h"
#include "platform/opencl/shim/copy_bytes.h"
#include "platform/opencl/shim/entry_points.h"
#include "platform/opencl/shim/queues.h"
#include "platform/opencl/shim/trace.h"

namespace xsched::opencl {

// The last arguments of an enqueue function, as the driver will get them.
struct EventArguments {
    cl_uint count;
    const cl_event* wait_list;
    cl_event* event;
};

// One command from admission to completion. Leaves errno as it was, and after `returned` as the driver left it.
class Launch : base::NoCopies {
public:
    // Changes `events`: the hold joins the wait list, and a tracked command gets an event if the program wants none.
    // `blocking`: the driver's call returns when the command is complete.
    Launch(XqQueue* xqueue, bool blocking, EventArguments& events);
    // Notes that the command copies this many bytes.
    void note_copy(uint64_t bytes) const;
    // Notes that the driver's call has returned.
    void returned(bool succeeded);

private:
    void add_hold();
    void launched_tracked(cl_event event);

    static constexpr cl_uint kFewEvents = 16;

    XqQueue* const xqueue_;
    EventArguments& events_;
    const bool blocking_;
    bool admitted_ = false;
    XqTicket ticket_;
    XqStand stand_ = 0;  // of its own
    cl_event own_event_ = nullptr;
    base::ExtendedList<cl_event, kFewEvents> with_hold_;
};

inline constexpr int kNeverBlocks = -1;

// Returns the queue that a call is for: its first argument. (extensions.cpp has an exception.)
template <typename... Arguments>
cl_command_queue queue_of(const std::tuple<Arguments...>& all) {
    return std::get<0>(all);
}

// Callee: the function's Type, kName, kCopy, and driver() for the next one below us; launched(event), if it has that,
// after a call with the event that the program got. kBlockingAt: which argument says whether the call blocks.
template <typename Callee, int kBlockingAt = kNeverBlocks, typename Function = typename Callee::Type>
struct Enqueue;

template <typename Callee, int kBlockingAt, typename Result, typename... Arguments>
struct Enqueue<Callee, kBlockingAt, Result(CL_API_CALL*)(Arguments...)> {
    using All = std::tuple<Arguments...>;
    static constexpr bool kReturnsPointer = std::is_pointer_v<Result>;  // and its status through the last argument
    static constexpr size_t kTail = sizeof...(Arguments) - (kReturnsPointer ? 4 : 3);
    static_assert(std::is_same_v<std::tuple_element_t<kTail, All>, cl_uint>);
    static_assert(std::is_same_v<std::tuple_element_t<kTail + 1, All>, const cl_event*>);
    static_assert(std::is_same_v<std::tuple_element_t<kTail + 2, All>, cl_event*>);

    static Result CL_API_CALL call(Arguments... arguments) {
        All all(arguments...);
        const cl_command_queue queue = queue_of(all);
        if (base::log_enabled(base::LogLevel::kDebug)) [[unlikely]]
            trace_enqueue(all, queue);
        XqQueue* xqueue = xqueue_of(queue);
        cl_event* const wanted = std::get<kTail + 2>(all);
        if (xqueue == nullptr) return told(std::apply(Callee::driver(), all), wanted);

        EventArguments events{std::get<kTail>(all), std::get<kTail + 1>(all), std::get<kTail + 2>(all)};
        Launch launch(xqueue, blocks(all), events);
        if constexpr (Callee::kCopy != CopyBytes::kNone) launch.note_copy(bytes_of_copy<Callee::kCopy>(all));
        std::get<kTail>(all) = events.count;
        std::get<kTail + 1>(all) = events.wait_list;
        std::get<kTail + 2>(all) = events.event;
        if constexpr (kReturnsPointer) {
            cl_int unwanted = CL_SUCCESS;
            cl_int*& status = std::get<kTail + 3>(all);
            if (status == nullptr) status = &unwanted;
            Result result = std::apply(Callee::driver(), all);
            launch.returned(*status == CL_SUCCESS);
            return result;
        } else {
            const Result status = told(std::apply(Callee::driver(), all), wanted);
            launch.returned(status == CL_SUCCESS);
            return status;
        }
    }

    static Result told(Result result, [[maybe_unused]] cl_event* wanted) {
        if constexpr (requires { Callee::launched(nullptr); })
            if (result == CL_SUCCESS) Callee::launched(wanted != nullptr ? *wanted : nullptr);
        return result;
    }

    static bool blocks(const All& all) {
        if constexpr (kBlockingAt == kNeverBlocks) {
            return false;
        } else {
            static_assert(std::is_same_v<std::tuple_element_t<kBlockingAt, All>, cl_bool>);
            return std::get<kBlockingAt>(all) != CL_FALSE;
        }
    }

    static void trace_enqueue(const All& all, cl_command_queue queue) {
        if constexpr (std::is_same_v<std::tuple_element_t<1, All>, cl_kernel>)
            trace_kernel(Callee::kName, std::get<1>(all), queue);
        else
            XLOG_DEBG("%s on queue %p", Callee::kName, static_cast<void*>(queue));
    }
};

}  // namespace xsched::opencl
