// SPDX-License-Identifier: Apache-2.0

package import SourceURLs

/// Names of parameters in the queries of URLs, with `*` at the end for any end.
package struct ParameterNames: Sendable, Hashable {
    private let list: [String]

    /// As a profile has them.
    package init(_ list: [String]) { self.list = list }

    /// True if no parameter has such a name.
    package var isEmpty: Bool { list.isEmpty }

    /// The URL without these parameters, for its origin as well.
    package func removed(from url: SourceURL) -> SourceURL {
        guard !list.isEmpty else { return url }
        return url.with(target: target(url.target) { _ in true })
    }

    /// The URL that is known without these parameters and sent with them, each in its place. Where a URL may have such
    /// parameters and has none, its origin's answer says as little of the original.
    package func keyed(_ url: SourceURL) -> SourceURL {
        guard !list.isEmpty else { return url }
        let sent = url.sent.target
        return url.with(target: target(sent, where: Self.isAlone), sentTarget: sent)
    }

    /// False for a parameter in which some origins see another one begin, as Rack once did at `;`. That one may tell the
    /// original, and would choose it for everybody if no key had it.
    private static func isAlone(_ parameter: Substring) -> Bool {
        !parameter.contains { $0 == ";" || $0 == "?" }
    }

    /// The target without those of these parameters that are meant.
    private func target(_ target: String, where isMeant: (Substring) -> Bool) -> String {
        guard let question = target.firstIndex(of: "?") else { return target }
        let parameters = target[target.index(after: question)...]
            .split(separator: "&", omittingEmptySubsequences: false)
        let kept = parameters.filter { !isMeant($0) || !holds($0.prefix { $0 != "=" }) }
        guard kept.count < parameters.count else { return target }
        let query = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
        return target[..<question] + query
    }

    private func holds(_ name: Substring) -> Bool {
        list.contains { $0.hasSuffix("*") ? name.hasPrefix($0.dropLast()) : name == $0 }
    }
}

extension SourceURL {
    fileprivate func with(target: String, sentTarget: String? = nil) -> SourceURL {
        SourceURL(scheme: scheme, host: host, port: port, target: target, sentTarget: sentTarget)
    }
}
