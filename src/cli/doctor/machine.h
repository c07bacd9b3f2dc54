// A machine's files, as `xcli doctor` looks at them: below "/", or below a folder that holds another system (an image,
// a container's files).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace xsched::cli {

class Machine {
public:
    // Empty: this machine.
    explicit Machine(std::string root) : root_(std::move(root)) {}

    bool is_this() const { return root_.empty(); }
    const std::string& root() const { return root_; }
    bool exists(const std::string& path) const;
    // The first line, without white space around it; none: not there, or not readable.
    std::optional<std::string> first_line(const std::string& path) const;
    std::vector<std::string> lines(const std::string& path) const;
    // Names in the folder that begin and end so, sorted.
    std::vector<std::string> names(const std::string& folder, const std::string& begin, const std::string& end) const;
    // 0, or errno: whether this user may open a device node for reading and writing.
    int try_open(const std::string& path) const;
    // Every file whose name begins with `name`, a shared library's, in the folders where the dynamic linker looks and
    // in `more`; first the one that it would take. XSched's own, which may bear such names, are left out.
    std::vector<std::string> libraries(const std::string& name, const std::vector<std::string>& more = {}) const;
    // Returns the functions that a shared library exports (shared_object.h).
    std::optional<std::vector<std::string>> functions(const std::string& path) const;
    // The file that the name leads to, without `root`.
    std::string real_path(const std::string& path) const;

private:
    std::string below(const std::string& path) const { return root_ + path; }
    std::vector<std::string> linker_folders() const;

    std::string root_;
};

}  // namespace xsched::cli
