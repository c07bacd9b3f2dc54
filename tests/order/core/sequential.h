// The common part of checkers whose workers have numbers of their own: each command changes them behind the one before
// it, in whatever queue it is, so a sequential program tells what they must be.
#pragma once

#include <mutex>
#include <vector>

#include "order/core/chaos.h"
#include "order/core/later.h"
#include "order/core/options.h"
#include "order/core/random.h"
#include "order/core/report.h"

namespace order {

struct SequentialWorld {
    SequentialWorld() = default;
    SequentialWorld(const SequentialWorld&) = delete;
    SequentialWorld& operator=(const SequentialWorld&) = delete;
    void check_buffers() const {}  // the workers have done that

    // For ChaosTogether, unless the platform's world says otherwise. A queue may go once xqueues() has found it.
    static constexpr bool kQueuesStay = false;
    static int64_t suspend_flags(Random&) { return kQueueSuspendFlagNone; }
};

// The handles of the workers' own queues, which the chaos sees. Any thread.
template <typename Handle>
class OwnHandles {
public:
    Handle add(Handle made) {
        const std::lock_guard lock(mutex_);
        handles_.push_back(made);
        return made;
    }
    void remove(Handle gone) {
        const std::lock_guard lock(mutex_);
        std::erase(handles_, gone);
    }
    std::vector<Handle> all() {
        const std::lock_guard lock(mutex_);
        return handles_;
    }

private:
    std::mutex mutex_;
    std::vector<Handle> handles_;
};

template <typename WorldType, typename SignallerType>
class SequentialWorker {
public:
    SequentialWorker(const SequentialWorker&) = delete;
    SequentialWorker& operator=(const SequentialWorker&) = delete;
    void one_operation() {
        if (given_ > kMost || random_.once_in(20)) return settle_all();
        give();
        ++given_;
        count_operation();
    }
    void settle_all() {
        settle();
        given_ = 0;
        count_operation();
    }

protected:
    SequentialWorker(WorldType& world, SignallerType& signaller, const Options& options, int index)
        : world_(world), signaller_(signaller), random_(options.seed * 1000 + static_cast<uint64_t>(index)) {}
    virtual ~SequentialWorker() = default;

    // Gives one command that changes the numbers.
    virtual void give() = 0;
    // Waits for everything and compares the numbers.
    virtual void settle() = 0;
    bool has_given() const { return given_ > 0; }  // since the last settlement

    static constexpr uint32_t kMost = 100;  // commands, until all are waited for

    WorldType& world_;
    SignallerType& signaller_;
    Random random_;

private:
    uint32_t given_ = 0;
};

}  // namespace order
