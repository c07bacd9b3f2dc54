#include "kubernetes/prepared.h"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "base/files.h"
#include "base/log.h"

namespace xsched::kubernetes {
namespace {

namespace fs = std::filesystem;

Json json_of(const PreparedDevice& device) {
    Json entry{{"request", device.request}, {"pool", device.pool},   {"device", device.device},
               {"cdi", device.cdi_names},   {"share", device.share}, {"limit", device.limit}};
    if (device.most_urgent) entry["mostUrgentPriority"] = *device.most_urgent;
    return entry;
}

PreparedDevice device_of(const Json& entry) {
    PreparedDevice device{entry.at("request"), entry.at("pool"),  entry.at("device"), entry.at("cdi"),
                          entry.at("share"),   entry.at("limit"), std::nullopt};
    if (entry.contains("mostUrgentPriority")) device.most_urgent = entry["mostUrgentPriority"].get<int64_t>();
    return device;
}

}  // namespace

Json Prepared::to_json() const {
    Json object{{"namespace", space}, {"name", name}, {"uid", uid}, {"groups", groups}, {"devices", Json::array()}};
    for (const PreparedDevice& device : devices) object["devices"].push_back(json_of(device));
    return object;
}

Prepared Prepared::from_json(const Json& object) {
    Prepared claim{object.at("namespace"), object.at("name"), object.at("uid"), {}, object.at("groups")};
    for (const Json& entry : object.at("devices")) claim.devices.push_back(device_of(entry));
    return claim;
}

void write_file(const std::string& file, const std::string& text) {
    const std::string fresh = file + ".new";
    std::ofstream out(fresh);
    out << text << std::flush;
    std::error_code error;
    if (out) fs::rename(fresh, file, error);
    if (!out || error) throw std::runtime_error("the file " + file + " cannot be written");
}

PreparedClaims::PreparedClaims(std::string folder) : folder_(std::move(folder)) {
    fs::create_directories(folder_);
    for (const std::string& name : base::names_in(folder_)) {
        if (fs::path(name).extension() != ".json") continue;
        try {
            const Prepared claim = Prepared::from_json(Json::parse(base::text_of_file(folder_ + "/" + name)));
            claims_[claim.uid] = claim;
        } catch (const std::exception& error) {
            XLOG_WARN("%s/%s is left out: %s", folder_.c_str(), name.c_str(), error.what());
        }
    }
}

void PreparedClaims::keep(const Prepared& claim) {
    write_file(file_of(claim.uid), claim.to_json().dump(2) + "\n");
    claims_[claim.uid] = claim;
}

void PreparedClaims::forget(const std::string& uid) {
    std::error_code error;
    fs::remove(file_of(uid), error);
    claims_.erase(uid);
}

const Prepared* PreparedClaims::find(const std::string& uid) const {
    const auto found = claims_.find(uid);
    return found == claims_.end() ? nullptr : &found->second;
}

}  // namespace xsched::kubernetes
