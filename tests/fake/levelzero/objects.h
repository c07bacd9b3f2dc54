// The objects behind Level Zero's handles.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "fake/levelzero/fake_ze.h"

namespace fake {

class Stream;
class Device;
struct Command;

enum class Kind : uint32_t {
    kContext = 0x2e000001,
    kQueue,
    kList,
    kPool,
    kEvent,
    kFence,
    kModule,
    kKernel,
    kGone = 0xdead
};

// Prints what rule was broken, and counts it.
[[gnu::format(printf, 1, 2)]] void misuse(const char* format, ...);

// Counts objects that are there.
struct Object {
    explicit Object(Kind kind);
    ~Object();
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;

    Kind kind;
};

// Returns whether the handle is an object of that kind; otherwise reports it.
bool good(const Object* object, Kind kind, const char* function);
#define FAKE_GOOD(handle, kind) ::fake::good(handle, ::fake::Kind::kind, __func__)

}  // namespace fake

struct _ze_device_handle_t {
    int index;
};
struct _ze_driver_handle_t {
    _ze_device_handle_t devices[2];
};

struct _ze_context_handle_t : fake::Object {
    _ze_context_handle_t() : Object(fake::Kind::kContext) {}
    std::atomic<int> objects{0};  // pools, queues, lists and the host's memory in it
};

struct _ze_event_pool_handle_t : fake::Object {
    _ze_event_pool_handle_t() : Object(fake::Kind::kPool) {}
    _ze_context_handle_t* context = nullptr;
    uint32_t count = 0;
    std::atomic<int> events{0};
};

struct _ze_event_handle_t : fake::Object {
    _ze_event_handle_t() : Object(fake::Kind::kEvent) {}
    _ze_event_pool_handle_t* pool = nullptr;
    bool signalled = false;  // under the graph's mutex
    int used_by = 0;         // commands that are not complete; under the graph's mutex
};

struct _ze_command_queue_handle_t : fake::Object {
    _ze_command_queue_handle_t() : Object(fake::Kind::kQueue) {}
    _ze_context_handle_t* context = nullptr;
    std::unique_ptr<fake::Stream> stream;
    bool synchronous = false;
};

struct _ze_fence_handle_t : fake::Object {
    _ze_fence_handle_t() : Object(fake::Kind::kFence) {}
    bool signalled = false;  // under the graph's mutex
};

struct _ze_command_list_handle_t : fake::Object {
    _ze_command_list_handle_t() : Object(fake::Kind::kList) {}
    _ze_context_handle_t* context = nullptr;
    std::unique_ptr<fake::Stream> stream;  // an immediate list's
    bool synchronous = false;
    bool in_order = false;
    bool records = false;  // into a graph, for good
    bool closed = false;
    std::vector<fake::Command> commands;   // of a list that is not immediate
    std::atomic<bool> in_call{false};
};

struct _ze_module_handle_t : fake::Object {
    _ze_module_handle_t() : Object(fake::Kind::kModule) {}
};

struct _ze_kernel_handle_t : fake::Object {
    _ze_kernel_handle_t() : Object(fake::Kind::kKernel) {}
    bool busy = false;
    uint64_t arguments[4] = {};
};
