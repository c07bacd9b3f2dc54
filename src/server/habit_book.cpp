#include "server/habit_book.h"

#include <algorithm>

namespace xsched::server {
namespace {

std::string key_of(const std::string& program) { return program.substr(0, HabitBook::kLongestName); }

// Reads habits that to_json wrote. Returns false if the text is anything else.
bool read_habits(const nlohmann::json& kept, sched::Habits& habits) {
    const nlohmann::json think = kept.value("think_us", nlohmann::json::array());
    if (!think.is_array() || think.size() != sched::Habits::kThinkTimes) return false;
    habits.think_times = sched::Habits::kThinkTimes;
    std::transform(think.begin(), think.end(), habits.think_us.begin(),
                   [](const nlohmann::json& us) { return us.is_number_unsigned() ? us.get<uint32_t>() : 0U; });
    std::sort(habits.think_us.begin(), habits.think_us.end());
    habits.pauses = kept.value("pauses", 0U);
    habits.short_ones = kept.value("short", 0U);
    habits.waited = kept.value("waited", 0U);
    habits.off_us = kept.value("off_us", 0U);
    habits.longest_ms = kept.value("longest_ms", 0U);
    return habits.worth_keeping();
}

}  // namespace

const HabitBook::Entry* HabitBook::find(uid_t user, const std::string& program) const {
    const std::string key = key_of(program);
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return entry.user == user && entry.program == key; });
    return found != entries_.end() ? &*found : nullptr;
}

sched::Habits HabitBook::of(uid_t user, const std::string& program) const {
    const Entry* entry = find(user, program);
    return entry != nullptr ? entry->habits : sched::Habits{};
}

ProgramWork HabitBook::work_of(uid_t user, const std::string& program) const {
    const Entry* entry = find(user, program);
    return entry != nullptr ? entry->work : ProgramWork{};
}

bool HabitBook::note(uid_t user, const std::string& program, const sched::Habits& habits, const ProgramWork& work) {
    if (!habits.worth_keeping() && !work.known()) return false;
    const std::string key = key_of(program);
    const Entry now{user, key, habits.worth_keeping() ? habits : of(user, key),
                    work.known() ? work : work_of(user, key)};
    std::erase_if(entries_, [&](const Entry& entry) { return entry.user == user && entry.program == key; });
    entries_.push_back(now);
    if (count_of(user) > kMostOfUser) forget_oldest_of(user);
    if (entries_.size() > kMost) forget_oldest_of(who_has_most());
    return true;
}

size_t HabitBook::count_of(uid_t user) const {
    const auto count =
        std::count_if(entries_.begin(), entries_.end(), [user](const Entry& entry) { return entry.user == user; });
    return static_cast<size_t>(count);
}

void HabitBook::forget_oldest_of(uid_t user) {
    entries_.erase(
        std::find_if(entries_.begin(), entries_.end(), [user](const Entry& entry) { return entry.user == user; }));
}

uid_t HabitBook::who_has_most() const {
    const auto most = std::max_element(entries_.begin(), entries_.end(), [this](const Entry& one, const Entry& other) {
        return count_of(one.user) < count_of(other.user);
    });
    return most->user;
}

nlohmann::json HabitBook::to_json() const {
    nlohmann::json kept = nlohmann::json::array();
    for (const Entry& entry : entries_) {
        kept.push_back({{"user", entry.user},
                        {"program", entry.program},
                        {"think_us", entry.habits.think_us},
                        {"pauses", entry.habits.pauses},
                        {"short", entry.habits.short_ones},
                        {"waited", entry.habits.waited},
                        {"off_us", entry.habits.off_us},
                        {"longest_ms", entry.habits.longest_ms},
                        {"work", work_json(entry.work)}});
    }
    return kept;
}

nlohmann::json HabitBook::works_of(uid_t user) const {
    nlohmann::json works = nlohmann::json::array();
    for (const Entry& entry : entries_)
        if (entry.user == user && entry.work.known())
            works.push_back({{"program", entry.program}, {"work", work_json(entry.work)}});
    return works;
}

void HabitBook::take_up(const nlohmann::json& kept) {
    if (!kept.is_array()) return;
    for (const nlohmann::json& one : kept) {
        sched::Habits habits;
        try {
            if (!one.is_object()) continue;
            const ProgramWork work = read_work(one.value("work", nlohmann::json()));
            if (read_habits(one, habits) || work.known())
                note(one.value("user", uid_t{0}), one.value("program", ""), habits, work);
        } catch (const nlohmann::json::exception&) {
            continue;  // of another version
        }
    }
}

}  // namespace xsched::server
