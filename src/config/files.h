// Where configuration files are, and whether they may be used. Any thread.
//
// The administrator's files are /etc/xsched/*.toml, a user's are ~/.config/xsched/*.toml; XSCHED_CONFIG names other
// folders. They are read in the order of their names. A file counts if no other user can have written it.
#pragma once

#include <string>
#include <vector>

#include "config/node.h"

namespace xsched::config {

struct Folders {
    std::string administrators;
    std::string users;  // empty: there is none
};
// Returns this process's folders. `system`: of a server for all users, which reads no user's files.
Folders folders(bool system);

struct File {
    std::string path;
    std::string text;
    bool is_users = false;
};
// Reads all files of both folders. A file that may not be used is a problem; a folder that does not exist is none.
std::vector<File> read_files(const Folders& folders, std::vector<Problem>& problems);
// Reads one file. Returns false, with a problem, if it cannot be read or other users may have written it.
bool read_file(const std::string& path, std::string* text, std::vector<Problem>& problems);

}  // namespace xsched::config
