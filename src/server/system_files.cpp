#include "server/system_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/log.h"

namespace xsched::server {
namespace {

constexpr std::chrono::milliseconds kPatience{100};  // longest wait for a thread that is blocked (measured: a read
                                                     // takes 0.05 ms); "safety": a thread may be late
constexpr std::chrono::milliseconds kLongestPatience{500};  // longest wait for a thread that lacks a processor
                                                            // ("safety": a client waits for 1 s to be let in)
constexpr std::chrono::milliseconds kBriefPatience{1};  // wait for a look that may go on behind its answer
                                                        // ("judgement": an answer takes a millisecond)
constexpr size_t kMostBytes = 4096;

enum class What { kText, kInfo, kOpen };

std::string text_of(int file) {
    std::string text(kMostBytes, '\0');
    size_t filled = 0;
    while (filled < kMostBytes) {
        const ssize_t bytes = read(file, text.data() + filled, kMostBytes - filled);
        if (bytes < 0 && errno == EINTR) continue;
        if (bytes <= 0) break;
        filled += static_cast<size_t>(bytes);
    }
    text.resize(filled);
    return text;
}

SystemFile ask_now(const std::string& path, What what) {
    SystemFile file{.in_time = true};
    if (what == What::kInfo) {
        file.there = lstat(path.c_str(), &file.info) == 0;
        return file;
    }
    file.open = base::UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    file.there = static_cast<bool>(file.open);
    if (what == What::kText && file.there) file.text = text_of(std::exchange(file.open, {}).get());
    return file;
}

// Asks, and logs if the answer does not come in time. If memory is exhausted, the result is the same as if it came too
// late.
SystemFile ask_or_warn(const std::string& path, What what) {
    try {
        return ask_now(path, what);
    } catch (const std::bad_alloc&) {
        XLOG_WARN("%s cannot be read: there is no memory for it", path.c_str());
        return {};
    }
}

// The thread that reads files, and the side that asks it one question at a time.
class Reader {
public:
    bool in_time(const std::string& what, std::function<void()> look) {
        std::unique_lock<std::mutex> lock(mutex_);
        if (busy_ && !(is_runnable() && is_answered(lock))) return false;
        if (!has_thread()) {
            look();
            return true;
        }
        begin(std::move(look));
        if (is_answered(lock)) return true;
        XLOG_WARN("%s is not read: %s; a peer whose rights it tells is an ordinary user until it connects again",
                  what.c_str(),
                  is_runnable() ? "this machine gives xserver no processor" : "a process holds a lock of the kernel's");
        return false;
    }

    bool behind(std::function<void()> look) {
        std::unique_lock<std::mutex> lock(mutex_);
        if (busy_) return false;
        if (has_thread()) {
            begin(std::move(look));
            answered_.wait_for(lock, kBriefPatience, [this] { return !busy_; });
        } else {
            look();
        }
        return true;
    }

private:
    // Hands the question to the thread. Under mutex_.
    void begin(std::function<void()> look) {
        look_ = std::move(look);
        busy_ = true;
        asked_.notify_one();
    }
    // Waits for the answer. A busy machine must not change the answer, so a thread that only lacks a processor is
    // waited for. A thread that another user keeps blocked is not. Under mutex_.
    bool is_answered(std::unique_lock<std::mutex>& lock) {
        const auto answered = [this] { return !busy_; };
        for (auto waited = kPatience; waited <= kLongestPatience; waited += kPatience) {
            if (answered_.wait_for(lock, kPatience, answered)) return true;
            if (!is_runnable()) return false;
        }
        return false;
    }
    // Returns whether the thread runs or waits for a processor. The open file is read without looking up a name. Under
    // mutex_.
    bool is_runnable() const {
        if (!begun_) return true;
        char text[64];  // "17 (xserver-proc) R 1 ..."
        const ssize_t bytes = state_ ? pread(state_.get(), text, sizeof(text), 0) : 0;
        const std::string_view read(text, bytes > 0 ? static_cast<size_t>(bytes) : 0);
        return read.find(") R ") != std::string_view::npos;
    }
    // Under mutex_.
    bool has_thread() {
        if (started_) return true;
        try {
            std::thread([this] { run(); }).detach();
            started_ = true;
        } catch (const std::system_error&) {
        }
        return started_;
    }
    void run() {
        pthread_setname_np(pthread_self(), "xserver-proc");
        std::unique_lock<std::mutex> lock(mutex_);
        begun_ = true;
        lock.unlock();
        base::UniqueFd state(open("/proc/thread-self/stat", O_RDONLY | O_CLOEXEC));
        lock.lock();
        state_ = std::move(state);
        for (;;) {
            asked_.wait(lock, [this] { return busy_; });
            std::function<void()> look = std::exchange(look_, nullptr);
            lock.unlock();
            look();
            look = nullptr;  // release the function and what it holds
            lock.lock();
            busy_ = false;
            answered_.notify_one();
        }
    }

    std::mutex mutex_;
    std::condition_variable asked_;
    std::condition_variable answered_;
    std::function<void()> look_;
    bool begun_ = false;
    base::UniqueFd state_;  // the thread's line in /proc
    bool busy_ = false;
    bool started_ = false;
};

// Never destroyed, since its thread may be blocked when the process ends.
Reader& reader() {
    static Reader& one = *new Reader;  // NOLINT
    return one;
}

SystemFile ask(const std::string& path, What what) {
    const auto answer = std::make_shared<SystemFile>();
    if (!reader().in_time(path, [answer, path, what] { *answer = ask_or_warn(path, what); })) return {};
    return std::move(*answer);
}

}  // namespace

SystemFile read_system_file(const std::string& path) { return ask(path, What::kText); }
SystemFile look_at_system_file(const std::string& path) { return ask(path, What::kInfo); }
SystemFile open_system_file(const std::string& path) { return ask(path, What::kOpen); }

bool look_behind(std::function<void()> look) { return reader().behind(std::move(look)); }

bool look_in_time(const std::string& what, std::function<void()> look) {
    return reader().in_time(what, std::move(look));
}

}  // namespace xsched::server
