// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_NETWORK_PAGE_H
#define ROCE_NETWORK_PAGE_H

#include "roce-network-boxes.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::roce
{

/**
 * @brief A picture of a network: a page (HTML with SVG) that needs no other file.
 *
 * Datacenters lie side by side, with hosts at the bottom and a row for each tier of switches. Pods
 * have frames. Links have the colour of their rate and delay, and say what they are under the
 * mouse.
 */
class NetworkPage
{
  public:
    /// @param network with its hosts, switches and links
    explicit NetworkPage(const Network& network);

    /// @param path file to create or empty. @throw InputError if it cannot be written
    void Write(const std::string& path) const;

  private:
    /// The middle of a box.
    struct Place
    {
        double x{0};
        double y{0};
    };

    double PlaceDatacenter(const std::vector<std::size_t>& boxes, double left);
    void Spread(std::vector<std::size_t>& row, double left, double width);
    double GetWish(std::size_t box) const;
    void RaiseLines();
    double GetBottom() const;
    std::string DrawFrames() const;
    std::string DrawLines() const;
    std::string DrawBoxes() const;
    std::string MakeLegend() const;

    const NetworkBoxes m_net;
    std::vector<Place> m_places;                            //!< by box
    std::map<uint32_t, std::pair<double, double>> m_widths; //!< left and right of datacenters
    std::vector<double> m_rises; //!< by line: of the middle of its curve, twice
    double m_width{0};
    double m_top; //!< of the first row
};

} // namespace ns3::roce

#endif /* ROCE_NETWORK_PAGE_H */
