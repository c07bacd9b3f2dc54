#include "server/event_loop.h"

#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/clock.h"

namespace xsched::server {
namespace {

constexpr int kMostEvents = 64;
constexpr int64_t kLongestMs = 3'600'000;

int timeout_ms(int64_t until_ns) {
    if (until_ns == 0) return -1;
    const int64_t left = until_ns - base::now_ns();
    if (left <= 0) return 0;
    return static_cast<int>(std::min((left + base::kMillisecond - 1) / base::kMillisecond, kLongestMs));
}

epoll_event once(uint64_t token) {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT;
    event.data.u64 = token;
    return event;
}

}  // namespace

EventLoop::EventLoop() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {
    if (!epoll_) throw std::system_error(errno, std::generic_category(), "epoll");
}

bool EventLoop::watch(int fd, uint64_t token) {
    epoll_event event = once(token);
    return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

void EventLoop::rearm(int fd, uint64_t token) {
    epoll_event event = once(token);
    epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

void EventLoop::forget(int fd) { epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

std::vector<uint64_t> EventLoop::wait(int64_t until_ns) {
    epoll_event events[kMostEvents];
    const int count = epoll_wait(epoll_.get(), events, kMostEvents, timeout_ms(until_ns));
    std::vector<uint64_t> tokens;
    for (int i = 0; i < count; ++i) tokens.push_back(events[i].data.u64);
    return tokens;
}

}  // namespace xsched::server
