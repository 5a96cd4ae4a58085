// SPDX-License-Identifier: Apache-2.0

internal import Pipeline

/// Generates the tables of docs/reference/errors.md: every status and code of a refusal, from the rows of
/// failures and from the kinds of other refusals.
package enum ErrorReference {
    /// The sections of the document, with their headings.
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

    /// The machine-readable part of a refusal, and when it is sent.
    package struct Entry: Sendable, Hashable {
        let section: Section
        /// The HTTP status.
        package let status: Int
        /// The stable code, which programs may rely on.
        package let code: String
        /// The cause, in Markdown.
        package let when: String

        /// - Parameter when: the cause, in Markdown.
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

    /// The entries of all refusals; some share status and code.
    package static var entries: [Entry] {
        RefusalKind.allCases.map(\.entry) + PipelineFailure.Reason.examples.map { Entry($0.row) }
    }

    /// The document's tables.
    package static var markdown: String {
        Section.allCases.map { section in
            let rows = rows(of: section).joined(separator: "\n")
            return "## \(section.rawValue)\n\n| status | error | when |\n| --- | --- | --- |\n\(rows)\n"
        }.joined(separator: "\n")
    }

    /// The section's rows, one for each status and code, sorted by both.
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
