// Trains two agents by REINFORCE with rewards of warpath: one on the distance to the goal, one on
// the gain of nDTW. Both reach their goals; the second follows the references, too (Ilharco et al.
// 2019). A policy is a table: for each reference and viewpoint, a softmax over the neighbours and
// the stop.
//
//   reinforce [EPOCHS]     300 unless it is given

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "warpath/distances.hpp"
#include "warpath/rewards.hpp"
#include "warpath/scorer.hpp"

namespace {

using warpath::Metric;
using warpath::Node;

constexpr std::size_t references = 24, rollouts_per_reference = 32, max_viewpoints = 24;
constexpr std::size_t rollouts = references * rollouts_per_reference;
constexpr double discount = 0.99, learning_rate = 1.0;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  std::size_t below(std::size_t n) { return std::min(n - 1, static_cast<std::size_t>(unit() * n)); }

 private:
  std::mt19937_64 engine_;
};

// Makes a grid of 8 x 8 viewpoints about 2 m apart.
warpath::Scan make_grid(Random& random) {
  constexpr Node side = 8;
  std::vector<std::string> names;
  std::vector<std::array<double, 3>> positions;
  std::vector<warpath::Edge> edges;
  for (Node n = 0; n < side * side; ++n) {
    const Node i = n / side, j = n % side;
    names.push_back(std::to_string(i) + "," + std::to_string(j));
    positions.push_back({2.0 * i + 0.6 * random.unit(), 2.0 * j + 0.6 * random.unit(), 0.0});
    if (j + 1 < side) edges.push_back({n, n + 1});
    if (i + 1 < side) edges.push_back({n, n + side});
  }
  return {"grid", names, positions, edges};
}

// Draws a path through three random viewpoints that visits none twice and is a detour, as the
// paths of R4R are: at least half as long again as the shortest.
std::vector<Node> draw_reference(warpath::Distances& distances, Random& random) {
  const std::size_t size = distances.scan().size();
  for (;;) {
    Node stops[3];
    for (Node& stop : stops) stop = static_cast<Node>(random.below(size));
    std::vector<Node> path = distances.path(stops[0], stops[1]);
    const std::vector<Node> rest = distances.path(stops[1], stops[2]);
    path.insert(path.end(), rest.begin() + 1, rest.end());
    std::vector<Node> sorted = path;
    std::sort(sorted.begin(), sorted.end());
    const bool is_simple = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
    const double length =
        distances.between(stops[0], stops[1]) + distances.between(stops[1], stops[2]);
    const bool is_detour = length >= 1.5 * distances.between(stops[0], stops[2]);
    if (is_simple && is_detour && path.size() >= 6 && path.size() <= 14) return path;
  }
}

struct World {
  warpath::Scan scan;
  warpath::PathSet references;
};

World make_world() {
  Random random(1);
  World world{make_grid(random), {}};
  warpath::Distances distances(world.scan, warpath::Distance::euclid_3d);
  while (world.references.size() < references) {
    const std::vector<Node> path = draw_reference(distances, random);
    world.references.elements.insert(world.references.elements.end(), path.begin(), path.end());
    world.references.end_path();
  }
  return world;
}

// Holds a batch of rollouts: rows of equal length [rollouts][max_viewpoints].
struct Rollouts {
  std::vector<Node> viewpoints = std::vector<Node>(rollouts * max_viewpoints);
  std::vector<std::uint8_t> actions = std::vector<std::uint8_t>(rollouts * max_viewpoints);
  std::vector<std::uint32_t> lengths = std::vector<std::uint32_t>(rollouts);
  std::vector<std::uint32_t> reference = std::vector<std::uint32_t>(rollouts);
  std::vector<std::uint8_t> stopped = std::vector<std::uint8_t>(rollouts);

  warpath::Layout layout() const {
    return {.offsets = {},
            .lengths = lengths.data(),
            .pitch = max_viewpoints,
            .max_length = max_viewpoints};
  }
};

// Holds logits for each reference, viewpoint and action. Action 0 is the stop, action k leads to
// neighbour k − 1.
class Policy {
 public:
  static constexpr std::size_t max_actions = 5;

  explicit Policy(const warpath::Scan& scan)
      : scan_(scan), logits_(references * scan.size() * max_actions) {}

  std::size_t actions(Node at) const { return 1 + scan_.neighbours(at).size(); }
  std::size_t state(std::size_t reference, Node at) const { return reference * scan_.size() + at; }
  std::size_t states() const { return references * scan_.size(); }
  double* logits(std::size_t state) { return logits_.data() + state * max_actions; }

  // Computes the probability of each action.
  void probabilities(std::size_t reference, Node at, double* p) const {
    const double* logit = logits_.data() + state(reference, at) * max_actions;
    const std::size_t n = actions(at);
    const double highest = *std::max_element(logit, logit + n);
    double sum = 0.0;
    for (std::size_t a = 0; a < n; ++a) sum += p[a] = std::exp(logit[a] - highest);
    for (std::size_t a = 0; a < n; ++a) p[a] /= sum;
  }

  Rollouts sample(const warpath::PathSet& paths, Random& random) const {
    Rollouts made;
    for (std::size_t k = 0; k < rollouts; ++k) {
      made.reference[k] = static_cast<std::uint32_t>(k % references);
      sample_one(paths[made.reference[k]].front(), k, made, random);
    }
    return made;
  }

 private:
  void sample_one(Node at, std::size_t k, Rollouts& made, Random& random) const {
    for (std::size_t t = 0; t < max_viewpoints; ++t) {
      double p[max_actions];
      probabilities(made.reference[k], at, p);
      std::size_t action = 0;
      for (double u = random.unit() - p[0]; u >= 0.0 && action + 1 < actions(at);) {
        u -= p[++action];
      }
      const std::size_t entry = k * max_viewpoints + t;
      made.viewpoints[entry] = at;
      made.actions[entry] = static_cast<std::uint8_t>(action);
      made.lengths[k] = static_cast<std::uint32_t>(t + 1);
      made.stopped[k] = action == 0;
      if (action == 0) return;
      at = scan_.neighbours(at)[action - 1];
    }
  }

  const warpath::Scan& scan_;
  std::vector<double> logits_;
};

// Rewards the rollouts and adds the rewards up.
std::vector<float> returns_of(const Rollouts& made, const warpath::Rewards& rewards) {
  std::vector<float> reward(rollouts * max_viewpoints), returns(reward.size());
  warpath::Batch batch;
  batch.count = rollouts;
  batch.queries = {made.viewpoints.data(), made.layout()};
  batch.reference = made.reference.data();
  batch.stopped = made.stopped.data();
  rewards.compute(batch, {.reward = reward.data()});

  warpath::ReturnsBatch sums;
  sums.count = rollouts;
  sums.layout = made.layout();
  sums.reward = reward.data();
  sums.discount = discount;
  sums.returns = returns.data();
  warpath::add_up_rewards(sums);
  return returns;
}

// Holds the mean return of each state, which REINFORCE subtracts from its returns.
class Baseline {
 public:
  explicit Baseline(std::size_t states) : mean_(states), count_(states) {}

  // Returns by how much a return exceeds those of the state until now, and adds it to them.
  double advantage(std::size_t state, double value) {
    const double above = value - mean_[state];
    count_[state] = std::min(count_[state] + 1.0, 200.0);
    mean_[state] += above / count_[state];
    return above;
  }

 private:
  std::vector<double> mean_, count_;
};

// Changes the policy by the rollouts of one epoch. The advantages' spread depends on the reward and
// is divided out.
void learn(const Rollouts& made, const std::vector<float>& returns, Baseline& baseline,
           Policy& policy) {
  struct Step {
    std::size_t state, entry;
    double advantage;
  };
  std::vector<Step> steps;
  double squares = 0.0;
  for (std::size_t k = 0; k < rollouts; ++k) {
    for (std::size_t t = 0; t < made.lengths[k]; ++t) {
      const std::size_t entry = k * max_viewpoints + t;
      const std::size_t state = policy.state(made.reference[k], made.viewpoints[entry]);
      const double advantage = baseline.advantage(state, returns[entry]);
      steps.push_back({state, entry, advantage});
      squares += advantage * advantage;
    }
  }
  const double scale = learning_rate /
                       (std::sqrt(squares / static_cast<double>(steps.size())) + 1e-9) /
                       static_cast<double>(rollouts_per_reference);
  std::vector<double> change(policy.states() * Policy::max_actions);
  for (const Step& step : steps) {
    const Node at = made.viewpoints[step.entry];
    double p[Policy::max_actions];
    policy.probabilities(step.state / (policy.states() / references), at, p);
    for (std::size_t a = 0; a < policy.actions(at); ++a) {
      const double is_chosen = a == made.actions[step.entry] ? 1.0 : 0.0;
      change[step.state * Policy::max_actions + a] += scale * step.advantage * (is_chosen - p[a]);
    }
  }
  for (std::size_t k = 0; k < change.size(); ++k) policy.logits(0)[k] += change[k];
}

struct Result {
  double success, ndtw;
};

// Scores rollouts of the trained policy as an evaluation would.
Result evaluate(const World& world, const Rollouts& made) {
  warpath::PairBatch batch;
  batch.scans = {&world.scan};
  batch.references = world.references;
  for (std::uint32_t k = 0; k < rollouts; ++k) {
    const Node* path = made.viewpoints.data() + k * max_viewpoints;
    batch.queries.elements.insert(batch.queries.elements.end(), path, path + made.lengths[k]);
    batch.pairs.push_back(
        {.scan = 0, .reference = made.reference[k], .query = batch.queries.end_path()});
  }
  const warpath::Scorer scorer(batch.scans, warpath::Convention{},
                               {.metrics = {Metric::SR, Metric::nDTW}});
  const auto statistics = scorer.statistics(batch);
  return {*statistics.summary.of(Metric::SR).mean(), *statistics.summary.of(Metric::nDTW).mean()};
}

Result train(const World& world, const char* reward, int epochs) {
  const warpath::Scan* scans[]{&world.scan};
  const std::vector<std::uint32_t> scan_of(references, 0);
  const warpath::Rewards rewards(scans, world.references, scan_of,
                                 warpath::find_reward_preset(reward).settings);
  Random random(2);
  Policy policy(world.scan);
  Baseline baseline(policy.states());
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const Rollouts made = policy.sample(world.references, random);
    learn(made, returns_of(made, rewards), baseline, policy);
  }
  return evaluate(world, policy.sample(world.references, random));
}

}  // namespace

int main(int argc, char** argv) {
  const int epochs = argc > 1 ? std::atoi(argv[1]) : 300;
  const World world = make_world();
  const Result goal = train(world, "goal", epochs), ndtw = train(world, "ndtw-gain", epochs);
  std::printf("trained on   SR     nDTW\n");
  std::printf("goal         %.3f  %.3f\n", goal.success, goal.ndtw);
  std::printf("ndtw-gain    %.3f  %.3f\n", ndtw.success, ndtw.ndtw);
  const bool follows_better = ndtw.ndtw > goal.ndtw;
  std::printf("the agent trained on nDTW %s\n",
              follows_better ? "follows its references better" : "does not follow better");
  return follows_better ? 0 : 1;
}
