// Sees kernels of a BusyDevice complete, in their order and with their times.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "arguments.h"
#include "busy_device.h"

namespace busy {

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

    // Waits until another kernel may be added, and gives the events of completed kernels back for reuse.
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
    // How many it has seen so far. Any thread.
    size_t count() {
        const std::lock_guard lock(mutex_);
        return rows_.size();
    }
    // Waits until all kernels are complete, and returns their times. Call when no kernel is added any more.
    Rows finish() {
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
            rows_.push_back({now_ns()});
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
    Rows rows_;
    std::string complaint_;
    bool attached_ = false;
    bool ending_ = false;
    std::thread thread_;
};

}  // namespace busy
