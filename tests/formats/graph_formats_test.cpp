// Tests that every graph format is recognised and read to the same edges, and that scans without a
// graph are named.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "host/files/formats/graphs.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/files.hpp"
#include "warpath/evaluate.hpp"

namespace warpath::testing {
namespace {

using Names = std::vector<std::string>;

const std::string street_nodes = "p,0,40.0,-74.0\nq,90,40.001,-74.0\nr,5,40.0,-73.999\n";
const std::string one_viewpoint =
    R"([{"image_id":"a","pose":[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1],"included":true,"unobstructed":[false]}])";

std::optional<double> edge(const Scan& scan, const std::string& from, const std::string& to,
                           Distance distance = Distance::euclid_3d) {
  const std::optional<Node> a = scan.find(from), b = scan.find(to);
  if (!a || !b) return std::nullopt;
  const std::vector<double> lengths = scan.edge_lengths(distance);
  std::size_t e = scan.first_edge(*a);
  for (const Node next : scan.neighbours(*a)) {
    if (next == *b) return lengths[e];
    ++e;
  }
  return std::nullopt;
}

void expect_problem(const TemporaryFolder& folder, const std::string& name, const std::string& text,
                    const std::string& says) {
  formats::Graphs graphs(folder.write(name, text));
  const std::string problem = error_of_call([&] { graphs.scan("s"); });
  EXPECT_NE(problem.find(says), std::string::npos) << text << "\n" << problem;
  EXPECT_NE(problem.find(name), std::string::npos) << problem;
}

TEST(PlainGraphs, AcceptAnEdgeInBothDirections) {
  const TemporaryFolder folder;
  const std::string nodes =
      R"({"nodes":[{"id":"a","position":[0,0]},{"id":"b","position":[3,4]}],)";
  for (const std::string edges :
       {R"("edges":[["a","b"],["b","a"],["a","b"]]})", R"("edges":[["a","b",5],["b","a",5]]})"}) {
    formats::Graphs graphs(folder.write("g.json", nodes + edges));
    EXPECT_EQ(graphs.scan("s").edge_count(), 1u);
    EXPECT_EQ(edge(graphs.scan("s"), "b", "a"), 5.0);
    EXPECT_EQ(graphs.format_description(), "plain graph");
  }
  expect_problem(folder, "g.json", nodes + R"("edges":[["a","b",5],["a","b"],["b","a",6]]})",
                 "edge 1: a and b are joined with no weight here, with the weight 5 at edge 0");
  expect_problem(folder, "g.json", nodes + R"("edges":[["a","b",5],["b","a",6]]})",
                 "edge 1: b and a are joined with the weight 6 here, with the weight 5 at edge 0");
}

TEST(PlainGraphs, MayBeDirected) {
  const TemporaryFolder folder;
  const std::string nodes =
      R"({"nodes":[{"id":"a","position":[0,0]},{"id":"b","position":[3,4]}],)";
  const auto scan_of = [&](const std::string& rest) {
    return formats::Graphs(folder.write("g.json", nodes + rest)).scan("s").edge_count();
  };
  formats::Graphs graphs(folder.write("g.json", nodes + R"("directed":true,"edges":[["a","b"]]})"));
  EXPECT_EQ(edge(graphs.scan("s"), "a", "b"), 5.0);
  EXPECT_TRUE(graphs.scan("s").is_directed());
  EXPECT_FALSE(graphs.scan("s").adjacent(1, 0));
  EXPECT_EQ(scan_of(R"("directed":true,"edges":[["a","b",5],["b","a",6]]})"), 2u);
  EXPECT_EQ(scan_of(R"("directed":false,"edges":[["a","b",5],["b","a",5]]})"), 1u);
  expect_problem(folder, "g.json", nodes + R"("directed":true,"edges":[["a","b",5],["a","b",6]]})",
                 "with the weight 5 at edge 0; keep one of the two edges");
  expect_problem(folder, "g.json", nodes + R"("directed":1,"edges":[]})",
                 "directed: is neither true nor false");
}

TEST(PlainGraphs, AcceptViewpointsWithoutPositions) {
  const TemporaryFolder folder;
  for (const std::string last : {"null", "[1,2,3]"}) {
    const std::string nodes =
        R"({"nodes":[{"id":"a","position":null},{"id":"b","position":)" + last + "}],";
    formats::Graphs weighted(folder.write("g.json", nodes + R"("edges":[["a","b",5]]})"));
    EXPECT_FALSE(weighted.scan("s").has_positions());
    EXPECT_EQ(edge(weighted.scan("s"), "a", "b"), 5.0);
    formats::Graphs bare(folder.write("g.json", nodes + R"("edges":[["a","b"]]})"));
    EXPECT_EQ(edge(bare.scan("s"), "a", "b", Distance::hops), 1.0);
    const std::string problem = error_of_call([&] { edge(bare.scan("s"), "a", "b"); });
    EXPECT_NE(problem.find("has no weight, and its viewpoints have no positions"),
              std::string::npos)
        << problem;
  }
  expect_problem(folder, "g.json", R"({"nodes":[{"id":"a"}],"edges":[]})", "no key 'position'");
}

TEST(EdgeLists, AreReadWithAndWithoutAHeader) {
  const TemporaryFolder folder;
  for (const std::string text :
       {"a,b,2.5\nb,c,1\n", "from,to,weight\r\na, b, 2.5\r\n\r\nb,c,1\r\n", "a b 2.5\nb c 1",
        "weight,Target,note,source\n2.5,b,x,a\n1,c,,b\n1,b,,c\n",
        "\"from\",\"to\",\"weight\"\n\"a\",\"b\",2.5\nb,\"c\",1\n"}) {
    for (const bool packed : {false, true}) {
      formats::Graphs graphs(packed ? folder.write("g.csv.gz", gzip(text))
                                    : folder.write("g.csv", text));
      const Scan& scan = graphs.scan("s");
      EXPECT_EQ(scan.size(), 3u) << text;
      EXPECT_EQ(scan.edge_count(), 2u);
      EXPECT_EQ(edge(scan, "a", "b"), 2.5);
      EXPECT_EQ(edge(scan, "b", "a", Distance::euclid_2d), 2.5);
      EXPECT_EQ(edge(scan, "c", "b", Distance::hops), 1.0);
      EXPECT_EQ(graphs.format_description(), "CSV edge list");
    }
  }
}

TEST(PlainGraphs, UseTheLastOfTwoScanKeys) {
  const TemporaryFolder folder;
  formats::Graphs graphs(
      folder.write("g.json", R"({"scan":"zz","scan":"s","nodes":[],"edges":[]})"));
  EXPECT_EQ(graphs.scan("s").size(), 0u);
}

TEST(EdgeLists, HaveLengthsInHopsOnlyWithoutWeights) {
  const TemporaryFolder folder;
  formats::Graphs graphs(folder.write("g.csv", "from,to\na,b\nb,c\n"));
  EXPECT_EQ(edge(graphs.scan("s"), "a", "b", Distance::hops), 1.0);
  const std::string problem = error_of_call([&] { edge(graphs.scan("s"), "a", "b"); });
  EXPECT_NE(problem.find("scan s: the edge from a to b has no weight"), std::string::npos)
      << problem;
  EXPECT_NE(problem.find("--distance hops"), std::string::npos) << problem;
}

TEST(EdgeLists, ReadSeveralScans) {
  const TemporaryFolder folder;
  formats::Graphs graphs(folder.write("g.csv", "scan,from,to,weight\nx,a,b,1\ny,a,b,2\nx,b,c,3\n"));
  graphs.require(Names{"x", "y"});
  EXPECT_EQ(graphs.scan("x").size(), 3u);
  EXPECT_EQ(edge(graphs.scan("y"), "a", "b"), 2.0);
  EXPECT_NE(error_of_call([&] {
              graphs.require(Names{"x", "z"});
            }).find("1 of the dataset's 2 scans has no graph: z; name the folder"),
            std::string::npos);
}

TEST(EdgeLists, ReadAFirstLineAsAnEdgeIfItsNodesOccurOrItIsAlone) {
  const TemporaryFolder folder;
  for (const std::string text : {"a,b\n", "a,b\nc,a\n", "a,b,1\nc,d,1\n", "from,to\na,b\nc,d\n"}) {
    formats::Graphs graphs(folder.write("g.csv", text));
    EXPECT_EQ(edge(graphs.scan("s"), "a", "b", Distance::hops), 1.0) << text;
  }
}

TEST(EdgeLists, ServeOnlyOneScanWithoutAScanColumn) {
  const TemporaryFolder folder;
  formats::Graphs graphs(folder.write("g.csv", "a,b,1\nb,c,1\n"));
  const Scan& scan = graphs.scan("x");
  EXPECT_NE(error_of_call([&] { graphs.scan("y"); }).find("scan y: the file's graph is in use"),
            std::string::npos);
  EXPECT_EQ(&graphs.scan("x"), &scan);
}

TEST(EdgeLists, NameErrors) {
  const TemporaryFolder folder;
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {"", "has no edges"},
           {"from,to,weight\n", "has no edges"},
           {"a,b,1\na\n", "line 2: is no edge"},
           {"scan,from,to\ns,a,b\n,b,c\n", "line 3: scan: is empty; name the scan of each edge"},
           {"node1,node2\na,b\nb,c\n",
            "first line: node1, node2 are neither columns that are known"},
           {"node1,node2\na,b,1\nb,c,2\n",
            "from (or source), to (or target), weight (or distance)"},
           {"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a Git LFS pointer"},
           {"<html>\n<body>\n", "a web page"},
           {"a,b,1,s\n", "line 1: is no edge; write from,to,weight, or name the columns"},
           {"a,,1\n", "line 1: is no edge"},
           {"node1,node2,dist\na,b,1\n",
            "weight: 'dist' is no finite number; write from,to,weight, or name the columns"},
           {"a,b,far\n", "line 1: weight: 'far' is no finite number"},
           {"a,b,nan\n", "line 1: weight: 'nan' is no finite number"},
           {"a,b,-1\n", "line 1: weight: is negative, -1"},
           {"a,b,2e7\n", "line 1: weight: is 20000000, which is beyond"},
           {"a,a,1\n", "line 1: joins a node with itself"},
           {"a,b,1\nb,a,2\n",
            "line 2: b and a are joined with the weight 2 here, with the weight 1 at line 1"}}) {
    expect_problem(folder, "g.csv", text, says);
  }
}

TEST(NavigableGraphs, UseDistancesAsWeights) {
  const TemporaryFolder folder;
  folder.write("s_navigable.json.gz",
               gzip(R"({"a":{"b":{"heading":0.5,"elevation":0,"distance":2.0}},
                        "b":{"a":{"distance":2.0004},"c":{"distance":1}},"c":{"b":{"distance":1}}})"));
  formats::Graphs graphs(folder.path());
  graphs.require(Names{"s"});
  EXPECT_EQ(edge(graphs.scan("s"), "b", "a"), 2.0);
  EXPECT_EQ(graphs.scan("s").edge_count(), 2u);
  EXPECT_EQ(graphs.format_description(), "NavGPT navigable graph");
}

TEST(PlainGraphs, MayBeginWithAnObject) {
  const TemporaryFolder folder;
  formats::Graphs graphs(folder.write("g.json", R"({"meta":{"by":"us"},"nodes":[],"edges":[]})"));
  EXPECT_EQ(graphs.scan("s").size(), 0u);
  EXPECT_EQ(graphs.format_description(), "plain graph");
}

TEST(NavigableGraphs, NameErrors) {
  const TemporaryFolder folder;
  for (const auto& [text, says] : std::vector<std::pair<std::string, std::string>>{
           {R"({"a":{"b":{"distance":2}},"b":{"a":{"distance":2.01}}})",
            "b to a: b and a are joined with the weight 2.01 here, with the weight 2 at a to b"},
           {R"({"a":{"b":{"distance":2}},"b":{}})", "b: does not name a as its neighbour"},
           {R"({"a":{"b":{"distance":2}}})", "a to b: names the node 'b', which is not there"},
           {R"({"a":{"b":{"heading":2}},"b":{}})", "a to b: no key 'distance'; found heading"},
           {R"({"a":{"b":2},"b":{}})", "a to b: should be an object"}}) {
    expect_problem(folder, "s_navigable.json", text, says);
  }
}

TEST(StreetGraphs, ServeEveryScanFromAFolder) {
  const TemporaryFolder folder;
  for (const bool with_commas : {true, false}) {
    std::string nodes = street_nodes, links = "p,0,q\nq,180,p\np,90,r\n";
    if (!with_commas) {
      std::ranges::replace(nodes, ',', ' ');
      std::ranges::replace(links, ',', ' ');
    }
    folder.write("nodes.txt", nodes);
    folder.write("links.txt", links);
    formats::Graphs graphs(folder.path());
    graphs.require(Names{"touchdown", "another"});
    const Scan& scan = graphs.scan("touchdown");
    EXPECT_EQ(&graphs.scan("touchdown"), &scan);
    EXPECT_EQ(graphs.scan("another").size(), 3u);
    EXPECT_EQ(scan.edge_count(), 2u);  // one was given in both directions
    constexpr double degree = 6371008.8 * 3.14159265358979 / 180.0;
    EXPECT_NEAR(*edge(scan, "p", "q"), 0.001 * degree, 1e-6);
    EXPECT_NEAR(*edge(scan, "p", "r"), 0.001 * degree * std::cos(40.000333 / 57.2957795), 1e-5);
    EXPECT_EQ(edge(scan, "r", "p", Distance::hops), 1.0);
    EXPECT_EQ(graphs.format_description(), "Touchdown nodes and links");
    ASSERT_EQ(graphs.notes().size(), 1u);
    EXPECT_NE(graphs.notes()[0].find("--distance hops"), std::string::npos);
  }
}

TEST(StreetGraphs, KeepTheLastLinkOfAHeading) {
  const TemporaryFolder folder;
  std::string nodes = street_nodes;
  for (std::size_t end = 0; (end = nodes.find('\n', end)) != std::string::npos; end += 6) {
    nodes.insert(end, ",seen");  // VELMA's fifth cell
  }
  folder.write("nodes.txt", nodes);
  folder.write("links.txt", "p,0,q\nq,180,p\np,90,q\np,90,r\np,270,r\n");
  const formats::Graphs graphs(folder.path());
  const formats::HeadingLinks& links = *graphs.heading_links("s");
  const auto node = [&](const char* id) { return *links.scan.find(id); };
  EXPECT_TRUE(links.scan.is_directed());
  EXPECT_TRUE(links.scan.adjacent(node("p"), node("r")));
  EXPECT_FALSE(links.scan.adjacent(node("r"), node("p")));
  EXPECT_TRUE(links.scan.adjacent(node("q"), node("p")));
  EXPECT_EQ(links.headings[node("p")], 3u);  // two of them lead to r
  EXPECT_EQ(links.headings[node("r")], 0u);
  folder.write("g.csv", "a,b,1\n");
  EXPECT_EQ(formats::Graphs(folder.path("g.csv")).heading_links("s"), nullptr);
}

TEST(StreetGraphs, NameErrors) {
  const TemporaryFolder folder;
  const auto problem = [&](const std::string& nodes, const std::string& links) {
    folder.write("nodes.txt", nodes);
    folder.write("links.txt", links);
    return error_of_call([&] { formats::Graphs(folder.path()).scan("s"); });
  };
  for (const auto& [nodes, links, says] : std::vector<std::array<std::string, 3>>{
           {"p,0,40\n", "", "nodes.txt: line 1: has 3 of 4 cells; write pano,yaw,lat,lng"},
           {"p,0,40,0,new\n", "",
            "nodes.txt: line 1: has 'new' in its fifth cell; write pano,yaw,lat,lng, and behind it "
            "seen or unseen"},
           {"p,0,91,0\n", "", "nodes.txt: line 1: lat: is 91, which is beyond 90 degrees"},
           {"p,0,40,x\n", "", "nodes.txt: line 1: lng: 'x' is no finite number"},
           {"p,0,40,0\np,0,40,1\n", "", "nodes.txt: p: the node is there twice"},
           {"", "", "nodes.txt: has no panoramas"},
           {street_nodes, "404: Not Found", "links.txt: the answer 404: Not Found, not the file"},
           {street_nodes, "p,q\n", "links.txt: line 1: has 2 of 3 cells; write start,heading,end"},
           {street_nodes, "p,0,z\n",
            "links.txt: line 1: names the node 'z', which is not there"}}) {
    EXPECT_NE(problem(nodes, links).find(says), std::string::npos) << problem(nodes, links);
  }
}

// ---------------------------------------------------------------- scans without a graph

TEST(Graphs, NameAllFormatsOfAFolder) {
  const TemporaryFolder folder;
  folder.write("x_connectivity.json", one_viewpoint);
  folder.write("y.csv", "a,b,1\n");
  formats::Graphs graphs(folder.path());
  graphs.require(Names{"x", "y"});
  EXPECT_EQ(graphs.format_description(), "");  // read when asked for
  graphs.scan("x");
  graphs.scan("y");
  EXPECT_EQ(graphs.format_description(), "CSV edge list, Matterport3DSimulator connectivity");
}

TEST(Graphs, RequireNamesTheScansWithoutAGraph) {
  const TemporaryFolder folder;
  const Names scans{"a", "b", "c", "d", "e", "f", "x"};
  const std::string file = folder.write("x_connectivity.json.gz", gzip(one_viewpoint));
  const std::string says =
      "6 of the dataset's 7 scans have no graph: a, b, c, d, e, …; "
      "name the folder that has <scan>_connectivity.json";
  for (const std::string& path : {file, folder.path()}) {
    const std::string problem = error_of_call([&] { formats::Graphs(path).require(scans); });
    EXPECT_NE(problem.find(says), std::string::npos) << problem;
    EXPECT_NO_THROW(formats::Graphs(path).require(Names{"x"}));
  }
}

TEST(Graphs, ServeOneScanFromAFileThatNamesNone) {
  const TemporaryFolder folder;
  for (const auto& [name, text] :
       std::vector<std::pair<std::string, std::string>>{{"g.json", R"({"nodes":[],"edges":[]})"},
                                                        {"g.csv", "a,b,1\n"},
                                                        {"c.json", one_viewpoint}}) {
    formats::Graphs graphs(folder.write(name, text));
    EXPECT_NO_THROW(graphs.require(Names{"x"}));
    const std::string problem = error_of_call([&] { graphs.require(Names{"x", "y"}); });
    EXPECT_NE(problem.find("does not say which of the dataset's 2 scans it is the graph of: x, y"),
              std::string::npos)
        << problem;
  }
}

TEST(Graphs, LeaveOutAScanThatFailed) {
  const TemporaryFolder folder;
  folder.write("x.csv", "a,a,1\n");
  formats::Graphs graphs(folder.path());
  EXPECT_NE(error_of_call([&] { graphs.scan("x"); }).find("joins a node"), std::string::npos);
  EXPECT_NE(error_of_call([&] { graphs.scan("y"); }).find("scan y: has no graph; name the folder"),
            std::string::npos);
  EXPECT_TRUE(graphs.scans().empty());
  EXPECT_EQ(graphs.format_description(), "");
  EXPECT_TRUE(graphs.notes().empty());
}

TEST(Graphs, AreRefusedFromStandardInput) {
  const CliResult result = run({"eval", "--graphs", "-", "--dataset", "d.json", "p.json"});
  EXPECT_EQ(result.code, 2);
  EXPECT_NE(result.err.find("graphs cannot come from standard input"), std::string::npos)
      << result.err;
}

TEST(Graphs, NameScansWithoutAGraphInEveryCommand) {
  const TemporaryFolder folder;
  const std::string graphs = folder.write("g.csv", "a,b,1\n");
  const std::string pairs =
      folder.write("pairs.jsonl", R"({"id":"1","scan":"x","reference":["a"],"prediction":["a"]})"
                                  "\n"
                                  R"({"id":"2","scan":"y","reference":["a"],"prediction":["a"]})"
                                  "\n");
  const CliResult result = run({"explain", "--graphs", graphs, "--pairs", pairs, "--item", "1"});
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("which of the dataset's 2 scans it is the graph of"), std::string::npos)
      << result.err;
}

TEST(Graphs, NameScansWithoutAGraphBeforeScoring) {
  const TemporaryFolder folder;
  EvalFiles files;
  files.graphs = folder.write("x_connectivity.json", one_viewpoint);
  files.pairs =
      folder.write("pairs.jsonl", R"({"id":"1","scan":"x","reference":["a"],"prediction":["a"]})"
                                  "\n"
                                  R"({"id":"2","scan":"y","reference":["a"],"prediction":["a"]})"
                                  "\n");
  EXPECT_NE(error_of_call([&] { Evaluator evaluator(files); }).find("scans has no graph: y"),
            std::string::npos);
}

}  // namespace
}  // namespace warpath::testing
