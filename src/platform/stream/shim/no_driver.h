// The behaviour of our entry points if there is no vendor library, or if it lacks a function. Any thread.
#pragma once

#include <cstring>

namespace xsched::stream {

// Returns a function for the entry point `name` that fails as programs expect without a device.
// (platform/<p>/shim/no_driver.cpp)
void* without_driver(const char* name);
// Returns the function that stands for the entry point `name` if no library has it: neither the vendor's library,
// which may be older or newer, nor any other.
void* without_function(const char* name);
// Returns the function of this name from another library of the vendor's, which may be loaded later than the first
// one. nullptr: there is none.
void* companion_symbol(const char* name);

struct Answer {
    const char* name;
    void* function;
};

template <typename Function>
Answer answer(const char* name, Function* function) {
    return {name, reinterpret_cast<void*>(function)};
}

// Returns the function in the table `answers` with this name; nullptr: the table lacks it.
template <size_t kCount>
void* find_answer(const Answer (&answers)[kCount], const char* name) {
    for (const Answer& it : answers)
        if (std::strcmp(it.name, name) == 0) return it.function;
    return nullptr;
}

}  // namespace xsched::stream
