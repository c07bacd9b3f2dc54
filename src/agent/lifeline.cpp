#include "agent/lifeline.h"

#include <poll.h>

namespace xsched::agent {
namespace {

// The lifeline's thread wakes at least this often and checks its descriptor: poll does not return when the program
// closes the descriptor that poll waits for.
constexpr int kLookMs = 1000;

}  // namespace

bool Lifeline::start(Connection& connection, void (*ended)()) {
    connection_ = &connection;
    ended_ = ended;
    stop_.store(false, std::memory_order_release);
    return thread_.start("xsched-lifeline", body, this);
}

void Lifeline::stop() {
    stop_.store(true, std::memory_order_release);
    changed();
    thread_.join();
}

void Lifeline::changed() {
    changes_.fetch_add(1, std::memory_order_seq_cst);
    base::futex_wake_all(changes_);
}

void* Lifeline::body(void* lifeline) {
    static_cast<Lifeline*>(lifeline)->watch();
    return nullptr;
}

void Lifeline::watch() {
    while (!stop_.load(std::memory_order_acquire)) {
        const uint32_t seen = changes_.load(std::memory_order_seq_cst);
        bool lost = false;
        if (const int socket = connection_->watched(); socket >= 0) {
            pollfd wait{socket, POLLRDHUP, 0};
            poll(&wait, 1, kLookMs);
            // Ask the connection, not the descriptor's number: the guest may have closed it and opened another file
            // under that number.
            if (changes_.load(std::memory_order_seq_cst) != seen || !connection_->lost()) continue;
            lost = true;
        }
        if (lost) ended_();
        if (!stop_.load(std::memory_order_acquire)) base::futex_wait(changes_, seen);
    }
}

}  // namespace xsched::agent
