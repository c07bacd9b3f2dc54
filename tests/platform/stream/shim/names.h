// Checks the names that a shim exports: dlsym finds those that the vendor's library has, and no other.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace xsched::test {

inline const char* const kExportedNames[] = {
#define ENTRY_POINT(name) #name,
#include "entry_points.inc"
};

// Expects that each exported name with this prefix is found in `scope` exactly if the vendor's library has it.
// Returns how many names that library lacks.
inline int expect_names_of(void* vendors_library, void* scope, std::string_view prefix) {
    int lacking = 0;
    for (const char* name : kExportedNames) {
        if (!std::string_view(name).starts_with(prefix)) continue;
        const bool has = dlsym(vendors_library, name) != nullptr;
        EXPECT_EQ(dlsym(scope, name) != nullptr, has) << name;
        const char* error = dlerror();
        EXPECT_EQ(error != nullptr && std::string(error).find(name) != std::string::npos, !has) << name;
        lacking += static_cast<int>(!has);
    }
    return lacking;
}

}  // namespace xsched::test
