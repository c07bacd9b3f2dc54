// Host time that XSched adds to one enqueue on an open queue: the calls a shim makes around the driver's, over a device
// that does nothing. Prints one JSON object, in nanoseconds per enqueue:
//   idle      each command completes before the next one: the queue turns ready and idle every time
//   streaming a few commands are always in flight, as when a program enqueues faster than the device works
// The scheduler is the environment's (XSCHED_SCHEDULER).
// Usage: enqueue_cost [--rounds N]
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "queue/abi/queue_abi.h"

namespace {

constexpr int kEnqueues = 20000;  // a round
constexpr int kInFlight = 4;
constexpr uint64_t kDevice = uint64_t{kDeviceTypeCPU} << 32 | 0xbe7c;

XResult mark(void*, XqToken token) {
    xq_complete(token);
    return kXSchedSuccess;
}
XResult succeed(void*) { return kXSchedSuccess; }
void* hold_create(void* hwq) { return hwq; }
void hold_end(void*, void*) {}
void destroy(void*) {}

XqQueue* make_queue() {
    static constexpr XqHoldOps kHolds = {
        .create = hold_create, .open = hold_end, .drop = hold_end, .destroy = hold_end};
    static XqDeviceOps ops{};
    ops.abi = XQ_DEVICE_ABI;
    ops.levels = 1u << kPreemptLevelBlock;
    ops.platform = kPlatformUnknown;
    ops.order = kXqInOrder;
    ops.hold = &kHolds;
    ops.mark = mark;
    ops.synchronize = succeed;
    ops.destroy = destroy;
    static int object = 0;
    HwQueueHandle handle = 0;
    if (xq_hwq_create(&handle, &ops, &object, reinterpret_cast<uint64_t>(&object), kDevice) != kXSchedSuccess)
        return nullptr;
    return xq_auto_create(handle, PRIORITY_DEFAULT);
}

// A simulated device on which commands complete in order, each when `depth` later ones were launched.
class Commands {
public:
    Commands(XqQueue* queue, size_t depth) : queue_(queue), in_flight_(depth, 0) {}
    ~Commands() {
        for (size_t i = 0; i < in_flight_.size(); ++i) {
            complete_oldest();
            next_ = (next_ + 1) % in_flight_.size();
        }
    }

    void enqueue() {
        XqTicket ticket;
        xq_admit(queue_, &ticket);
        if (ticket.hold != nullptr) ++held_;
        xq_launched(queue_, &ticket, kXqSucceeded);
        complete_oldest();
        in_flight_[next_] = ticket.token;
        next_ = (next_ + 1) % in_flight_.size();
        if (in_flight_.size() == 1) complete_oldest();
    }
    int held() const { return held_; }

private:
    void complete_oldest() {
        const XqToken token = std::exchange(in_flight_[next_], 0);
        if (token != 0) xq_complete(token);
    }

    XqQueue* queue_;
    std::vector<XqToken> in_flight_;
    size_t next_ = 0;
    int held_ = 0;
};

struct Cost {
    double median_ns = 0;
    double best_ns = 0;
    int held = 0;
};

Cost measure(XqQueue* queue, size_t depth, int rounds) {
    std::vector<double> costs;
    Cost cost;
    for (int round = 0; round < rounds; ++round) {
        Commands commands(queue, depth);
        const int64_t begin = xsched::base::now_ns();
        for (int i = 0; i < kEnqueues; ++i) commands.enqueue();
        costs.push_back(static_cast<double>(xsched::base::now_ns() - begin) / kEnqueues);
        cost.held += commands.held();
    }
    std::sort(costs.begin(), costs.end());
    cost.median_ns = costs[costs.size() / 2];
    cost.best_ns = costs.front();
    return cost;
}

}  // namespace

int main(int argc, char** argv) {
    const int rounds = argc == 3 && strcmp(argv[1], "--rounds") == 0 ? std::max(atoi(argv[2]), 1) : 50;
    XqQueue* queue = make_queue();
    if (queue == nullptr) {
        fprintf(stderr, "enqueue_cost: no XQueue could be made; the log above says why\n");
        return 1;
    }
    measure(queue, 1, 3);  // the first calls start the agent
    const Cost idle = measure(queue, 1, rounds);
    const Cost streaming = measure(queue, kInFlight, rounds);
    printf(
        "{\"idle_ns\": %.1f, \"idle_best_ns\": %.1f, \"streaming_ns\": %.1f, \"streaming_best_ns\": %.1f, \"held\": "
        "%d}\n",
        idle.median_ns, idle.best_ns, streaming.median_ns, streaming.best_ns, idle.held + streaming.held);
    return 0;
}
