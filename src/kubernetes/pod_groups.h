// The control groups of pods (cgroup v2), which kubelet makes before it prepares a pod's claims. Any thread.
#pragma once

#include <string>
#include <vector>

namespace xsched::kubernetes {

// Finds a pod's group below the mount of the hierarchy. Returns its path in the hierarchy, such as
// "/kubepods/burstable/podUID", or "" if there is none yet. kubelet's driver cgroupfs names a group podUID, its driver
// systemd kubepods-burstable-podUID.slice with _ for -.
std::string group_of_pod(const std::string& mount, const std::string& uid);

}  // namespace xsched::kubernetes
