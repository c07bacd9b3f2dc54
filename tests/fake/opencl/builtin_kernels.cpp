#include "fake/opencl/builtin_kernels.h"

#include <sched.h>

#include <map>
#include <sstream>

#include "fake/opencl/executor.h"

namespace fake {
namespace {

using Arguments = std::vector<Argument>;

// Returns the buffer behind argument `index`. Lowers `items` to the number of items that may be touched.
uint32_t* words_of(const Arguments& arguments, size_t index, size_t& items) {
    if (index >= arguments.size()) return nullptr;
    const Argument& argument = arguments[index];
    if (argument.svm != nullptr) return static_cast<uint32_t*>(argument.svm);
    if (!argument.memory) return nullptr;
    items = std::min(items, argument.memory->size / sizeof(uint32_t));
    return reinterpret_cast<uint32_t*>(argument.memory->data);
}

// Returns the value of a kernel argument: the sum of its 32-bit lanes, so that vectors count, too.
uint32_t value_of(const Arguments& arguments, size_t index) {
    uint32_t sum = 0;
    if (index >= arguments.size()) return sum;
    const auto& bytes = arguments[index].bytes;
    for (size_t at = 0; at + sizeof(uint32_t) <= bytes.size(); at += sizeof(uint32_t)) {
        uint32_t lane = 0;
        std::memcpy(&lane, bytes.data() + at, sizeof lane);
        sum += lane;
    }
    return sum;
}

cl_int run_append(const Arguments& arguments, size_t items) {
    uint32_t* words = words_of(arguments, 0, items);
    const uint32_t value = value_of(arguments, 1);
    for (size_t i = 0; words != nullptr && i < items; ++i) words[i] = words[i] * 31 + value;
    return CL_SUCCESS;
}

cl_int run_combine(const Arguments& arguments, size_t items) {
    uint32_t* to = words_of(arguments, 0, items);
    const uint32_t* from = words_of(arguments, 1, items);
    const uint32_t value = value_of(arguments, 2);
    for (size_t i = 0; to != nullptr && from != nullptr && i < items; ++i) to[i] = to[i] * 31 + from[i] + value;
    return CL_SUCCESS;
}

cl_int run_spin(const Arguments& arguments, size_t) {
    const uint64_t end = clock_ns() + uint64_t{value_of(arguments, 0)} * 1000;
    while (clock_ns() < end) sched_yield();
    return CL_SUCCESS;
}

struct Builtin {
    cl_int (*run)(const Arguments&, size_t);
    const char* parameters;
};
const std::map<std::string, Builtin>& builtins() {
    static const auto& all = *new std::map<std::string, Builtin>{
        {"append", {run_append, "global uint* b, uint v"}},
        {"append_local", {run_append, "global uint* b, uint v, local uint* s"}},
        {"append_wide", {run_append, "global uint* b, uint8 v"}},
        {"combine", {run_combine, "global uint* b, global const uint* a, uint v"}},
        {"spin", {run_spin, "uint us"}},
        {"noop", {nullptr, ""}},
    };
    return all;
}

}  // namespace

cl_int run_kernel(const std::string& name, const Arguments& arguments, size_t items) {
    const auto found = builtins().find(name);
    if (found == builtins().end() || found->second.run == nullptr) return CL_SUCCESS;
    return found->second.run(arguments, items);
}

std::string builtin_source(const std::string& names) {
    std::string source;
    std::istringstream all(names);
    for (std::string name; std::getline(all, name, ';');) {
        const auto found = builtins().find(name);
        if (found != builtins().end()) source += "kernel void " + name + "(" + found->second.parameters + ");\n";
    }
    return source;
}

}  // namespace fake
