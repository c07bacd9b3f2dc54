#include "agent/errands.h"

#include <pthread.h>

#include "base/log.h"
#include "queue/memory/device_memories.h"
#include "queue/pool.h"

namespace xsched::agent {
namespace {

constexpr const char* kName = "xsched-errands";

}  // namespace

void Errands::run_soon() {
    asked_.fetch_add(1, std::memory_order_seq_cst);
    if (thread_.started()) return base::futex_wake_all(asked_);
    start();
}

void Errands::start() {
    if (thread_.started() || refused_) return;
    refused_ = !thread_.start(kName, body, this);
    if (refused_) XLOG_DEBG("no thread could be started: nothing keeps a device through a program's short pauses");
}

void* Errands::body(void* errands) {
    pthread_setname_np(pthread_self(), kName);  // a new thread inherits the name of the thread that starts it
    static_cast<Errands*>(errands)->run();
    return nullptr;
}

void Errands::run() {
    for (;;) {
        const uint32_t seen = asked_.load(std::memory_order_seq_cst);
        for (uint32_t i = 0; i < queue::pool_size(); ++i) {
            queue::XQueue* queue = queue::queue_at(i);
            if (queue == nullptr) continue;
            queue::g_hold.warm_if_asked(queue->keep_alive());
            queue->keep_alive().prepare_if_asked();
        }
        const int64_t look_ns = queue::run_memory_errands();
        base::futex_wait(asked_, seen, look_ns == 0 ? base::kForever : look_ns);
    }
}

}  // namespace xsched::agent
