#include "order_cuda/signaller.h"

#include <chrono>

namespace order::cuda {

Signaller::Signaller(uint64_t seed) : random_(seed), thread_([this] { loop(); }) {}

Signaller::~Signaller() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
        wake_.notify_one();
    }
    thread_.join();
}

void Signaller::store_soon(const ValueWord& word) {
    const std::lock_guard lock(mutex_);
    words_.push_back(word);
    wake_.notify_one();
}

void Signaller::loop() {
    std::unique_lock lock(mutex_);
    for (;;) {
        wake_.wait(lock, [this] { return stop_ || !words_.empty(); });
        if (words_.empty()) return;
        std::swap(words_.back(), words_[random_.below(static_cast<uint32_t>(words_.size()))]);
        const ValueWord word = words_.back();
        words_.pop_back();
        lock.unlock();
        std::this_thread::sleep_for(std::chrono::microseconds(random_.below(100)));
        __atomic_store_n(word.host, word.number, __ATOMIC_RELEASE);
        lock.lock();
    }
}

}  // namespace order::cuda
