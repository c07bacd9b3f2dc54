// A thread that does `body` again and again until this object's end.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "base/no_copies.h"

namespace xsched::test {

class Repeating : base::NoCopies {
public:
    explicit Repeating(std::function<void()> body) : body_(std::move(body)), thread_([this] { run(); }) {}
    ~Repeating() {
        over_ = true;
        thread_.join();
    }

private:
    void run() {
        while (!over_) body_();
    }
    const std::function<void()> body_;
    std::atomic<bool> over_{false};
    std::thread thread_;
};

}  // namespace xsched::test
