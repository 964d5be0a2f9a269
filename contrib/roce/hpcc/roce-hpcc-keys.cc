// SPDX-License-Identifier: GPL-2.0-only
#include "roce-hpcc-keys.h"

#include "ns3/roce-input-error.h"
#include "ns3/roce-line-reader.h"
#include "ns3/roce-value-check.h"

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <utility>

namespace ns3::roce
{

namespace
{

using Kind = HpccKey::Kind;

const char* const OWN_OUTPUT = "results go to --out";
const char* const CAPTURES = "captures are asked for with --pcap";
const char* const QUEUES = "queues are sampled with --queues";
const char* const RATES = "rates are sampled with --rates";
const char* const PINT = "PINT is not implemented";
const char* const NAME_ONLY = "it only names files and folders there";
const char* const BY_LINK = "each link of the topology has its own";
const char* const BY_LIST = "flows start when the list says, and the run ends when all are done";
const char* const CONWEAVE = "it matters with LB_MODE 9 only, which is not implemented";

const HpccKey KEYS[] = {
    // alibaba-edu/High-Precision-Congestion-Control
    {"ENABLE_QCN", Kind::FLAG, nullptr},
    {"USE_DYNAMIC_PFC_THRESHOLD", Kind::FLAG, nullptr},
    {"PACKET_PAYLOAD_SIZE", Kind::NUMBER, nullptr},
    {"TOPOLOGY_FILE", Kind::TEXT, nullptr},
    {"FLOW_FILE", Kind::TEXT, nullptr},
    {"TRACE_FILE", Kind::TEXT, CAPTURES},
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
    {"ENABLE_TRACE", Kind::FLAG, CAPTURES},
    {"KMAX_MAP", Kind::MAP, nullptr},
    {"KMIN_MAP", Kind::MAP, nullptr},
    {"PMAX_MAP", Kind::MAP, nullptr},
    {"BUFFER_SIZE", Kind::NUMBER, nullptr},
    {"QLEN_MON_FILE", Kind::TEXT, QUEUES},
    {"QLEN_MON_START", Kind::NUMBER, QUEUES},
    {"QLEN_MON_END", Kind::NUMBER, QUEUES},
    {"PAUSE_TIME", Kind::NUMBER, "a pause lasts until it is taken back, there and here"},
    {"DATA_RATE", Kind::TEXT, BY_LINK},
    {"LINK_DELAY", Kind::TEXT, BY_LINK},
    // conweave-project/conweave-ns3
    {"ENABLE_PFC", Kind::FLAG, nullptr},
    {"ENABLE_IRN", Kind::FLAG, nullptr},
    {"LB_MODE", Kind::NUMBER, nullptr},
    {"FLOW_INPUT_FILE", Kind::TEXT, OWN_OUTPUT},
    {"CNP_OUTPUT_FILE", Kind::TEXT, OWN_OUTPUT},
    {"VOQ_MON_FILE", Kind::TEXT, OWN_OUTPUT},
    {"VOQ_MON_DETAIL_FILE", Kind::TEXT, OWN_OUTPUT},
    {"UPLINK_MON_FILE", Kind::TEXT, OWN_OUTPUT},
    {"CONN_MON_FILE", Kind::TEXT, OWN_OUTPUT},
    {"EST_ERROR_MON_FILE", Kind::TEXT, OWN_OUTPUT},
    {"SW_MONITORING_INTERVAL", Kind::NUMBER, QUEUES},
    {"FLOWGEN_START_TIME", Kind::NUMBER, BY_LIST},
    {"FLOWGEN_STOP_TIME", Kind::NUMBER, BY_LIST},
    {"LOAD", Kind::NUMBER, NAME_ONLY},
    {"RANDOM_SEED", Kind::NUMBER, "the seed is --seed"},
    {"CONWEAVE_TX_EXPIRY_TIME", Kind::NUMBER, CONWEAVE},
    {"CONWEAVE_REPLY_TIMEOUT_EXTRA", Kind::NUMBER, CONWEAVE},
    {"CONWEAVE_PATH_PAUSE_TIME", Kind::NUMBER, CONWEAVE},
    {"CONWEAVE_EXTRA_VOQ_FLUSH_TIME", Kind::NUMBER, CONWEAVE},
    {"CONWEAVE_DEFAULT_VOQ_WAITING_TIME", Kind::NUMBER, CONWEAVE},
    // aliyun/SimAI, astra-sim/astra-network-ns3
    {"TRACE_NODE", Kind::NUMBER, CAPTURES},
    {"BW_MON_FILE", Kind::TEXT, RATES},
    {"RATE_MON_FILE", Kind::TEXT, RATES},
    {"CNP_MON_FILE", Kind::TEXT, OWN_OUTPUT},
    {"MON_START", Kind::NUMBER, QUEUES},
    {"MON_END", Kind::NUMBER, QUEUES},
    {"QP_MON_INTERVAL", Kind::NUMBER, RATES},
    {"QLEN_MON_INTERVAL", Kind::NUMBER, QUEUES},
    {"BW_MON_INTERVAL", Kind::NUMBER, RATES},
    {"NIC_TOTAL_PAUSE_TIME", Kind::NUMBER, "pauses are counted in summary.json"},
    // m3 and m4 (kwzhao/High-Precision-Congestion-Control and its heirs)
    {"BASE_RTT", Kind::NUMBER, nullptr},
    {"FIXED_WIN", Kind::NUMBER, nullptr},
    {"MAX_RATE", Kind::RATE, nullptr},
    {"TIMELY_T_HIGH", Kind::NUMBER, nullptr},
    {"TIMELY_T_LOW", Kind::NUMBER, nullptr},
    {"TIMELY_BETA", Kind::NUMBER, nullptr},
    {"TIMELY_ALPHA", Kind::NUMBER, nullptr},
    {"TIMELY_MIN_RTT", Kind::NUMBER, nullptr},
    {"HEADROOM_FACTOR", Kind::NUMBER, nullptr},
    {"MAX_INFLIGHT_FLOWS", Kind::NUMBER, nullptr},
    {"N_CLIENTS_PER_RACK_FOR_CLOSED_LOOP", Kind::NUMBER, "it matters with MAX_INFLIGHT_FLOWS only"},
    // dyyuCS/LCMP
    {"WORKING_DIR", Kind::TEXT, nullptr},
    {"OUTPUT_DIR", Kind::TEXT, NAME_ONLY},
    {"DCI_BUFFER_SIZE", Kind::NUMBER, nullptr},
    {"LINK_UTIL_OUTPUT_FILE", Kind::TEXT, OWN_OUTPUT},
    {"ENABLE_LINK_UTIL_RECORD", Kind::FLAG, OWN_OUTPUT},
    {"ROUTING_MODE", Kind::NUMBER, nullptr},
    {"W_DL", Kind::NUMBER, nullptr},
    {"W_BW", Kind::NUMBER, nullptr},
    {"S_STATIC", Kind::NUMBER, nullptr},
    {"W_QL", Kind::NUMBER, nullptr},
    {"W_TL", Kind::NUMBER, nullptr},
    {"W_DP", Kind::NUMBER, nullptr},
    {"S_CONG", Kind::NUMBER, nullptr},
    {"ALPHA", Kind::NUMBER, nullptr},
    {"BETA", Kind::NUMBER, nullptr},
    {"S_TOTAL", Kind::NUMBER, nullptr},
    // Hawkeye and others: what they write
    {"DIR", Kind::TEXT, NAME_ONLY},
    {"LINK_UTIL_MON_FILE", Kind::TEXT, RATES},
    {"LINK_UTIL_MON_INTERVAL", Kind::NUMBER, RATES},
    {"LINK_UTIL_MON_START", Kind::NUMBER, RATES},
    {"LINK_UTIL_MON_END", Kind::NUMBER, RATES},
    {"THROUGHPUT_FILE", Kind::TEXT, RATES},
};

/// Keys that change what others' simulators do, and have no counterpart here.
const std::pair<const char*, const char*> FOREIGN[] = {
    {"TCP_FLOW_FILE", "bobzhuyb/ns3-rdma's, whose flow lists count packets"},
    {"SEND_IN_CHUNKS", "bobzhuyb/ns3-rdma's, whose flow lists count packets"},
    {"APP_START_TIME", "bobzhuyb/ns3-rdma's, whose flow lists count packets"},
    {"NP_SAMPLING_INTERVAL", "bobzhuyb/ns3-rdma's, whose flow lists count packets"},
    {"PACKET_LEVEL_ECMP", "bobzhuyb/ns3-rdma's, whose flow lists count packets"},
    {"AGENT_NODE", "Hawkeye's"},
    {"NO_CC_NODE", "Hawkeye's"},
    {"OCS_MAP_FILE", "that of an optical fork"},
    {"ENABLE_PBT", "PB-FS's"},
};

bool
IsInteger(const std::string& text)
{
    return LineReader::AllDigits(text) && text.size() < 19;
}

/// @return what was expected, or nothing
std::string
CheckMap(std::vector<std::string>& fields)
{
    const char* form = "N, then N pairs of a rate in bit/s and a number";
    double number = 0;
    const std::size_t words = fields.empty() || !IsInteger(fields[0])
                                  ? 0
                                  : std::min<std::size_t>(std::stoull(fields[0]), 1U << 20) * 2 + 1;
    if (words == 0 || words > fields.size())
    {
        return form;
    }
    for (std::size_t i = 1; i < words; i += 2)
    {
        if (!IsInteger(fields[i]) || !HpccKey::ParseNumber(fields[i + 1], number))
        {
            return form;
        }
    }
    fields.resize(words);
    return "";
}

} // namespace

const HpccKey*
HpccKey::Find(const std::string& name)
{
    const auto* key = std::find_if(std::begin(KEYS), std::end(KEYS), [&](const HpccKey& k) {
        return name == k.name;
    });
    return key == std::end(KEYS) ? nullptr : key;
}

std::string
HpccKey::GuessProject(const std::vector<std::string>& names)
{
    for (const auto& [name, project] : FOREIGN)
    {
        if (std::find(names.begin(), names.end(), name) != names.end())
        {
            return project;
        }
    }
    return "";
}

bool
HpccKey::ParseNumber(const std::string& text, double& value)
{
    std::istringstream in(text);
    return in >> value && in.eof() && value >= 0;
}

std::string
HpccKey::Check(std::vector<std::string>& fields) const
{
    double number = 0;
    const bool isNumber = fields.size() == 1 && ParseNumber(fields[0], number);
    switch (kind)
    {
    case Kind::FLAG:
        return isNumber && (number == 0 || number == 1) ? "" : "0 or 1";
    case Kind::NUMBER:
        return isNumber ? "" : "a number of 0 or more";
    case Kind::PROBABILITY:
        return isNumber && number <= 1 ? "" : "a probability, 0 to 1";
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
    case Kind::MAP:
        return CheckMap(fields);
    case Kind::THREE:
        return fields.size() == 3 && std::all_of(fields.begin(), fields.end(), IsInteger)
                   ? ""
                   : "three integers";
    }
    return "";
}

} // namespace ns3::roce
