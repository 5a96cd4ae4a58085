// SPDX-License-Identifier: Apache-2.0
//
// The part after the options: `plain/` and the URL, percent-encoded, with `@extension`; or the URL in base64url, split into any
// number of segments, with `.extension`, and followed by a segment with a file name if the settings say so; or `enc/` and, in
// base64url with `.extension`, an initialization vector and the URL encrypted by AES.

internal import Bytes
internal import Hashing
internal import SourceURLs

struct ImgproxySource {
    let url: SourceURL
    /// The format's name; nil if none is given.
    let format: String?
    let isEncrypted: Bool
    /// True if the request does not show where the source is, because it is encrypted or a path of the base.
    let isHidden: Bool
    /// The decoded file name in the segment after the source; nil if there is none, and for invalid UTF-8.
    let fileName: String?

    init(_ segments: some BidirectionalCollection<Substring>, _ rules: ImgproxyRules) throws(ImgproxyRefusal)
    {
        guard let first = segments.first else { throw .noSource }
        let isPlain = first == "plain" && segments.count > 1
        isEncrypted = first == "enc" && segments.count > 1
        var rest = segments.dropFirst(isPlain || isEncrypted ? 1 : 0)
        let isNamed = rules.namesFiles && !isPlain && !isEncrypted && rest.count > 1
        fileName = isNamed ? rest.last.flatMap(FileName.unescaped) : nil
        if isNamed { rest = rest.dropLast() }
        let text = rest.joined(separator: isPlain ? "/" : "")
        let parts = text.split(separator: isPlain ? "@" : ".", omittingEmptySubsequences: false)
        guard let encoded = parts.first, !encoded.isEmpty else { throw .noSource }
        let plain = isPlain ? Self.unescaped(encoded) : Self.decoded(encoded)
        guard plain != nil || isPlain || isEncrypted else { throw Self.mistake(in: segments) }
        guard parts.count <= 2 else { throw .severalFormats(isPlain: isPlain) }
        format = parts.count == 2 && !parts[1].isEmpty ? String(parts[1]) : nil
        if isEncrypted {
            url = try Self.decrypted(encoded, rules)
            isHidden = true
            return
        }
        // An origin may name its files in another encoding than UTF-8, but a store does not.
        let source = plain ?? Self.escapes(in: encoded)
        guard plain != nil || ImgproxyStore(rules.withBase(source)) == nil else { throw .notText }
        url = try Self.url(source, rules)
        isHidden = rules.withBase(source) != source
    }

    /// The decoded text; nil for invalid UTF-8.
    private static func unescaped(_ text: Substring) -> String? {
        PercentEscape.decode(Array(text.utf8)[...]).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The same for base64url.
    private static func decoded(_ digits: Substring) -> String? {
        Base64URL.decode(digits).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The decoded text, in which bytes that are no text stay escapes, as at imgproxy (`net/url` of Go).
    private static func escapes(in text: Substring) -> String {
        PercentEscape.text(escaping: PercentEscape.decode(lenient: Array(text.utf8)[...]))
    }

    /// The refusal of segments that are no source. If a source follows later (`plain`), the first segment is taken for a wrong
    /// option.
    private static func mistake(in segments: some Collection<Substring>) -> ImgproxyRefusal {
        guard let first = segments.first else { return .noSource }
        if first == "-" {
            return .unsupported(
                option: "-", reason: "Pictor has one order of steps; several pipelines are of imgproxy Pro.")
        }
        return segments.dropFirst().contains("plain") ? .noOption(segment: String(first)) : .badEncoding
    }

    /// Decrypts a source. There is one refusal for all faults, so that it does not reveal which one occurred.
    private static func decrypted(
        _ encoded: Substring, _ rules: ImgproxyRules
    ) throws(ImgproxyRefusal) -> SourceURL {
        guard !rules.encryptionKey.isEmpty else { throw .noEncryptionKey }
        let size = BlockCipher.blockSize
        guard let bytes = Base64URL.decode(encoded),
            let plain = BlockCipher.decrypt(
                bytes.dropFirst(size), key: rules.encryptionKey, vector: Array(bytes.prefix(size))),
            let text = String(validating: plain, as: UTF8.self), let url = try? Self.url(text, rules)
        else { throw .notDecrypted }
        return url
    }

    private static func url(_ text: String, _ rules: ImgproxyRules) throws(ImgproxyRefusal) -> SourceURL {
        let lower = text.lowercased()
        // Such a text would be taken for a path of the base, or would need a base.
        guard !["http%3a", "https%3a"].contains(where: { lower.hasPrefix($0) }) else {
            throw .source(.escapedTwice)
        }
        let whole = rules.withBase(text)
        // With a base, a store's URL would be appended to the base as a path, so it is refused.
        guard whole == text || ImgproxyStore(text) == nil else { throw .noURL }
        if let store = ImgproxyStore(whole) {
            do { return try store.url } catch { throw .source(error) }
        }
        let scheme = whole.prefix(8).lowercased()
        guard scheme.hasPrefix("http://") || scheme == "https://" else {
            throw text.contains("://") ? .noURL : .noBase
        }
        do { return try SourceURL.parse(whole) } catch { throw .source(error) }
    }
}
