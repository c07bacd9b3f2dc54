// The process's way to the vendor's library. Any thread.
#pragma once

#include "platform/stream/hal/hal_abi.h"

namespace xsched::stream {

// The functions to use, looked up in the library at the first call; they never change. nullptr: there is no such
// library, or one that nothing can be scheduled on; the log has said so.
const Api* vendor_api();

// (platform/<p>/hal/vendor_library.cpp) What a platform says of its library, and how it is found.
struct VendorLibrary {
    const char* title;     // for the log: "CUDA driver"
    const char* variable;  // names another file
    const char* others;    // where the library comes from if the one that is named cannot be used
    const char* enough;    // which ones have all that is needed
};
extern const VendorLibrary kVendorLibrary;
// Returns the variable's value; "": none.
const char* chosen_library();
// nullptr: there is none.
void* find_library();
void say_no_library();

// Takes `library`, opened from `path`, for `result` if it is the vendor's and not our shim; else closes it. nullptr is
// allowed, and refused.
bool accept(void* library, const char* path, void** result);
// Opens and accepts. `result`: a void**, as for_each_library_file wants it.
bool try_file(const char* path, void* result);
// Global, so that functions of a newer library which our shim does not export are found by programs linked to them.
void* open_file(const char* path, int how = 0);

}  // namespace xsched::stream
