// How the agent's thread waits for directives: it sleeps on a futex word, or polls while the next directive may ask for
// a call that a more urgent program waits for (level 3). Used by that thread alone.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/spin.h"
#include "ipc/layout.h"

namespace xsched::agent {

class DirectiveWait {
public:
    // When `stop` is raised and the futex word changes, each wait returns at once.
    explicit DirectiveWait(const std::atomic<bool>& stop) : stop_(stop) {}

    // Waits until the header's directive number differs from `seen`, for at most `timeout_ns`. May return early.
    void sleep(ipc::Header& header, uint32_t seen, int64_t timeout_ns);

private:
    bool look(const ipc::Header& header, uint32_t seen, int64_t until_ns);

    const std::atomic<bool>& stop_;
    const bool spare_ = base::processors_to_spare();
    uint32_t heard_ = 0;
    int64_t heard_ns_ = 0;
};

}  // namespace xsched::agent
