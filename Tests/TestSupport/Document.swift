// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// One of the documents of this repository, in Markdown, taken apart as far as its tests want to look at it.
package struct Document: Sendable, CustomStringConvertible {
    /// An example between fences, with the language that its fence names.
    package struct Example: Sendable, CustomStringConvertible {
        package let document: String
        package let language: String
        /// Lines before it; the first line of a file has none.
        package let line: Int
        package let lines: [String]

        package var text: String { lines.map { $0 + "\n" }.joined() }
        package var description: String { "\(document):\(line)" }
    }

    /// Relative to the root.
    package let path: String
    package let text: String
    /// Lines outside the examples.
    package let prose: [String]
    package let examples: [Example]

    package var description: String { path }

    package static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The paths of `all`.
    package static let paths: [String] = {
        let docs = FileManager.default.enumerator(atPath: root.appending(path: "docs").path)
        let paths = (docs?.allObjects as? [String] ?? []).filter { $0.hasSuffix(".md") }.map { "docs/\($0)" }
        return ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"] + paths.sorted()
    }()

    /// The documents whose links, names and examples are checked; without one that cannot be read.
    package static let all = paths.compactMap { try? Document($0) }

    package init(_ path: String) throws {
        self.path = path
        text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
        var prose: [String] = []
        var examples: [Example] = []
        var open: (language: String, line: Int, lines: [String])?
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("```") {
                if let example = open {
                    examples.append(
                        Example(
                            document: path, language: example.language, line: example.line,
                            lines: example.lines))
                    open = nil
                } else {
                    open = (String(line.dropFirst(3)), number, [])
                }
            } else if open != nil {
                open?.lines.append(String(line))
            } else {
                prose.append(String(line))
            }
        }
        self.prose = prose
        self.examples = examples
    }

    package static func examples(in language: String) -> [Example] {
        all.flatMap(\.examples).filter { $0.language == language }
    }

    /// What stands between two markers, without the empty lines around it.
    package func part(_ name: String) -> String? {
        guard let begin = text.firstRange(of: "<!-- \(name) -->\n")?.upperBound,
            let end = text.firstRange(of: "<!-- end of \(name) -->")?.lowerBound, begin <= end
        else { return nil }
        return text[begin..<end].trimmingCharacters(in: .newlines) + "\n"
    }

    /// Outside the examples, each on one line: what is in backticks or in a link may go over two.
    private var paragraphs: [String] {
        var paragraphs = [""]
        for line in prose {
            if line.isEmpty || line.hasPrefix("|") {
                paragraphs += [line, ""]
            } else {
                paragraphs[paragraphs.count - 1] += " " + line
            }
        }
        return paragraphs
    }

    /// What stands in backticks outside the examples.
    package var codeSpans: [String] {
        paragraphs.flatMap { text in text.matches(of: /`([^`]+)`/).map { String($0.1) } }
    }

    /// Where its links lead, as they are written.
    package var links: [String] {
        paragraphs.flatMap { text in
            text.replacing(/`[^`]*`/, with: "").matches(of: /\[[^\]]*\]\(([^)\s]+)\)/).map { String($0.1) }
        }
    }

    /// What a link may name behind its #, as GitHub makes it of the headings.
    package var anchors: Set<String> {
        var anchors: Set<String> = []
        for line in prose {
            guard let heading = line.wholeMatch(of: /#{1,6} +(.+?)/)?.1 else { continue }
            let kept = heading.lowercased().unicodeScalars.filter {
                $0.properties.isAlphabetic || $0.properties.numericType != nil
                    || "-_ ".unicodeScalars.contains($0)
            }
            let name = String(String.UnicodeScalarView(kept)).replacing(" ", with: "-")
            let repeated = (1...).lazy.map { "\(name)-\($0)" }
            anchors.insert(anchors.contains(name) ? repeated.first { !anchors.contains($0) } ?? name : name)
        }
        return anchors
    }

    /// The cells of its tables' rows, heads included.
    package var rows: [[String]] {
        prose.filter { $0.hasPrefix("| ") }.map { line in
            line.replacing("\\|", with: "\u{0}").split(separator: "|", omittingEmptySubsequences: false)
                .dropFirst().dropLast().map {
                    $0.trimmingCharacters(in: .whitespaces).replacing("\u{0}", with: "|")
                }
        }
    }
}
