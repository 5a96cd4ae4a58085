// SPDX-License-Identifier: Apache-2.0

internal import Pipeline

/// The tables of docs/reference/errors.md: every status and word that a refusal has, from the rows of failures and from the
/// kinds of other refusals.
package enum ErrorReference {
    package enum Chapter: String, Sendable, CaseIterable {
        case picture = "The picture and its URL"
        case origin = "The origin"
        case load = "Load and limits"
        case message = "The HTTP message"
        case admin = "The admin listener"

        fileprivate init(_ chapter: FailureRow.Chapter) {
            switch chapter {
            case .picture: self = .picture
            case .origin: self = .origin
            case .load: self = .load
            }
        }
    }

    /// What a program reads of a refusal, and when it reads that.
    package struct Entry: Sendable, Hashable {
        let chapter: Chapter
        package let status: Int
        /// Stable; programs may rely on it.
        package let code: String
        /// In Markdown.
        package let when: String

        package init(_ chapter: Chapter, _ status: Int, _ code: String, _ when: String) {
            self.chapter = chapter
            self.status = status
            self.code = code
            self.when = when
        }

        fileprivate init(_ row: FailureRow) {
            self.init(Chapter(row.when.chapter), row.status, row.code, row.when.text)
        }
    }

    /// Of all refusals. Some are told alike.
    package static var entries: [Entry] {
        RefusalKind.allCases.map(\.entry) + PipelineFailure.Reason.examples.map { Entry($0.row) }
    }

    package static var markdown: String {
        Chapter.allCases.map { chapter in
            let rows = rows(of: chapter).joined(separator: "\n")
            return "## \(chapter.rawValue)\n\n| status | error | when |\n| --- | --- | --- |\n\(rows)\n"
        }.joined(separator: "\n")
    }

    /// One for each status and word, in the order of these.
    private static func rows(of chapter: Chapter) -> [String] {
        let own = entries.filter { $0.chapter == chapter }
        let starts = Dictionary(grouping: own) { "| \($0.status) | `\($0.code)` |" }
        return starts.sorted { $0.key < $1.key }.map { start, entries in
            var when: [String] = []
            for entry in entries where !when.contains(entry.when) { when.append(entry.when) }
            return "\(start) \(when.joined(separator: "; ")) |"
        }
    }
}
