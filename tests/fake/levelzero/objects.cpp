#include "fake/levelzero/objects.h"

#include <cstdarg>
#include <cstdio>

namespace fake {
namespace {

std::atomic<int64_t> g_misuses{0};
std::atomic<int64_t> g_alive{0};

}  // namespace

void misuse(const char* format, ...) {
    g_misuses.fetch_add(1);
    va_list arguments;
    va_start(arguments, format);
    std::fprintf(stderr, "fake Level Zero: ");
    std::vfprintf(stderr, format, arguments);
    std::fprintf(stderr, "\n");
    va_end(arguments);
}

Object::Object(Kind its_kind) : kind(its_kind) { g_alive.fetch_add(1); }

Object::~Object() {
    kind = Kind::kGone;
    g_alive.fetch_sub(1);
}

bool good(const Object* object, Kind kind, const char* function) {
    if (object != nullptr && object->kind == kind) return true;
    misuse("%s with a handle that is none", function);
    return false;
}

}  // namespace fake

extern "C" int64_t fake_ze_misuses(void) { return fake::g_misuses.load(); }
extern "C" int64_t fake_ze_alive(void) { return fake::g_alive.load(); }
