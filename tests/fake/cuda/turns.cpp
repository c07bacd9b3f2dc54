#include "fake/cuda/turns.h"

#include <cstdlib>

#include "fake/cuda/settings.h"
#include "fake/shared_device.h"

namespace fake {
namespace {

constexpr int64_t kLongestNs = 1'000'000;

const SharedDevice& turns_device() {
    thread_local const SharedDevice it(std::getenv("FAKE_CUDA_SHARED"));
    return it;
}

}  // namespace

Turn::Turn() { take(); }
Turn::~Turn() { give(); }

void Turn::take() {
    taken_ = true;
    if (!turns_device().is_shared()) return;
    turns_device().take();
    began_ = clock_ns();
}

void Turn::give() {
    if (!taken_) return;
    taken_ = false;
    turns_device().give();
}

int64_t Turn::keep(bool may_run, int64_t now) {
    if (!may_run || (turns_device().is_shared() && now - began_ > kLongestNs)) give();
    if (!may_run || taken_) return now;
    take();
    return clock_ns();
}

}  // namespace fake
