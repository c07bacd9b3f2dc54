// The behaviour of our entry points if there is no vendor library, or if it lacks a function. Any thread.
#pragma once

#include <cstring>

namespace xsched::stream {

// Returns a function for the entry point `name` that fails as programs expect without a device.
// (platform/<p>/shim/no_driver.cpp)
void* without_driver(const char* name);
// Returns a function for one that neither the vendor's library (older or newer) nor any other library has.
void* without_function(const char* name);
// Returns the function from another library of the vendor's; nullptr: there is none. Such a library may be loaded
// later.
void* companion_symbol(const char* name);

struct Answer {
    const char* name;
    void* function;
};

template <typename Function>
Answer answer(const char* name, Function* function) {
    return {name, reinterpret_cast<void*>(function)};
}

// Returns the answer for a name; nullptr: there is none.
template <size_t kCount>
void* find_answer(const Answer (&answers)[kCount], const char* name) {
    for (const Answer& it : answers)
        if (std::strcmp(it.name, name) == 0) return it.function;
    return nullptr;
}

}  // namespace xsched::stream
