// A device's name for people, as a client reports it to its scheduler. The client writes it once, for each of its first
// devices; any thread reads it. Its letters are atomics, since a client may write again at any time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace xsched::ipc {

inline constexpr uint32_t kMostDeviceNames = 8;

struct DeviceName {
    static constexpr size_t kBytes = 48;

    std::atomic<uint64_t> device;  // XDevice; 0: none yet. Written last
    std::atomic<char> text[kBytes];

    void write(uint64_t of, const char* name) {
        size_t i = 0;
        for (; i + 1 < kBytes && name[i] != '\0'; ++i) text[i].store(name[i], std::memory_order_relaxed);
        text[i].store('\0', std::memory_order_relaxed);
        device.store(of, std::memory_order_release);
    }
    // Copies the name to `name`, which has kBytes. Replaces all but printable ASCII.
    void read(char* name) const {
        size_t i = 0;
        for (; i + 1 < kBytes; ++i) {
            const char letter = text[i].load(std::memory_order_relaxed);
            if (letter == '\0') break;
            name[i] = letter >= ' ' && letter <= '~' ? letter : '?';
        }
        name[i] = '\0';
    }
};

}  // namespace xsched::ipc
