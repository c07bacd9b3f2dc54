// The host's side of value operations: stores numbers that streams wait for, a little later, from a thread of its own
// that never waits for anything of the driver's.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "order/random.h"
#include "order_cuda/world.h"

namespace order::cuda {

class Signaller {
public:
    explicit Signaller(uint64_t seed);
    ~Signaller();  // after all numbers given to it are stored
    Signaller(const Signaller&) = delete;
    Signaller& operator=(const Signaller&) = delete;

    void store_soon(const ValueWord& word);

private:
    void loop();
    std::mutex mutex_;
    std::condition_variable wake_;
    std::vector<ValueWord> words_;  // under mutex_
    bool stop_ = false;             // under mutex_
    Random random_;
    std::thread thread_;
};

}  // namespace order::cuda
