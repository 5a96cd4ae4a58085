// SPDX-License-Identifier: Apache-2.0

package import Settings

/// The targets that a warming requests.
package struct WarmPlan: Sendable, Equatable {
    /// The targets in their order, each once.
    package private(set) var targets: [String] = []
    /// URLs that are refused before any request, and the reasons.
    package private(set) var refused: [(url: String, reason: String)] = []

    /// - Parameters:
    ///   - queries: escaped options; each is requested for each URL, which is a source. If there are none, the URLs are URLs of
    ///     Pictor itself.
    ///   - settings: their keys sign the targets.
    /// - Throws: for options that are wrong with any source.
    package init(
        _ urls: [String], queries: [String], _ settings: Settings
    ) throws {
        let service = try URLService(settings, base: "")
        for query in queries { _ = try service.target(of: "http://host.example/", options: query) }
        var seen: Set<String> = []
        func add(_ target: String) { if seen.insert(target).inserted { targets.append(target) } }
        for url in urls {
            guard !queries.isEmpty else {
                if let target = Self.target(in: url) { add(target) } else { refused.append((url, "no URL")) }
                continue
            }
            for query in queries {
                do throws(URLService.Failure) {
                    add(try service.target(of: url, options: query))
                } catch {
                    refused.append((url, error.description))
                    break
                }
            }
        }
    }

    package static func == (a: WarmPlan, b: WarmPlan) -> Bool {
        a.targets == b.targets && a.refused.elementsEqual(b.refused) { $0 == $1 }
    }

    /// Path and query; nil if the URL has no path, or bytes that a request line may not have.
    private static func target(in url: String) -> String? {
        var rest = url[...]
        if let scheme = url.firstRange(of: "://"), !url.hasPrefix("/") {
            rest = url[scheme.upperBound...].drop { $0 != "/" && $0 != "?" }
        }
        let target = String(rest.prefix { $0 != "#" })
        let isPlain = target.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
        return target.hasPrefix("/") && isPlain ? target : nil
    }
}
