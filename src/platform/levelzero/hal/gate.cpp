#include "platform/levelzero/hal/gate.h"

#include <sched.h>

#include <algorithm>

#include "base/fork.h"
#include "platform/levelzero/hal/vendor_library.h"

namespace xsched::levelzero {
namespace {

// Bounds how many drivers and devices are looked at (safety): Intel has three drivers, with a few devices each.
constexpr uint32_t kMostDrivers = 16;
constexpr uint32_t kMostDevices = 64;
constexpr size_t kLineBytes = 64;  // a cache line of x86: no other queue's word is in it

bool has_device(const ZeApi& api, ze_driver_handle_t driver, ze_device_handle_t device) {
    ze_device_handle_t all[kMostDevices];
    uint32_t count = kMostDevices;
    if (api.zeDeviceGet(driver, &count, all) != ZE_RESULT_SUCCESS) return false;
    const uint32_t most = std::min(count, kMostDevices);
    return std::find(all, all + most, device) != all + most;
}

WaitOnMemory wait_function(const ZeApi& api, ze_driver_handle_t driver) {
    void* found = nullptr;
    const ze_result_t result =
        api.zeDriverGetExtensionFunctionAddress(driver, "zexCommandListAppendWaitOnMemory", &found);
    return result == ZE_RESULT_SUCCESS ? reinterpret_cast<WaitOnMemory>(found) : nullptr;
}

}  // namespace

ze_driver_handle_t driver_of(const ZeApi& api, ze_device_handle_t device) {
    if (api.zeDriverGet == nullptr || api.zeDeviceGet == nullptr) return nullptr;
    ze_driver_handle_t all[kMostDrivers];
    uint32_t count = kMostDrivers;
    if (api.zeDriverGet(&count, all) != ZE_RESULT_SUCCESS) return nullptr;
    for (uint32_t i = 0; i < std::min(count, kMostDrivers); ++i)
        if (has_device(api, all[i], device)) return all[i];
    return nullptr;
}

// The word must be the driver's: for other memory the device waits on a copy, for ever (intel/compute-runtime, issue
// 982).
const char* Gate::make(const XzeQueue& queue) {
    if (api_.zeMemAllocHost == nullptr || api_.zeMemFree == nullptr ||
        api_.zeDriverGetExtensionFunctionAddress == nullptr)
        return "the Level Zero loader lacks functions of version 1.1";
    translate_ = reinterpret_cast<TranslateHandle>(loader_function("zelLoaderTranslateHandle"));
    if (translate_ == nullptr) return "the Level Zero loader lacks zelLoaderTranslateHandle";
    const ze_driver_handle_t driver = driver_of(api_, queue.device);
    if (driver == nullptr) return "no Level Zero driver lists the device (it may be a part of one)";
    wait_ = wait_function(api_, driver);
    if (wait_ == nullptr) return "the driver lacks zexCommandListAppendWaitOnMemory (Intel's has it since 2022)";
    const ze_host_mem_alloc_desc_t desc{ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, nullptr, 0};
    void* word = nullptr;
    if (api_.zeMemAllocHost(queue.context, &desc, kLineBytes, kLineBytes, &word) != ZE_RESULT_SUCCESS)
        return "the driver gives no host memory for a gate";
    context_ = queue.context;
    made_in_ = base::fork_generation();
    word_ = static_cast<uint32_t*>(word);
    __atomic_store_n(word_, uint32_t{kOpen}, __ATOMIC_SEQ_CST);
    return nullptr;
}

bool Gate::wait_in(ze_command_list_handle_t list, ze_event_handle_t passed) const {
    void* own_list = nullptr;
    void* own_event = nullptr;
    if (translate_(ZEL_HANDLE_COMMAND_LIST, list, &own_list) != ZE_RESULT_SUCCESS) return false;
    if (passed != nullptr && translate_(ZEL_HANDLE_EVENT, passed, &own_event) != ZE_RESULT_SUCCESS) return false;
    zex_wait_on_mem_desc_t desc{ZEX_WAIT_ON_MEMORY_FLAG_GREATER_THAN_EQUAL, 0};
    return wait_(static_cast<ze_command_list_handle_t>(own_list), &desc, word_, kOpen,
                 static_cast<ze_event_handle_t>(own_event)) == ZE_RESULT_SUCCESS;
}

void Gate::set(Word word) {
    storing_.fetch_add(1);  // from here on the word stays, unless the gate stays open
    if (!stays_open_.load() && word_ != nullptr && made_in_ == base::fork_generation())
        __atomic_store_n(word_, uint32_t{word}, __ATOMIC_SEQ_CST);
    storing_.fetch_sub(1);
}

void Gate::stay_open() {
    if (word_ == nullptr || made_in_ != base::fork_generation()) return;
    stays_open_.store(true);
    constexpr int kMostTurns = 10'000;  // safety: what is waited for is one store of a thread
    for (int i = 0; i < kMostTurns && storing_.load() != 0; ++i) sched_yield();
    __atomic_store_n(word_, uint32_t{kOpen}, __ATOMIC_SEQ_CST);
}

void Gate::free() {
    if (word_ != nullptr && made_in_ == base::fork_generation()) api_.zeMemFree(context_, word_);
    word_ = nullptr;
}

}  // namespace xsched::levelzero
