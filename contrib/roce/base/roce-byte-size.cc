// SPDX-License-Identifier: GPL-2.0-only
#include "roce-byte-size.h"

#include "roce-text-form.h"

#include <cstdlib>
#include <istream>
#include <map>
#include <ostream>
#include <vector>

namespace ns3::roce
{

namespace
{

/// A QueueSizeValue that reads all of ByteSize::UNITS.
class SizeValue : public QueueSizeValue
{
  public:
    Ptr<AttributeValue> Copy() const override
    {
        return Create<SizeValue>(*this);
    }

    bool DeserializeFromString(std::string text, Ptr<const AttributeChecker> checker) override
    {
        uint64_t bytes = 0;
        if (!ByteSize::Parse(text, bytes))
        {
            return QueueSizeValue::DeserializeFromString(text, checker);
        }
        if (bytes > UINT32_MAX)
        {
            return false;
        }
        Set(QueueSize(QueueSizeUnit::BYTES, static_cast<uint32_t>(bytes)));
        return true;
    }
};

/// Like ns-3's own, but for the values it makes.
class SizeChecker : public AttributeChecker
{
  public:
    bool Check(const AttributeValue& value) const override
    {
        return dynamic_cast<const QueueSizeValue*>(&value);
    }

    std::string GetValueTypeName() const override
    {
        return "QueueSizeValue";
    }

    bool HasUnderlyingTypeInformation() const override
    {
        return true;
    }

    std::string GetUnderlyingTypeInformation() const override
    {
        return "QueueSize";
    }

    Ptr<AttributeValue> Create() const override
    {
        return ns3::Create<SizeValue>();
    }

    bool Copy(const AttributeValue& source, AttributeValue& destination) const override
    {
        const auto* from = dynamic_cast<const QueueSizeValue*>(&source);
        auto* to = dynamic_cast<QueueSizeValue*>(&destination);
        if (!from || !to)
        {
            return false;
        }
        to->Set(from->Get());
        return true;
    }
};

} // namespace

bool
ByteSize::Parse(const std::string& text, uint64_t& bytes)
{
    static const std::map<std::string, double> units{{"B", 1},
                                                     {"kB", 1e3},
                                                     {"KB", 1e3},
                                                     {"KiB", 1024},
                                                     {"MB", 1e6},
                                                     {"MiB", 1048576},
                                                     {"GB", 1e9},
                                                     {"GiB", 1073741824},
                                                     {"TB", 1e12},
                                                     {"TiB", 1099511627776}};
    static const TextForm form("([0-9]+\\.?[0-9]*|\\.[0-9]+)([A-Za-z]+)");
    const std::vector<std::string> match = form.Match(text);
    const auto unit = match.empty() ? units.end() : units.find(match[2]);
    if (unit == units.end())
    {
        return false;
    }
    const double size = std::strtod(match[1].c_str(), nullptr) * unit->second;
    if (!(size < static_cast<double>(LIMIT)))
    {
        return false;
    }
    bytes = static_cast<uint64_t>(size);
    return true;
}

Ptr<const AttributeChecker>
ByteSize::MakeQueueSizeChecker()
{
    return Create<SizeChecker>();
}

std::ostream&
operator<<(std::ostream& out, const ByteSize& size)
{
    return out << size.GetValue() << 'B';
}

std::istream&
operator>>(std::istream& in, ByteSize& size)
{
    std::string text;
    uint64_t bytes = 0;
    if (in >> text && ByteSize::Parse(text, bytes))
    {
        size = ByteSize(bytes);
    }
    else
    {
        in.setstate(std::ios::failbit);
    }
    return in;
}

} // namespace ns3::roce
