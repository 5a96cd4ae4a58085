// SPDX-License-Identifier: Apache-2.0

internal import Endpoints
internal import Foundation
internal import Kernel
internal import RequestGrammar
package import Settings
internal import Stores

/// Reads the running daemon's state for the view. Calls block.
package struct TopSource: Sendable {
    package struct Look: Sendable {
        package let moment: DaemonMoment
        package let stages: StageHistograms
        /// The JSON as the listener sent it.
        package let json: String
        /// The address of the admin listener that answered.
        package let address: String
    }

    private let client: DaemonClient

    /// - Parameter settings: settings that contain the daemon's admin listener and token.
    package init(_ settings: Settings) throws {
        guard !settings.adminAddresses.isEmpty else {
            throw CommandFailure("admin.listen is empty: there is no listener to ask")
        }
        client = DaemonClient(settings.adminAddresses, secret: try settings.adminSecret, timeout: 5)
    }

    /// - Throws: a sentence, if the daemon does not answer or refuses.
    package func look() throws -> Look {
        let reply = try client.send("GET", "/admin/live")
        let moment: DaemonMoment = try reply.report()
        let page = try client.send("GET", "/metrics")
        return Look(
            moment: moment, stages: StageHistograms(page: page.body), json: reply.body, address: reply.address
        )
    }

    /// The details of a row, as lines; the reason if there are none.
    package func details(_ panel: TopPanel, _ name: String) -> [String] {
        do {
            return panel == .origins ? try origin(name) : try target(name)
        } catch {
            return ["\(error)"]
        }
    }

    /// The originals of this origin in the cache.
    private func origin(_ name: String) throws -> [String] {
        guard let host = URL(string: name)?.host() else { return ["This is no URL."] }
        let escaped = QueryText.escape(name: host)
        let report: ListReport = try client.send("GET", "/admin/list?host=\(escaped)&limit=100").report()
        let count = report.next == nil ? "\(report.originals.count)" : "more than \(report.originals.count)"
        return ["originals held of \(host): \(count)"]
            + report.originals.map {
                "\($0.format) \($0.width)×\($0.height)  \(Quantity.bytes($0.length))  \($0.url)"
            }
    }

    /// The daemon cuts a target to so many bytes.
    private static let longestTarget = 512

    /// The daemon's explanation of the target.
    private func target(_ name: String) throws -> [String] {
        guard name.utf8.count < Self.longestTarget else {
            return ["The target is too long to be known whole."]
        }
        guard name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return ["The target has characters that no request can have."]
        }
        let target = name.prefix { $0 != "#" }
        let query =
            target.hasPrefix("/img?")
            ? String(target.dropFirst("/img?".count))
            : "target=\(QueryText.escape(name: String(target)))"
        let reply = try client.send("GET", "/admin/explain?\(query)")
        try reply.check()
        return JSONOutline.lines(reply.body) ?? ["The daemon's explanation is not understood."]
    }
}
