// Vulkan's functions by number, and the next layer's for each instance and device.
//
// The loader calls vkNegotiateLoaderLayerInterfaceVersion (layer.cpp) and then asks for functions by name. It gets our
// hook if api/vulkan.json has one, otherwise the next layer's function. An object that is dispatched begins with a
// pointer that all objects of one device, or of one instance, have in common; by it a hook finds what is below.
#pragma once

#include <vulkan/vulkan.h>

#include <cstdint>

namespace xsched::vulkan {

enum EntryPoint : uint32_t {
#define ENTRY_POINT(name) kEntry_##name,
#include "entry_points.inc"
    kEntryPointCount
};

template <EntryPoint kEntry>
struct Declared;
#define ENTRY_POINT(name)                                        \
    template <>                                                  \
    struct Declared<kEntry_##name> {                             \
        using Type = PFN_##name;                                 \
        static constexpr EntryPoint kEntryPoint = kEntry_##name; \
    };
#include "entry_points.inc"

// The functions below us; nullptr: there is none.
struct Below {
    PFN_vkVoidFunction functions[kEntryPointCount] = {};

    template <EntryPoint kEntry>
    typename Declared<kEntry>::Type get() const {
        return reinterpret_cast<typename Declared<kEntry>::Type>(functions[kEntry]);
    }
    // Asks for all functions by name. A function of a newer version may be there under its extension's name. Where the
    // program uses Vulkan `as_extensions`, that name comes first: the other one may not be called.
    template <typename Ask>
    void fill(const Ask& ask, bool as_extensions) {
        for (uint32_t i = 0; i < kEntryPointCount; ++i) {
            const char* former = former_name_of(i);
            if (former != nullptr && as_extensions) functions[i] = ask(former);
            if (functions[i] == nullptr) functions[i] = ask(name_of(i));
            if (functions[i] == nullptr && former != nullptr) functions[i] = ask(former);
        }
    }

    static const char* name_of(uint32_t entry);
    // Returns the name that the function had as an extension; nullptr: it was none.
    static const char* former_name_of(uint32_t entry);
};

// Returns our hook of that name; nullptr: calls go past us.
PFN_vkVoidFunction hook_named(const char* name);

// Returns the pointer that all objects of one device or instance have as their first word (the loader's dispatch
// table).
inline const void* key_of(const void* dispatched) { return *static_cast<const void* const*>(dispatched); }

}  // namespace xsched::vulkan
