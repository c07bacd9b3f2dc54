// A context of CANN's runtime on the stand-in, and the streams that all threads use.
#pragma once

#include <array>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "fake/ascend/fake_acl.h"
#include "order/core/chaos.h"
#include "order/core/later.h"
#include "order/core/options.h"
#include "order/core/xsched_api.h"

namespace order::ascend {

constexpr size_t kShared = 2;

inline constexpr XSchedOnDemand<aclrtStream> xsched{"libhalascend.so.1", "Acl"};

struct World {
    explicit World(const Options&);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;
    void check_buffers() const {}  // the workers have done that

    // A thread's own stream, which the chaos sees.
    aclrtStream make_stream();
    void destroy_stream(aclrtStream stream);

    // For ChaosTogether. A stream may be destroyed once xqueues() has found its queue.
    static constexpr bool kQueuesStay = false;
    static bool chaos_available() { return say_whether(xsched().complete(), "libshimascend.so"); }
    static int64_t suspend_flags(Random&) { return kQueueSuspendFlagNone; }
    std::vector<XQueueHandle> xqueues();

    aclrtContext context = nullptr;
    aclrtFuncHandle kernel = nullptr;
    std::array<aclrtStream, kShared> shared{};
    std::shared_mutex no_capture;  // a wait for the whole device spoils other threads' captures
    const std::string name = "of the stand-in";

private:
    std::vector<aclrtStream> own_streams();

    std::mutex mutex_;
    std::vector<aclrtStream> own_;  // under mutex_
};

// An event that is destroyed a little later, when its stream has passed it.
struct Ended {
    aclrtContext context;
    aclrtEvent event;
    static void perform(const Ended& it, Random& random);
};
using Signaller = Later<Ended, Ended>;
using Chaos = ChaosTogether<World, xsched>;

}  // namespace order::ascend
