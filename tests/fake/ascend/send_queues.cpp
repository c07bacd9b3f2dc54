// The driver's call below the runtime that pauses and resumes all send queues of the process.
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "fake/ascend/layer.h"

namespace {

struct Request {
    int type;
    uint32_t scheduler, send_queue, completion_queue;
    int property;
    uint32_t values[8];
};
constexpr int kPause = 8, kResume = 10;
constexpr int kRefused = 3;  // DRV_ERROR_INVALID_VALUE

std::atomic<bool> g_paused{false};
std::atomic<long> g_pauses{0};
std::atomic<bool> g_loses{false};

}  // namespace

extern "C" int halSqCqConfig(uint32_t, const Request* request) {
    const bool all = request->send_queue == UINT32_MAX && request->completion_queue == UINT32_MAX;
    if (request->type != 0 || !all || (request->property != kPause && request->property != kResume)) return kRefused;
    const char* fault = std::getenv("FAKE_ASCEND_PAUSE");
    if (fault != nullptr && std::strcmp(fault, "refused") == 0) return kRefused;
    if (fault != nullptr && std::strcmp(fault, "ignored") == 0) return 0;
    g_paused = request->property == kPause;
    if (fault != nullptr && std::strcmp(fault, "lost") == 0) g_loses = g_paused.load();
    if (g_paused) ++g_pauses;
    return 0;
}

bool fake_acl_halted() { return g_paused; }
long fake_acl_pauses() { return g_pauses; }
bool acl_layer::loses_a_copy() { return g_loses.exchange(false); }
