#include "platform/ascend/shim/model_streams.h"

#include "base/pointer_map.h"

namespace xsched::ascend {
namespace {

struct OfModel {};
constinit OfModel g_of_model;
constinit base::PointerMap<OfModel> g_streams;

}  // namespace

constinit std::atomic<bool> g_any_of_models{false};

bool looks_up_model(aclrtStream stream) { return g_streams.find(stream) != nullptr; }

void note_model_stream(aclrtStream stream) {
    if (!g_streams.insert(stream, &g_of_model))
        XLOG_WARN("no memory to note that stream %p is a model's", static_cast<void*>(stream));
    g_any_of_models.store(true, std::memory_order_relaxed);
}

void forget_model_stream(aclrtStream stream) {
    if (is_of_model(stream)) g_streams.erase(stream);
}

}  // namespace xsched::ascend
