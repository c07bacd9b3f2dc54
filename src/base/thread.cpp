#include "base/thread.h"

#include <csignal>

#include "base/confinement.h"

namespace xsched::base {

bool Thread::start(const char* name, void* (*body)(void*), void* argument) {
    if (entered_sandbox()) return false;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    started_ = pthread_create(&thread_, nullptr, body, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (started_) pthread_setname_np(thread_, name);
    return started_;
}

void Thread::join() {
    if (!started_) return;
    pthread_join(thread_, nullptr);
    started_ = false;
}

void Thread::detach() {
    if (!started_) return;
    pthread_detach(thread_);
    started_ = false;
}

}  // namespace xsched::base
