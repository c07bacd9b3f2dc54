#include "queue/path/window.h"

#include <algorithm>

#include "queue/path/gate_spacing.h"
#include "xsched/types.h"

namespace xsched::queue {
namespace {

constexpr uint32_t kUnknownLengthLimit = 4;  // limit until the first commands have been measured

}  // namespace

void Window::configure(uint32_t threshold, uint32_t batch_size) {
    threshold_ = threshold;
    batch_size_ = threshold != 0 ? std::min(batch_size, threshold) : batch_size;
}

uint32_t Window::limit(int64_t window_ns, int64_t command_ns) const {
    if (threshold_ != 0) return threshold_;
    if (window_ns <= 0) return XQUEUE_LAUNCH_THRESHOLD_DEFAULT;
    if (command_ns <= 0) return kUnknownLengthLimit;
    return static_cast<uint32_t>(std::clamp<int64_t>(window_ns / command_ns, 1, kDriverHolds));
}

uint32_t Window::batch(uint32_t limit) const {
    const uint32_t wanted = batch_size_ != 0 ? batch_size_ : limit / 2;
    return std::clamp<uint32_t>(wanted, 1, limit);
}

}  // namespace xsched::queue
