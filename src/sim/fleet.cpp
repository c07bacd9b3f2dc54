#include "sim/fleet.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <queue>

#include "base/clock.h"
#include "sim/fleet_place.h"

namespace xsched::sim {
namespace {

constexpr double kTail = 4.605170185988092;  // ln 100: the p99 of exponentially distributed times, in multiples of
                                             // their mean

struct Job {
    uint32_t kind = 0;
    std::vector<uint32_t> places;
    bool works = false;        // urgent: at work
    uint32_t stamp = 0;        // number of its newest event; older events do not count
    int64_t ends_ns = 0;       // urgent
    double left_ns = 0;        // batch: time still needed with the GPUs to itself
    double rate = 1;           // speed at which that time passes, 1 at most
    int64_t since_ns = 0;      // since when
    int64_t began_ns = 0;
    double alone_ns = 0;
};

struct Requests {
    double all = 0;
    double late = 0;
};

struct Event {
    int64_t at_ns;
    uint64_t order;
    uint32_t job;
    uint32_t stamp;
    bool operator>(const Event& other) const {
        return at_ns != other.at_ns ? at_ns > other.at_ns : order > other.order;
    }
};

class Day {
public:
    Day(const FleetSpec& spec, double cap) : spec_(spec), places_(spec, cap), random_(spec.seed) {
        for (const JobKind& kind : spec.kinds) weights_ += kind.weight;
    }

    FleetResult run() {
        arrive_later(0);
        while (!events_.empty() && events_.top().at_ns < spec_.lasts_ns) {
            const Event event = events_.top();
            events_.pop();
            account(event.at_ns);
            ++result_.events;
            if (event.job == kArrival) {
                arrive(event.at_ns);
            } else if (jobs_[event.job].stamp == event.stamp) {
                happen(event.job, event.at_ns);
            }
        }
        account(spec_.lasts_ns);
        return finish();
    }

private:
    static constexpr uint32_t kArrival = UINT32_MAX;

    const JobKind& kind_of(const Job& job) const { return spec_.kinds[job.kind]; }

    void push(int64_t at_ns, uint32_t job, uint32_t stamp) { events_.push({at_ns, ++order_, job, stamp}); }

    // Plans the next arrival. Candidates come at the rate of the day's peak; at other hours some are dropped.
    void arrive_later(int64_t now_ns) {
        const double day_ns = 86'400e9;
        const double mean_ns = static_cast<double>(spec_.lasts_ns) / static_cast<double>(spec_.jobs);
        const double peak = 1 + spec_.day_swing;
        for (;;) {
            now_ns += random_.exponential(mean_ns / peak);
            const double curve = std::sin(2 * std::numbers::pi * (static_cast<double>(now_ns) / day_ns - 0.25));
            if (random_.unit() * peak <= 1 + spec_.day_swing * curve) break;
        }
        push(now_ns, kArrival, 0);
    }

    void arrive(int64_t now_ns) {
        double chosen = random_.unit() * weights_;
        uint32_t kind = 0;
        while (kind + 1 < spec_.kinds.size() && chosen >= spec_.kinds[kind].weight)
            chosen -= spec_.kinds[kind++].weight;
        const auto number = static_cast<uint32_t>(jobs_.size());
        Job& job = jobs_.emplace_back();
        job.kind = kind;
        job.began_ns = job.since_ns = now_ns;
        job.alone_ns = job.left_ns = static_cast<double>(random_.in(kind_of(job).lasts_ns));
        job.ends_ns = now_ns + static_cast<int64_t>(job.alone_ns);
        job.places = places_.find(kind_of(job));
        around(job.places, [&] { places_.take(kind_of(job), number, job.places); });
        result_.peak_gpus = std::max(result_.peak_gpus, places_.in_use());
        if (kind_of(job).urgent)
            change_phase(number, now_ns);
        else
            plan_batch(number, now_ns);
        arrive_later(now_ns);
    }

    void happen(uint32_t number, int64_t now_ns) {
        Job& job = jobs_[number];
        if (!kind_of(job).urgent) return leave(number, now_ns);
        if (now_ns >= job.ends_ns) {
            if (job.works) set_working(number, false, now_ns);
            return leave(number, now_ns);
        }
        change_phase(number, now_ns);
    }

    void change_phase(uint32_t number, int64_t now_ns) {
        set_working(number, !jobs_[number].works, now_ns);
        const JobKind& kind = kind_of(jobs_[number]);
        const double mean_s = jobs_[number].works ? kind.works_s : kind.rests_s;
        const int64_t next_ns = now_ns + std::max<int64_t>(random_.exponential(mean_s * 1e9), 1);
        push(std::min(next_ns, jobs_[number].ends_ns), number, ++jobs_[number].stamp);
    }

    void set_working(uint32_t number, bool works, int64_t now_ns) {
        Job& job = jobs_[number];
        Gpu& gpu = places_.gpus()[job.places[0]];
        around(job.places, [&] {
            job.works = works;
            gpu.load_now = std::max(gpu.load_now + (works ? 1 : -1) * kind_of(job).load, 0.0);
        });
        if (gpu.batch != 0) plan_batch(gpu.batch - 1, now_ns);
    }

    // Makes a change to these GPUs and counts their work again afterwards.
    template <typename Change>
    void around(const std::vector<uint32_t>& places, Change change) {
        for (const uint32_t at : places) count(places_.gpus()[at], -1);
        change();
        for (const uint32_t at : places) count(places_.gpus()[at], 1);
    }

    // Adds (sign 1) or removes (-1) a GPU's figures: how busy it is; how many requests a second the jobs at work there
    // get; and how many of these while their p99 exceeds the target.
    void count(const Gpu& gpu, int sign) {
        busy_now_ += sign * (gpu.batch != 0 ? 1 : std::min(gpu.load_now, 1.0));
        for (const uint32_t number : gpu.urgent) {
            const Job& job = jobs_[number];
            if (!job.works) continue;
            const JobKind& kind = kind_of(job);
            const double rate = kind.load / (kind.request_ms / 1e3) * sign;
            per_s_.all += rate;
            if (times_alone(gpu, kind) > spec_.p99_times) per_s_.late += rate;
        }
    }

    double times_alone(const Gpu& gpu, const JobKind& kind) const {
        if (gpu.load_now >= 1) return HUGE_VAL;
        const double alone_ms = kind.request_ms * kTail / (1 - kind.load);
        const double preempt_ms = gpu.batch != 0 ? spec_.preempt_us / 1e3 : 0;
        return (1 - kind.load) / (1 - gpu.load_now) + preempt_ms / alone_ms;
    }

    // Plans the end of a batch job, which is as fast as the slowest of its GPUs.
    void plan_batch(uint32_t number, int64_t now_ns) {
        Job& job = jobs_[number];
        job.left_ns -= static_cast<double>(now_ns - job.since_ns) * job.rate;
        job.since_ns = now_ns;
        job.rate = 1;
        for (const uint32_t at : job.places)
            job.rate = std::min(job.rate, 1 - std::min(places_.gpus()[at].load_now, 0.95));
        push(now_ns + static_cast<int64_t>(std::max(job.left_ns, 0.0) / job.rate) + 1, number, ++job.stamp);
    }

    void leave(uint32_t number, int64_t now_ns) {
        Job& job = jobs_[number];
        if (!kind_of(job).urgent) {
            batch_alone_ns_ += job.alone_ns;
            batch_took_ns_ += static_cast<double>(now_ns - job.began_ns);
        }
        around(job.places, [&] { places_.leave(kind_of(job), number, job.places); });
        ++job.stamp;
        std::vector<uint32_t>().swap(job.places);
    }

    void account(int64_t now_ns) {
        const auto ns = static_cast<double>(now_ns - accounted_ns_);
        accounted_ns_ = now_ns;
        gpu_ns_ += ns * static_cast<double>(places_.in_use());
        busy_ns_ += ns * busy_now_;
        so_far_.all += ns / 1e9 * per_s_.all;
        so_far_.late += ns / 1e9 * per_s_.late;
    }

    FleetResult finish() {
        result_.mean_gpus = gpu_ns_ / static_cast<double>(spec_.lasts_ns);
        result_.busy = gpu_ns_ > 0 ? busy_ns_ / gpu_ns_ : 0;
        result_.late = so_far_.all > 0 ? so_far_.late / so_far_.all : 0;
        result_.batch_times = batch_alone_ns_ > 0 ? batch_took_ns_ / batch_alone_ns_ : 1;
        return result_;
    }

    const FleetSpec& spec_;
    FleetPlaces places_;
    Random random_;
    double weights_ = 0;
    std::vector<Job> jobs_;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
    uint64_t order_ = 0;
    int64_t accounted_ns_ = 0;
    double gpu_ns_ = 0;
    double busy_ns_ = 0;
    double busy_now_ = 0;  // GPUs
    Requests per_s_;  // now
    Requests so_far_;
    double batch_alone_ns_ = 0;
    double batch_took_ns_ = 0;
    FleetResult result_;
};

}  // namespace

FleetResult simulate_fleet(const FleetSpec& spec, double cap) {
    FleetResult result = Day(spec, cap).run();
    result.cap = cap;
    return result;
}

FleetAnswer answer_fleet(const FleetSpec& spec) {
    FleetAnswer answer;
    answer.whole = answer.shared = simulate_fleet(spec, 0);
    for (const double cap : {0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6}) {
        answer.tried.push_back(simulate_fleet(spec, cap));
        const FleetResult& tried = answer.tried.back();
        if (tried.late <= 1 - spec.within && tried.peak_gpus < answer.shared.peak_gpus) answer.shared = tried;
    }
    return answer;
}

}  // namespace xsched::sim
