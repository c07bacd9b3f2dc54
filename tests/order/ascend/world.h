// A context of CANN's runtime on the stand-in, and the streams that all threads use.
#pragma once

#include <array>
#include <shared_mutex>
#include <string>
#include <vector>

#include "fake/ascend/fake_acl.h"
#include "order/core/sequential.h"
#include "order/core/xsched_api.h"

namespace order::ascend {

inline constexpr XSchedOnDemand<aclrtStream> xsched{"libhalascend.so.1", "Acl"};

struct World : SequentialWorld {
    explicit World(const Options&);
    ~World();

    // A thread's own stream.
    aclrtStream make_stream();
    void destroy_stream(aclrtStream stream);

    // For ChaosTogether.
    static bool chaos_available() { return say_whether(xsched().complete(), "libshimascend.so"); }
    std::vector<XQueueHandle> xqueues();

    aclrtContext context = nullptr;
    aclrtFuncHandle kernel = nullptr;
    std::array<aclrtStream, 2> shared{};
    std::shared_mutex no_capture;  // a wait for the whole device spoils other threads' captures
    const std::string name = "of the stand-in";

private:
    OwnHandles<aclrtStream> own_;
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
