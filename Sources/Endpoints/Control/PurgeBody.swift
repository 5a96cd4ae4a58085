// SPDX-License-Identifier: Apache-2.0

internal import Bytes
package import Dialects
package import Pipeline
internal import Settings
internal import SourceURLs

/// The body of `POST /admin/purge`: exactly one of five selections, and optionally `soft` and `dry_run`.
package struct PurgeBody: Sendable, Codable {
    /// One source URL, as a client writes it after `url=`.
    package var url: String?
    /// The beginning of source URLs: a scheme, a whole host, and the beginning of a path.
    package var prefix: String?
    /// A host, for every scheme and port; or the name of a bucket, a container or a folder.
    package var host: String?
    /// A tag of the origin, 1 to 1,024 bytes after trimming white space.
    package var tag: String?
    /// True for everything; nil and false select nothing.
    package var all: Bool?
    /// True to delete nothing and make the originals stale; nil means false.
    package var soft: Bool?
    /// True to change nothing and only count; nil means false.
    package var dryRun: Bool?

    /// Checks nothing; `order` does.
    package init(
        url: String? = nil, prefix: String? = nil, host: String? = nil, tag: String? = nil, all: Bool? = nil,
        soft: Bool? = nil, dryRun: Bool? = nil
    ) {
        self.url = url
        self.prefix = prefix
        self.host = host
        self.tag = tag
        self.all = all
        self.soft = soft
        self.dryRun = dryRun
    }

    /// An invalid order. The description is a sentence for the client, who gets it with `bad_order`.
    package struct Mistake: Error, CustomStringConvertible { package let description: String }

    private static let members = ["url", "prefix", "host", "tag", "all", "soft", "dry_run"]

    /// Reads a JSON object that has no members other than these. A `null` is refused, because it may have been meant as `true`: an
    /// order that should only count would remove things.
    package static func read(_ json: [UInt8]) throws(Mistake) -> PurgeBody {
        guard let given = ControlJSON.read([String: GivenMember].self, from: json) else {
            throw Mistake(
                description: "The body must be a JSON object with one of url, prefix, host, tag or all.")
        }
        if let unknown = given.keys.first(where: { !members.contains($0) }) {
            throw Mistake(description: "There is no member \"\(unknown.prefix(40))\".")
        }
        guard !given.values.contains(where: \.isNull),
            let body = ControlJSON.read(PurgeBody.self, from: json)
        else {
            throw Mistake(
                description:
                    "url, prefix, host and tag are strings; all, soft and dry_run are true or false.")
        }
        return body
    }

    /// Any JSON value, of which only this is read.
    private struct GivenMember: Decodable {
        let isNull: Bool

        init(from decoder: any Decoder) throws { isNull = try decoder.singleValueContainer().decodeNil() }
    }

    /// The checked order.
    /// - Throws: `Mistake` unless exactly one selection is given and valid.
    package var order: PurgeOrder {
        get throws(Mistake) {
            let given = [url, prefix, host, tag].count { $0 != nil } + (all == true ? 1 : 0)
            guard given == 1 else {
                throw Mistake(description: "Exactly one of url, prefix, host, tag and all is wanted.")
            }
            return PurgeOrder(try selection, isSoft: soft ?? false)
        }
    }

    /// The checked order, in which a URL names the same original as in a request.
    /// - Throws: as `order`, and for a path that is not possible at the place an alias stands for.
    package func order(by names: SourceNames) throws(Mistake) -> PurgeOrder {
        var order: PurgeOrder = try self.order
        guard let url else { return order }
        do throws(SourceURLError) {
            order.selection = .url(try names.original(of: SourceURL.parse(url)).bareKey)
            return order
        } catch {
            throw Mistake(description: "url: \(error.message)")
        }
    }

    private var selection: PurgeSelection {
        get throws(Mistake) {
            if let url { return .url(try Self.source(url, "url").bareKey) }
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

    /// The source URL in a member, percent-decoded.
    private static func source(_ text: String, _ member: String) throws(Mistake) -> SourceURL {
        do throws(SourceURLError) {
            return try SourceURL.parse(text, isPrefix: member == "prefix")
        } catch {
            throw Mistake(description: "\(member): \(error.message)")
        }
    }

    private static func host(_ text: String) throws(Mistake) -> String {
        // An address of IPv6 may stand without the brackets that it has in a URL.
        let isBare = Array(text.utf8).withUnsafeBytes { AddressText.v6($0) != nil }
        let name = isBare ? "[\(text)]" : text
        let url = try source("http://\(name)/", "host")
        guard url.target == "/", url.port == 80, !name.contains("/"), !name.hasSuffix(":80") else {
            throw Mistake(
                description: "host must be a name or an address alone; use prefix for more of a URL.")
        }
        // "2024" parses as the address 0.0.7.232, but may be a bucket.
        let isAddress = Array(url.uriHost.utf8).withUnsafeBytes { AddressText.v4($0) != nil }
        guard !isAddress || url.uriHost == text else {
            throw Mistake(
                description:
                    "host is read as \(url.uriHost); a bucket or a folder of that name goes by its prefix.")
        }
        return url.uriHost
    }
}

/// The answer of `POST /admin/purge`: how many things were removed, or made stale, or would be.
package struct PurgeReport: Sendable, Codable {
    /// Originals, counted by URL.
    package var originals: Int
    /// Renditions on disk.
    package var renditions: Int
    /// Ready answers in memory.
    package var answers: Int
    /// Remembered failures.
    package var failures: Int
    /// Fetches under way whose result is not kept, and which further requests do not join.
    package var fetches: Int
    /// True if nothing was deleted, and the numbers count things made stale.
    package var soft: Bool
    /// Whether the fleet's Redis has the order: `told`, or `waiting` on this node's disk; nil without a fleet, and for a dry run.
    package var fleet: String?

    /// Copies the numbers of the result.
    package init(_ result: PurgeResult, isSoft: Bool) {
        originals = result.originals
        renditions = result.renditions
        answers = result.answers
        failures = result.failures
        fetches = result.fetches
        soft = isSoft
    }
}
