#include "kubernetes/pod_groups.h"

#include <algorithm>
#include <filesystem>

namespace xsched::kubernetes {
namespace {

namespace fs = std::filesystem;

// A pod's group is at most this deep: kubepods/QOS/pod below a kubelet's own root of two levels (kind has such a one).
constexpr int kDeepest = 4;
constexpr int kMostFolders = 20000;  // safety: a node has at most some hundred pods and services

bool ends_with(const std::string& text, const std::string& end) {
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

bool is_of_pod(const std::string& name, const std::string& uid, const std::string& uid_of_slice) {
    return name == "pod" + uid || ends_with(name, "-pod" + uid_of_slice + ".slice");
}

}  // namespace

std::string group_of_pod(const std::string& mount, const std::string& uid) {
    std::string uid_of_slice = uid;
    std::replace(uid_of_slice.begin(), uid_of_slice.end(), '-', '_');
    std::error_code error;
    int left = kMostFolders;
    fs::recursive_directory_iterator at(mount, fs::directory_options::skip_permission_denied, error);
    for (const fs::recursive_directory_iterator end; !error && at != end && left > 0; at.increment(error)) {
        if (!at->is_directory(error)) continue;
        --left;
        if (is_of_pod(at->path().filename(), uid, uid_of_slice)) return at->path().string().substr(mount.size());
        if (at.depth() >= kDeepest) at.disable_recursion_pending();
    }
    return "";
}

}  // namespace xsched::kubernetes
