// The control group of a job (cgroup v2): the place to which the server ties the job's ceilings. Slurm makes one where
// it tracks processes by control groups of version 2. Elsewhere the plugin makes one, without controllers. As root.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xsched::slurm {

// Returns the job's group out of the text of /proc/PID/cgroup: all of the path up to "/job_ID"; "": it has none.
std::string group_of_job(const std::string& groups, uint32_t job);
// Returns the path in the hierarchy of version 2 out of the text of /proc/PID/cgroup; "": there is none.
std::string path_in(const std::string& groups);
// Returns where the hierarchy of version 2 is mounted, out of the text of /proc/PID/mounts; "": nowhere.
std::string mount_in(const std::string& mounts);

// Finds the job's group, or makes one and puts the calling process into it. Returns its path; "": there is none, and
// `why` says why.
std::string enter_group_of_job(uint32_t job, std::string* why);
// Notes the group and its settings until the job ends, and reads the group. The note is in /run, where root alone
// writes. A server that starts is given the settings again (packaging/slurm/xsched-slurm.conf).
void note_group(uint32_t job, const std::string& group, const std::vector<std::string>& settings);
std::string noted_group(uint32_t job);
// Forgets the note and removes the group if it is empty and no longer used.
void forget_group(uint32_t job, const std::string& group);

}  // namespace xsched::slurm
