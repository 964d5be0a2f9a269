// SPDX-License-Identifier: GPL-2.0-only
#ifndef ROCE_CHAKRA_FILE_H
#define ROCE_CHAKRA_FILE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ns3::roce
{

/// What a rank does, as a Chakra execution trace has it (a protobuf message Node).
struct ChakraNode
{
    /// NodeType of the schema.
    enum class Type : uint8_t
    {
        INVALID,
        METADATA,
        MEM_LOAD,
        MEM_STORE,
        COMP,
        SEND,
        RECV,
        COLLECTIVE
    };

    /// CollectiveCommType of the schema.
    enum class Collective : uint8_t
    {
        ALL_REDUCE,
        REDUCE,
        ALL_GATHER,
        GATHER,
        SCATTER,
        BROADCAST,
        ALL_TO_ALL,
        REDUCE_SCATTER,
        REDUCE_SCATTER_BLOCK,
        BARRIER
    };

    uint64_t id{0};
    std::string name;
    Type type{Type::INVALID};
    std::vector<uint64_t> afterControl; //!< ctrl_deps
    std::vector<uint64_t> afterData;    //!< data_deps
    uint64_t durationUs{0};             //!< duration_micros
    std::string inputs;                 //!< inputs.values, of METADATA only

    // Attributes; those of other names are skipped.
    bool isCpu{false};                    //!< is_cpu_op
    std::optional<Collective> collective; //!< comm_type
    std::optional<uint64_t> bytes;        //!< comm_size
    std::optional<uint64_t> source;       //!< comm_src
    std::optional<uint64_t> destination;  //!< comm_dst
    uint64_t tag{0};                      //!< comm_tag
    std::string group;                    //!< pg_name; "": none
    std::vector<bool> dimensions;         //!< involved_dim; empty: none given

    uint64_t at{0}; //!< byte of the file where it begins, from 0
};

/**
 * @brief A Chakra execution trace: one rank of a job. Schema 0.0.4: a protobuf message
 * GlobalMetadata, then messages Node, each after its length.
 *
 * Fields and attributes of other names are skipped; a compressed file (gzip) is read, too, where
 * the module was built with zlib.
 */
struct ChakraTrace
{
    std::string file;             //!< as given, for messages
    std::string version{"0.0.4"}; //!< of the GlobalMetadata
    std::vector<ChakraNode> nodes;

    /// @throw InputError with file, byte, what was found and what was expected
    static ChakraTrace Read(const std::string& path);

    /**
     * @brief Read the files PREFIX.0.et, PREFIX.1.et and so on.
     * @return traces by rank, at least one
     * @throw InputError as Read(), and for a file that is missing between others
     */
    static std::vector<ChakraTrace> ReadAll(const std::string& prefix);

    /// @brief Write it uncompressed. @throw InputError if the file cannot be written
    void Write(const std::string& path) const;

    /// @return PREFIX.RANK.et
    static std::string NameOf(const std::string& prefix, std::size_t rank);

    /// @brief Refuse a node: file, byte and id. @throw InputError always
    [[noreturn]] void Refuse(const ChakraNode& node, const std::string& message) const;
};

} // namespace ns3::roce

#endif /* ROCE_CHAKRA_FILE_H */
