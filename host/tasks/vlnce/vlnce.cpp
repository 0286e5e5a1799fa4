#include <algorithm>

#include "host/tasks/list.hpp"
#include "host/tasks/vlnce/episodes.hpp"
#include "host/tasks/vlnce/servers.hpp"

namespace warpath::vlnce {
namespace {

const submission::Server& server_of_episodes(const formats::Dataset& dataset) {
  const std::vector<std::string>& ids = dataset.episodes->instruction_ids;
  const bool has_ids = std::ranges::any_of(ids, [](const auto& id) { return !id.empty(); });
  return has_ids ? rxr_habitat_server : vlnce_server;
}

}  // namespace

const tasks::Task vlnce_task{.form = "vlnce",
                             .title = "VLN-CE episodes",
                             .name = "VLN-CE",
                             .list_key = "episodes",
                             .recognises_own = is_episode,
                             .make_reader = make_episode_reader,
                             .read_ground_truth = read_ground_truth,
                             .servers = vlnce_servers,
                             .choose_server = server_of_episodes};

}  // namespace warpath::vlnce
