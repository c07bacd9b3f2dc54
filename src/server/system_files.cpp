#include "server/system_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

#include "base/log.h"

namespace xsched::server {
namespace {

constexpr std::chrono::milliseconds kPatience{100};  // measured: a read takes 0.05 ms. Safety: a thread may be late
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

// Where there is no memory it is as if it came too late.
SystemFile ask_or_warn(const std::string& path, What what) {
    try {
        return ask_now(path, what);
    } catch (const std::bad_alloc&) {
        XLOG_WARN("%s cannot be read: there is no memory for it", path.c_str());
        return {};
    }
}

// The asking side and the thread that reads, with one question at a time.
class Reader {
public:
    SystemFile ask(const std::string& path, What what) {
        std::unique_lock<std::mutex> lock(mutex_);
        if (busy_) return {};
        if (!has_thread()) return ask_now(path, what);
        path_ = path;
        what_ = what;
        busy_ = true;
        asked_.notify_one();
        if (answered_.wait_for(lock, kPatience, [this] { return !busy_; })) return std::move(answer_);
        XLOG_WARN("%s cannot be read: some process holds a lock of the kernel's (makes folders in /proc?)",
                  path.c_str());
        return {};
    }

private:
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
        for (;;) {
            asked_.wait(lock, [this] { return busy_; });
            const std::string path = std::move(path_);
            const What what = what_;
            lock.unlock();
            SystemFile answer = ask_or_warn(path, what);
            lock.lock();
            answer_ = std::move(answer);
            busy_ = false;
            answered_.notify_one();
        }
    }

    std::mutex mutex_;
    std::condition_variable asked_;
    std::condition_variable answered_;
    std::string path_;
    What what_ = What::kText;
    bool busy_ = false;
    bool started_ = false;
    SystemFile answer_;
};

// Never destroyed: its thread may be held up when the process ends.
Reader& reader() {
    static Reader& one = *new Reader;  // NOLINT
    return one;
}

}  // namespace

SystemFile read_system_file(const std::string& path) { return reader().ask(path, What::kText); }
SystemFile look_at_system_file(const std::string& path) { return reader().ask(path, What::kInfo); }
SystemFile open_system_file(const std::string& path) { return reader().ask(path, What::kOpen); }

}  // namespace xsched::server
