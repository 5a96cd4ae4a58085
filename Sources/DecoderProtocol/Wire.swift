// SPDX-License-Identifier: Apache-2.0
//
// The messages of the daemon and its worker processes: one message is one packet of a SOCK_SEQPACKET
// socket (unix(7)), so there is no framing, and a reader never has half a message.
//
//     worker  → daemon      handshake                                 once, when it can take jobs, or can never
//     daemon  → decoder     job      + two or three descriptors   input and watermark (read-only), output
//     decoder → daemon      made | refused                        one for each job, in order
//     daemon  → inspector   question + one descriptor             input (read-only)
//     inspector → daemon    finding                               one for each question, in order
//
// Every message starts with two bytes, the protocol's version and the kind; what follows is little-endian, in the
// order in which the fields are declared; text is a 16-bit length and that many bytes of UTF-8. Both ends are the
// same executable, so there is one version and no negotiation. The daemon trusts nothing that a worker says:
// reading is total, every length is bounded, and a message with a byte too many is no message.

/// A message that has one encoding, and that its reader can refuse.
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
    /// Changes with every change of a message.
    package static let version: UInt8 = 9
    /// Bytes of the longest message but a finding's: a job with the longest recipe, or a handshake with all
    /// that a jail can hold.
    package static let longestMessage = 4_608
    /// Bytes of the longest finding: the delays of 10,000 frames, and less than 1,000 beside them.
    package static let longestFinding = 41_000
    /// Bytes. The longest canonical recipe has 256 delays of seven bytes and under 900 more.
    static let longestRecipe = 3_072
    /// Bytes of a worker's own words, which end in a log line.
    static let longestDetail = 512
    /// Entries of each of a handshake's lists of what the jail holds and lacks.
    static let longestList = 20
    /// Bytes of one entry of it.
    package static let longestName = 64
    /// Bytes of the engine's name: libvips and some twenty libraries, 350 bytes with those of Debian 12.
    static let longestEngine = 512
    /// Microseconds of one stage of a job, a day: no deadline is as long, and what is added up of them stays a number.
    static let longestStage = 86_400_000_000
    /// The descriptor that a worker process finds its socket at.
    package static let descriptor: Int32 = 3

    /// The second byte of every message.
    package enum Kind: UInt8 {
        case handshake = 1
        case job, made, refused, question, finding, fork, forked, go
    }
}
