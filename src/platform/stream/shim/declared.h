// A macro for all that hooks know of an entry point, on platforms whose functions below us may change at run time: for
// a namespace with EntryPoint, g_below, Traits and CopyBytes.
#pragma once

#include <atomic>

// Defines Declared<kEntry_NAME>: the function's type, its name, its copies, and the function below us.
#define XSCHED_DECLARED(name, type)                                                                \
    template <>                                                                                    \
    struct Declared<kEntry_##name> {                                                               \
        using Type = type;                                                                         \
        static constexpr const char* kName = #name;                                                \
        static constexpr CopyBytes kCopy = kTraits<kEntry_##name>.copy;                            \
        static Type driver() {                                                                     \
            return reinterpret_cast<Type>(g_below[kEntry_##name].load(std::memory_order_relaxed)); \
        }                                                                                          \
    };
