// SPDX-License-Identifier: Apache-2.0

internal import Bytes
internal import SourceURLs

/// A shared access signature (SAS): query parameters that let anybody who has them read, until they expire. The parameters are
/// the secret itself, so only the URL that is sent contains them.
package struct AccessToken: Sendable, Hashable, CustomStringConvertible {
    /// The query as it is sent, without a question mark.
    let query: String
    /// The beginning of the token's signature, as sent and with escapes decoded. A text that contains one of them repeats the
    /// token, even if it was cut.
    private let marks: [[UInt8]]

    /// The length of a mark: so many characters that two texts do not share them by chance.
    private static let markLength = 8

    /// Reads `sv=…&sig=…`, with or without the question mark that Microsoft's tools put before it. Nil for anything else, such
    /// as a whole URL or a connection string.
    package init?(_ text: String) {
        let given = text.hasPrefix("?") ? text.dropFirst() : text[...]
        guard !given.contains("#"), !given.contains("?"),
            let url = try? SourceURL.parse("https://a/?\(given)"),
            url.target.hasPrefix("/?")
        else { return nil }
        let query = url.target.dropFirst(2)
        guard let signature = query.split(separator: "&").first(where: { $0.hasPrefix("sig=") }) else {
            return nil
        }
        let value = Array(signature.dropFirst("sig=".count).utf8)
        marks = [value, PercentEscape.decode(lenient: value[...])].map { Array($0.prefix(Self.markLength)) }
        guard marks.allSatisfy({ $0.count == Self.markLength }) else { return nil }
        self.query = String(query)
    }

    /// Contains nothing of the token.
    package var description: String { "token" }

    /// True if the text contains the signature, as sent or escaped differently, up to twice.
    func isShown(in text: String) -> Bool {
        var bytes = Array(text.utf8)
        for _ in 0...2 {
            if marks.contains(where: { bytes.firstRange(of: $0) != nil }) { return true }
            bytes = PercentEscape.decode(lenient: bytes[...])
        }
        return false
    }
}
