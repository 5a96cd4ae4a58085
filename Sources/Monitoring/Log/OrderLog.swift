// SPDX-License-Identifier: Apache-2.0

internal import JSON
package import Logging
internal import Telemetry

/// Logs each order at the admin listener: its path, its sender and its result. Each of two kinds has at most ten lines per second; a
/// line says how many were left out before it.
///
/// **Isolation:** the logger and the limits are safe to share.
package final class OrderLog: Sendable {
    private let logger: Logger
    private let carriedOut = LogRateLimit(linesPerSecond: 10)
    /// The limit for orders that are refused for want of authorization. It is separate, so that such attempts do not hide the
    /// orders of others.
    private let refused = LogRateLimit(linesPerSecond: 10)

    /// The most bytes of a body that are logged. An order to warm pictures may list many thousands.
    private static let longestBody = 512
    /// The part of a body in which passwords are looked for, in bytes.
    private static let longestLook = 16 << 10

    package init(_ logger: Logger) { self.logger = logger }

    /// Logs an order that was answered with this status.
    /// - Parameters:
    ///   - path: the path of the order.
    ///   - peer: the address of the sender.
    ///   - now: seconds since 1970.
    package func note(_ path: String, _ body: [UInt8], from peer: String, status: Int, now: Int64) {
        log("an order was given", path, peer, carriedOut, now) {
            var facts: Logger.Metadata = ["status": "\(status)"]
            if !body.isEmpty {
                // Many orders take no body and succeed whatever they are sent.
                let isRead = status < 400 && UntrustedJSON.read(Anything.self, from: body) != nil
                facts["body"] = .stringConvertible(Self.beginning(of: body, isRead: isRead))
            }
            return facts
        }
    }

    /// Logs an order that was refused with this error.
    package func note(refused path: String, from peer: String, error: String, now: Int64) {
        log("an order was refused", path, peer, refused, now) { ["error": "\(error)"] }
    }

    /// A value that any JSON fits.
    private struct Anything: Decodable {
        init(from _: any Decoder) {}
    }

    /// The beginning of a body, for the log. It is cut after the passwords are hidden, because a password is recognised by the
    /// "@" behind it.
    /// - Parameter isRead: true if the body is JSON. In any other text a secret may go on behind a quotation mark.
    private static func beginning(of body: [UInt8], isRead: Bool) -> TextParts {
        let text = String(decoding: unescaped(body.prefix(longestLook)), as: UTF8.self)
        let shown = String(
            decoding: SecretParameters().redacted(text).utf8.prefix(longestBody), as: UTF8.self)
        return isRead ? TextParts(json: shown) : TextParts(whole: shown)
    }

    /// Undoes the escapes of JSON (`\/`, `\u0026`) in the bytes by which secrets in a URL are recognised.
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
                // A quotation mark does not end its string, and a backslash escapes nothing.
                let staysEscaped = code == UInt8(ascii: "\"") || code == UInt8(ascii: "\\")
                text += staysEscaped ? [byte, code] : [code]
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
