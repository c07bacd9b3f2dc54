// How the agent's thread waits for directives: asleep on a futex word, or looking, while the next directive may ask for
// a call that a more urgent program waits for (level 3). That thread alone.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/spin.h"
#include "ipc/layout.h"

namespace xsched::agent {

class DirectiveWait {
public:
    // Returns at once, whatever it waits for, when `stop` is raised and the word changes.
    explicit DirectiveWait(const std::atomic<bool>& stop) : stop_(stop) {}

    // Until the header's directive number is no longer `seen`, or `timeout_ns` have passed. May return early.
    void sleep(ipc::Header& header, uint32_t seen, int64_t timeout_ns);

private:
    bool look(const ipc::Header& header, uint32_t seen, int64_t until_ns);

    const std::atomic<bool>& stop_;
    const bool spare_ = base::processors_to_spare();
    uint32_t heard_ = 0;
    int64_t heard_ns_ = 0;
};

}  // namespace xsched::agent
