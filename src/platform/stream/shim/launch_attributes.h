// Reads what a launch's attributes add to the call's own arguments, and tells whether graphs may contain kernels of
// which all blocks start together. Any thread.
#pragma once

#include <atomic>
#include <cstring>

#include "base/log.h"
#include "platform.h"
#include "platform/stream/hal/launch_attribute.h"
#include "platform/stream/shim/entry_points.h"

namespace xsched::stream {

template <typename... Arguments>
inline constexpr bool kHasAttributes = (kIsLaunchConfig<Arguments> || ...);

inline bool says_cooperative(int id, const void* value) {
    int cooperative = 0;
    if (id != kCooperativeAttribute || value == nullptr) return false;
    std::memcpy(&cooperative, value, sizeof cooperative);
    return cooperative != 0;
}

template <typename Config, typename Visit>
void for_each_attribute(const Config& config, Visit visit) {
    const auto* attributes = static_cast<const LaunchAttribute*>(config.attrs);
    for (unsigned i = 0; attributes != nullptr && i < config.numAttrs; ++i) visit(attributes[i]);
}

// Returns whether the argument is a launch configuration with an attribute that makes the kernel cooperative.
template <typename Argument>
bool says_cooperative(Argument argument) {
    bool says = false;
    if constexpr (kIsLaunchConfig<Argument>)
        if (argument != nullptr)
            for_each_attribute(*argument,
                               [&](const LaunchAttribute& it) { says = says || says_cooperative(it.id, it.value); });
    return says;
}

// Calls note(event) for each event that the launch records.
template <typename Argument, typename Note>
void for_each_event(Argument argument, Note note) {
    if constexpr (kIsLaunchConfig<Argument>)
        if (argument != nullptr)
            for_each_attribute(*argument, [&](const LaunchAttribute& it) {
                if (it.id != kProgrammaticEventAttribute && it.id != kCompletionEventAttribute) return;
                Event event = nullptr;
                std::memcpy(&event, it.value, sizeof event);
                if (event != nullptr) note(event);
            });
}

// Set once a graph of the process has had a cooperative kernel. Graphs are not searched: from then on every launch of a
// graph counts as cooperative.
inline std::atomic<bool> g_cooperative_graphs{false};
inline bool graphs_may_be_cooperative() { return g_cooperative_graphs.load(std::memory_order_relaxed); }
inline void note_cooperative_graph() { g_cooperative_graphs.store(true, std::memory_order_relaxed); }

// Hooks a function that sets an attribute of a graph's kernel.
template <EntryPoint kEntry, typename Node>
Result node_attribute(Node node, int id, const void* value) {
    const bool cooperative = says_cooperative(id, value);
    const Result code = driver<kEntry>()(node, id, value);
    if (code == kSuccess && cooperative) {
        XLOG_DEBG("%s: a kernel of a graph is cooperative", Declared<kEntry>::kName);
        note_cooperative_graph();
    }
    return code;
}

}  // namespace xsched::stream
