// The process's way to the vendor's library. Any thread.
#pragma once

#include "platform/stream/hal/hal_abi.h"

namespace xsched::stream {

// Returns the functions to use, looked up at the first call; they never change. nullptr, after a log line: there is no
// such library, or nothing can be scheduled on it.
const Api* vendor_api();

// A platform's facts about its library, and how it is found (platform/<p>/hal/vendor_library.cpp).
struct VendorLibrary {
    const char* title;     // for the log: "CUDA driver"
    const char* variable;  // names another file
    const char* others;    // where the library comes from if the one that is named cannot be used
    const char* enough;    // which ones have all that is needed
};
extern const VendorLibrary kVendorLibrary;
// Returns the variable's value; "": none.
const char* chosen_library();
// Returns the library; nullptr: there is none.
void* find_library();
void say_no_library();

// Takes `library`, opened from `path`, as `result` if it is the vendor's and not our shim; otherwise closes it. nullptr
// is refused.
bool accept(void* library, const char* path, void** result);
// Opens the file and returns what accept() says of it. `result` points to a void*, in the type that
// for_each_library_file passes.
bool try_file(const char* path, void* result);
// Opens the file globally, so that linked programs find functions of a newer library that our shim does not export.
void* open_file(const char* path, int how = 0);

}  // namespace xsched::stream
