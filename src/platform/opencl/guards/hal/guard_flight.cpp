#include "platform/opencl/guards/hal/guard_flight.h"

#include <algorithm>

namespace xsched::opencl {
namespace {

constexpr size_t kMostGroups = size_t{1} << 28;  // 1 GiB of address space for their words

}  // namespace

GuardFlight::GuardFlight(Guard& its_guard, const XoclGuarded& launch) : guard(its_guard), what(launch) {
    std::copy_n(launch.global, launch.dimensions, global);
    if (launch.offset != nullptr) std::copy_n(launch.offset, launch.dimensions, offset);
    if (launch.local != nullptr) std::copy_n(launch.local, launch.dimensions, local);
    what.global = global;
    what.offset = launch.offset != nullptr ? offset : nullptr;
    what.local = launch.local != nullptr ? local : nullptr;
}

size_t GuardFlight::most_groups() const {
    size_t groups = 1;
    for (size_t i = 0; i < what.dimensions; ++i) {
        const size_t along = what.local != nullptr ? global[i] / local[i] : global[i];
        if (along == 0 || groups > kMostGroups / along) return 0;
        groups *= along;
    }
    return groups;
}

const size_t* GuardFlight::rest_local() {
    if (what.local != nullptr) return what.local;
    for (size_t i = 0; i < what.dimensions; ++i) {
        const size_t groups = words->word(kGuardGroups + i).load(std::memory_order_acquire);
        if (groups == 0 || global[i] % groups != 0) return nullptr;
        local[i] = global[i] / groups;
    }
    return local;
}

}  // namespace xsched::opencl
