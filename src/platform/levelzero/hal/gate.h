// A queue's gate, for preempt level 2: a word in memory of the driver's, for which the device waits before each command
// until it is open. The wait is Intel's experimental extension, which drivers since 2022 have. Unproven on hardware
// (docs/LEVELZERO.md).
#pragma once

#include <atomic>

#include "base/no_copies.h"
#include "platform/levelzero/hal/hal_abi.h"

namespace xsched::levelzero {

// The declarations of intel/compute-runtime, level_zero/include/level_zero/driver_experimental/zex_common.h and
// zex_cmdlist.h (at 0c8d2e61).
struct zex_wait_on_mem_desc_t {
    uint32_t actionFlag;
    uint32_t waitScope;
};
inline constexpr uint32_t ZEX_WAIT_ON_MEMORY_FLAG_GREATER_THAN_EQUAL = 1 << 3;
using WaitOnMemory = ze_result_t (*)(ze_command_list_handle_t, zex_wait_on_mem_desc_t*, void*, uint32_t,
                                     ze_event_handle_t);

// The declarations of oneapi-src/level-zero, include/loader/ze_loader.h. With several drivers a loader may give the
// program handles of its own, and an extension's function takes those of the driver.
inline constexpr uint32_t ZEL_HANDLE_COMMAND_LIST = 4;
inline constexpr uint32_t ZEL_HANDLE_EVENT = 7;
using TranslateHandle = ze_result_t (*)(uint32_t, void*, void**);

// Returns the driver of a device; nullptr: none is found. A part of a device is in no driver's list.
ze_driver_handle_t driver_of(const ZeApi& api, ze_device_handle_t device);

class Gate : base::NoCopies {
public:
    enum Word : uint32_t { kClosed, kOpen };

    explicit Gate(const ZeApi& api) : api_(api) {}

    // Makes the gate, open. If the driver or the loader is not able to, returns why not; nullptr: it is made.
    const char* make(const XzeQueue& queue);
    bool made() const { return word_ != nullptr; }
    // Appends a wait for the open gate to a list. `passed`: an event that the device signals behind the wait, or
    // nullptr.
    bool wait_in(ze_command_list_handle_t list, ze_event_handle_t passed) const;
    // Opens or closes the gate. Any thread; calls nothing of the driver.
    void set(Word word);
    // Opens the gate for good.
    void stay_open();
    // Gives the word up. No command waits for it any more.
    void free();

private:
    const ZeApi& api_;
    ze_context_handle_t context_ = nullptr;
    WaitOnMemory wait_ = nullptr;
    TranslateHandle translate_ = nullptr;
    uint32_t* word_ = nullptr;
    uint32_t made_in_ = 0;  // the fork generation: a child does not have the memory for itself
    std::atomic<bool> stays_open_{false};
    std::atomic<uint32_t> storing_{0};  // threads that may be about to store to the word
};

}  // namespace xsched::levelzero
