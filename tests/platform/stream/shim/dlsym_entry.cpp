// The entry of dlsym alone (platform/stream/shim/dlsym.S), with stand-ins of what it calls: which arguments and which
// caller each of them sees, which answer the program gets, and that a debugger sees the program behind the entry. An
// ordinary program, which arm64_test.py builds for that processor as well. Exit status 0: all is right.
#include <dlfcn.h>
#include <execinfo.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace {

struct Answer {
    const void* address;
    uintptr_t given;
};

// Stand-ins for a library's handle, for a function of the shim, and for a function of the library. Only their addresses
// are compared.
char g_library, g_ours, g_theirs;

bool g_right = true;
int g_looked_at = 0, g_passed_on = 0;
const void* g_caller = nullptr;  // as the first look at the name has it

void demand(bool met, const char* what) {
    if (!met) std::printf("wrong: %s\n", what);
    g_right &= met;
}

bool stack_has(const void* caller) {
    void* frames[16] = {};
    const int count = backtrace(frames, 16);
    return std::find(frames, frames + count, caller) != frames + count;
}

__attribute__((noinline)) void* next_dlsym(void* library, const char* name) {
    ++g_passed_on;
    demand(library == &g_library && std::string_view(name) == "theirs", "the arguments of the dlsym behind us");
    demand(__builtin_return_address(0) == g_caller, "the caller that the dlsym behind us sees");
    demand(stack_has(g_caller), "the stack in the dlsym behind us");
    return &g_theirs;
}

}  // namespace

extern "C" void* (*xsched_next_dlsym)(void* library, const char* name);
void* (*xsched_next_dlsym)(void* library, const char* name) = next_dlsym;

extern "C" Answer xsched_dlsym(void* library, const char* name, const void* caller);
Answer xsched_dlsym(void* library, const char* name, const void* caller) {
    ++g_looked_at;
    g_caller = caller;
    demand(library == &g_library, "the library");
    demand(stack_has(caller), "the caller, or the stack");
    const std::string_view asked = name;
    if (asked == "ours") return {&g_ours, 1};
    return {nullptr, asked == "nothing" ? uintptr_t{1} : uintptr_t{0}};
}

int main() {
    for (int i = 0; i < 3; ++i) {
        demand(dlsym(&g_library, "ours") == &g_ours, "our answer");
        demand(dlsym(&g_library, "nothing") == nullptr, "our answer that there is nothing");
        demand(dlsym(&g_library, "theirs") == &g_theirs, "the answer of the dlsym behind us");
        demand(g_looked_at == 3 * (i + 1) && g_passed_on == i + 1, "the number of calls");
    }
    if (g_right) std::puts("right");
    return g_right ? 0 : 1;
}
