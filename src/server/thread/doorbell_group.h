// Waits for the doorbells of a few clients, on a thread of its own, and passes the news on to the scheduling thread.
// These clients find the server asleep at all times: each of their rings is a system call, which wakes this thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "base/futex.h"
#include "ipc/layout.h"

namespace xsched::server {

// How often bells are looked at where the kernel cannot watch several words.
inline constexpr int64_t kPollNs = 500'000;

// Clients that rang, from the groups to the scheduling thread. Any thread.
class DoorbellNews {
public:
    explicit DoorbellNews(base::FutexWord& waker) : waker_(waker) {}

    void tell(const std::vector<uint32_t>& ids);
    // Until when a client is not heard, of which that account says until when its user rests; 0: it is heard.
    int64_t rests_until_ns(const std::atomic<int64_t>* account_ns, int64_t now_ns) const;
    // Appends what was told since the last call.
    void take(std::vector<uint32_t>& ids);

    // How many groups there are: their threads share what one of the real-time class may work (real_time.h).
    std::atomic<uint32_t> groups{0};
    // Whether there is somebody to be disturbed by another user's rings.
    std::atomic<bool> several_users{false};

private:
    base::FutexWord& waker_;
    std::mutex mutex_;
    std::vector<uint32_t> ids_;  // under mutex_
    std::atomic<bool> any_{false};
};

// The functions belong to the scheduling thread.
class DoorbellGroup {
public:
    static constexpr size_t kMost = 31;

    explicit DoorbellGroup(DoorbellNews& news);
    ~DoorbellGroup();
    DoorbellGroup(const DoorbellGroup&) = delete;
    DoorbellGroup& operator=(const DoorbellGroup&) = delete;

    size_t size() const { return size_; }
    void add(uint32_t id, ipc::Header& header, const std::atomic<int64_t>* rests_until_ns);
    // False: it is not here. Else its memory is not touched any more.
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
    base::FutexWord control_{0};  // raised when something below changes
    std::mutex mutex_;            // also held while the words are read
    std::vector<Bell> bells_;     // under mutex_
    bool stop_ = false;           // under mutex_
    std::thread thread_;
};

}  // namespace xsched::server
