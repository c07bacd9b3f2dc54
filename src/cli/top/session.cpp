#include "cli/top/session.h"

#include <algorithm>
#include <cctype>

#include "cli/explain/sentences.h"
#include "cli/fields.h"
#include "cli/fit.h"
#include "console/table.h"

namespace xsched::cli {

void TopSession::look() {
    try {
        take_look();
        away_.clear();
    } catch (const NoServer& failure) {
        away_ = failure.what();
    }
}

void TopSession::take_look() {
    answer_ = ask_({{"cmd", "programs"}, {"buckets", true}}, "programs");
    rows_.take(answer_);
    if (view_.chosen != 0 && chosen() == nullptr) {
        view_.chosen = 0;
        below_ = Below::kNothing;
    }
    show_below();
}

const TopRow* TopSession::chosen() const {
    for (const TopRow& row : rows_.rows())
        if (row.client == view_.chosen) return &row;
    return nullptr;
}

void TopSession::choose(int step) {
    const auto shown = rows_.sorted(view_.sort, view_.reverse, view_.filter);
    if (shown.empty()) return;
    const auto at =
        std::find_if(shown.begin(), shown.end(), [&](const TopRow& row) { return row.client == view_.chosen; });
    int64_t next = at == shown.end() ? (step > 0 ? -1 : static_cast<int64_t>(shown.size())) : at - shown.begin();
    next = std::clamp<int64_t>(next + step, 0, static_cast<int64_t>(shown.size()) - 1);
    view_.chosen = shown[static_cast<size_t>(next)].client;
    show_below();
}

void TopSession::show_below() {
    view_.below.clear();
    if (below_ == Below::kNothing || chosen() == nullptr) return;
    if (below_ == Below::kExplanation) {
        for (const Json& program : answer_["programs"])
            if (program.value("client", 0U) == view_.chosen)
                for (const std::string& line : lines_of(explained_text(program, explain(answer_, program))))
                    for (std::string& part : wrapped(line, view_.columns)) view_.below.push_back(std::move(part));
        return;
    }
    console::Table table({"  " + heading_of("queue"), heading_of("priority"), heading_of("level"), heading_of("state"),
                          heading_of("pending"), heading_of("in_flight"), heading_of("completed"),
                          heading_of("reason")});
    const Json answer = ask_({{"cmd", "list"}}, "queues");
    for (const Json& queue : answer["queues"]) {
        if (queue.value("client", 0U) != view_.chosen) continue;
        const auto count = [&queue](const char* member) { return std::to_string(queue.value(member, int64_t{0})); };
        table.add({"  " + count("pid") + "." + count("queue"), count("priority"), count("level"),
                   queue.value("state", ""), count("pending"), count("in_flight"), count("completed"),
                   queue.value("reason", "")});
    }
    view_.below = lines_of(table.text());
}

bool TopSession::press(int key) {
    if (key == kNoKey || key == kKeyResized) return true;
    told_.clear();
    try {
        return answer_key(key);
    } catch (const NoServer& failure) {
        away_ = failure.what();
    }
    return true;
}

bool TopSession::answer_key(int key) {
    if (!question_.empty()) return edit_line(key);
    switch (key) {
        case 'q':
        case 'Q': return false;
        case '?': view_.help = !view_.help; break;
        case 'j':
        case kKeyDown: choose(1); break;
        case 'k':
        case kKeyUp: choose(-1); break;
        case kKeyPageDown: choose(10); break;
        case kKeyPageUp: choose(-10); break;
        case 's': view_.sort = static_cast<TopSort>((static_cast<int>(view_.sort) + 1) % kTopSorts); break;
        case 'r': view_.reverse = !view_.reverse; break;
        case '/':
            begin_line("show only: ", view_.filter, [this](const std::string& text) { view_.filter = text; });
            break;
        case kKeyEscape:
            view_.help = false;
            view_.filter.clear();
            below_ = Below::kNothing;
            show_below();
            break;
        case kKeyEnter:
        case 'e':
            if (view_.chosen == 0) choose(1);
            below_ = below_ != Below::kNothing && (below_ == Below::kExplanation) == (key == 'e') ? Below::kNothing
                     : key == 'e'                                                                 ? Below::kExplanation
                                                                                                  : Below::kQueues;
            show_below();
            break;
        case 'p': ask_number("priority", "priority"); break;
        case 'h': ask_number("share in percent", "share"); break;
        case 'P': ask_policy(); break;
        case 'z': ask_suspension(); break;
        default: break;
    }
    return true;
}

void TopSession::begin_line(const std::string& question, const std::string& text,
                            std::function<void(const std::string&)> done) {
    question_ = question;
    line_ = text;
    line_done_ = std::move(done);
    yes_ = nullptr;
}

void TopSession::ask_first(const std::string& question, std::function<void()> done) {
    question_ = question + "? (y/n) ";
    line_.clear();
    line_done_ = nullptr;
    yes_ = std::move(done);
}

bool TopSession::edit_line(int key) {
    if (yes_ != nullptr) {
        const auto done = std::exchange(yes_, nullptr);
        question_.clear();
        if (key == 'y' || key == 'Y') done();
        return true;
    }
    if (key == kKeyEscape) {
        question_.clear();
    } else if (key == kKeyErase) {
        if (!line_.empty()) line_.pop_back();
    } else if (key == kKeyEnter) {
        question_.clear();
        const auto done = std::exchange(line_done_, nullptr);
        done(line_);
    } else if (key < 256 && isprint(key) != 0 && line_.size() < 40) {
        line_ += static_cast<char>(key);
    }
    return true;
}

void TopSession::order(const Json& request) {
    try {
        ask_(request, nullptr);
        told_ = "done";
        look();
    } catch (const Refusal& refusal) {
        told_ = refusal.what();
    }
}

void TopSession::ask_number(const char* what, const char* member) {
    const TopRow* row = chosen();
    if (row == nullptr) return static_cast<void>(told_ = "choose a program first, with the arrows");
    const int64_t pid = row->pid;
    const std::string name = std::to_string(pid) + " (" + row->program + ")";
    begin_line(std::string(what) + " of pid " + name + ": ", "", [=, this](const std::string& text) {
        char* end = nullptr;
        const long long number = strtoll(text.c_str(), &end, 10);
        if (text.empty() || *end != '\0') return static_cast<void>(told_ = "\"" + text + "\" is no whole number");
        ask_first("set the " + std::string(what) + " of pid " + name + " to " + std::to_string(number),
                  [=, this] { order({{"cmd", "hint"}, {"pid", pid}, {member, number}}); });
    });
}

std::string TopSession::policy_names() {
    std::string names;
    const Json answer = ask_({{"cmd", "policy"}}, "policies");
    for (const Json& known : answer.value("policies", Json::array()))
        names += (names.empty() ? "" : " ") + known.value("name", "");
    return names;
}

void TopSession::ask_policy() {
    begin_line("policy for all programs (" + policy_names() + "): ", "", [this](const std::string& text) {
        if (text.empty()) return;
        ask_first("use policy " + text + " for all programs",
                  [=, this] { order({{"cmd", "policy"}, {"name", text}}); });
    });
}

void TopSession::ask_suspension() {
    const TopRow* row = chosen();
    if (row == nullptr) return static_cast<void>(told_ = "choose a program first, with the arrows");
    const bool resumes = row->state == "susp";
    const int64_t pid = row->pid;
    ask_first((resumes ? "resume pid " : "suspend pid ") + std::to_string(pid) + " (" + row->program + ")",
              [=, this] { order({{"cmd", resumes ? "resume" : "suspend"}, {"pid", pid}}); });
}

std::vector<TopLine> TopSession::picture(size_t columns, size_t rows, bool utf8) {
    view_.columns = columns;
    view_.rows = rows;
    view_.utf8 = utf8;
    view_.question = !question_.empty() ? question_ + line_ + "_" : is_away() ? "away: " + away_ : told_;
    return top_picture(rows_, view_);
}

}  // namespace xsched::cli
