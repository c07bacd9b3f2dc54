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
};

class Driver {
public:
    Driver(Place place, ApiAccess access);

    // Prepares a claim, or answers as before if it is prepared. Throws std::exception with a sentence; kubelet asks
    // again.
    Prepared prepare(const std::string& space, const std::string& name, const std::string& uid);
    // Takes it back. An unknown claim is no error.
    void unprepare(const std::string& uid);
    // Returns whether all pods with claims have their groups: otherwise the next look is due soon.
    bool look();

private:
    Claim claim_of(const std::string& space, const std::string& name, const std::string& uid) const;
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
    Slices slices_;
    std::map<std::string, GroupLimits> given_;  // what the server has been told of each group
    int64_t pid_ = 0;  // of that server
};

}  // namespace xsched::kubernetes
