/*
 * Copyright (c) 2026 The ns-3 RoCE authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "roce-hpcc-config.h"

#include "ns3/data-rate.h"
#include "ns3/roce-input-error.h"
#include "ns3/roce-line-reader.h"
#include "ns3/roce-value-check.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace roce
{

namespace
{

/// What a key's value looks like.
enum class Kind
{
    FLAG,        //!< 0 or 1
    NUMBER,      //!< 0 or more
    PROBABILITY, //!< 0 to 1
    RATE,        //!< with unit
    TEXT,
    MAP,   //!< n, then n pairs of rate in bit/s and number
    THREE, //!< three integers
};

/// A key of that simulator.
struct Key
{
    const char* name;
    Kind kind;
    const char* unused; //!< why it has no effect here, or null
};

const char* const OWN_OUTPUT = "results go to --out";
const char* const PINT = "PINT is not implemented";

const Key KEYS[] = {
    {"ENABLE_QCN", Kind::FLAG, nullptr},
    {"USE_DYNAMIC_PFC_THRESHOLD", Kind::FLAG, nullptr},
    {"PACKET_PAYLOAD_SIZE", Kind::NUMBER, nullptr},
    {"TOPOLOGY_FILE", Kind::TEXT, nullptr},
    {"FLOW_FILE", Kind::TEXT, nullptr},
    {"TRACE_FILE", Kind::TEXT, "captures are asked for with --pcap"},
    {"TRACE_OUTPUT_FILE", Kind::TEXT, OWN_OUTPUT},
    {"FCT_OUTPUT_FILE", Kind::TEXT, OWN_OUTPUT},
    {"PFC_OUTPUT_FILE", Kind::TEXT, OWN_OUTPUT},
    {"SIMULATOR_STOP_TIME", Kind::NUMBER, nullptr},
    {"CC_MODE", Kind::NUMBER, nullptr},
    {"ALPHA_RESUME_INTERVAL", Kind::NUMBER, nullptr},
    {"RATE_DECREASE_INTERVAL", Kind::NUMBER, nullptr},
    {"CLAMP_TARGET_RATE", Kind::FLAG, nullptr},
    {"RP_TIMER", Kind::NUMBER, nullptr},
    {"EWMA_GAIN", Kind::NUMBER, nullptr},
    {"FAST_RECOVERY_TIMES", Kind::NUMBER, nullptr},
    {"RATE_AI", Kind::RATE, nullptr},
    {"RATE_HAI", Kind::RATE, nullptr},
    {"MIN_RATE", Kind::RATE, nullptr},
    {"DCTCP_RATE_AI", Kind::RATE, nullptr},
    {"ERROR_RATE_PER_LINK", Kind::PROBABILITY, nullptr},
    {"L2_CHUNK_SIZE", Kind::NUMBER, "only matters with L2_BACK_TO_ZERO 1"},
    {"L2_ACK_INTERVAL", Kind::NUMBER, "that simulator acknowledges every packet whatever it is"},
    {"L2_BACK_TO_ZERO", Kind::FLAG, nullptr},
    {"HAS_WIN", Kind::FLAG, nullptr},
    {"GLOBAL_T", Kind::FLAG, nullptr},
    {"VAR_WIN", Kind::FLAG, nullptr},
    {"FAST_REACT", Kind::FLAG, nullptr},
    {"U_TARGET", Kind::NUMBER, nullptr},
    {"MI_THRESH", Kind::NUMBER, nullptr},
    {"INT_MULTI", Kind::NUMBER, nullptr},
    {"MULTI_RATE", Kind::FLAG, nullptr},
    {"SAMPLE_FEEDBACK", Kind::FLAG, nullptr},
    {"PINT_LOG_BASE", Kind::NUMBER, PINT},
    {"PINT_PROB", Kind::NUMBER, PINT},
    {"RATE_BOUND", Kind::FLAG, nullptr},
    {"ACK_HIGH_PRIO", Kind::FLAG, nullptr},
    {"LINK_DOWN", Kind::THREE, nullptr},
    {"ENABLE_TRACE", Kind::FLAG, "captures are asked for with --pcap"},
    {"KMAX_MAP", Kind::MAP, nullptr},
    {"KMIN_MAP", Kind::MAP, nullptr},
    {"PMAX_MAP", Kind::MAP, nullptr},
    {"BUFFER_SIZE", Kind::NUMBER, nullptr},
    {"QLEN_MON_FILE", Kind::TEXT, "queues are sampled with --queueInterval"},
    {"QLEN_MON_START", Kind::NUMBER, "queues are sampled with --queueInterval"},
    {"QLEN_MON_END", Kind::NUMBER, "queues are sampled with --queueInterval"},
};

const Key*
FindKey(const std::string& name)
{
    const auto* key = std::find_if(std::begin(KEYS), std::end(KEYS), [&](const Key& k) {
        return name == k.name;
    });
    return key == std::end(KEYS) ? nullptr : key;
}

bool
ParseNumber(const std::string& text, double& value)
{
    std::istringstream in(text);
    return in >> value && in.eof() && value >= 0;
}

bool
IsInteger(const std::string& text)
{
    return LineReader::AllDigits(text) && text.size() < 19;
}

/// @return what is wrong with a value, or nothing
std::string
CheckFields(Kind kind, const std::vector<std::string>& fields)
{
    double number;
    switch (kind)
    {
    case Kind::FLAG:
        return fields.size() == 1 && (fields[0] == "0" || fields[0] == "1") ? "" : "0 or 1";
    case Kind::NUMBER:
        return fields.size() == 1 && ParseNumber(fields[0], number) ? "" : "a number of 0 or more";
    case Kind::PROBABILITY:
        return fields.size() == 1 && ParseNumber(fields[0], number) && number <= 1
                   ? ""
                   : "a probability, 0 to 1";
    case Kind::RATE:
        try
        {
            ValueCheck::Value("", ValueKind::DATA_RATE, fields.size() == 1 ? fields[0] : "");
            return "";
        }
        catch (const InputError&)
        {
            return "a rate with unit, for example 50Mb/s";
        }
    case Kind::TEXT:
        return fields.size() == 1 ? "" : "one word";
    case Kind::MAP: {
        const char* form = "N, then N pairs of a rate in bit/s and a number";
        if (fields.empty() || !IsInteger(fields[0]) ||
            std::stoull(fields[0]) * 2 + 1 != fields.size())
        {
            return form;
        }
        for (std::size_t i = 1; i < fields.size(); i += 2)
        {
            if (!IsInteger(fields[i]) || !ParseNumber(fields[i + 1], number))
            {
                return form;
            }
        }
        return "";
    }
    case Kind::THREE:
        return fields.size() == 3 && std::all_of(fields.begin(), fields.end(), IsInteger)
                   ? ""
                   : "three integers";
    }
    return "";
}

} // namespace

HpccConfig
HpccConfig::Read(const std::string& path)
{
    HpccConfig config;
    config.m_path = path;
    LineReader reader(path, "a configuration of the HPCC simulator");
    for (std::string text; reader.Next(text);)
    {
        Entry entry;
        entry.fields = LineReader::SplitAtBlanks(text);
        entry.line = reader.GetLine();
        const std::string key = entry.fields.front();
        entry.fields.erase(entry.fields.begin());
        if (const auto old = config.m_entries.find(key); old != config.m_entries.end())
        {
            reader.Fail("key " + key + " stands in line " + std::to_string(old->second.line) +
                        " already, expected each once");
        }
        config.Set(key, std::move(entry));
    }
    return config;
}

void
HpccConfig::Override(const std::string& text)
{
    for (const std::string& item : LineReader::SplitAtCommas(text))
    {
        const auto equal = item.find('=');
        if (item.empty() && text.empty())
        {
            return;
        }
        if (equal == std::string::npos)
        {
            throw InputError("--set has '" + item + "', expected KEY=value, for example HAS_WIN=0");
        }
        Entry entry;
        entry.fields = LineReader::SplitAtBlanks(item.substr(equal + 1));
        Set(LineReader::Trim(item.substr(0, equal)), std::move(entry));
    }
}

void
HpccConfig::Set(const std::string& name, Entry entry)
{
    const std::string where =
        entry.line ? m_path + ":" + std::to_string(entry.line) + ": " : std::string("--set: ");
    const Key* key = FindKey(name);
    if (!key)
    {
        throw InputError(where + "unknown key '" + name +
                         "', expected one of the HPCC simulator's, for example CC_MODE");
    }
    if (const std::string expected = CheckFields(key->kind, entry.fields); !expected.empty())
    {
        std::string found;
        for (const std::string& field : entry.fields)
        {
            found += (found.empty() ? "" : " ") + field;
        }
        throw InputError(where + name + " is '" + found + "', expected " + expected);
    }
    m_entries[name] = std::move(entry);
}

bool
HpccConfig::Flag(const std::string& key, bool otherwise) const
{
    return Has(key) ? Text(key) == "1" : otherwise;
}

double
HpccConfig::Number(const std::string& key) const
{
    double value = 0;
    ParseNumber(Text(key), value);
    return value;
}

uint64_t
HpccConfig::GetRateBps(const std::string& key) const
{
    return DataRate(Text(key)).GetBitRate();
}

const std::string&
HpccConfig::Text(const std::string& key) const
{
    return m_entries.at(key).fields.at(0);
}

std::map<uint64_t, double>
HpccConfig::Map(const std::string& key) const
{
    std::map<uint64_t, double> map;
    const std::vector<std::string>& fields = m_entries.at(key).fields;
    for (std::size_t i = 1; i < fields.size(); i += 2)
    {
        double value = 0;
        ParseNumber(fields[i + 1], value);
        if (!map.emplace(std::stoull(fields[i]), value).second)
        {
            Fail(key, "rate " + fields[i] + " is there twice, expected each once");
        }
    }
    return map;
}

std::vector<uint64_t>
HpccConfig::Numbers(const std::string& key) const
{
    std::vector<uint64_t> numbers;
    for (const std::string& field : m_entries.at(key).fields)
    {
        numbers.push_back(std::stoull(field));
    }
    return numbers;
}

void
HpccConfig::Fail(const std::string& key, const std::string& message) const
{
    const Entry& entry = m_entries.at(key);
    throw entry.line ? InputError(m_path, entry.line, key + ": " + message)
                     : InputError("--set: " + key + ": " + message);
}

std::vector<std::pair<std::string, std::string>>
HpccConfig::GetUnused() const
{
    std::vector<std::pair<std::string, std::string>> unused;
    for (const auto& [name, entry] : m_entries)
    {
        if (const char* reason = FindKey(name)->unused)
        {
            unused.emplace_back(name, reason);
        }
    }
    return unused;
}

} // namespace roce
} // namespace ns3
