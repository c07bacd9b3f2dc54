// Remembers the orders that people gave the server in the last minute: policies, hints, settings, suspensions. Traces
// show them beside their effects (tool_record.cpp). Front thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "base/clock.h"

namespace xsched::server {

class OrderNotes {
public:
    static constexpr int64_t kLongestNs = 60 * base::kSecond;
    static constexpr size_t kMostOfUser = 256;  // most notes of one user; the oldest go first
    static constexpr size_t kMost = 2048;
    static constexpr size_t kMostText = 240;

    struct Note {
        uint64_t number = 0;
        int64_t at_ns = 0;
        uid_t by = 0;
        uid_t told_uid = 0;
        bool for_all = false;  // a policy concerns all users
        std::string text;
    };

    void add(const Peer& who, bool for_all, std::string text, int64_t now_ns) {
        const uid_t by = who.uid;
        const auto same = [by](const Note& one) { return one.by == by; };
        std::erase_if(notes_, [now_ns](const Note& one) { return now_ns - one.at_ns > kLongestNs; });
        const bool many = std::count_if(notes_.begin(), notes_.end(), same) >= static_cast<std::ptrdiff_t>(kMostOfUser);
        if (many) notes_.erase(std::find_if(notes_.begin(), notes_.end(), same));
        if (notes_.size() >= kMost) notes_.pop_front();
        if (text.size() > kMostText) text = text.substr(0, kMostText) + "...";
        notes_.push_back({++number_, now_ns, by, who.told_uid, for_all, std::move(text)});
    }
    auto begin() const { return notes_.begin(); }
    auto end() const { return notes_.end(); }

private:
    std::deque<Note> notes_;  // by time
    uint64_t number_ = 0;
};

}  // namespace xsched::server
