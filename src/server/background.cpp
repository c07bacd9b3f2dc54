#include "server/background.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "base/log.h"
#include "base/unique_fd.h"

namespace xsched::server {
namespace {

constexpr off_t kMostLogBytes = 1 << 20;

}  // namespace

void go_into_background() {
    if (fork() > 0) _exit(0);
    setsid();
    for (int number = 1; number < NSIG; ++number) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (chdir("/") != 0) _exit(1);
}

std::string background_log(const std::string& socket) {
    std::string log = socket.substr(0, socket.rfind('.')) + ".log";
    const base::UniqueFd file(open(log.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600));
    struct stat info{};
    const bool mine = file && fstat(file.get(), &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid();
    if (!mine) {
        XLOG_WARN("%s is another user's file, or cannot be written: there will be no log; --log-file names another",
                  log.c_str());
        return "";
    }
    if (info.st_size > kMostLogBytes && ftruncate(file.get(), 0) != 0) return "";
    return log;
}

}  // namespace xsched::server
