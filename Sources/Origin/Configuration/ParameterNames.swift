// SPDX-License-Identifier: Apache-2.0

package import SourceURLs

/// Names of parameters in the queries of URLs, in which a `*` at the end stands for any ending.
package struct ParameterNames: Sendable, Hashable {
    private let list: [String]

    /// Takes the names as a profile has them.
    package init(_ list: [String]) { self.list = list }

    /// True if there are no names.
    package var isEmpty: Bool { list.isEmpty }

    /// The URL without these parameters; they are not sent to the origin either.
    package func removed(from url: SourceURL) -> SourceURL {
        guard !list.isEmpty else { return url }
        return url.with(target: target(url.target) { _ in true })
    }

    /// The URL with these parameters left out of its key but still sent, each in its place. A URL that could have such parameters
    /// but has none counts as keyed, too, because its answer tells as little about the original.
    package func keyed(_ url: SourceURL) -> SourceURL {
        guard !list.isEmpty else { return url }
        let sent = url.sent.target
        return url.with(target: target(sent, where: Self.isAlone), sentTarget: sent)
    }

    /// False for a parameter within which some origins see another one begin, as Rack once did at `;`. The second one may
    /// identify the original; if no key contained it, one client could choose the original for everybody.
    private static func isAlone(_ parameter: Substring) -> Bool {
        !parameter.contains { $0 == ";" || $0 == "?" }
    }

    /// The target without those of these parameters for which `isMeant` is true.
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
