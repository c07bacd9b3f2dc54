// The behaviour of our entry points where there is no library of the vendor's, or where it lacks a function. Any
// thread.
#pragma once

#include <cstring>

namespace xsched::stream {

// (platform/<p>/shim/no_driver.cpp)
// For the entry point `name`: fails as programs expect it where no device is there.
void* without_driver(const char* name);
// For a function that neither the vendor's library has, which is older or newer, nor any other.
void* without_function(const char* name);
// The function in a library of the vendor's that is not the one we stand for; nullptr: there is none. Such a library
// may be loaded later.
void* companion_symbol(const char* name);

struct Answer {
    const char* name;
    void* function;
};

template <typename Function>
Answer answer(const char* name, Function* function) {
    return {name, reinterpret_cast<void*>(function)};
}

// nullptr: there is none for this name.
template <size_t kCount>
void* find_answer(const Answer (&answers)[kCount], const char* name) {
    for (const Answer& it : answers)
        if (std::strcmp(it.name, name) == 0) return it.function;
    return nullptr;
}

}  // namespace xsched::stream
