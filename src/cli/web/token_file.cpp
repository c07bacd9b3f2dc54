#include "cli/web/token_file.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/unique_fd.h"
#include "cli/server_link.h"
#include "cli/sha256.h"

namespace xsched::cli {
namespace {

constexpr size_t kShortestToken = 16;  // fewest letters of a token; our own are longer, but users of earlier
                                       // versions chose theirs

// Returns whether the text can be a token: one line without spaces.
bool is_token_text(std::string text) {
    if (!text.empty() && text.back() == '\n') text.pop_back();
    return text.empty() || (text.size() >= kShortestToken && text.find_first_of(" \t\r\n") == std::string::npos);
}

// Refuses to replace a file that contains anything but a token, since it was probably named by mistake. A link is
// replaced; the file that it leads to stays as it is.
void refuse_to_lose(const std::string& path) {
    struct stat info{};
    if (lstat(path.c_str(), &info) != 0 || S_ISLNK(info.st_mode)) return;
    if (!S_ISREG(info.st_mode)) throw Failure("\"" + path + "\" is no file: say another --token-file");
    const base::UniqueFd opened(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (!opened) throw Failure("cannot read " + path + ", which a new token is to replace: " + strerror(errno));
    char text[4096];
    const ssize_t bytes = read(opened.get(), text, sizeof(text));
    if (bytes < 0 || bytes == sizeof(text) || !is_token_text({text, static_cast<size_t>(bytes)}))
        throw Failure("\"" + path +
                      "\" holds something else than a token, and would be replaced: remove it, or say another "
                      "--token-file");
}

gid_t number_of_group(const std::string& name) {
    if (name.empty()) return static_cast<gid_t>(-1);  // as it is
    const group* known = getgrnam(name.c_str());
    if (known == nullptr) throw Failure("there is no group \"" + name + "\"");
    return known->gr_gid;
}

// Writes the file before the path leads to it, so that no reader finds half of it.
bool write_new(int file, const std::string& token, gid_t group, mode_t mode) {
    const std::string line = token + "\n";
    return fchown(file, static_cast<uid_t>(-1), group) == 0 && fchmod(file, mode) == 0 &&
           write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
}

}  // namespace

std::string fresh_token() {
    uint8_t bytes[16];
    if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes)) throw Failure("the kernel gives no random numbers");
    return hex_of(bytes, sizeof(bytes));
}

TokenFile::TokenFile(const std::string& path, const std::string& token, const std::string& group) : path_(path) {
    refuse_to_lose(path);
    const gid_t number = number_of_group(group);
    const std::string beside = path + "." + fresh_token();
    const base::UniqueFd made(open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    struct stat info{};
    const bool done = made && write_new(made.get(), token, number, group.empty() ? 0600 : 0640) &&
                      fstat(made.get(), &info) == 0 && rename(beside.c_str(), path.c_str()) == 0;
    const int error = errno;
    if (made && !done) unlink(beside.c_str());
    if (!done) throw Failure("cannot write a token into " + path + ": " + strerror(error));
    device_ = info.st_dev;
    number_ = info.st_ino;
}

TokenFile::~TokenFile() {
    struct stat info{};
    const bool ours = lstat(path_.c_str(), &info) == 0 && info.st_dev == device_ && info.st_ino == number_;
    if (ours) unlink(path_.c_str());
}

}  // namespace xsched::cli
