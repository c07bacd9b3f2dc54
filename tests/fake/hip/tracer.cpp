// hipRegisterTracerCallback: how roctracer (ROCm 5 and 6) comes to know of the runtime's calls.
#include <atomic>

#include "fake/hip/fake_hip.h"
#include "fake/hip/runtime.h"

namespace hip_layer {
namespace {

std::atomic<FakeTracer> g_tracer{nullptr};

void tell(const char* call, bool begins) {
    if (const FakeTracer tracer = g_tracer.load()) tracer(kFakeHipApi, begins ? 1 : 0, const_cast<char*>(call));
}

}  // namespace

ToolSees::ToolSees(const char* call) : call_(call) { tell(call_, true); }
ToolSees::~ToolSees() { tell(call_, false); }

}  // namespace hip_layer

extern "C" void hipRegisterTracerCallback(FakeTracer tracer) { hip_layer::g_tracer = tracer; }
