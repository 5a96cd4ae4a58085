// SPDX-License-Identifier: Apache-2.0
//
// The messages of the daemon and its worker processes: one message is one packet of a SOCK_SEQPACKET
// socket (unix(7)), so there is no framing, and a reader never has half a message.
//
//     worker  → daemon      handshake                                 once, when it can take jobs, or never will
//     daemon  → decoder     job      + two or three descriptors   input and watermark (read-only), output
//     decoder → daemon      made | refused                        one for each job, in order
//     daemon  → inspector   question + one descriptor             input (read-only)
//     inspector → daemon    finding                               one for each question, in order
//
// Every message starts with two bytes, the protocol's version and the kind. The fields follow in the order of
// their declaration, little-endian; text is a 16-bit length and that many bytes of UTF-8. Both ends are the same
// executable, so there is one version and no negotiation. The daemon does not trust its workers: reading never
// traps, every length is bounded, and a message with a byte too many is refused.

/// A message with exactly one encoding, which its reader checks.
package protocol WireMessage: Sendable {
    /// The whole packet: version, kind and fields.
    var encoded: [UInt8] { get }
    /// Nil for anything but a whole message of this type whose fields are in their ranges.
    init?(_ message: [UInt8])
}

/// Daemon → worker.
package protocol WireOrder: WireMessage {
    /// The number of descriptors that travel beside the message.
    var descriptorCount: Int { get }
}

/// The version, the limits and the kinds of messages that both ends of the socket share.
package enum Wire {
    /// Incremented with every change of a message.
    package static let version: UInt8 = 9
    /// The longest message in bytes, except findings: a job with the longest recipe, or a handshake with a
    /// full list of jail measures.
    package static let longestMessage = 4_608
    /// The longest finding in bytes: the delays of 10,000 frames, and less than 1,000 bytes besides.
    package static let longestFinding = 41_000
    /// The longest recipe in bytes. The longest canonical recipe has 256 delays of seven bytes and less than
    /// 900 bytes besides.
    static let longestRecipe = 3_072
    /// The most bytes of a worker's own words, which go to a log line.
    static let longestDetail = 512
    /// The most entries in each list of jail measures in a handshake.
    static let longestList = 20
    /// The most bytes of such an entry.
    package static let longestName = 64
    /// The most bytes of the engine's name: libvips and some twenty libraries, 350 bytes in Debian 12.
    static let longestEngine = 512
    /// The longest time of a job's stage in microseconds: a day, longer than any deadline, and small enough for sums.
    static let longestStage = 86_400_000_000
    /// The descriptor at which a worker process finds its socket.
    package static let descriptor: Int32 = 3

    /// The second byte of every message.
    package enum Kind: UInt8 {
        case handshake = 1
        case job, made, refused, question, finding, fork, forked, go
    }
}
