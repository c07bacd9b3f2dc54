// How soon a suspended queue stands still: keeps the device full as lp does and, from a second thread, suspends and
// resumes its own XQueue at random times, while a third one sees the kernels complete. Run it under XSched with
// XSCHED_SCHEDULER=app. All that it needs of XSched is the C interface, found at run time.
//
//   suspend --out FILE --lp-out FILE --steps 15000 --hold-ms 20   per suspension: begin of the call, its end, begin of
//                                                      the resumption (CLOCK_MONOTONIC ns); per kernel as lp writes it
//
// Between two suspensions --pause-ms to --pause-max-ms pass. Exit status 1 if a result is wrong or something fails.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <exception>
#include <mutex>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>

#include "loops.h"
#include "own_queue.h"

namespace {

using busy::BusyDevice;
using busy::OwnQueue;

// Sees kernels complete, in order, on a thread of its own: the one that enqueues may be made to wait.
class Watcher {
public:
    Watcher(BusyDevice& device, size_t depth) : device_(device), depth_(depth), thread_([this] { run(); }) {}
    ~Watcher() {
        {
            const std::lock_guard lock(mutex_);
            ending_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }

    // Room for one more kernel: waits for it, and gives back events that are done with.
    void make_room() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return enqueued_.size() < depth_; });
        for (BusyDevice::Event event : seen_) device_.recycle(event);
        seen_.clear();
    }
    void add(BusyDevice::Event event) {
        {
            const std::lock_guard lock(mutex_);
            enqueued_.push_back(event);
        }
        changed_.notify_all();
    }
    // All of them; when nothing is added any more.
    busy::Rows finish() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return enqueued_.empty(); });
        for (BusyDevice::Event event : seen_) device_.recycle(event);
        seen_.clear();
        if (!complaint_.empty()) throw std::runtime_error(complaint_);
        return rows_;
    }

private:
    void run() {
        std::unique_lock lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return ending_ || !enqueued_.empty(); });
            if (enqueued_.empty()) return;
            const BusyDevice::Event event = enqueued_.front();
            lock.unlock();
            see(event);
            lock.lock();
            rows_.push_back({busy::now_ns()});
            enqueued_.pop_front();
            seen_.push_back(event);
            changed_.notify_all();
        }
    }
    void see(BusyDevice::Event event) {
        try {
            if (!attached_) device_.attach_thread();
            attached_ = true;
            device_.wait_only(event);
        } catch (const std::exception& error) {
            const std::lock_guard lock(mutex_);
            complaint_ = error.what();
        }
    }

    BusyDevice& device_;
    const size_t depth_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<BusyDevice::Event> enqueued_;
    std::vector<BusyDevice::Event> seen_;
    busy::Rows rows_;
    std::string complaint_;
    bool attached_ = false;
    bool ending_ = false;
    std::thread thread_;
};

void sleep_ms(double ms) { std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms)); }

// The suspending thread; `complaint` is what went wrong.
void disturb(void* queue, const busy::Arguments& arguments, std::atomic<bool>& stop, busy::Rows& rows,
             std::string& complaint) {
    try {
        OwnQueue own(queue);
        std::mt19937 random(arguments.seed);
        std::uniform_real_distribution<double> pause(arguments.pause_ms,
                                                     std::max(arguments.pause_ms, arguments.pause_max_ms));
        const int64_t end = busy::now_ns() + static_cast<int64_t>(arguments.seconds * 1e9);
        while (busy::now_ns() < end) {
            sleep_ms(pause(random));
            const int64_t begin = busy::now_ns();
            own.suspend();
            const int64_t suspended = busy::now_ns();
            sleep_ms(arguments.hold_ms);
            rows.push_back({begin, suspended, busy::now_ns()});
            own.resume();
        }
    } catch (const std::exception& error) {
        complaint = error.what();
    }
    stop = true;
}

int run(busy::Arguments arguments) {
    BusyDevice device(arguments.stream);
    if (arguments.steps == 0) arguments.steps = device.calibrate(arguments.kernel_ms);
    std::atomic<bool> stop{false};
    std::string complaint;
    busy::Rows suspensions, kernels;
    {
        Watcher watcher(device, static_cast<size_t>(arguments.depth));
        busy::say_ready();
        std::jthread thread(disturb, device.queue(), std::cref(arguments), std::ref(stop), std::ref(suspensions),
                            std::ref(complaint));
        while (!stop) {
            watcher.make_room();
            BusyDevice::Event event{};
            device.enqueue(arguments.steps, &event);
            watcher.add(event);
        }
        thread.join();
        kernels = watcher.finish();
    }
    busy::write_rows(arguments.out, suspensions);
    busy::write_rows(arguments.lp_out, kernels);
    if (complaint.empty() && !device.state_is_right())
        complaint = "the device's result is wrong: a kernel was lost, repeated or run out of order";
    if (!complaint.empty()) fprintf(stderr, "suspend: %s\n", complaint.c_str());
    return complaint.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return busy::run_program("suspend", argc, argv, run); }
