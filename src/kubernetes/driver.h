// The driver's work on this node: kubelet prepares claims and takes them back, and a look now and then brings the
// server, the pods' groups and the cluster's slice up to date. Any thread: one call works at a time.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "kubernetes/api_server.h"
#include "kubernetes/group_limits.h"
#include "kubernetes/node_tools.h"
#include "kubernetes/prepared.h"
#include "kubernetes/slice_devices.h"
#include "kubernetes/slices.h"

namespace xsched::kubernetes {

struct Place {
    std::string node;     // the node's name in the cluster
    std::string machine;  // the folder in which the files of the machine are; "": /
    std::string groups;   // where control groups of version 2 are mounted
    std::string cdi;      // the folder of CDI files
    std::string claims;   // the folder of prepared claims
    std::string xcli;
    std::optional<int64_t> most_urgent;  // of pods of the device plugin
    bool publishes = true;               // a slice; false: the device plugin says what there is
};

// A pod that has shares by the device plugin, as kubelet lists it.
struct PodOfPlugin {
    std::string space;
    std::string name;
    std::map<std::string, int64_t> shares;  // percent, by GPU
};

class Driver {
public:
    Driver(Place place, ApiAccess access);

    // Prepares a claim, or answers as before if it is prepared. Throws std::exception with a sentence; kubelet asks
    // again.
    Prepared prepare(const std::string& space, const std::string& name, const std::string& uid);
    // Undoes prepare() for the claim with this uid. An unknown claim is no error.
    void unprepare(const std::string& uid);
    // Writes the CDI file of a share, for the device plugin. Returns the CDI names for a container. Throws likewise.
    std::vector<std::string> allocate(const std::string& device, int64_t share);
    // Takes the pods that have shares by the device plugin: their groups are limited from the next look on.
    void take_pods(const std::vector<PodOfPlugin>& pods);
    // Returns for each GPU whether pods may use it.
    std::map<std::string, bool> healthy();
    // Returns whether all pods with claims have their groups: otherwise the next look is due soon.
    bool look();

private:
    Claim claim_of(const std::string& space, const std::string& name, const std::string& uid) const;
    std::vector<std::string> make_cdi(const std::string& device, const std::string& name,
                                      std::vector<std::string> words, int64_t share) const;
    PreparedDevice prepare_device(const Claim& claim, const AllocatedDevice& allocated) const;
    void find_groups(Prepared& prepared, const std::vector<std::string>& pods) const;
    void remove(const std::string& uid);
    void look_at_claims();
    void look_at_server();
    void publish();
    void limit_groups();

    const Place place_;
    const ApiServer server_;
    const NodeTools tools_;
    std::mutex mutex_;
    PreparedClaims claims_;
    std::map<std::string, Prepared> pods_;  // of the device plugin, as if each had a claim; by namespace and name
    Slices slices_;
    std::map<std::string, GroupLimits> given_;  // what the server has been told of each group
    int64_t pid_ = 0;  // of that server
};

}  // namespace xsched::kubernetes
