// Tokens for ports, and the file in which one is told to its user. A token is as old as the process that asks for it.
// So a token that went to a stranger, who took the port after that process, opens nothing. One thread.
#pragma once

#include <sys/types.h>

#include <string>

namespace xsched::cli {

// 128 bits from the kernel, in letters.
std::string fresh_token();

// A file with the token, in the place of what was there, which is never used: another user may have made it. It goes
// with this object.
class TokenFile {
public:
    // `group`: of that name, may read it too; empty: this user alone. Throws Failure.
    TokenFile(const std::string& path, const std::string& token, const std::string& group = "");
    ~TokenFile();
    TokenFile(const TokenFile&) = delete;
    TokenFile& operator=(const TokenFile&) = delete;

private:
    std::string path_;
    dev_t device_ = 0;
    ino_t number_ = 0;
};

}  // namespace xsched::cli
