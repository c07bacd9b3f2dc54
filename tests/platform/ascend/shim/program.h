// An ordinary program's objects on the stand-in for CANN: a device, streams, and 16 words of memory that kernels change
// in an order that shows in the words; with the XQueues that the shim made.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "fake/ascend/fake_acl.h"
#include "support/eventually.h"
#include "xsched/xsched.h"

// As xsched/ascend/hal.h has it, whose type aclrtStream is void*.
extern "C" XResult AclQueueGet(HwQueueHandle* hwq, void* stream);

namespace xsched::test {

using AclStream = ascend::aclrtStream;

#define ACL_OK(call) EXPECT_EQ((call), ACL_SUCCESS)

class Program {
public:
    static constexpr uint32_t kWords = 16;

    Program() {
        ACL_OK(aclInit(nullptr));
        ACL_OK(aclrtSetDevice(0));
        ACL_OK(aclrtMalloc(&words_, sizeof(uint32_t) * kWords, 0));
        ACL_OK(aclrtBinaryGetFunction(nullptr, "append", &append_));
        ACL_OK(aclrtBinaryGetFunction(nullptr, "spin", &spin_));
        const std::array<uint32_t, kWords> zeros{};
        ACL_OK(aclrtMemcpy(words_, sizeof zeros, zeros.data(), sizeof zeros, 1));
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() {
        ACL_OK(aclrtSynchronizeDevice());
        for (AclStream stream : streams_) ACL_OK(aclrtDestroyStream(stream));
        ACL_OK(aclrtFree(words_));
        ACL_OK(aclrtResetDevice(0));
        EXPECT_EQ(fake_cuda_errors(), 0) << "the runtime was misused";
    }

    AclStream stream() {
        ACL_OK(aclrtCreateStream(&streams_.emplace_back()));
        return streams_.back();
    }
    // Returns a stream on which the first kernel, with the value 1, has run.
    AclStream stream_in_use() {
        const AclStream made = stream();
        ACL_OK(append(made, 1));
        ACL_OK(aclrtSynchronizeStream(made));
        return made;
    }
    void forget(AclStream destroyed) { std::erase(streams_, destroyed); }
    // Each kernel makes w * 31 + value of each word, so that the words show what ran, and in which order.
    struct Append {
        void* words;
        uint32_t value, count;
    };
    Append arguments(uint32_t value) const { return {words_, value, kWords}; }
    aclError append(AclStream stream, uint32_t value) const {
        const Append it = arguments(value);
        return aclrtLaunchKernel(append_, kWords, &it, sizeof it, stream);
    }
    aclError append_below(AclStream stream, uint32_t value) const {
        Append it = arguments(value);
        return rtKernelLaunch(append_, kWords, &it, sizeof it, nullptr, stream);
    }
    aclError spin(AclStream stream, uint32_t us) const { return aclrtLaunchKernel(spin_, 1, &us, sizeof us, stream); }
    uint32_t word() const {
        uint32_t found = 0;
        ACL_OK(aclrtMemcpy(&found, sizeof found, words_, sizeof found, 2));
        return found;
    }
    void* words() const { return words_; }

private:
    void* words_ = nullptr;
    aclrtFuncHandle append_ = nullptr;
    aclrtFuncHandle spin_ = nullptr;
    std::vector<AclStream> streams_;
};

// The words after kernels with these values, in this order.
inline uint32_t appended(std::initializer_list<uint32_t> values) {
    uint32_t word = 0;
    for (const uint32_t value : values) word = word * 31 + value;
    return word;
}

// The XQueue of a stream that was used; 0: there is none.
inline XQueueHandle find_xqueue(AclStream stream) {
    HwQueueHandle hwq = 0;
    XQueueHandle queue = 0;
    return AclQueueGet(&hwq, stream) == kXSchedSuccess && XQueueGet(&queue, hwq) == kXSchedSuccess ? queue : 0;
}
inline XQueueHandle xqueue_of(AclStream stream) {
    const XQueueHandle queue = find_xqueue(stream);
    EXPECT_NE(queue, 0u) << "the shim is not loaded, or did not wrap the stream";
    return queue;
}
inline bool is_idle(XQueueHandle queue) {
    XQueueState now = kQueueStateUnknown;
    return XQueueQuery(queue, &now) == kXSchedSuccess && now == kQueueStateIdle;
}
inline void suspend(XQueueHandle queue) { EXPECT_EQ(XQueueSuspend(queue, kQueueSuspendFlagNone), kXSchedSuccess); }
inline void resume(XQueueHandle queue) { EXPECT_EQ(XQueueResume(queue, kQueueResumeFlagNone), kXSchedSuccess); }

}  // namespace xsched::test
