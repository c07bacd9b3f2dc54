#include "server/socket_waker.h"

#include <cerrno>
#include <system_error>

#include <sys/epoll.h>
#include <sys/eventfd.h>

namespace xsched::server {
namespace {

constexpr uint64_t kStopToken = 0;
constexpr int kMostEvents = 64;

}  // namespace

SocketWaker::SocketWaker() : epoll_(epoll_create1(EPOLL_CLOEXEC)), stop_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!epoll_ || !stop_) throw std::system_error(errno, std::generic_category(), "epoll");
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = kStopToken;
    if (epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, stop_.get(), &event) != 0)
        throw std::system_error(errno, std::generic_category(), "epoll");
    thread_ = std::thread([this] { wait_for_sockets(); });
    pthread_setname_np(thread_.native_handle(), "xserver-waker");
}

SocketWaker::~SocketWaker() {
    eventfd_write(stop_.get(), 1);
    thread_.join();
}

bool SocketWaker::watch(int fd, uint64_t token) {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT;
    event.data.u64 = token;
    return epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0;
}

void SocketWaker::rearm(int fd, uint64_t token) {
    epoll_event event{};
    event.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT;
    event.data.u64 = token;
    epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event);
}

std::vector<uint64_t> SocketWaker::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(ready_, {});
}

void SocketWaker::wait_for_sockets() {
    epoll_event events[kMostEvents];
    for (;;) {
        const int count = epoll_wait(epoll_.get(), events, kMostEvents, -1);
        bool stop = false;
        {
            const std::lock_guard lock(mutex_);
            for (int i = 0; i < count; ++i) {
                if (events[i].data.u64 == kStopToken)
                    stop = true;
                else
                    ready_.push_back(events[i].data.u64);
            }
        }
        if (stop) return;
        if (count <= 0) continue;
        word_.fetch_add(1);
        base::futex_wake_all(word_);
    }
}

}  // namespace xsched::server
