#include "host/submission/validate.hpp"

#include <algorithm>

namespace warpath {

Server server_of(const Dataset& dataset) {
  if (dataset.episodes) {
    const auto& ids = dataset.episodes->instruction_ids;
    const bool has_ids = std::ranges::any_of(ids, [](const auto& id) { return !id.empty(); });
    return has_ids ? Server::rxr_habitat : Server::vlnce;
  }
  switch (dataset.format) {
    case DatasetFormat::reverie:
      return Server::reverie;
    case DatasetFormat::soon:
      return Server::soon;
    default:
      return Server::r2r;
  }
}

std::vector<Finding> validate(Inputs& inputs, std::size_t agent) {
  return validate(inputs, agent, server_of(inputs.dataset));
}

std::vector<Finding> validate(Inputs& inputs, std::size_t agent, Server server) {
  switch (server) {
    case Server::soon:
      return check_soon(inputs, agent);
    case Server::vlnce:
    case Server::rxr_habitat:
      return check_episodes(inputs, agent, server);
    default:
      return check_r2r(inputs, agent);
  }
}

}  // namespace warpath
