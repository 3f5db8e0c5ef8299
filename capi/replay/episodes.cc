// Copyright 2026 The Muster Authors. Licensed under the Apache License, Version 2.0.
//
// Replays step by step: columns of actions in, columns of what an agent sees out.
#include "muster/episodes.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "capi/boundary.h"
#include "capi/replay/trace.h"

struct muster_episodes {
  muster::Episodes episodes;
  muster_episodes_view view = MUSTER_EPISODES_VIEW_INIT;
};

namespace muster::capi {
namespace {

constexpr int64_t kMostEpisodes = 1 << 20;

absl::Status CheckEpisode(const muster_episodes* episodes, int64_t episode) {
  if (episodes == nullptr) return NullArgument("episodes");
  if (episode >= 0 && episode < episodes->view.count) return absl::OkStatus();
  return absl::OutOfRangeError(
      absl::StrCat("episode is ", episode, "; must be 0 to ", episodes->view.count - 1));
}

}  // namespace
}  // namespace muster::capi

using namespace muster::capi;  // NOLINT: the functions below are C's

muster_status muster_episodes_new(const muster_pool_trace* trace, const muster_table* nodes,
                                  const muster_table* tasks, const muster_episodes_options* options,
                                  int64_t count, muster_episodes** out, muster_error* error) {
  if (out != nullptr) *out = nullptr;
  return Guard(error, [&]() -> absl::Status {
    if (out == nullptr) return NullArgument("out");
    muster_episodes_options given = MUSTER_EPISODES_OPTIONS_INIT;
    if (absl::Status s = ReadStruct("muster_episodes_options", options, &given); !s.ok()) return s;
    if (given.on_nodes != 0 && given.on_nodes != 1) {
      return absl::InvalidArgumentError(absl::StrCat("muster_episodes_options: on_nodes is ",
                                                     given.on_nodes, "; must be 0 or 1"));
    }
    if (count < 1 || count > kMostEpisodes) {
      return absl::InvalidArgumentError(
          absl::StrCat("count is ", count, "; must be 1 to ", kMostEpisodes));
    }
    absl::StatusOr<muster::Trace> jobs = TraceOf(trace, nodes, tasks);
    if (!jobs.ok()) return jobs.status();
    if (absl::Status s = muster::CheckTrace(*jobs); !s.ok()) return s;
    jobs->name = "trace";
    muster::EpisodeOptions said;
    said.nodes = given.on_nodes == 1;
    if (given.jobs != 0) said.jobs = given.jobs;
    if (given.places != 0) said.places = given.places;
    absl::StatusOr<muster::Episodes> episodes = muster::Episodes::Make(
        std::make_shared<const muster::Trace>(*std::move(jobs)), said, static_cast<size_t>(count));
    if (!episodes.ok()) return episodes.status();
    auto made = std::make_unique<muster_episodes>(muster_episodes{*std::move(episodes)});
    const muster::Episodes& e = made->episodes;
    muster_episodes_view& view = made->view;
    view.count = count;
    view.jobs = said.jobs;
    view.rows = static_cast<int64_t>(e.rows().size());
    view.choices = static_cast<int64_t>(e.choices());
    view.places = said.nodes ? 1 : said.places;
    view.job_features = static_cast<int64_t>(e.job_features());
    view.machines = said.nodes ? view.choices : 1;
    view.machine_features = static_cast<int64_t>(e.machine_features());
    *out = made.release();
    return absl::OkStatus();
  });
}

void muster_episodes_free(muster_episodes* episodes) { delete episodes; }

muster_status muster_episodes_get_view(const muster_episodes* episodes, muster_episodes_view* view,
                                       muster_error* error) {
  return Guard(error, [&]() -> absl::Status {
    if (episodes == nullptr) return NullArgument("episodes");
    return WriteStruct("muster_episodes_view", episodes->view, view);
  });
}

muster_status muster_episodes_reset(muster_episodes* episodes, int64_t episode, int64_t first,
                                    muster_error* error) {
  return Guard(error, [&]() -> absl::Status {
    if (absl::Status s = CheckEpisode(episodes, episode); !s.ok()) return s;
    const int64_t most = episodes->view.rows - episodes->view.jobs;
    if (first < 0 || first > most) {
      return absl::OutOfRangeError(absl::StrCat("first is ", first, "; must be 0 to ", most));
    }
    episodes->episodes.Reset(static_cast<size_t>(episode), static_cast<size_t>(first));
    return absl::OkStatus();
  });
}

muster_status muster_episodes_act(muster_episodes* episodes, const int64_t* actions,
                                  double* rewards, uint8_t* over, uint8_t* allowed,
                                  muster_error* error) {
  return Guard(error, [&]() -> absl::Status {
    if (episodes == nullptr) return NullArgument("episodes");
    if (actions == nullptr || rewards == nullptr || over == nullptr) {
      return NullArgument("actions, rewards or over");
    }
    const int64_t count = episodes->view.count, most = episodes->view.choices;
    for (int64_t e = 0; e < count; ++e) {
      if (actions[e] < 0 || actions[e] > most) {
        return absl::OutOfRangeError(
            absl::StrCat("action of episode ", e, " is ", actions[e], "; must be 0 to ", most));
      }
    }
    for (int64_t e = 0; e < count; ++e) {
      const auto episode = static_cast<size_t>(e);
      muster::Episodes::Outcome outcome;
      outcome.over = true;
      if (!episodes->episodes.over(episode)) {
        outcome = episodes->episodes.Act(episode, static_cast<size_t>(actions[e]));
      }
      rewards[e] = outcome.reward;
      over[e] = outcome.over ? 1 : 0;
      if (allowed != nullptr) allowed[e] = outcome.allowed ? 1 : 0;
    }
    return absl::OkStatus();
  });
}

muster_status muster_episodes_look(const muster_episodes* episodes, float* jobs, float* machines,
                                   int8_t* mask, muster_error* error) {
  return Guard(error, [&]() -> absl::Status {
    if (episodes == nullptr) return NullArgument("episodes");
    const muster_episodes_view& v = episodes->view;
    const auto size = [](int64_t rows, int64_t features) {
      return static_cast<size_t>(rows * features);
    };
    const size_t of_jobs = size(v.places, v.job_features);
    const size_t of_machines = size(v.machines, v.machine_features);
    const size_t of_mask = size(v.choices + 1, 1);
    // Where the caller does not want to know.
    std::vector<float> some(std::max(of_jobs, of_machines));
    std::vector<int8_t> some_mask(of_mask);
    for (size_t e = 0; e < episodes->episodes.count(); ++e) {
      episodes->episodes.Look(e, jobs == nullptr ? some.data() : jobs + e * of_jobs,
                              machines == nullptr ? some.data() : machines + e * of_machines,
                              mask == nullptr ? some_mask.data() : mask + e * of_mask);
    }
    return absl::OkStatus();
  });
}

muster_status muster_episodes_starts(const muster_episodes* episodes, int64_t episode, int64_t* out,
                                     muster_error* error) {
  return Guard(error, [&]() -> absl::Status {
    if (absl::Status s = CheckEpisode(episodes, episode); !s.ok()) return s;
    if (out == nullptr) return NullArgument("out");
    const std::vector<int64_t>& starts = episodes->episodes.starts(static_cast<size_t>(episode));
    std::copy(starts.begin(), starts.end(), out);
    return absl::OkStatus();
  });
}
