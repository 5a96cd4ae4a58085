// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@Suite("Readers of the documents find their way")
struct DocumentLinksTests {
    /// The path and the anchor of a relative link.
    private func target(of link: String, in document: Document) -> (path: String, anchor: String?) {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        let anchor = parts.count == 2 ? parts[1] : nil
        guard let file = parts.first, !file.isEmpty else { return (document.path, anchor) }
        var folders = document.path.split(separator: "/").dropLast().map(String.init)
        for part in file.split(separator: "/") {
            switch part {
            case ".": continue
            case "..": folders = folders.isEmpty ? ["outside"] : folders.dropLast()
            default: folders.append(String(part))
            }
        }
        return (folders.joined(separator: "/"), anchor)
    }

    private func isRelative(_ link: String) -> Bool { link.firstMatch(of: /^[a-z]+:/) == nil }

    @Test func `all documents are looked at`() {
        #expect(Document.all.count >= 25)
        #expect(Document.all.map(\.path) == Document.paths)
        #expect(Document.all.allSatisfy { !$0.text.isEmpty })
    }

    @Test(arguments: Document.all)
    func `no line parts a table, whose rows below it would have no head`(document: Document) {
        var above = ""
        for (line, below) in zip(document.prose, document.prose.dropFirst()) {
            if line.hasPrefix("|"), !above.hasPrefix("|") {
                #expect(below.wholeMatch(of: /\|[ :|-]+\|/) != nil, "\(document): \(line.prefix(60))")
            }
            above = line
        }
    }

    @Test(arguments: Document.all)
    func `every link leads to a file and a heading that exist`(document: Document) throws {
        for link in document.links {
            guard isRelative(link) else {
                #expect(link.hasPrefix("https://"), "\(document): \(link)")
                continue
            }
            let (path, anchor) = target(of: link, in: document)
            let file = Document.root.appending(path: path).path
            #expect(FileManager.default.fileExists(atPath: file), "\(document): \(link)")
            guard let anchor else { continue }
            let anchors = try Document(path).anchors
            #expect(anchors.contains(anchor), "\(document): \(link) is none of \(anchors.sorted())")
        }
    }

    @Test func `README.md leads to every document, and has at most 150 lines`() throws {
        let readme = try Document("README.md")
        let reached = Set(readme.links.filter(isRelative).map { target(of: $0, in: readme).path })
        for document in Document.all where document.path != readme.path {
            #expect(reached.contains(document.path), "\(document)")
        }
        #expect(readme.text.split(separator: "\n", omittingEmptySubsequences: false).count <= 151)
    }

    @Test func `the license is the one that the sources name`() throws {
        let license = try Document("LICENSE").text
        for words in ["Apache License", "Version 2.0, January 2004", "END OF TERMS AND CONDITIONS"] {
            #expect(license.contains(words))
        }
    }
}
