#include "platform/vulkan/hal/interruption.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdio>

#include "base/options.h"
#include "xsched/xqueue.h"

namespace xsched::vulkan {
namespace {

constinit std::atomic<const nvidia::Interrupts*> g_interrupts{nullptr};

// Returns the functions of CUDA's device library; nullptr: the process does not have it.
const nvidia::Interrupts* interrupts() {
    if (const nvidia::Interrupts* known = g_interrupts.load(std::memory_order_acquire)) return known;
    const auto ask = reinterpret_cast<XcuInterrupts*>(dlsym(RTLD_DEFAULT, "xcu_interrupts"));
    const nvidia::Interrupts* found = ask != nullptr ? ask() : nullptr;
    g_interrupts.store(found, std::memory_order_release);
    return found;
}

bool wanted() {
    const base::Options& options = base::options();
    return options.level == kPreemptLevelInterrupt || options.interrupt != 0;
}

}  // namespace

bool Interruption::begin(const XvkDevice& device) {
    if (!device.nvidia || !wanted() || interrupts() == nullptr) return false;
    const auto address = static_cast<uint32_t>(device.identity);
    char name[24];
    std::snprintf(name, sizeof name, "GPU %04x:%02x:%02x.0", address >> 16, address >> 8 & 0xff, address >> 3 & 0x1f);
    part_.interruptible =
        interrupts()->join(part_, {.gpu = device.identity, .name = name, .shared = false, .whole_workgroups = true});
    return part_.interruptible;
}

void Interruption::end() {
    if (!possible()) return;
    interrupts()->leave(part_);
    interrupts()->let_everything_run();
}

XResult Interruption::interrupt(XqInterrupt how) {
    return possible() ? interrupts()->interrupt(part_, how) : kXSchedErrorNotSupported;
}

XResult Interruption::restore() {
    if (possible()) interrupts()->restore(part_);
    return kXSchedSuccess;
}

XqStopState Interruption::state() const { return possible() ? interrupts()->stop_state(part_) : XqStopState{}; }

XResult Interruption::set_timeslice(uint32_t us) {
    return possible() ? interrupts()->set_timeslice(part_, us) : kXSchedErrorNotSupported;
}

void note_swapchains(const XvkDevice& device, int change) {
    if (!device.nvidia || interrupts() == nullptr) return;
    interrupts()->swapchains_made(change);
}

}  // namespace xsched::vulkan
