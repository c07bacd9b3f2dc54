// The beginning of every handle of the fake platform, and the check of handles.
//
// Two counts: `refs` is the program's (clRetain..., clRelease...); `pins` is how many places of the platform itself
// need the object, one of them for refs > 0. An object with refs 0 is dead for the program, whatever still pins it:
// using its handle is misuse and is reported. Destroyed objects stay in a quarantine for a while, so that late use
// is still recognised. Any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "fake/opencl/cl.h"

namespace fake {

enum class Kind : uint32_t {
    kPlatform,
    kRootDevice,
    kDevice,
    kContext,
    kQueue,
    kEvent,
    kUserEvent,
    kMemory,
    kProgram,
    kKernel,
    kSampler,
    kCount
};
const char* kind_name(Kind kind);

struct Object {
    // `dispose` frees what the object owns; the memory itself goes later.
    Object(Kind kind, void (*dispose)(Object*), int refs = 1);
    Object(const Object&) = delete;
    Object& operator=(const Object&) = delete;

    const cl_icd_dispatch* dispatch = &kDispatch;  // the loader reads this: first member
    std::atomic<uint32_t> magic;
    std::atomic<int> refs;
    std::atomic<int> pins;
    Kind kind;
    std::atomic<int> callbacks_running{0};  // events: valid inside their own callbacks
    void (*dispose)(Object*);
};

[[gnu::format(printf, 1, 2)]] void report_misuse(const char* format, ...);
int misuse_count();
void clear_misuse_count();
int live_count(Kind kind);

// Returns whether the program may use this handle now. Reports a handle that is not null and not good.
bool check_handle(const Object* object, Kind kind, Kind other_kind);
inline bool check_handle(const Object* object, Kind kind) { return check_handle(object, kind, kind); }

void pin(Object* object);
void unpin(Object* object);  // may destroy it: never with the graph's mutex held
void retain(Object* object);
void release(Object* object);

// Holds a pin.
template <typename T>
class Ref {
public:
    Ref() = default;
    explicit Ref(T* object) : object_(object) {
        if (object_ != nullptr) pin(object_);
    }
    Ref(const Ref& other) : Ref(other.object_) {}
    Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Ref& operator=(Ref other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Ref() {
        if (object_ != nullptr) unpin(object_);
    }
    T* get() const { return object_; }
    T* operator->() const { return object_; }
    explicit operator bool() const { return object_ != nullptr; }

private:
    T* object_ = nullptr;
};

}  // namespace fake
