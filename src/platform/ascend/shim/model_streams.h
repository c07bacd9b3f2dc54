// Streams of models. A task that is put into a stream that is bound to a model is recorded there and runs when the
// model does, which is a command of another stream. So such a stream is not scheduled, and nothing of ours goes into
// it. A stream is one if it is bound to a model, or was created for that. Any thread.
#pragma once

#include <atomic>

#include "platform/stream/shim/launch.h"
#include "platform/stream/shim/ordered.h"

namespace xsched::ascend {

extern std::atomic<bool> g_any_of_models;  // there is such a stream, or was

bool looks_up_model(aclrtStream stream);
inline bool is_of_model(aclrtStream stream) {
    return g_any_of_models.load(std::memory_order_relaxed) && stream != nullptr && looks_up_model(stream);
}
void note_model_stream(aclrtStream stream);
void forget_model_stream(aclrtStream stream);

// Returns whether streams are created for models with these properties.
constexpr bool is_for_model() { return false; }
constexpr bool is_for_model(int32_t) { return false; }
constexpr bool is_for_model(const void*) { return false; }  // told when it is bound
constexpr bool is_for_model(uint32_t, uint32_t flags) { return (flags & ACL_STREAM_PERSISTENT) != 0; }
constexpr bool is_for_model(int32_t, uint32_t flags) { return (flags & RT_STREAM_PERSISTENT) != 0; }
inline bool is_for_model(const aclrtStreamConfigHandle* config) {
    return config != nullptr && (config->flag & ACL_STREAM_PERSISTENT) != 0;
}

template <stream::EntryPoint kEntry, typename... Properties>
aclError create_stream(aclrtStream* made, Properties... properties) {
    const aclError code = stream::stream_create<kEntry>(made, properties...);
    const stream::KeepErrno keep;
    if (code != ACL_SUCCESS || made == nullptr) return code;
    is_for_model(properties...) ? note_model_stream(*made) : forget_model_stream(*made);
    return code;
}

template <stream::EntryPoint kEntry>
aclError bind_stream(aclmdlRI model, aclrtStream stream, uint32_t flags) {
    const aclError code = stream::driver<kEntry>()(model, stream, flags);
    const stream::KeepErrno keep;
    if (code != ACL_SUCCESS || stream == nullptr) return code;
    stream::stream_going(stream);
    note_model_stream(stream);
    return code;
}

template <stream::EntryPoint kEntry>
aclError unbind_stream(aclmdlRI model, aclrtStream stream) {
    const aclError code = stream::driver<kEntry>()(model, stream);
    const stream::KeepErrno keep;
    if (code == ACL_SUCCESS) forget_model_stream(stream);
    return code;
}

}  // namespace xsched::ascend

namespace xsched::stream {

// Returns whether a call is none of ours (from_program.h).
template <EntryPoint kEntry, typename... Arguments>
bool is_left_alone(Arguments... arguments) {
    if constexpr (kEntry == kEntry_aclmdlRIUnbindStream || kEntry == kEntry_rtModelUnbindStream ||
                  kEntry == kEntry_rtsModelUnbindStream)
        return false;
    return ascend::is_of_model(stream_in(arguments...));
}

}  // namespace xsched::stream
