// SPDX-License-Identifier: Apache-2.0

package import Settings

/// The request targets that a warming asks for.
package struct WarmPlan: Sendable, Equatable {
    /// In their order, each once.
    package private(set) var targets: [String] = []
    /// URLs that are refused before anything is asked, and why.
    package private(set) var refused: [(url: String, reason: String)] = []

    /// - Parameters:
    ///   - queries: options of a picture, escaped as in a URL; each is asked for of each URL, which is a source then. With none,
    ///     the URLs are Pictor's own.
    ///   - settings: keys sign what is asked for.
    /// - Throws: for options that no source would make right.
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

    /// Path and query; nil if it has none, or bytes that no request line may have.
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
