#include "python/bindings/rewards.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "host/core/base/suggest.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/paths.hpp"
#include "python/bindings/poll.hpp"
#include "python/bindings/views.hpp"
#include "warpath/error.hpp"

namespace warpath::python {

RewardSettings make_reward_settings(const std::string& preset, const SettingTexts& changes,
                                    const std::string& convention,
                                    const SettingTexts& convention_changes) {
  RewardSettings settings = find_reward_preset(preset).settings;
  for (const auto& [name, value] : changes) {
    const auto all = reward_settings();
    const auto found = std::ranges::find(all, setting_name(name), &RewardSetting::name);
    if (found == all.end()) {
      std::vector<std::string> names;
      for (const RewardSetting& setting : all) names.push_back(python_name(setting.name));
      throw UsageError(base::no_such("setting of rewards", name,
                                     std::vector<std::string_view>(names.begin(), names.end())));
    }
    set_named(name, [&] { found->set(settings, value); });
  }
  if (!convention.empty()) settings.convention = find_preset(convention).convention;
  change(settings.convention, convention_changes);
  return settings;
}

namespace {

// Reads the goals of each reference: viewpoints of its scan.
PathSet read_goals(nb::handle goals, const StandingReferences& object) {
  if (goals.is_none()) return {};
  PathArgument paths(goals, "goals");
  if (paths.size() != object.scan_of.size()) {
    throw InputError(
        {"goals"},
        fmt::format("has {} sets for {} references", paths.size(), object.scan_of.size()),
        "give the goals of each reference, one or several");
  }
  paths.read_ids({object.scans, object.scan_of});
  return copy_of(paths);
}

void make_on_graphs(RewardsObject* self, std::shared_ptr<const GraphStore> graphs,
                    nb::handle references, nb::handle scans, nb::handle goals, int threads,
                    const std::string& preset, const SettingTexts& changes,
                    const std::string& convention, const SettingTexts& convention_changes) {
  const RewardSettings settings =
      make_reward_settings(preset, changes, convention, convention_changes);
  RewardsObject object{read_references(std::move(graphs), references, scans)};
  object.goals = read_goals(goals, object);
  const RewardOptions options{object.goals, Place::host(checked_threads(threads)), object.graphs};
  {
    const nb::gil_scoped_release release;
    object.rewards = std::make_unique<Rewards>(object.scans, object.references, object.scan_of,
                                               settings, options);
  }
  new (self) RewardsObject(std::move(object));
}

void make_of_points(RewardsObject* self, int threads, const std::string& preset,
                    const SettingTexts& changes, const std::string& convention,
                    const SettingTexts& convention_changes) {
  RewardsObject object;
  object.rewards = std::make_unique<Rewards>(
      make_reward_settings(preset, changes, convention, convention_changes),
      RewardOptions{{}, Place::host(checked_threads(threads)), {}});
  new (self) RewardsObject(std::move(object));
}

void set_references(RewardsObject& self, nb::handle references, nb::handle scans,
                    nb::handle goals) {
  if (self.graphs == nullptr) {
    throw UsageError(
        "references need graphs, and these rewards were made without; give references "
        "of points to compute_points");
  }
  StandingReferences read = read_references(self.graphs, references, scans);
  PathSet read_goal_sets = read_goals(goals, read);
  {
    const nb::gil_scoped_release release;
    self.rewards->set_references(read.scans, read.references, read.scan_of, read_goal_sets);
  }
  static_cast<StandingReferences&>(self) = std::move(read);
  self.goals = std::move(read_goal_sets);
}

void compute(const RewardsObject& self, nb::handle tuple, nb::handle out_tuple,
             nb::handle call_tuple) {
  const BatchAt at(tuple);
  const RewardArrays out = read_rewards(out_tuple);
  warpath::Call call = read_call(call_tuple);
  if (self.rewards->place().is_gpu) {
    const nb::gil_scoped_release release;
    return self.rewards->compute(at.batch, out, call);
  }
  Poll(nb::none()).run([&](const Watch& watch) {
    call.watch = watch;
    self.rewards->compute(at.batch, out, call);
  });
}

void add_up(const RewardsObject& self, nb::handle tuple, nb::handle call_tuple) {
  const ReturnsBatch batch = read_returns(tuple);
  const warpath::Call call = read_call(call_tuple);
  const nb::gil_scoped_release release;
  self.rewards->add_up(batch, call);
}

void compare_groups(const RewardsObject& self, nb::handle tuple, nb::handle call_tuple) {
  const GroupBatch batch = read_groups(tuple);
  const warpath::Call call = read_call(call_tuple);
  const nb::gil_scoped_release release;
  self.rewards->group_advantages(batch, call);
}

// Makes the same rewards on the GPU that is current.
RewardsObject rewards_on_gpu(const RewardsObject& host) {
  const nb::gil_scoped_release release;
  RewardsObject object;
  object.rewards =
      std::make_unique<Rewards>(host.scans, host.references, host.scan_of, host.rewards->settings(),
                                RewardOptions{host.goals, Place::gpu(), host.graphs});
  return object;
}

}  // namespace

void bind_rewards(nb::module_& m) {
  nb::class_<RewardsObject>(m, "Rewards")
      .def("__init__", &make_on_graphs, "graphs"_a, "references"_a.none(), "scans"_a,
           "goals"_a.none(), "threads"_a, "preset"_a, "settings"_a, "convention"_a,
           "convention_settings"_a)
      .def("__init__", &make_of_points, "threads"_a, "preset"_a, "settings"_a, "convention"_a,
           "convention_settings"_a)
      .def_prop_ro("count", [](const RewardsObject& r) { return r.references.size(); })
      .def("set_references", &set_references, "references"_a, "scans"_a, "goals"_a.none())
      .def("on_gpu", &rewards_on_gpu)
      .def(
          "workspace_bytes",
          [](const RewardsObject& r, nb::handle room) {
            return r.rewards->workspace_bytes(read_room(room));
          },
          "room"_a)
      .def(
          "warm_up",
          [](const RewardsObject& r, Address stream) {
            const nb::gil_scoped_release release;
            r.rewards->warm_up(stream_at(stream));
          },
          "stream"_a)
      .def("compute", &compute, "batch"_a, "out"_a, "call"_a)
      .def("add_up", &add_up, "batch"_a, "call"_a)
      .def("group_advantages", &compare_groups, "batch"_a, "call"_a);
  m.def(
      "add_up_rewards",
      [](nb::handle tuple) {
        const ReturnsBatch batch = read_returns(tuple);
        const nb::gil_scoped_release release;
        add_up_rewards(batch);
      },
      "batch"_a);
  m.def(
      "group_advantages",
      [](nb::handle tuple) {
        const GroupBatch batch = read_groups(tuple);
        const nb::gil_scoped_release release;
        group_advantages(batch);
      },
      "batch"_a);
}

}  // namespace warpath::python
