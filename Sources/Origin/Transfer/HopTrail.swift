// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import SourceURLs

/// The URLs that an exchange requests: first the original one, then the target of each redirect.
struct HopTrail {
    /// The redirects so far.
    private(set) var hops: [DownloadReply.Hop] = []
    /// The URL of the current hop.
    private(set) var url: SourceURL
    private let asked: SourceURL
    /// The store of the original URL; nil for the web.
    private let home: NamedStore?
    private var visited: Set<SourceURL>

    init(_ asked: SourceURL, _ configuration: OriginConfiguration) {
        self.asked = asked
        home = configuration.namedStore(for: asked)
        url = home?.place(of: asked) ?? asked
        // URLs are compared as they are sent, because a URL without the parameters that grant access is another request.
        visited = [url.sent]
    }

    /// True before the first redirect.
    var isAtStart: Bool { hops.isEmpty }

    /// The store that is asked; nil after a redirect, because its target gets none of the store's credentials.
    var store: NamedStore? { isAtStart ? home : nil }

    /// True after a redirect of a store that requires a key, which is not sent to the redirect's target.
    var hasLeftKey: Bool { !isAtStart && home?.isKeyed == true }

    /// The URL of the current hop in the form that is known outside of the store.
    var place: SourceURL { isAtStart ? asked : url }

    /// Permits each URL to be requested once more, because the next request for it is a different one.
    mutating func forgetVisits() { visited = [] }

    /// Moves to a redirect's target.
    /// - Parameters:
    ///   - head: the redirect.
    ///   - rule: the rule of the profile for the URL that redirects.
    /// - Throws: if the target must not be fetched, or if there were too many redirects.
    mutating func follow(
        _ head: ReplyHead, to location: String, _ rule: CacheControlRule?,
        _ configuration: OriginConfiguration
    ) throws(DownloadFailure) {
        let target: SourceURL
        do throws(SourceRefusal) {
            target = try Redirect.target(location, from: url, configuration)
        } catch .malformed {
            throw .brokenReply(.badRedirect)
        } catch {
            throw .redirectRefused(by: error)
        }
        // If a store's redirect repeats the secret from the query, following it would show the secret and send it elsewhere.
        if store?.hasSecret(in: location) == true { throw .brokenReply(.badRedirect) }
        guard hops.count < configuration.redirectLimit, visited.insert(target.sent).inserted
        else {
            throw .tooManyRedirects(limit: configuration.redirectLimit)
        }
        hops.append(DownloadReply.Hop(status: head.status, fields: head.fields, rule: rule))
        url = target
    }
}
