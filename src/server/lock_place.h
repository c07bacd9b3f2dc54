// Finds where the lock of a socket path lies: beside the socket; if other users may create files there (/tmp), in a
// directory of XSched's, so that no other user can create the lock first. Any thread.
#pragma once

#include <string>

namespace xsched::server {

// Returns whether any user may make files in the directory, but not remove those of others: its sticky bit is set.
bool is_shared_directory(const std::string& directory);

// Returns the lock's path. It does not depend on the environment: two servers for one socket path must find the same
// lock. Throws std::runtime_error with a sentence if there is no safe place.
std::string lock_path(const std::string& socket);

std::string parent_of(const std::string& path);

}  // namespace xsched::server
