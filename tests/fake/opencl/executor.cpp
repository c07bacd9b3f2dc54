#include "fake/opencl/executor.h"

#include <sched.h>

#include <algorithm>
#include <ctime>
#include <thread>

#include "fake/opencl/engine.h"
#include "fake/opencl/settings.h"

namespace fake {
namespace {

thread_local int t_in_callback = 0;

struct DueCallbacks {
    Ref<_cl_event> event;
    std::vector<EventCallback> due;
    cl_int status;
};

void call_now(cl_event event, const std::vector<EventCallback>& due, cl_int status) {
    event->callbacks_running.fetch_add(1);
    ++t_in_callback;
    for (const EventCallback& one : due) {
        one.call(event, status, one.data);
        if (break_now(Break::kTwice)) one.call(event, status, one.data);
    }
    --t_in_callback;
    event->callbacks_running.fetch_sub(1);
}

// The separate callback thread.
class Caller {
public:
    Caller() {
        std::thread([this] { loop(); }).detach();
    }
    void push(DueCallbacks work) {
        const std::lock_guard lock(mutex_);
        work_.push_back(std::move(work));
        wake_.notify_one();
    }

private:
    void loop() {
        for (;;) {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this] { return !work_.empty(); });
            const DueCallbacks one = std::move(work_.front());
            work_.pop_front();
            lock.unlock();
            delay_randomly();
            call_now(one.event.get(), one.due, one.status);
        }
    }
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<DueCallbacks> work_;
};

}  // namespace

uint64_t clock_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

void delay_randomly() {
    const int64_t most = g_settings.delay_us.load(std::memory_order_relaxed);
    if (most <= 0) return;
    const uint64_t end = clock_ns() + random_below(static_cast<uint64_t>(most) * 1000 + 1);
    while (clock_ns() < end) sched_yield();
}

void call_back(cl_event event, std::vector<EventCallback> due, cl_int status) {
    if (due.empty()) return;
    if (g_settings.callback_thread == CallbackThread::kSeparate) {
        static Caller& caller = *new Caller;
        caller.push({Ref(event), std::move(due), status});
    } else {
        call_now(event, due, status);
    }
}

bool may_block(const char* function) {
    if (t_in_callback == 0) return true;
    report_misuse("%s inside an event callback", function);
    return false;
}

Executor::Executor() = default;

void Executor::push(cl_event event) {
    ready_.push_back(event);
    if (!started_) {
        started_ = true;
        std::thread([this] { loop(); }).detach();
    }
    wake_.notify_one();
}

void Executor::stop() {
    bool idle = false;
    {
        const std::lock_guard lock(graph_mutex());
        stop_ = true;
        idle = !started_;
        wake_.notify_one();
    }
    if (idle) delete this;
}

void Executor::loop() {
    for (;;) {
        std::unique_lock lock(graph_mutex());
        wake_.wait(lock, [this] { return stop_ || !ready_.empty(); });
        if (ready_.empty()) break;
        if (g_settings.random_order && ready_.size() > 1) {
            std::swap(ready_.front(), ready_[random_below(std::min<size_t>(ready_.size(), 16))]);
        }
        const cl_event event = ready_.front();
        ready_.pop_front();
        lock.unlock();
        run_command(event);
    }
    delete this;
}

Executor* start_executor() { return new Executor; }
void stop_executor(Executor* executor) { executor->stop(); }

}  // namespace fake
