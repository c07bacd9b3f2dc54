// A machine's files as `xcli doctor` sees them: below "/", or below a folder that holds another system (an image, a
// container's files).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace xsched::cli {

class Machine {
public:
    // The folder above the files; empty: this machine.
    explicit Machine(std::string root) : root_(std::move(root)) {}

    bool is_this() const { return root_.empty(); }
    const std::string& root() const { return root_; }
    bool exists(const std::string& path) const;
    // Returns the file's first line, trimmed; none if it is missing or not readable.
    std::optional<std::string> first_line(const std::string& path) const;
    std::vector<std::string> lines(const std::string& path) const;
    // Returns the names in the folder with this begin and end, sorted.
    std::vector<std::string> names(const std::string& folder, const std::string& begin, const std::string& end) const;
    // Tries to open a device node for reading and writing. Returns 0, or errno.
    int try_open(const std::string& path) const;
    // Returns all files of the shared library `name` in the linker's folders and in `more`; first the one that the
    // linker would take. Leaves out XSched's shims, which may have such names.
    std::vector<std::string> libraries(const std::string& name, const std::vector<std::string>& more = {}) const;
    // Returns the functions that a shared library exports (shared_object.h).
    std::optional<std::vector<std::string>> functions(const std::string& path) const;
    // Returns the file that a path leads to, relative to `root`.
    std::string real_path(const std::string& path) const;

private:
    std::string below(const std::string& path) const { return root_ + path; }
    std::vector<std::string> linker_folders() const;

    std::string root_;
};

}  // namespace xsched::cli
