// A setting of a control group, as people write it. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace xsched::config {

// "/user.slice/app.slice:share=30"
struct GroupSetting {
    enum class What { kShare, kLimit, kHighestPriority, kMemoryLimit, kMemoryGuarantee };

    std::string path;
    What what = What::kShare;
    int64_t value = 0;  // percent, a priority or bytes
};

inline constexpr size_t kLongestGroupPath = 255;
// Returns whether the text is a group's path. Without ".." the path stays below the mount.
bool is_group_path(const std::string& path);
// Returns whether a setting is meant for a group.
inline bool is_about_group(const std::string& text) { return !text.empty() && text.front() == '/'; }
// Parses a setting. Throws std::runtime_error with a sentence.
GroupSetting read_group_setting(const std::string& text);

}  // namespace xsched::config
