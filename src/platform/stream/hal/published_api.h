// The functions of a vendor's library that a device library uses, for platforms that get them from their shim. Any
// thread.
#pragma once

#include <atomic>
#include <new>

#include "base/log.h"
#include "base/memory_stays.h"

namespace xsched::stream {

template <typename Api>
class PublishedApi {
public:
    // Returns nullptr if there are none yet.
    const Api* get() const {
        const Entry* newest = newest_.load(std::memory_order_acquire);
        return newest != nullptr ? &newest->api : nullptr;
    }
    // Uses these functions from now on. A table that was handed out once is never freed: another thread may be using
    // it. Returns false if there is no memory, or if functions are missing; `lacks` says this in the log.
    bool use(const Api& api, const char* platform, const char* lacks) {
        if (!complete(api)) {
            XLOG_WARN("%s; nothing is scheduled on it", lacks);
            return false;
        }
        base::say_that_memory_stays(platform);
        auto* entry = new (std::nothrow) Entry{api, newest_.load(std::memory_order_acquire)};
        if (entry == nullptr) return false;
        while (!newest_.compare_exchange_weak(entry->before, entry, std::memory_order_acq_rel)) {
        }
        return true;
    }

private:
    struct Entry {
        Api api;
        const Entry* before;
    };
    std::atomic<const Entry*> newest_{nullptr};
};

}  // namespace xsched::stream
