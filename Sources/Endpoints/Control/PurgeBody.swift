// SPDX-License-Identifier: Apache-2.0

package import Pipeline
internal import Settings
internal import SourceURLs

/// What `POST /admin/purge` and `pictor cache purge` are told: exactly one of five selections, and perhaps `soft`.
package struct PurgeBody: Sendable, Codable {
    package var url: String?
    package var prefix: String?
    package var host: String?
    package var tag: String?
    package var all: Bool?
    package var soft: Bool?

    package init(
        url: String? = nil, prefix: String? = nil, host: String? = nil, tag: String? = nil, all: Bool? = nil,
        soft: Bool? = nil
    ) {
        self.url = url
        self.prefix = prefix
        self.host = host
        self.tag = tag
        self.all = all
        self.soft = soft
    }

    /// The words say what is wrong, to whoever gave the order.
    package struct Mistake: Error, CustomStringConvertible { package let description: String }

    private static let members = ["url", "prefix", "host", "tag", "all", "soft"]

    /// A JSON object with no other members than these.
    package static func read(_ json: [UInt8]) throws(Mistake) -> PurgeBody {
        guard let names = ControlJSON.read([String: Anything].self, from: json)?.keys else {
            throw Mistake(
                description: "The body must be a JSON object with one of url, prefix, host, tag or all.")
        }
        if let unknown = names.first(where: { !members.contains($0) }) {
            throw Mistake(description: "There is no member \"\(unknown.prefix(40))\".")
        }
        guard let body = ControlJSON.read(PurgeBody.self, from: json) else {
            throw Mistake(
                description: "url, prefix, host and tag are strings; all and soft are true or false.")
        }
        return body
    }

    /// A value that is not looked at.
    private struct Anything: Decodable { init(from decoder: any Decoder) {} }

    package var order: PurgeOrder {
        get throws(Mistake) {
            let given = [url, prefix, host, tag].count { $0 != nil } + (all == true ? 1 : 0)
            guard given == 1 else {
                throw Mistake(description: "Exactly one of url, prefix, host, tag and all is wanted.")
            }
            return PurgeOrder(try selection, isSoft: soft ?? false)
        }
    }

    private var selection: PurgeSelection {
        get throws(Mistake) {
            if let url { return .url(try Self.source(url, "url").key) }
            if let prefix { return .prefix(try Self.source(prefix, "prefix").absolute) }
            if let host { return .host(try Self.host(host)) }
            guard let tag else { return .all }
            let name = tag.trimming(while: \.isWhitespace)
            guard !name.isEmpty, name.utf8.count <= 1024 else {
                throw Mistake(description: "tag must have 1 to 1024 bytes.")
            }
            return .tag(name)
        }
    }

    /// As a client would write it after `url=`, percent-decoded.
    private static func source(_ text: String, _ member: String) throws(Mistake) -> SourceURL {
        do throws(SourceURLError) {
            return try SourceURL.parse(text)
        } catch {
            throw Mistake(description: "\(member): \(error.message)")
        }
    }

    private static func host(_ text: String) throws(Mistake) -> String {
        let url = try source("http://\(text)/", "host")
        guard url.target == "/", url.port == 80, !text.contains("/"), !text.hasSuffix(":80") else {
            throw Mistake(description: "host must be a name or an address alone; a prefix may have more.")
        }
        return url.host.contains(":") ? "[\(url.host)]" : url.host
    }
}

/// What came of it.
package struct PurgeReport: Sendable, Codable {
    package var originals: Int
    package var renditions: Int
    package var answers: Int
    package var failures: Int
    package var fetches: Int
    package var soft: Bool

    package init(_ result: PurgeResult, isSoft: Bool) {
        originals = result.originals
        renditions = result.renditions
        answers = result.answers
        failures = result.failures
        fetches = result.fetches
        soft = isSoft
    }
}
