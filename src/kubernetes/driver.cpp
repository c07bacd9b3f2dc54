#include "kubernetes/driver.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "base/log.h"
#include "kubernetes/pod_groups.h"

namespace xsched::kubernetes {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOurs = "xsched.io/class";  // the CDI kind of `xcli container cdi`
constexpr long kNotFound = 404;                   // HTTP
constexpr GroupLimits kNotKnown{-1, -1, -1};      // what a server has given a group, which it is told again

std::string cdi_file(const std::string& folder, const std::string& name) {
    return folder + "/xsched.io-class_" + name + ".json";
}

// Returns a CDI device's name within XSched's own kind of devices; "" for a vendor's device.
std::string own_name(const std::string& cdi) {
    const std::string begin = std::string(kOurs) + "=";
    return cdi.rfind(begin, 0) == 0 ? cdi.substr(begin.size()) : "";
}

bool lacks_group(const std::pair<const std::string, Prepared>& entry) {
    const auto& groups = entry.second.groups;
    return std::any_of(groups.begin(), groups.end(), [](const auto& pod) { return pod.second.empty(); });
}

}  // namespace

Driver::Driver(Place place, ApiAccess access)
    : place_(std::move(place)),
      server_(std::move(access)),
      tools_(place_.xcli),
      claims_(place_.claims),
      slices_(server_, place_.node) {
    fs::create_directories(place_.cdi);
}

Claim Driver::claim_of(const std::string& space, const std::string& name, const std::string& uid) const {
    Claim claim =
        Claim::read(server_.ask("GET", "/apis/resource.k8s.io/v1/namespaces/" + space + "/resourceclaims/" + name));
    if (claim.uid != uid) throw ApiError(kNotFound, "the claim " + space + "/" + name + " is another one by now");
    return claim;
}

// Writes the CDI file of a device. Returns the names of the vendor's device and of this one.
std::vector<std::string> Driver::make_cdi(const std::string& device, const std::string& name,
                                          std::vector<std::string> words, int64_t share) const {
    const std::vector<Gpu> gpus = find_gpus(place_.machine);
    const auto gpu = std::find_if(gpus.begin(), gpus.end(), [&](const Gpu& one) { return one.name == device; });
    if (gpu == gpus.end()) throw std::runtime_error("this node has no device " + device);
    if (share != 0) words.insert(words.end(), {"--share", std::to_string(share)});
    tools_.write_cdi(cdi_file(place_.cdi, name), name, gpu->platform, words);
    return {gpu->vendors, std::string(kOurs) + "=" + name};
}

PreparedDevice Driver::prepare_device(const Claim& claim, const AllocatedDevice& allocated) const {
    const std::string name = claim.uid + "." + allocated.request + "." + allocated.device;
    return {allocated.request,
            allocated.pool,
            allocated.device,
            make_cdi(allocated.device, name, allocated.parameters.words(), allocated.share),
            allocated.share,
            allocated.parameters.limit(),
            allocated.parameters.most_urgent()};
}

std::vector<std::string> Driver::allocate(const std::string& device, int64_t share) {
    const std::lock_guard lock(mutex_);
    return make_cdi(device, "share." + device + "." + std::to_string(share), {}, share);
}

// Takes the pods that have shares by the device plugin. The API server is asked for each pod's UID, since a pod may
// have the name of an earlier one.
void Driver::take_pods(const std::vector<PodOfPlugin>& pods) {
    const std::lock_guard lock(mutex_);
    std::map<std::string, Prepared> all;
    for (const PodOfPlugin& pod : pods) {
        const Json object = server_.ask("GET", "/api/v1/namespaces/" + pod.space + "/pods/" + pod.name);
        const std::string uid = object_at(object, "/metadata").value("uid", "");
        Prepared& entry = all[pod.space + "/" + pod.name];
        if (const auto before = pods_.find(pod.space + "/" + pod.name); before != pods_.end()) entry = before->second;
        entry.devices.clear();
        for (const auto& [gpu, share] : pod.shares)
            entry.devices.push_back({"", "", gpu, {}, share, 0, place_.most_urgent});
        find_groups(entry, {uid});
    }
    pods_ = std::move(all);
}

std::map<std::string, bool> Driver::healthy() {
    const std::lock_guard lock(mutex_);
    std::map<std::string, bool> all;
    for (const Gpu& gpu : find_gpus(place_.machine)) all[gpu.name] = gpu.answers && pid_ != 0;
    return all;
}

void Driver::find_groups(Prepared& prepared, const std::vector<std::string>& pods) const {
    std::map<std::string, std::string> groups;
    for (const std::string& pod : pods) {
        const auto known = prepared.groups.find(pod);
        groups[pod] =
            known != prepared.groups.end() && !known->second.empty() ? known->second : group_of_pod(place_.groups, pod);
    }
    prepared.groups = std::move(groups);
}

Prepared Driver::prepare(const std::string& space, const std::string& name, const std::string& uid) {
    const std::lock_guard lock(mutex_);
    const Claim claim = claim_of(space, name, uid);
    const Prepared* before = claims_.find(uid);
    Prepared prepared{space, name, uid, {}, before != nullptr ? before->groups : std::map<std::string, std::string>()};
    for (const AllocatedDevice& allocated : claim.devices) prepared.devices.push_back(prepare_device(claim, allocated));
    find_groups(prepared, claim.pods);
    claims_.keep(prepared);
    limit_groups();
    XLOG_INFO("claim %s/%s is prepared: %zu devices, %zu pods", space.c_str(), name.c_str(), prepared.devices.size(),
              prepared.groups.size());
    return prepared;
}

void Driver::unprepare(const std::string& uid) {
    const std::lock_guard lock(mutex_);
    remove(uid);
}

void Driver::remove(const std::string& uid) {
    const Prepared* found = claims_.find(uid);
    if (found == nullptr) return;
    const Prepared claim = *found;
    std::error_code error;
    for (const PreparedDevice& device : claim.devices)
        for (const std::string& cdi : device.cdi_names)
            if (const std::string name = own_name(cdi); !name.empty()) fs::remove(cdi_file(place_.cdi, name), error);
    claims_.forget(uid);
    for (const auto& [pod, group] : claim.groups)  // a driver before this one may have limited it
        if (!group.empty()) given_.try_emplace(group, kNotKnown);
    try {
        limit_groups();
    } catch (const std::exception& why) {  // the pod ends all the same; the next look tries again
        XLOG_WARN("the limits of claim %s/%s are not taken back: %s", claim.space.c_str(), claim.name.c_str(),
                  why.what());
    }
    XLOG_INFO("claim %s/%s is taken back", claim.space.c_str(), claim.name.c_str());
}

// Tells the server what has changed. A group that has no claim any more gets what every group has.
void Driver::limit_groups() {
    std::map<std::string, Prepared> all = claims_.all();
    all.insert(pods_.begin(), pods_.end());
    std::map<std::string, GroupLimits> wanted = limits_of(all);
    for (const auto& [group, limits] : given_) wanted.try_emplace(group);
    for (const auto& [group, limits] : wanted) {
        const auto given = given_.find(group);
        if (given != given_.end() && given->second == limits) continue;
        for (const std::string& setting : limits.settings(group)) tools_.limit(setting);
        given_[group] = limits;
    }
    std::erase_if(given_, [](const auto& entry) { return entry.second == GroupLimits{}; });
}

// Looks which pods use the claims by now. A claim that the cluster no longer has is taken back: a kubelet that has lost
// its notes does not ask for that.
void Driver::look_at_claims() {
    const std::map<std::string, Prepared> all = claims_.all();
    for (const auto& [uid, prepared] : all) {
        try {
            Prepared now = prepared;
            find_groups(now, claim_of(prepared.space, prepared.name, uid).pods);
            if (now.groups != prepared.groups) claims_.keep(now);
        } catch (const ApiError& error) {
            if (error.status == kNotFound) remove(uid);
            if (error.status != kNotFound) XLOG_WARN("%s", error.what());
        } catch (const std::exception& error) {
            XLOG_WARN("claim %s/%s: %s", prepared.space.c_str(), prepared.name.c_str(), error.what());
        }
    }
}

// Another server may not know the limits.
void Driver::look_at_server() {
    const int64_t pid = tools_.server();
    if (pid == pid_) return;
    if (pid == 0) XLOG_WARN("no xserver answers: this node's devices are tainted until one does");
    pid_ = pid;
    for (auto& [group, limits] : given_) limits = kNotKnown;
}

void Driver::publish() {
    Troubles troubles;
    troubles.no_server = pid_ == 0;
    if (pid_ != 0) troubles.missed = tools_.missed_targets();
    slices_.publish(slice_devices(find_gpus(place_.machine), troubles));
}

bool Driver::look() {
    const std::lock_guard lock(mutex_);
    const auto guarded = [](auto step) {
        try {
            step();
        } catch (const std::exception& error) {
            XLOG_WARN("%s", error.what());
        }
    };
    guarded([this] { look_at_server(); });
    guarded([this] { look_at_claims(); });
    if (pid_ != 0) guarded([this] { limit_groups(); });
    if (place_.publishes) guarded([this] { publish(); });
    return std::none_of(claims_.all().begin(), claims_.all().end(), lacks_group) &&
           std::none_of(pods_.begin(), pods_.end(), lacks_group);
}

}  // namespace xsched::kubernetes
