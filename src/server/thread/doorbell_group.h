// Waits for the doorbells of a few clients, on a thread of its own, and reports rings to the scheduling thread. Each
// ring of such a client costs a system call, since it always finds the server asleep.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "base/futex.h"
#include "base/no_copies.h"
#include "ipc/layout.h"

namespace xsched::server {

// How often bells are polled if the kernel cannot wait for several words.
inline constexpr int64_t kPollNs = 500'000;

// The clients that rang, passed from the groups to the scheduling thread. Any thread.
class DoorbellNews {
public:
    explicit DoorbellNews(base::FutexWord& waker) : waker_(waker) {}

    void tell(const std::vector<uint32_t>& ids);
    // Returns until when the client is not listened to, given its user's account; 0: it is listened to now.
    int64_t rests_until_ns(const std::atomic<int64_t>* account_ns, int64_t now_ns) const;
    // Appends the clients reported since the last call.
    void take(std::vector<uint32_t>& ids);

    // Number of groups. Their threads together may work as much as one real-time thread (real_time.h).
    std::atomic<uint32_t> groups{0};
    // Set if clients of several users are here, whom one user's rings could disturb.
    std::atomic<bool> several_users{false};

private:
    base::FutexWord& waker_;
    std::mutex mutex_;
    std::vector<uint32_t> ids_;  // under mutex_
    std::atomic<bool> any_{false};
};

// One group: a thread and its clients. All functions are for the scheduling thread.
class DoorbellGroup : base::NoCopies {
public:
    static constexpr size_t kMost = 31;

    explicit DoorbellGroup(DoorbellNews& news);
    ~DoorbellGroup();

    size_t size() const { return size_; }
    void add(uint32_t id, ipc::Header& header, const std::atomic<int64_t>* rests_until_ns);
    // Removes a client; its memory is not touched any more. Returns false if it is not in this group.
    bool remove(uint32_t id);

private:
    struct Bell {
        uint32_t id;
        base::FutexWord* word;
        uint32_t noted;
        const std::atomic<int64_t>* rests_until_ns;  // as in Doorbells::add
    };
    void watch();
    void changed();

    DoorbellNews& news_;
    size_t size_ = 0;
    base::FutexWord control_{0};  // woken when the clients below change
    std::mutex mutex_;            // also held while the words are read
    std::vector<Bell> bells_;     // under mutex_
    bool stop_ = false;           // under mutex_
    std::thread thread_;
};

}  // namespace xsched::server
