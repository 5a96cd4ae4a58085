// SPDX-License-Identifier: Apache-2.0

package import Logging
internal import Telemetry

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
    /// Bytes of a body in which passwords are looked for.
    private static let longestLook = 16 << 10

    /// Takes the process's logger.
    package init(_ logger: Logger) { self.logger = logger }

    /// An order that was answered with this status.
    /// - Parameters:
    ///   - path: of the order.
    ///   - peer: who gave it.
    ///   - now: seconds since 1970.
    package func note(_ path: String, _ body: [UInt8], from peer: String, status: Int, now: Int64) {
        log("an order was given", path, peer, carriedOut, now) {
            var facts: Logger.Metadata = ["status": "\(status)"]
            if !body.isEmpty {
                facts["body"] = .stringConvertible(Self.beginning(of: body, isRead: status < 400))
            }
            return facts
        }
    }

    /// An order that was refused with this error, whatever it says.
    package func note(refused path: String, from peer: String, error: String, now: Int64) {
        log("an order was refused", path, peer, refused, now) { ["error": "\(error)"] }
    }

    /// What is logged of a body: cut behind the passwords are hidden, because a password is found by the "@" that follows it.
    /// - Parameter isRead: it is JSON. In any other text a secret may go on behind a quotation mark.
    private static func beginning(of body: [UInt8], isRead: Bool) -> TextParts {
        let text = String(decoding: unescaped(body.prefix(longestLook)), as: UTF8.self)
        let shown = String(
            decoding: SecretParameters().redacted(text).utf8.prefix(longestBody), as: UTF8.self)
        return isRead ? TextParts(json: shown) : TextParts(whole: shown)
    }

    /// Secrets are found by the bytes of a URL, which JSON's writers escape (`\/`, `\u0026`).
    private static func unescaped(_ json: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        var rest = json
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
                // A quotation mark does not end its string.
                text += code == UInt8(ascii: "\"") ? [byte, code] : [code]
                rest = rest.dropFirst(4)
            } else {
                text += [byte, next]
            }
        }
        return text
    }

    private func log(
        _ words: Logger.Message, _ path: String, _ peer: String, _ limit: LogRateLimit, _ now: Int64,
        _ facts: () -> Logger.Metadata
    ) {
        guard let leftOut = limit.admit(now) else { return }
        var metadata = facts()
        metadata["order"] = "\(path)"
        metadata["from"] = "\(peer)"
        if leftOut > 0 { metadata["left-out"] = "\(leftOut)" }
        logger.notice(words, metadata: metadata)
    }
}
