// A directory of one test alone, gone with it.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace xsched::test {

class TemporaryDirectory {
public:
    TemporaryDirectory() {
        char name[] = "/tmp/xsched-test-XXXXXX";
        if (mkdtemp(name) == nullptr) abort();
        path_ = name;
    }
    ~TemporaryDirectory() {
        const std::string command = "rm -rf '" + path_ + "'";
        if (system(command.c_str()) != 0) fprintf(stderr, "cannot remove %s\n", path_.c_str());
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

    const std::string& path() const { return path_; }
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

// Writes a file, and creates its directory if there is none.
inline void make_file(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
}

}  // namespace xsched::test
