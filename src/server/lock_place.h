// Where the lock of a socket path is kept: beside the socket, but where others may make files as well (/tmp), in a
// directory of ours, so that nobody can make it first. Any thread.
#pragma once

#include <string>

namespace xsched::server {

// Returns whether any user may make files in the directory, but not remove those of others: its sticky bit is set.
bool is_shared_directory(const std::string& directory);

// Independent of the environment: two servers for one path must find the same lock. Throws std::runtime_error with a
// sentence if there is no safe place.
std::string lock_path(const std::string& socket);

std::string parent_of(const std::string& path);

}  // namespace xsched::server
