// Tests GraphStore: scans from files and from arrays, what it refuses, and several threads.

#include "warpath/graph_store.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <thread>

#include "host/files/formats/graphs.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/good_files.hpp"
#include "warpath/distances.hpp"
#include "warpath/error.hpp"

namespace warpath::testing {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A street of three viewpoints, 1 m and 2 m apart, without positions.
ScanData street_data() {
  return {.id = "street", .viewpoints = {"a", "b", "c"}, .edges = {{0, 1, 1.0}, {1, 2, 2.0}}};
}

// The same street as distances, and a viewpoint that no path joins to it.
ScanData matrix() {
  return {.id = "matrix",
          .viewpoints = {"a", "b", "c", "far"},
          .distances = {0, 1, 3, infinity,  //
                        1, 0, 2, infinity,  //
                        3, 2, 0, infinity,  //
                        infinity, infinity, infinity, 0}};
}

std::string refusal_of(const ScanData& data) {
  GraphStore store;
  try {
    store.add(data);
  } catch (const InputError& e) {
    EXPECT_EQ(e.where().file, "scan " + data.id);
    EXPECT_FALSE(e.remedy().empty());
    return e.what();
  }
  return "";
}

void expect_refused(const ScanData& data, const std::string& says) {
  const std::string problem = refusal_of(data);
  EXPECT_NE(problem.find(says), std::string::npos) << says << "\n" << problem;
}

TEST(GraphStore, HoldsScansOfArrays) {
  GraphStore store;
  const Scan& added = store.add(street_data());
  EXPECT_EQ(&store.scan("street"), &added);
  EXPECT_EQ(added.size(), 3u);
  EXPECT_EQ(added.find("c"), Node{2});
  EXPECT_FALSE(added.has_positions());
  EXPECT_EQ(Distances(added, Distance::euclid_3d).between(0, 2), 3.0);
  ScanData placed = street_data();
  placed.id = "placed";
  placed.positions = {{0, 0, 0}, {3, 4, 0}, {3, 4, 12}};
  placed.edges = {{0, 1}, {1, 2}};
  EXPECT_EQ(Distances(store.add(placed), Distance::euclid_3d).between(0, 2), 17.0);
  EXPECT_EQ(store.scan("placed").positions()[1][1], 4.0);
  EXPECT_EQ(store.loaded(), (std::vector<std::string>{"placed", "street"}));
  EXPECT_EQ(store.path(), "");
}

TEST(GraphStore, ReadsAFolderWhenAScanIsAskedForAndAddsToIt) {
  const Scene scene;
  GraphStore store(scene.graphs);
  EXPECT_EQ(store.path(), scene.graphs);
  EXPECT_TRUE(store.loaded().empty());
  EXPECT_EQ(store.scan("s").size(), 4u);
  store.add(street_data());
  EXPECT_EQ(store.loaded(), (std::vector<std::string>{"s", "street"}));
  EXPECT_THROW(store.scan("other"), InputError);
  ScanData same = street_data();
  same.id = "s";
  EXPECT_THROW(store.add(same), InputError);
  EXPECT_EQ(store.scan("s").size(), 4u);
  EXPECT_THROW(GraphStore("-"), UsageError);
  EXPECT_THROW(GraphStore(scene.folder.path("none")), InputError);
}

TEST(GraphStore, NamesAScanThatItDoesNotHave) {
  const GraphStore store;
  EXPECT_EQ(error_of_call([&] { store.scan("s"); }),
            "graphs in memory: scan s: has no graph; add the scan to the store");
}

TEST(GraphStore, RefusesArraysThatAreNoGraph) {
  EXPECT_EQ(refusal_of(street_data()), "");
  ScanData data = street_data();
  data.viewpoints = {"a", "b", "a"};
  expect_refused(data, "scan street: a: the node is there twice");
  data = street_data();
  data.positions = {{0, 0, 0}};
  expect_refused(data, "scan street: positions: should have 3 elements, has 1");
  data.positions = {{0, 0, 0}, {0, std::nan(""), 0}, {0, 0, 0}};
  expect_refused(data, "scan street: b: position: is nan");
  data.positions = {{0, 0, 0}, {0, 0, 0}, {0, 0, 2e7}};
  expect_refused(data, "scan street: c: position: is 20000000, which is beyond");
  data = street_data();
  data.edges.push_back({2, 3});
  expect_refused(data, "scan street: edge 2: joins viewpoint 3, but there are 3");
  data.edges.back() = {2, 2};
  expect_refused(data, "scan street: edge 2: joins a node with itself");
  data.edges.back() = {2, 1, 5.0};
  expect_refused(data, "scan street: edge 2: c and b are joined with the weight 5 here");
  data.edges.back() = {0, 2, -1.0};
  expect_refused(data, "scan street: edge 2: weight: is negative");
  data.edges.back() = {0, 2, infinity};
  expect_refused(data, "scan street: edge 2: weight: is inf");
}

TEST(GraphStore, RefusesDistancesThatAreNone) {
  EXPECT_EQ(refusal_of(matrix()), "");
  ScanData data = matrix();
  data.distances.pop_back();
  expect_refused(data, "scan matrix: distances: should have 16 elements, has 15");
  const auto with = [](std::size_t element, double value) {
    ScanData changed = matrix();
    changed.distances[element] = value;
    return changed;
  };
  expect_refused(with(5, 1.0), "scan matrix: from b to b: distances: is 1");
  expect_refused(with(1, -1.0), "scan matrix: from a to b: distances: is -1");
  expect_refused(with(4, std::nan("")), "scan matrix: from b to a: distances: is nan");
  EXPECT_EQ(refusal_of(with(3, 7.0)), "") << "distances may differ by direction";
  data = matrix();
  data.edges = {{0, 1}, {2, 3}};
  expect_refused(data, "scan matrix: edge 1: joins c and far, whose distance is infinite");
  data.distances[11] = 1.0;  // from c to far
  expect_refused(data, "scan matrix: edge 1: joins c and far, whose distance is infinite");
  data.is_directed = true;
  EXPECT_EQ(refusal_of(data), "");
}

TEST(GraphStore, HoldsDirectedScans) {
  GraphStore store;
  ScanData data = street_data();
  data.is_directed = true;
  data.edges.push_back({1, 0, 7.0});
  const Scan& scan = store.add(data);
  Distances distances(scan, Distance::euclid_3d);
  EXPECT_EQ(distances.between(0, 2), 3.0);
  EXPECT_EQ(distances.between(1, 0), 7.0);
  EXPECT_EQ(distances.between(2, 1), infinity);
  data.edges.back() = {0, 1, 7.0};
  expect_refused(data,
                 "scan street: edge 2: a and b are joined with the weight 7 here, with the "
                 "weight 1 at edge 0; keep one of the two edges");
}

TEST(ReadyDistances, AreTakenAsTheyAre) {
  GraphStore store;
  ScanData data = matrix();
  data.distances[2] = data.distances[8] = 7.0;  // a to c: further than the way over b
  const Scan& scan = store.add(data);
  Distances distances(scan, Distance::euclid_3d);
  EXPECT_EQ(distances.between(0, 2), 7.0);
  EXPECT_EQ(distances.row(2)[0], 7.0);
  EXPECT_EQ(distances.row(0)[3], infinity);
  EXPECT_EQ(distances.edge(0, 2), 7.0);
  EXPECT_TRUE(std::isnan(distances.edge(0, 3)));
  EXPECT_EQ(distances.path(0, 2), (std::vector<Node>{0, 2}));
  EXPECT_EQ(distances.path(1, 1), (std::vector<Node>{1}));
  EXPECT_TRUE(distances.path(0, 3).empty());
  EXPECT_TRUE(scan.adjacent(0, 2));
  EXPECT_FALSE(scan.adjacent(0, 3));
  EXPECT_FALSE(scan.adjacent(1, 1));
  EXPECT_EQ(scan.isolated(), (std::vector<Node>{3}));
  EXPECT_THROW(Distances(scan, Distance::hops), InputError);
}

TEST(ReadyDistances, GoWithEdges) {
  GraphStore store;
  ScanData data = matrix();
  data.edges = {{0, 1}, {1, 2, 2.5}};
  const Scan& scan = store.add(data);
  Distances metres(scan, Distance::euclid_2d);
  EXPECT_EQ(metres.between(0, 2), 3.0);
  EXPECT_EQ(metres.edge(0, 1), 1.0);  // its distance
  EXPECT_EQ(metres.edge(1, 2), 2.5);  // its own weight
  EXPECT_TRUE(std::isnan(metres.edge(0, 2)));
  EXPECT_EQ(metres.path(0, 2), (std::vector<Node>{0, 1, 2}));
  EXPECT_FALSE(scan.adjacent(0, 2));
  EXPECT_EQ(Distances(scan, Distance::hops).between(0, 2), 2.0);
}

TEST(GraphStore, GivesSeveralThreadsTheSameScans) {
  const Scene scene;
  GraphStore store(scene.graphs);
  std::vector<const Scan*> got(8);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < got.size(); ++k) {
    threads.emplace_back([&, k] {
      ScanData data = street_data();
      data.id = std::to_string(k);
      store.add(data);
      got[k] = &store.scan("s");
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Scan* scan : got) EXPECT_EQ(scan, got[0]);
  EXPECT_EQ(store.loaded().size(), 9u);
}

TEST(GraphsOfAStore, DescribeOnlyWhatOneEvaluationTook) {
  const Scene scene;
  const auto store = std::make_shared<GraphStore>(scene.graphs);
  store->add(street_data());
  formats::Graphs both(store, "", 0), one(store, "", 0), file(scene.graphs);
  both.scan("s");
  both.scan("street");
  one.scan("s");
  file.scan("s");
  EXPECT_EQ(both.scans().size(), 2u);
  EXPECT_EQ(both.format_description(), "Matterport3DSimulator connectivity, arrays");
  EXPECT_EQ(one.hash(), file.hash());
  EXPECT_NE(both.hash(), one.hash());
  EXPECT_EQ(one.format_description(), file.format_description());
  EXPECT_EQ(one.source_of("street"), scene.graphs);
  EXPECT_THROW(one.scan("none"), InputError);
  EXPECT_EQ(one.scans().size(), 1u);
  one.require(std::vector<std::string>{"s", "street"});
  EXPECT_THROW(one.require(std::vector<std::string>{"s", "none"}), InputError);
  EXPECT_THROW(formats::Graphs(store, "folder", 0), UsageError);
}

TEST(GraphsOfAStore, HashArraysByTheirContent) {
  const auto hash_of = [](const ScanData& data) {
    const auto store = std::make_shared<GraphStore>();
    store->add(data);
    formats::Graphs graphs(store, "", 0);
    graphs.scan(data.id);
    return graphs.hash();
  };
  const std::string hash = hash_of(street_data());
  EXPECT_EQ(hash_of(street_data()), hash);
  ScanData other = street_data();
  other.edges[1].weight = 2.5;
  EXPECT_NE(hash_of(other), hash);
  other = street_data();
  other.viewpoints[2] = "d";
  EXPECT_NE(hash_of(other), hash);
  other = street_data();
  other.is_directed = true;
  EXPECT_NE(hash_of(other), hash);
  other = matrix();
  const std::string of_matrix = hash_of(matrix());
  other.distances[1] = other.distances[4] = 1.5;
  EXPECT_NE(hash_of(other), of_matrix);
}

}  // namespace
}  // namespace warpath::testing
