// SPDX-License-Identifier: GPL-2.0-only
#include "roce-network-page.h"

#include "roce-buffered-file.h"
#include "roce-netanim-file.h"

#include "ns3/roce-parameter-kinds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <sstream>

namespace ns3::roce
{

namespace
{

constexpr double ROW = 110;        //!< between tiers, as all lengths in pixels
constexpr double GAP = 40;         //!< between datacenters
constexpr double POD_GAP = 14;     //!< between pods
constexpr double TOP = 44;         //!< above the first row at least
constexpr double BELOW = 56;       //!< under the last one, with the name of the datacenter
constexpr double NAME_HEIGHT = 40; //!< more, for names of single hosts
constexpr double BOX_HEIGHT = 20;
constexpr double LETTER = 6.2;  //!< width of one, at the size of names
constexpr std::size_t FEW = 60; //!< lines that have numbers of links written to them
constexpr double PS_OF_US = 1e6;
constexpr double PS_OF_KM = 5e6; //!< of fibre

/// Okabe and Ito's colours, as in the figures of scripts.
constexpr const char* LINE_COLOURS[] =
    {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#882255", "#000000"};

std::string
Pixels(double length)
{
    std::string text;
    BufferedFile::AppendFixed(text, std::llround(length * 10), 1);
    return text;
}

/// @return 100 Gbit/s, 400 us (80 km). @param bps rate @param ps delay
std::string
TextOf(uint64_t bps, int64_t ps)
{
    std::string rate = kind::Rate::Print(bps);
    const std::size_t unit = rate.find_first_not_of("0123456789");
    rate = rate.substr(0, unit) + " " + rate.substr(unit, rate.find("bps") - unit) + "bit/s";
    std::ostringstream text;
    text << rate << ", " << static_cast<double>(ps) / PS_OF_US << " us";
    if (const double km = static_cast<double>(ps) / PS_OF_KM; km >= 0.001)
    {
        text << " (" << (km < 1 ? 1000 * km : km) << (km < 1 ? " m)" : " km)");
    }
    return text.str();
}

/// @return a name without its datacenter's
std::string
ShortName(const std::string& name, uint32_t datacenter)
{
    const std::string prefix = "dc" + std::to_string(datacenter) + "-";
    return name.compare(0, prefix.size(), prefix) == 0 ? name.substr(prefix.size()) : name;
}

} // namespace

NetworkPage::NetworkPage(const Network& network)
    : m_net(network),
      m_places(m_net.boxes.size()),
      m_top(TOP)
{
    std::map<uint32_t, std::vector<std::size_t>> datacenters;
    for (std::size_t b = 0; b < m_net.boxes.size(); ++b)
    {
        datacenters[m_net.FirstOf(b).datacenter].push_back(b);
    }
    double left = GAP;
    for (const auto& [datacenter, boxes] : datacenters)
    {
        const double right = left + PlaceDatacenter(boxes, left);
        m_widths[datacenter] = {left, right};
        left = right + GAP;
    }
    m_width = left;
    RaiseLines();
    for (std::size_t b = 0; b < m_net.boxes.size(); ++b)
    {
        m_places[b].y = m_top + ROW * (m_net.tiers - 1 - m_net.FirstOf(b).tier);
    }
}

/// Lines between boxes of one row go over the others, each at a height of its own.
void
NetworkPage::RaiseLines()
{
    std::pair<std::size_t, std::size_t> last;
    double apart = 0;
    for (const auto& [line, count] : m_net.lines)
    {
        const auto& [a, b, kind] = line;
        apart = std::pair(a, b) == last ? apart + 20 : 0;
        last = {a, b};
        const uint32_t tier = m_net.FirstOf(a).tier;
        double rise = 0;
        if (tier == m_net.FirstOf(b).tier)
        {
            rise = 30 + apart + std::fabs(m_places[a].x - m_places[b].x) / 12;
            if (tier + 1 < m_net.tiers)
            {
                rise = std::min(rise, 80.0); // stays below the row above
            }
            else
            {
                m_top = std::max(m_top, TOP + rise / 2);
            }
        }
        m_rises.push_back(rise);
    }
}

/// @return its width. @param boxes all of it @param left where it begins
double
NetworkPage::PlaceDatacenter(const std::vector<std::size_t>& boxes, double left)
{
    // Rows of a pod, by pod and tier; those that are in none come last, over the whole width.
    std::map<uint32_t, std::map<uint32_t, std::vector<std::size_t>>> pods;
    for (const std::size_t b : boxes)
    {
        pods[m_net.level < 3 ? m_net.FirstOf(b).pod : NetworkBoxes::NO_POD][m_net.FirstOf(b).tier]
            .push_back(b);
    }
    const auto widthOf = [this](const std::map<uint32_t, std::vector<std::size_t>>& rows) {
        double width = 0;
        for (const auto& [tier, row] : rows)
        {
            const double each = m_net.level > 1 ? 110 : tier || m_net.level ? 74 : 30;
            width = std::max(width, each * static_cast<double>(row.size()));
        }
        return width;
    };
    double inner = 0;
    for (const auto& [pod, rows] : pods)
    {
        inner += pod == NetworkBoxes::NO_POD ? 0 : widthOf(rows) + POD_GAP;
    }
    const double width =
        std::max({inner,
                  pods.count(NetworkBoxes::NO_POD) ? widthOf(pods.at(NetworkBoxes::NO_POD)) : 0,
                  120.0});
    const double stretch = inner > 0 ? width / inner : 1;
    double at = left;
    for (auto& [pod, rows] : pods)
    {
        const double share = (widthOf(rows) + POD_GAP) * stretch;
        for (auto& [tier, row] : rows)
        {
            Spread(row,
                   pod == NetworkBoxes::NO_POD ? left : at,
                   pod == NetworkBoxes::NO_POD ? width : share);
        }
        at += share;
    }
    return width;
}

/// Place a row, whose lower ones are in their places. @param row is sorted
void
NetworkPage::Spread(std::vector<std::size_t>& row, double left, double width)
{
    std::map<std::size_t, double> wishes;
    for (const std::size_t box : row)
    {
        wishes[box] = GetWish(box);
    }
    std::stable_sort(row.begin(), row.end(), [&wishes](std::size_t a, std::size_t b) {
        return wishes[a] < wishes[b];
    });
    double x = left + width / static_cast<double>(2 * row.size());
    for (const std::size_t box : row)
    {
        m_places[box].x = x;
        x += width / static_cast<double>(row.size());
    }
}

/// @return the middle of what is below a box and joined to it; 0 of hosts
double
NetworkPage::GetWish(std::size_t box) const
{
    double sum = 0;
    double count = 0;
    for (const std::size_t node : m_net.boxes[box])
    {
        for (const auto& [other, kind] : m_net.nodes[node].links)
        {
            if (m_net.nodes[other].tier < m_net.nodes[node].tier)
            {
                sum += std::round(m_places[m_net.boxOf[other]].x);
                count += 1;
            }
        }
    }
    return count > 0 ? sum / count : 0;
}

double
NetworkPage::GetBottom() const
{
    return m_top + ROW * (m_net.tiers - 1) + BELOW + (m_net.level ? 0 : NAME_HEIGHT);
}

std::string
NetworkPage::DrawFrames() const
{
    std::string svg;
    const auto frame = [&svg](const char* type, double x, double y, double right, double bottom) {
        svg += std::string("<rect class=\"") + type + "\" x=\"" + Pixels(x) + "\" y=\"" +
               Pixels(y) + "\" width=\"" + Pixels(right - x) + "\" height=\"" + Pixels(bottom - y) +
               "\" rx=\"6\"/>\n";
    };
    const double bottom = GetBottom();
    for (const auto& [datacenter, ends] : m_widths)
    {
        frame("dc", ends.first - 14, m_top - 30, ends.second + 14, bottom);
        svg += "<text class=\"head\" x=\"" + Pixels(ends.first - 6) + "\" y=\"" +
               Pixels(bottom - 7) + "\">dc" + std::to_string(datacenter) + "</text>\n";
    }
    std::map<uint32_t, std::array<double, 3>> pods; // left, top, right
    for (std::size_t b = 0; b < m_net.boxes.size() && m_net.level < 3; ++b)
    {
        if (m_net.FirstOf(b).pod != NetworkBoxes::NO_POD)
        {
            const double half = m_net.level > 1                        ? 50
                                : m_net.FirstOf(b).tier || m_net.level ? 34
                                                                       : 12;
            const Place& box = m_places[b];
            auto& [left, top, right] =
                pods.try_emplace(m_net.FirstOf(b).pod, std::array<double, 3>{1e9, 1e9, 0})
                    .first->second;
            left = std::min(left, box.x - half);
            right = std::max(right, box.x + half);
            top = std::min(top, box.y - 24);
        }
    }
    for (const auto& [pod, ends] : pods)
    {
        frame("pod", ends[0], ends[1], ends[2], bottom - 22);
    }
    return svg;
}

std::string
NetworkPage::DrawLines() const
{
    std::string svg;
    auto rise = m_rises.begin();
    for (const auto& [line, count] : m_net.lines)
    {
        const auto& [a, b, kind] = line;
        const Place& from = m_places[a];
        const Place& to = m_places[b];
        const auto colour =
            static_cast<std::size_t>(std::distance(m_net.kinds.begin(), m_net.kinds.find(kind)));
        const double x = (from.x + to.x) / 2;
        const double y = (from.y + to.y) / 2 - *rise++;
        svg += "<path stroke=\"" + std::string(LINE_COLOURS[colour % std::size(LINE_COLOURS)]) +
               "\" stroke-width=\"" + Pixels(1.0 + 0.5 * std::log2(static_cast<double>(count))) +
               "\" d=\"M" + Pixels(from.x) + " " + Pixels(from.y) + " Q" + Pixels(x) + " " +
               Pixels(y) + " " + Pixels(to.x) + " " + Pixels(to.y) + "\"><title>" +
               NetAnimFile::Escape(m_net.FirstOf(a).name + " - " + m_net.FirstOf(b).name) + ": " +
               (count > 1 ? std::to_string(count) + " links of " : "") +
               TextOf(kind.first, kind.second) + "</title></path>\n";
        if (count > 1 && m_net.lines.size() <= FEW)
        {
            svg += "<text class=\"count\" x=\"" + Pixels((x + (from.x + to.x) / 2) / 2) +
                   "\" y=\"" + Pixels((y + (from.y + to.y) / 2) / 2) + "\">" +
                   std::to_string(count) + "</text>\n";
        }
    }
    return svg;
}

std::string
NetworkPage::DrawBoxes() const
{
    std::string svg;
    for (std::size_t b = 0; b < m_net.boxes.size(); ++b)
    {
        const Place& box = m_places[b];
        const NetworkBoxes::Node& first = m_net.FirstOf(b);
        const std::string name = ShortName(first.name, first.datacenter);
        const std::size_t count = m_net.boxes[b].size();
        const std::string text = count > 1
                                     ? std::to_string(count) + (first.tier ? " like " : " hosts") +
                                           (first.tier ? name : "")
                                     : name;
        const bool isSmall = first.tier == 0 && count == 1;
        const double width =
            isSmall ? 12 : std::max(44.0, LETTER * static_cast<double>(text.size()) + 12);
        const double height = isSmall ? 12 : BOX_HEIGHT;
        svg += "<rect class=\"t" + std::to_string(std::min(first.tier, 4U)) + "\" x=\"" +
               Pixels(box.x - width / 2) + "\" y=\"" + Pixels(box.y - height / 2) + "\" width=\"" +
               Pixels(width) + "\" height=\"" + Pixels(height) + "\" rx=\"3\"><title>" +
               NetAnimFile::Escape(first.name) +
               (count > 1 ? " to " + NetAnimFile::Escape(m_net.nodes[m_net.boxes[b].back()].name)
                          : "") +
               "</title></rect>\n<text class=\"" + (isSmall ? "host" : "name") + "\" ";
        svg += isSmall ? "transform=\"translate(" + Pixels(box.x + 3.5) + " " + Pixels(box.y + 12) +
                             ") rotate(90)\""
                       : "x=\"" + Pixels(box.x) + "\" y=\"" + Pixels(box.y + 4) + "\"";
        svg += ">" + NetAnimFile::Escape(text) + "</text>\n";
    }
    return svg;
}

/// @return what is there, and the kinds of links
std::string
NetworkPage::MakeLegend() const
{
    const auto hosts = static_cast<std::size_t>(
        std::count_if(m_net.nodes.begin(), m_net.nodes.end(), [](const NetworkBoxes::Node& n) {
            return !n.tier;
        }));
    std::size_t links = 0;
    std::string list;
    std::size_t colour = 0;
    for (const auto& [kind, count] : m_net.kinds)
    {
        list +=
            "<li style=\"color:" + std::string(LINE_COLOURS[colour++ % std::size(LINE_COLOURS)]) +
            "\">" + TextOf(kind.first, kind.second) + ": " + std::to_string(count) +
            (count > 1 ? " links" : " link") + "</li>\n";
        links += count;
    }
    static constexpr const char* const NOTES[] = {
        "",
        " Hosts at the same switches are one box.",
        " Nodes with the same place in a pod are one box.",
        " Nodes with the same place in a datacenter are one box."};
    return "<p>" + std::to_string(hosts) + " hosts, " + std::to_string(m_net.nodes.size() - hosts) +
           " switches, " + std::to_string(links) + " links." + NOTES[m_net.level] + "</p>\n<ul>\n" +
           list + "</ul>\n";
}

void
NetworkPage::Write(const std::string& path) const
{
    BufferedFile file(path);
    const std::string width = Pixels(m_width);
    const std::string height = Pixels(GetBottom() + 20);
    file.Append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Network"
                "</title>\n<style>\nbody, text { font: 12px sans-serif }\n"
                "text { text-anchor: middle } .head, .host { text-anchor: start }\n"
                ".head { font-weight: bold } .host { font-size: 10px }\n"
                ".count { paint-order: stroke; stroke: white; stroke-width: 3px }\n"
                "path { fill: none; stroke-opacity: 0.6 } path:hover { stroke-opacity: 1 }\n"
                ".dc { fill: #F6F6F6; stroke: #BBBBBB } .pod { fill: #FFFFFF; stroke: #CCCCCC }\n"
                ".t0 { fill: #DDDDDD } .t1 { fill: #CFE3F2 } .t2 { fill: #CDEBDD }\n"
                ".t3 { fill: #FBE3C4 } .t4 { fill: #F2D5E4 }\n"
                ".t0, .t1, .t2, .t3, .t4 { stroke: #666666 }\n</style></head><body>\n");
    file.Append(MakeLegend());
    file.Append("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" +
                height + "\" viewBox=\"0 0 " + width + " " + height + "\">\n");
    file.Append(DrawFrames()).Append(DrawLines()).Append(DrawBoxes());
    file.Append("</svg>\n</body></html>\n").Close();
}

} // namespace ns3::roce
