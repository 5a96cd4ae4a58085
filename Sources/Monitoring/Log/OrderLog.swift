// SPDX-License-Identifier: Apache-2.0

package import Logging

/// Logs each order at the admin listener: which, from where, and what came of it. Ten lines a second at most of each kind, and how many
/// were left out.
///
/// **Isolation:** the logger and the limits guard themselves.
package final class OrderLog: Sendable {
    private let logger: Logger
    private let carriedOut = LogRateLimit(linesPerSecond: 10)
    /// Of orders without the right to give any: those who try must not hide what others order.
    private let refused = LogRateLimit(linesPerSecond: 10)

    /// Bytes of a body that are logged: of pictures to warm there may be many thousands.
    private static let longestBody = 512

    /// Takes the process's logger.
    package init(_ logger: Logger) { self.logger = logger }

    /// An order that was answered with this status.
    /// - Parameters:
    ///   - path: of the order.
    ///   - peer: who gave it.
    ///   - now: seconds since 1970.
    package func note(_ path: String, _ body: [UInt8], from peer: String, status: Int, now: Int64) {
        var facts: Logger.Metadata = ["status": "\(status)"]
        if !body.isEmpty {
            facts["body"] = "\(String(decoding: Self.beginning(of: body), as: UTF8.self))"
        }
        log("an order was given", path, peer, facts, carriedOut, now)
    }

    /// An order that was refused with this error, whatever it says.
    package func note(refused path: String, from peer: String, error: String, now: Int64) {
        log("an order was refused", path, peer, ["error": "\(error)"], refused, now)
    }

    /// What is logged of a body. Secrets are found by the bytes of a URL, which JSON's writers escape (`\/`, `\u0026`), and a password
    /// by the "@" behind it, which may be cut off.
    private static func beginning(of body: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        var rest = body.prefix(longestBody)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
                text.append(byte)
                continue
            }
            if next == UInt8(ascii: "/") {
                text.append(next)
            } else if next == UInt8(ascii: "u"),
                let code = UInt8(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16),
                (0x21...0x7E).contains(code)
            {
                text.append(code)
                rest = rest.dropFirst(4)
            } else {
                text += [byte, next]
            }
        }
        guard body.count > longestBody, let last = text.lastIndex(where: { "/?#\"".utf8.contains($0) }),
            last > 0, text[last] == UInt8(ascii: "/"), text[last - 1] == UInt8(ascii: "/")
        else { return text }
        return Array(text[...last])
    }

    private func log(
        _ words: Logger.Message, _ path: String, _ peer: String, _ facts: Logger.Metadata,
        _ limit: LogRateLimit,
        _ now: Int64
    ) {
        guard let leftOut = limit.admit(now) else { return }
        var metadata = facts
        metadata["order"] = "\(path)"
        metadata["from"] = "\(peer)"
        if leftOut > 0 { metadata["left-out"] = "\(leftOut)" }
        logger.notice(words, metadata: metadata)
    }
}
