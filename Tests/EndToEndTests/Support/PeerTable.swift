// SPDX-License-Identifier: Apache-2.0

import Foundation
import ImageHeaders
import TestSupport

/// The table of a page for those who come from another service: what its URLs say, what that service's documents promise,
/// and what comes here. The page holds it, so that it is read and tried in one place.
struct PeerTable {
    struct Row {
        /// As it stands in the URL; empty where nothing does.
        let words: String
        let promise: String
        /// `png 300×200`, `json`, `data`, a status, or one of the two words for a refusal.
        let result: String

        /// Another answer than its service's, although Pictor could make it.
        var isMissing: Bool { result == "missing" }
        /// Nothing here is like it.
        var isForeign: Bool { result == "refused" }
        /// The sentence that its service answers with.
        var sentence: String? { promise.hasPrefix("`") ? String(promise.dropFirst().dropLast()) : nil }
    }

    let rows: [Row]

    /// - Parameter page: the name of a file in docs/migrating.
    init(_ page: String) throws {
        let document = try Document("docs/migrating/\(page).md")
        let part = document.part("tried") ?? ""
        rows = part.split(separator: "\n").dropFirst(2).compactMap { line in
            let cells = line.replacing("\\|", with: "\u{0}").split(
                separator: "|", omittingEmptySubsequences: false
            ).dropFirst().dropLast().map {
                $0.trimmingCharacters(in: .whitespaces).replacing("\u{0}", with: "|")
            }
            guard cells.count == 3 else { return nil }
            let words = cells[0] == "(none)" ? "" : cells[0].trimmingCharacters(in: ["`"])
            return Row(words: words, promise: cells[1], result: cells[2])
        }
    }

    /// The part of the rows that work as they are, of those that mean something here.
    var share: Double {
        let known = rows.filter { !$0.isForeign }
        return Double(known.count { !$0.isMissing }) / Double(max(known.count, 1))
    }

    /// What came, in the words of the table; a refusal is told by its status.
    static func result(of reply: Connection.Reply) -> String {
        guard reply.status == 200 else { return String(reply.status) }
        if reply["Content-Type"] == "application/json" { return "json" }
        if reply.text.hasPrefix("data:image/") { return "data" }
        guard let header = try? ImageHeader.parse(reply.body) else { return "no picture" }
        return "\(header.format.name) \(header.width)×\(header.height)"
    }
}
