// SPDX-License-Identifier: Apache-2.0

internal import Pipeline

/// The tables of docs/reference/errors.md: every status and word that a refusal has, from the rows of failures and from the
/// kinds of other refusals.
package enum ErrorReference {
    package enum Section: String, Sendable, CaseIterable {
        case picture = "The picture and its URL"
        case origin = "The origin"
        case load = "Load and limits"
        case message = "The HTTP message"
        case admin = "The admin listener"

        fileprivate init(_ section: FailureRow.Section) {
            switch section {
            case .picture: self = .picture
            case .origin: self = .origin
            case .load: self = .load
            }
        }
    }

    /// What a program reads of a refusal, and when it reads that.
    package struct Entry: Sendable, Hashable {
        let section: Section
        package let status: Int
        /// Stable; programs may rely on it.
        package let code: String
        /// In Markdown.
        package let when: String

        package init(_ section: Section, _ status: Int, _ code: String, _ when: String) {
            self.section = section
            self.status = status
            self.code = code
            self.when = when
        }

        fileprivate init(_ row: FailureRow) {
            self.init(Section(row.when.section), row.status, row.code, row.when.text)
        }
    }

    /// Of all refusals. Some are told alike.
    package static var entries: [Entry] {
        RefusalKind.allCases.map(\.entry) + PipelineFailure.Reason.examples.map { Entry($0.row) }
    }

    package static var markdown: String {
        Section.allCases.map { section in
            let rows = rows(of: section).joined(separator: "\n")
            return "## \(section.rawValue)\n\n| status | error | when |\n| --- | --- | --- |\n\(rows)\n"
        }.joined(separator: "\n")
    }

    /// One for each status and word, in the order of these.
    private static func rows(of section: Section) -> [String] {
        let own = entries.filter { $0.section == section }
        let starts = Dictionary(grouping: own) { "| \($0.status) | `\($0.code)` |" }
        return starts.sorted { $0.key < $1.key }.map { start, entries in
            var when: [String] = []
            for entry in entries where !when.contains(entry.when) { when.append(entry.when) }
            return "\(start) \(when.joined(separator: "; ")) |"
        }
    }
}
