// Tokens for ports, and the file that tells one to its user. Each process makes a new token. So a token that was sent
// to another user, who took the port after the process's end, is worthless. One thread.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/no_copies.h"

namespace xsched::cli {

// Returns 128 random bits from the kernel, in letters.
std::string fresh_token();

// A file with the token. It replaces the file at its path, which another user may have made. It is removed with this
// object.
class TokenFile : base::NoCopies {
public:
    // `group`: name of a group that may read the file, too; empty: only this user may. Throws Failure.
    TokenFile(const std::string& path, const std::string& token, const std::string& group = "");
    ~TokenFile();

private:
    std::string path_;
    dev_t device_ = 0;
    ino_t number_ = 0;
};

}  // namespace xsched::cli
