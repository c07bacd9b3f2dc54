#include "fake/opencl/object.h"

#include <unistd.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <mutex>

#include "fake/opencl/fake_cl.h"
#include "fake/opencl/settings.h"

namespace fake {
namespace {

constexpr uint32_t kAlive = 0xC1A11FE0;
constexpr uint32_t kDead = 0xDEADC100;
constexpr size_t kQuarantine = 4096;

std::atomic<int> g_misuses{0};
std::array<std::atomic<int>, static_cast<size_t>(Kind::kCount)> g_live{};

uint32_t magic_of(uint32_t state, Kind kind) { return state | static_cast<uint32_t>(kind); }

// Keeps the last destroyed objects' memory readable.
void quarantine(void* memory) {
    static std::mutex& mutex = *new std::mutex;
    static std::array<void*, kQuarantine>& ring = *new std::array<void*, kQuarantine>{};
    static size_t next = 0;
    void* oldest = nullptr;
    {
        const std::lock_guard lock(mutex);
        oldest = std::exchange(ring[next], memory);
        next = (next + 1) % kQuarantine;
    }
    ::operator delete(oldest);
}

void destroy(Object* object) {
    const Kind kind = object->kind;
    object->magic.store(magic_of(kDead, kind), std::memory_order_relaxed);
    object->dispose(object);
    g_live[static_cast<size_t>(kind)].fetch_sub(1, std::memory_order_relaxed);
    if (g_settings.noop.load(std::memory_order_relaxed)) {
        ::operator delete(static_cast<void*>(object));
    } else {
        quarantine(object);
    }
}

}  // namespace

const char* kind_name(Kind kind) {
    static const char* const names[] = {"platform",   "device", "sub-device", "context", "queue",  "event",
                                        "user event", "memory", "program",    "kernel",  "sampler"};
    return names[static_cast<size_t>(kind)];
}

Object::Object(Kind its_kind, void (*its_dispose)(Object*), int its_refs)
    : magic(magic_of(kAlive, its_kind)), refs(its_refs), pins(1), kind(its_kind), dispose(its_dispose) {
    g_live[static_cast<size_t>(its_kind)].fetch_add(1, std::memory_order_relaxed);
}

void report_misuse(const char* format, ...) {
    g_misuses.fetch_add(1);
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    int length = std::snprintf(line, sizeof line, "fake OpenCL: misuse: ");
    length += std::vsnprintf(line + length, sizeof line - static_cast<size_t>(length) - 1, format, arguments);
    va_end(arguments);
    if (length > static_cast<int>(sizeof line) - 2) length = static_cast<int>(sizeof line) - 2;
    line[length++] = '\n';
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, static_cast<size_t>(length));
}

int misuse_count() { return g_misuses.load(); }
void clear_misuse_count() { g_misuses = 0; }
int live_count(Kind kind) { return g_live[static_cast<size_t>(kind)].load(); }

bool check_handle(const Object* object, Kind kind, Kind other_kind) {
    if (object == nullptr) return false;
    const uint32_t magic = object->magic.load(std::memory_order_relaxed);
    for (const Kind wanted : {kind, other_kind}) {
        if (magic == magic_of(kAlive, wanted)) {
            if (object->refs.load(std::memory_order_relaxed) > 0) return true;
            if (object->callbacks_running.load(std::memory_order_relaxed) > 0) return true;
            report_misuse("%s %p is used after its last release", kind_name(wanted), static_cast<const void*>(object));
            return false;
        }
        if (magic == magic_of(kDead, wanted)) {
            report_misuse("%s %p is used after it was destroyed", kind_name(wanted), static_cast<const void*>(object));
            return false;
        }
    }
    report_misuse("%p is not a %s", static_cast<const void*>(object), kind_name(kind));
    return false;
}

void pin(Object* object) { object->pins.fetch_add(1, std::memory_order_relaxed); }

void unpin(Object* object) {
    if (object->pins.fetch_sub(1, std::memory_order_acq_rel) == 1) destroy(object);
}

void retain(Object* object) {
    if (object->refs.fetch_add(1, std::memory_order_relaxed) == 0) pin(object);  // inside its own callback
}

void release(Object* object) {
    if (object->refs.fetch_sub(1, std::memory_order_acq_rel) == 1) unpin(object);
}

}  // namespace fake

extern "C" {

int fake_cl_errors() { return fake::misuse_count(); }
void fake_cl_clear_errors() { fake::clear_misuse_count(); }

int fake_cl_live(const char* kind) {
    for (uint32_t i = 0; i < static_cast<uint32_t>(fake::Kind::kCount); ++i) {
        if (std::strcmp(kind, fake::kind_name(fake::Kind{i})) == 0) return fake::live_count(fake::Kind{i});
    }
    return -1;
}

int fake_cl_live_objects() {
    int sum = 0;
    for (uint32_t i = 0; i < static_cast<uint32_t>(fake::Kind::kCount); ++i) {
        const fake::Kind kind{i};
        if (kind != fake::Kind::kPlatform && kind != fake::Kind::kRootDevice) sum += fake::live_count(kind);
    }
    return sum;
}

long fake_cl_calls(const char* function) { return fake::call_count(function); }
void fake_cl_reload() { fake::reload_settings(); }
}
