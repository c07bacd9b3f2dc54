#include "cli/metrics/group_labels.h"

#include <algorithm>
#include <string_view>

namespace xsched::cli {
namespace {

constexpr size_t kContainerDigits = 64;  // OCI runtimes' engines: podman, Docker, containerd and CRI-O
constexpr size_t kLongestJob = 10;       // Slurm's job numbers have 32 bits

bool is_hex(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char letter) {
        return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
    });
}

bool is_decimal(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char letter) { return letter >= '0' && letter <= '9'; });
}

std::vector<std::string_view> parts_of(std::string_view path) {
    std::vector<std::string_view> parts;
    while (!path.empty()) {
        const size_t end = std::min(path.find('/'), path.size());
        if (end > 0) parts.push_back(path.substr(0, end));
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return parts;
}

std::string_view without_ending(std::string_view part, std::string_view ending) {
    if (part.ends_with(ending)) part.remove_suffix(ending.size());
    return part;
}

// Returns the container of "ID" or "ENGINE-ID.scope", otherwise nothing.
std::string_view container_in(std::string_view part) {
    part = without_ending(part, ".scope");
    if (part.size() < kContainerDigits) return {};
    const std::string_view id = part.substr(part.size() - kContainerDigits);
    const bool begins = part.size() == kContainerDigits || part[part.size() - kContainerDigits - 1] == '-';
    return begins && is_hex(id) ? id : std::string_view();
}

// Returns the pod of "podUID" (kubelet's driver cgroupfs) or "kubepods-...-podUID.slice" (its driver systemd, which
// writes - as _), otherwise nothing. A static pod's UID is a hash without hyphens.
std::string pod_in(std::string_view part) {
    part = without_ending(part, ".slice");
    const size_t at = part.starts_with("pod") ? 0 : part.rfind("-pod");
    if (at == std::string_view::npos) return {};
    std::string uid(part.substr(part.find("pod", at) + 3));
    std::replace(uid.begin(), uid.end(), '_', '-');
    std::string digits = uid;
    digits.erase(std::remove(digits.begin(), digits.end(), '-'), digits.end());
    return digits.size() == 32 && uid.size() <= 36 && is_hex(digits) ? uid : std::string();
}

std::string_view job_in(std::string_view part) {
    constexpr std::string_view kJob = "job_";
    if (!part.starts_with(kJob)) return {};
    part.remove_prefix(kJob.size());
    return !part.empty() && part.size() <= kLongestJob && is_decimal(part) ? part : std::string_view();
}

// Slurm's groups are in /slurm or /slurm_NODE, under systemd in /system.slice/slurmstepd.scope or
// NODE_slurmstepd.scope. Where Slurm makes none, XSched's plugin makes them in slurmd's own (docs/SLURM.md).
bool are_slurms(const std::vector<std::string_view>& parts) {
    if (parts[0] == "slurm" || parts[0].starts_with("slurm_")) return true;
    return parts.size() > 1 && parts[0] == "system.slice" &&
           (parts[1].ends_with("slurmstepd.scope") || parts[1] == "slurmd.service");
}

// kubelet's groups are in /kubepods or /kubepods.slice, in a node that is a container itself below /kubelet.slice.
bool are_kubelets(const std::vector<std::string_view>& parts) {
    return parts[0] == "kubepods" || parts[0] == "kubepods.slice" || parts[0] == "kubelet" ||
           parts[0] == "kubelet.slice";
}

// Adds a label with the first value that `find` finds in one of the path's parts. The outermost part comes first.
template <typename Find>
void add_first(Labels& labels, const char* name, const std::vector<std::string_view>& parts, const Find& find) {
    for (const std::string_view part : parts)
        if (const std::string found(find(part)); !found.empty()) {
            labels.emplace_back(name, found);
            return;
        }
}

}  // namespace

Labels group_labels(const std::string& path) {
    Labels labels;
    const std::vector<std::string_view> parts = parts_of(path);
    if (parts.empty()) return labels;
    add_first(labels, "container_id", parts, container_in);
    if (are_kubelets(parts)) add_first(labels, "pod_uid", parts, pod_in);
    if (are_slurms(parts)) add_first(labels, "slurm_job", parts, job_in);
    return labels;
}

}  // namespace xsched::cli
