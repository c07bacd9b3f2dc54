#include "queue/device_names.h"

#include <cstring>

namespace xsched::queue {
namespace {

constinit ipc::DeviceName g_names[ipc::kMostDeviceNames];
constinit std::atomic<uint64_t> g_claimed[ipc::kMostDeviceNames];  // the device for which a thread is writing, or has
                                                                   // written, a name

constexpr char kMore[] = "...";

// Copies the name; one that is too long as whole words with "..." behind them.
void fit(const char* name, char (&fitted)[ipc::DeviceName::kBytes]) {
    size_t length = strnlen(name, sizeof(fitted));
    const bool fits = length < sizeof(fitted);
    if (!fits) {
        length = sizeof(fitted) - sizeof(kMore);
        const void* space = memrchr(name, ' ', length + 1);
        if (space != nullptr) length = static_cast<size_t>(static_cast<const char*>(space) - name);
    }
    memcpy(fitted, name, length);
    memcpy(fitted + length, fits ? "" : kMore, fits ? 1 : sizeof(kMore));
}

}  // namespace

void name_device(uint64_t device, const char* name) {
    char fitted[ipc::DeviceName::kBytes];
    fit(name, fitted);
    for (uint32_t i = 0; i < ipc::kMostDeviceNames; ++i) {
        uint64_t owner = 0;
        if (g_claimed[i].compare_exchange_strong(owner, device)) return g_names[i].write(device, fitted);
        if (owner == device) return;
    }
}

void publish_device_names(ipc::Header& header) {
    for (uint32_t i = 0; i < ipc::kMostDeviceNames; ++i) {
        const uint64_t device = g_names[i].device.load(std::memory_order_acquire);
        if (device == 0 || header.devices[i].device.load(std::memory_order_relaxed) == device) continue;
        char name[ipc::DeviceName::kBytes];
        g_names[i].read(name);
        header.devices[i].write(device, name);
    }
}

}  // namespace xsched::queue
