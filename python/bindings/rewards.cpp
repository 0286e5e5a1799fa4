#include "python/bindings/rewards.hpp"

#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "host/definitions/suggest.hpp"
#include "python/bindings/bindings.hpp"
#include "python/bindings/paths.hpp"
#include "python/bindings/poll.hpp"
#include "python/bindings/reward_arrays.hpp"
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
      throw UsageError(no_such("setting of rewards", name,
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

// Where the values of a batch [count, length] are to go; None where one is not wanted.
RewardArrays arrays_of(const OutFloats& reward, const std::optional<OutFloats>& distance_to_goal,
                       const std::optional<OutFloats>& ndtw, const std::optional<OutFloats>& cls,
                       const Shape& shape) {
  check_shape(reward, shape, "out");
  return {.reward = reward.data(),
          .distance_to_goal = memory_of(distance_to_goal, shape, "out"),
          .ndtw = memory_of(ndtw, shape, "out"),
          .cls = memory_of(cls, shape, "out")};
}

void compute(const RewardsObject& self, const Ints& queries, const Ints& lengths,
             const std::optional<Ints>& reference, const std::optional<Flags>& active,
             const std::optional<Flags>& stopped, const std::optional<Floats>& distance_to_goal,
             const OutFloats& reward, const std::optional<OutFloats>& distances,
             const std::optional<OutFloats>& ndtw, const std::optional<OutFloats>& cls) {
  if (queries.ndim() != 2) check_shape(queries, {lengths.size(), 1}, "queries");
  const std::size_t count = queries.shape(0), length = queries.shape(1);
  Batch batch;
  batch.count = count_of(count, "queries");
  batch.queries = {integers_of(queries, {count, length}, "queries"),
                   rows_of(count, length, lengths, "lengths")};
  batch.reference = integers_of(reference, {count}, "reference");
  batch.active = memory_of(active, {count}, "active");
  batch.stopped = memory_of(stopped, {count}, "stopped");
  batch.distance_to_goal = memory_of(distance_to_goal, {count, length}, "distance_to_goal");
  const RewardArrays out = arrays_of(reward, distances, ndtw, cls, {count, length});
  Poll(nb::none()).run([&](const Watch& watch) {
    self.rewards->compute(batch, out, {.watch = watch});
  });
}

void compute_points(const RewardsObject& self, const Floats& queries, const Ints& lengths,
                    const Floats& references, const Ints& reference_lengths,
                    const std::optional<Ints>& reference, const std::optional<Flags>& active,
                    const std::optional<Flags>& stopped,
                    const std::optional<Floats>& distance_to_goal, const OutFloats& reward,
                    const std::optional<OutFloats>& distances, const std::optional<OutFloats>& ndtw,
                    const std::optional<OutFloats>& cls) {
  if (queries.ndim() != 3) check_shape(queries, {lengths.size(), 1, 3}, "queries");
  if (references.ndim() != 3)
    check_shape(references, {reference_lengths.size(), 1, 3}, "references");
  const std::size_t count = queries.shape(0), length = queries.shape(1);
  const std::size_t paths = references.shape(0);
  check_shape(queries, {count, length, 3}, "queries");
  check_shape(references, {paths, references.shape(1), 3}, "references");
  if (!reference) check_shape(reference_lengths, {count}, "references");
  Batch batch;
  batch.count = count_of(count, "queries");
  batch.queries = {queries.data(), rows_of(count, length, lengths, "lengths")};
  batch.references = {references.data(),
                      rows_of(paths, references.shape(1), reference_lengths, "references.lengths")};
  batch.reference = integers_of(reference, {count}, "reference");
  batch.reference_count = count_of(paths, "references");
  batch.active = memory_of(active, {count}, "active");
  batch.stopped = memory_of(stopped, {count}, "stopped");
  batch.distance_to_goal = memory_of(distance_to_goal, {count, length}, "distance_to_goal");
  const RewardArrays out = arrays_of(reward, distances, ndtw, cls, {count, length});
  Poll(nb::none()).run([&](const Watch& watch) {
    self.rewards->compute(batch, out, {.watch = watch});
  });
}

void add_up(const Floats& reward, const Ints& lengths, const std::optional<Flags>& active,
            const std::optional<Floats>& value, const std::optional<Floats>& bootstrap,
            double discount, double decay, const std::optional<OutFloats>& returns,
            const std::optional<OutFloats>& advantage) {
  if (reward.ndim() != 2) check_shape(reward, {lengths.size(), 1}, "reward");
  const std::size_t count = reward.shape(0), length = reward.shape(1);
  ReturnsBatch batch;
  batch.count = count_of(count, "reward");
  batch.layout = rows_of(count, length, lengths, "lengths");
  batch.active = memory_of(active, {count}, "active");
  batch.reward = reward.data();
  batch.value = memory_of(value, {count, length}, "value");
  batch.bootstrap = memory_of(bootstrap, {count}, "bootstrap");
  batch.discount = discount;
  batch.decay = decay;
  batch.returns = memory_of(returns, {count, length}, "returns");
  batch.advantage = memory_of(advantage, {count, length}, "advantage");
  const nb::gil_scoped_release release;
  add_up_rewards(batch);
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
      .def("compute", &compute, "queries"_a.noconvert(), "lengths"_a.noconvert(),
           "reference"_a.noconvert().none(), "active"_a.noconvert().none(),
           "stopped"_a.noconvert().none(), "distance_to_goal"_a.noconvert().none(),
           "reward"_a.noconvert(), "distances"_a.noconvert().none(), "ndtw"_a.noconvert().none(),
           "cls"_a.noconvert().none(),
           nb::sig("def compute(self, queries: object, lengths: object, reference: object, active: "
                   "object, stopped: object, distance_to_goal: object, reward: object, distances: "
                   "object, ndtw: object, cls: object) -> None"))
      .def("compute_points", &compute_points, "queries"_a.noconvert(), "lengths"_a.noconvert(),
           "references"_a.noconvert(), "reference_lengths"_a.noconvert(),
           "reference"_a.noconvert().none(), "active"_a.noconvert().none(),
           "stopped"_a.noconvert().none(), "distance_to_goal"_a.noconvert().none(),
           "reward"_a.noconvert(), "distances"_a.noconvert().none(), "ndtw"_a.noconvert().none(),
           "cls"_a.noconvert().none(),
           nb::sig("def compute_points(self, queries: object, lengths: object, references: object, "
                   "reference_lengths: object, reference: object, active: object, stopped: object, "
                   "distance_to_goal: object, reward: object, distances: object, ndtw: object, "
                   "cls: object) -> None"));
  m.def("add_up_rewards", &add_up, "reward"_a.noconvert(), "lengths"_a.noconvert(),
        "active"_a.noconvert().none(), "value"_a.noconvert().none(),
        "bootstrap"_a.noconvert().none(), "discount"_a, "decay"_a, "returns"_a.noconvert().none(),
        "advantage"_a.noconvert().none(),
        nb::sig("def add_up_rewards(reward: object, lengths: object, active: object, value: "
                "object, bootstrap: object, discount: float, decay: float, returns: object, "
                "advantage: object) -> None"));
}

}  // namespace warpath::python
