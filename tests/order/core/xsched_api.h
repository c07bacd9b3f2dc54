// The C API of the XSched libraries that the shim has loaded into this process, found at run time: programs under test
// link nothing of ours. Any thread.
#pragma once

#include <string>
#include <vector>

#include "xsched/xsched.h"

namespace order {

// The address of a function that this process or one of the XSched libraries has; null: neither.
void* xsched_function(const char* hal_library, const std::string& name);

// Stream: what the vendor calls a queue.
template <typename Stream>
struct XSched {
    XResult (*QueueGet)(HwQueueHandle*, Stream);
    XResult (*QueueCreate)(HwQueueHandle*, Stream);
    decltype(&::XQueueGet) XQueueGet;
    decltype(&::XQueueSuspend) XQueueSuspend;
    decltype(&::XQueueResume) XQueueResume;
    decltype(&::XQueueQuery) XQueueQuery;
    decltype(&::XQueueSetLaunchConfig) XQueueSetLaunchConfig;
    decltype(&::XQueueSetPreemptLevel) XQueueSetPreemptLevel;
    decltype(&::XQueueProfileHwCommandCount) XQueueProfileHwCommandCount;
    decltype(&::XHintPriority) XHintPriority;

    // Looks up the functions of the XSched libraries. `vendor`: the prefix of the platform's functions, such as
    // "Cuda".
    XSched(const char* hal_library, const std::string& vendor) {
        const auto find = [&](auto& function, const std::string& name) {
            function =
                reinterpret_cast<std::remove_reference_t<decltype(function)>>(xsched_function(hal_library, name));
        };
        find(QueueGet, vendor + "QueueGet");
        find(QueueCreate, vendor + "QueueCreate");
        find(XQueueGet, "XQueueGet");
        find(XQueueSuspend, "XQueueSuspend");
        find(XQueueResume, "XQueueResume");
        find(XQueueQuery, "XQueueQuery");
        find(XQueueSetLaunchConfig, "XQueueSetLaunchConfig");
        find(XQueueSetPreemptLevel, "XQueueSetPreemptLevel");
        find(XQueueProfileHwCommandCount, "XQueueProfileHwCommandCount");
        find(XHintPriority, "XHintPriority");
    }
    bool complete() const {
        return QueueGet != nullptr && XQueueGet != nullptr && XQueueSuspend != nullptr && XQueueResume != nullptr;
    }
    // Returns the XQueue of a stream (on CUDA, of this thread's context); 0: the stream has none.
    XQueueHandle queue_of(Stream stream) const {
        HwQueueHandle hwq = 0;
        XQueueHandle queue = 0;
        if (QueueGet(&hwq, stream) != kXSchedSuccess || XQueueGet(&queue, hwq) != kXSchedSuccess) return 0;
        return queue;
    }
    // Returns those that these streams have.
    std::vector<XQueueHandle> queues_of(const std::vector<Stream>& streams) const {
        std::vector<XQueueHandle> all;
        for (const Stream stream : streams)
            if (const XQueueHandle queue = queue_of(stream); queue != 0) all.push_back(queue);
        return all;
    }
};

// The C API for a checker's kind of stream, looked up at the first call.
template <typename Stream>
struct XSchedOnDemand {
    const char* hal_library;
    const char* vendor;
    const XSched<Stream>& operator()() const {
        static const XSched<Stream> it(hal_library, vendor);
        return it;
    }
};

}  // namespace order
