#include "server/background.h"

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

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
    struct stat info{};
    if (stat(log.c_str(), &info) == 0 && info.st_size > kMostLogBytes && truncate(log.c_str(), 0) != 0) return "";
    return log;
}

}  // namespace xsched::server
