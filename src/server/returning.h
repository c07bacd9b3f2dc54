// The programs of an earlier server that died. They connect to its successor within moments; until then lists lack
// them, and a tool had better ask again. Front thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>

#include "base/clock.h"
#include "server/clients/client.h"

namespace xsched::server {

class Returning {
public:
    using Clients = std::map<uint32_t, std::unique_ptr<Client>>;
    // How long they are awaited: programs look for a server after 0, 20, 40 .. 640 ms (agent/backoff.h).
    static constexpr int64_t kPatienceNs = base::kSecond;

    // `kept`: how many programs with queues the earlier server had, and for the next one, how many this one has; null:
    // there is no supervisor.
    Returning(std::atomic<uint32_t>* kept, int64_t started_ns)
        : kept_(kept), awaited_(kept != nullptr ? kept->load() : 0), until_ns_(started_ns + kPatienceNs) {}

    void keep(const Clients& clients, int64_t now_ns) {
        if (kept_ == nullptr) return;
        const uint32_t here = with_queues(clients);
        kept_->store(now_ns < until_ns_ ? std::max(here, awaited_) : here);
    }
    // Returns whether some of the earlier server's programs may still come back.
    bool any(const Clients& clients, int64_t now_ns) const {
        return now_ns < until_ns_ && with_queues(clients) < awaited_;
    }

private:
    static uint32_t with_queues(const Clients& clients) {
        return static_cast<uint32_t>(std::count_if(clients.begin(), clients.end(), [](const auto& it) {
            return it.second->header().slot_end.load(std::memory_order_relaxed) != 0;
        }));
    }
    std::atomic<uint32_t>* kept_;
    uint32_t awaited_;
    int64_t until_ns_;
};

}  // namespace xsched::server
