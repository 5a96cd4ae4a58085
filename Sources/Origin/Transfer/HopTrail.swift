// SPDX-License-Identifier: Apache-2.0

internal import HTTPCaching
internal import SourceURLs

/// Where an exchange asks: first for what was asked for, then for what each redirect names.
struct HopTrail {
    /// The hops that have redirected.
    private(set) var hops: [DownloadReply.Hop] = []
    /// The URL of the current hop.
    private(set) var url: SourceURL
    private let asked: SourceURL
    /// The store that holds what was asked for; nil for the web.
    private let home: NamedStore?
    private var visited: Set<SourceURL>

    init(_ asked: SourceURL, _ configuration: OriginConfiguration) {
        self.asked = asked
        home = configuration.namedStore(for: asked)
        url = home?.place(of: asked) ?? asked
        // As it is sent: without the parameters that open it, a URL is another request.
        visited = [url.sent]
    }

    /// True before the first redirect.
    var isAtStart: Bool { hops.isEmpty }

    /// The store that is asked; nil behind a redirect of it, where any place is asked without the store's credentials.
    var store: NamedStore? { isAtStart ? home : nil }

    /// True behind the redirect of a store that wants a key, which is not shown there.
    var hasLeftKey: Bool { !isAtStart && home?.isKeyed == true }

    /// The URL of the current hop, as it is known outside of the store.
    var place: SourceURL { isAtStart ? asked : url }

    /// Lets each URL be asked once more, because the next request for it is a different one.
    mutating func forgetVisits() { visited = [] }

    /// Moves to a redirect's target.
    /// - Parameters:
    ///   - head: the redirect.
    ///   - rule: of the profile for the URL that redirects.
    /// - Throws: if the target may not be fetched, or after too many redirects.
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
        // A store that echoes the query would have us show its secret, and send it elsewhere.
        if store?.isBetrayed(by: location) == true { throw .brokenReply(.badRedirect) }
        guard hops.count < configuration.redirectLimit, visited.insert(target.sent).inserted
        else {
            throw .tooManyRedirects(limit: configuration.redirectLimit)
        }
        hops.append(DownloadReply.Hop(status: head.status, fields: head.fields, rule: rule))
        url = target
    }
}
