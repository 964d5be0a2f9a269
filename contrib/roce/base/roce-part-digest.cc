// SPDX-License-Identifier: GPL-2.0-only
#include "roce-part-digest.h"

#include "roce-sha256.h"

#include <utility>

namespace ns3::roce
{

PartDigest::PartDigest(const std::string& name, std::function<void(const Visitor&)> visit)
    : name(name),
      visit(std::move(visit))
{
    Sha256 hash;
    this->visit([&hash](const std::string& key, const std::string& value) {
        hash.AddText(key).AddText(value);
    });
    sha256 = hash.Finish();
}

} // namespace ns3::roce
