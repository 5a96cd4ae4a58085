// SPDX-License-Identifier: Apache-2.0

/// Why a command has no reply.
package enum RedisFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no connection; the command was not sent.
    case away(String)
    /// The connection ended; the command may have been carried out.
    case lost(String)
    /// Redis has closed the connection in order. Only the link sees this: a command fails by `lost`, or was not sent.
    case ended
    /// The bytes from Redis are not RESP, or are too many for one reply; the connection ended, and the command may have been
    /// carried out.
    case unreadable(String)
    /// There was no reply within the command's time; Redis may have carried it out, or may still do so.
    case timedOut
    /// Redis answered with this error, of which at most 200 bytes are kept.
    case refused(String)
    /// The queue of commands is full.
    case full
    /// The link was closed.
    case closed

    package var description: String {
        switch self {
        case .away(let words), .lost(let words), .unreadable(let words): words
        case .ended: "Redis closed the connection"
        case .timedOut: "no answer in time"
        case .refused(let words): words
        case .full: "too many commands wait"
        case .closed: "closed"
        }
    }

    /// True if Redis may have carried out the command although it failed here.
    var mayBeCarriedOut: Bool {
        switch self {
        case .timedOut, .lost, .ended, .unreadable: true
        case .away, .refused, .full, .closed: false
        }
    }

    /// The most bytes of an error message from Redis that are kept.
    private static let most = 200

    /// The beginning of an error message from Redis, for people.
    static func words(of error: String) -> String {
        let utf8 = error.utf8
        guard utf8.count > most else { return error }
        var end = utf8.index(utf8.startIndex, offsetBy: most)
        while end.samePosition(in: error.unicodeScalars) == nil { end = utf8.index(before: end) }
        return String(error[..<end])
    }

    /// The first word of an error from Redis, such as `WRONGPASS`, which cannot repeat a part of the command.
    static func code(of error: String) -> String {
        let code = error.prefix { $0 != " " }
        let isCode = (1...32).contains(code.utf8.count) && code.utf8.allSatisfy { (0x41...0x5A).contains($0) }
        return isCode ? String(code) : "an error"
    }
}
