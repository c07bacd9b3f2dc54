// CANN's runtime for programs that link nothing of it: the functions that a busy device needs, found at run time. Any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace busy {

using AclPointer = void*;  // a stream, an event, or memory of the device

// As in the headers of CANN (hicann/runtime 681ef76, include/external/acl).
#define BENCH_ACL_FUNCTIONS(F)                                                                                   \
    F(aclInit, const char* configuration)                                                                        \
    F(aclrtSetDevice, int32_t device)                                                                            \
    F(aclrtMalloc, AclPointer* memory, size_t bytes, int policy)                                                 \
    F(aclrtFree, AclPointer memory)                                                                              \
    F(aclrtMemcpy, AclPointer to, size_t most, const void* from, size_t bytes, int kind)                         \
    F(aclrtMemcpyAsync, AclPointer to, size_t most, const void* from, size_t bytes, int kind, AclPointer stream) \
    F(aclrtMemsetAsync, AclPointer memory, size_t most, int32_t value, size_t bytes, AclPointer stream)          \
    F(aclrtCreateStream, AclPointer* stream)                                                                     \
    F(aclrtDestroyStream, AclPointer stream)                                                                     \
    F(aclrtSynchronizeStream, AclPointer stream)                                                                 \
    F(aclrtCreateEventWithFlag, AclPointer* event, uint32_t flags)                                               \
    F(aclrtRecordEvent, AclPointer event, AclPointer stream)                                                     \
    F(aclrtSynchronizeEvent, AclPointer event)                                                                   \
    F(aclrtDestroyEvent, AclPointer event)

struct Cann {
    void* library = nullptr;
#define BENCH_ACL_MEMBER(name, ...) int (*name)(__VA_ARGS__) = nullptr;
    BENCH_ACL_FUNCTIONS(BENCH_ACL_MEMBER)
#undef BENCH_ACL_MEMBER
};

// Opens the runtime at the first call: the file that XSCHED_ASCEND_LIB names, as XSched does, or libascendcl.so.
// Throws std::runtime_error with a sentence if there is none.
const Cann& cann();
// Returns a function that not every version of CANN has, or nullptr.
void* cann_function(const char* name);
// Throws std::runtime_error with the call and CANN's return code unless that is 0.
void must(int code, const char* call);

}  // namespace busy
