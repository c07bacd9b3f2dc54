#include "cli/top/session.h"

#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/states.h"
#include "cli/explain/sentences.h"
#include "cli/explain/urgency.h"
#include "cli/fields.h"
#include "cli/fit.h"
#include "cli/steer.h"
#include "cli/top/columns.h"
#include "config/policies.h"
#include "console/fold.h"
#include "console/table.h"

namespace xsched::cli {
namespace {

std::string named(const TopRow& row) { return "pid " + std::to_string(row.pid) + " (" + row.program + ")"; }

std::string outcome(int error) { return error == 0 ? "done" : std::string("not done: ") + strerror(error); }

}  // namespace

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
    drop_hidden_choice();
}

void TopSession::drop_hidden_choice() {
    const auto shown = top_order(rows_, view_);
    if (std::none_of(shown.begin(), shown.end(), [&](const TopRow& row) { return row.client == view_.chosen; })) {
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

bool TopSession::shows_none() {
    if (!top_order(rows_, view_).empty()) return false;
    told_ = view_.filter.empty() ? "there is no program: 'xcli run -- PROGRAM' starts one"
                                 : "no program has \"" + view_.filter + "\" in its name or number: Esc shows all";
    return true;
}

const TopRow* TopSession::chosen_or_said() {
    const TopRow* row = chosen();
    if (row == nullptr && !shows_none()) told_ = "choose a program first, with the arrows or the mouse";
    return row;
}

void TopSession::choose(int step) {
    if (shows_none()) return;
    const auto shown = top_order(rows_, view_);
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
        table.add({"  " + count("pid") + "." + count("queue"), std::to_string(counted_priority(queue)), count("level"),
                   queue.value("state", ""), count("pending"), count("in_flight"), count("completed"),
                   queue.value("reason", "")});
    }
    view_.below = lines_of(console::folded(table.text(), view_.columns));
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
    if (key >= kKeyClick) {
        click(static_cast<size_t>(key - kKeyClick));
        return true;
    }
    if (answer_order_key(key)) return true;
    switch (key) {
        case 'q':
        case 'Q': return false;
        case '?': view_.help = !view_.help; break;
        case 't': view_.tree = !view_.tree; break;
        case 'c': view_.commands = !view_.commands; break;
        case 'j':
        case kKeyDown: choose(1); break;
        case 'k':
        case kKeyUp: choose(-1); break;
        case kKeyPageDown: choose(10); break;
        case kKeyPageUp: choose(-10); break;
        case 's':
            do view_.sort = static_cast<TopSort>((static_cast<size_t>(view_.sort) + 1) % top_sort_words().size());
            while (!top_shows(view_.sort, rows_, view_));
            break;
        case 'r': view_.reverse = !view_.reverse; break;
        case '/':
            begin_line("show only: ", view_.filter, [this](const std::string& text) {
                view_.filter = text;
                drop_hidden_choice();
            });
            break;
        case kKeyEscape:
            view_.help = false;
            view_.filter.clear();
            below_ = Below::kNothing;
            show_below();
            break;
        case kKeyEnter: toggle_below(Below::kQueues); break;
        case 'e': toggle_below(Below::kExplanation); break;
        default: break;
    }
    return true;
}

// Handles the keys that change something. Returns false if the key is none of them.
bool TopSession::answer_order_key(int key) {
    switch (key) {
        case 'p': ask_number("priority", base::HintId::priority); return true;
        case 'h': ask_number("share in percent", base::HintId::share); return true;
        case 'P': ask_policy(); return true;
        case 'z': ask_suspension(); return true;
        case 'n': ask_nice(); return true;
        case 'T': ask_signal("terminate", SIGTERM); return true;
        case 'K': ask_signal("kill", SIGKILL); return true;
        default: return false;
    }
}

void TopSession::toggle_below(Below wanted) {
    if (view_.chosen == 0) choose(1);
    below_ = below_ == wanted ? Below::kNothing : wanted;
    show_below();
}

// Chooses the program of that line. A click on the chosen one explains it.
void TopSession::click(size_t line) {
    if (line >= shown_.size() || shown_[line].client == 0) return;
    if (view_.chosen == shown_[line].client) return toggle_below(Below::kExplanation);
    view_.chosen = shown_[line].client;
    show_below();
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
        const Json answer = ask_(request, nullptr);
        told_ = "done";
        if (request.value("cmd", "") == "hint")
            for (const std::string& remark : hint_remarks(answer)) told_ += "; " + remark;
        look();
    } catch (const Refusal& refusal) {
        told_ = refusal.what();
    }
}

void TopSession::begin_number(const std::string& question, int64_t least, int64_t most,
                              std::function<void(int64_t)> done) {
    const std::string range = std::to_string(least) + ".." + std::to_string(most);
    begin_line(question + " (" + range + "): ", "",
               [this, least, most, range, done = std::move(done)](const std::string& text) {
                   char* end = nullptr;
                   const long number = strtol(text.c_str(), &end, 10);
                   const bool whole = !text.empty() && *end == '\0' && number >= least && number <= most;
                   if (!whole) return static_cast<void>(told_ = "\"" + text + "\" is no whole number from " + range);
                   done(number);
               });
}

void TopSession::ask_number(const char* what, base::HintId id) {
    const TopRow* row = chosen_or_said();
    if (row == nullptr) return;
    const int64_t pid = row->pid;
    const std::string name = named(*row);
    const base::HintInfo& hint = base::hint_info(id);
    begin_number(std::string(what) + " of " + name, hint.accepts_least, hint.accepts_most, [=, this](int64_t number) {
        ask_first("set the " + std::string(what) + " of " + name + " to " + std::to_string(number),
                  [=, this] { order({{"cmd", "hint"}, {"pid", pid}, {hint.request, number}}); });
    });
}

void TopSession::ask_nice() {
    const TopRow* row = chosen_or_said();
    if (row == nullptr) return;
    const int64_t pid = row->pid;
    const std::string name = named(*row);
    begin_number("nice value on the CPU of " + name, -20, 19, [=, this](int64_t number) {
        ask_first("set the nice value of " + name + " to " + std::to_string(number),
                  [=, this] { told_ = outcome(acts_.renice(pid, static_cast<int>(number))); });
    });
}

void TopSession::ask_signal(const char* what, int signal) {
    const TopRow* row = chosen_or_said();
    if (row == nullptr) return;
    const int64_t pid = row->pid;
    ask_first(std::string(what) + " " + named(*row), [=, this] { told_ = outcome(acts_.send(pid, signal)); });
}

TopSession::Acts TopSession::real_acts() {
    return {
        .send = [](int64_t pid, int signal) { return kill(static_cast<pid_t>(pid), signal) == 0 ? 0 : errno; },
        .renice = [](int64_t pid,
                     int nice) { return setpriority(PRIO_PROCESS, static_cast<id_t>(pid), nice) == 0 ? 0 : errno; }};
}

void TopSession::ask_policy() {
    std::vector<std::string> names;
    std::string listed;
    const Json answer = ask_({{"cmd", "policy"}}, "policies");
    for (const Json& known : answer.value("policies", Json::array())) {
        names.push_back(known.value("name", ""));
        listed += (listed.empty() ? "" : " ") + names.back();
    }
    begin_line("policy for all programs (" + listed + "): ", "", [this, names](const std::string& text) {
        if (text.empty()) return;
        const auto is_it = [&text](const std::string& name) { return base::same_word(name.c_str(), text.c_str()); };
        if (std::none_of(names.begin(), names.end(), is_it))
            return static_cast<void>(told_ = config::no_such_policy(text, names));
        ask_first("use policy " + text + " for all programs",
                  [=, this] { order({{"cmd", "policy"}, {"name", text}}); });
    });
}

void TopSession::ask_suspension() {
    const TopRow* row = chosen_or_said();
    if (row == nullptr) return;
    const bool resumes = row->state == base::word_of(base::State::kSuspended);
    const int64_t pid = row->pid;
    ask_first((resumes ? "resume " : "suspend ") + named(*row),
              [=, this] { order({{"cmd", resumes ? "resume" : "suspend"}, {"pid", pid}}); });
}

std::vector<TopLine> TopSession::picture(size_t columns, size_t rows, bool utf8) {
    view_.columns = columns;
    view_.rows = rows;
    view_.utf8 = utf8;
    view_.question = !question_.empty() ? question_ + line_ + "_" : is_away() ? "away: " + away_ : told_;
    shown_ = top_picture(rows_, view_);
    return shown_;
}

}  // namespace xsched::cli
