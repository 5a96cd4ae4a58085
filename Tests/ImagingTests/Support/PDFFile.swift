// SPDX-License-Identifier: Apache-2.0

/// PDF 1.4 with empty pages.
enum PDFFile {
    /// Sizes in points.
    static func write(_ pages: [(width: Int, height: Int)]) -> [UInt8] {
        let kids = pages.indices.map { "\($0 + 3) 0 R" }.joined(separator: " ")
        let objects =
            [
                "<</Type/Catalog/Pages 2 0 R>>",
                "<</Type/Pages/Kids[\(kids)]/Count \(pages.count)>>",
            ] + pages.map { "<</Type/Page/Parent 2 0 R/MediaBox[0 0 \($0.width) \($0.height)]>>" }
        var (text, offsets) = ("%PDF-1.4\n", "0000000000 65535 f \n")
        for (index, object) in objects.enumerated() {
            let offset = String(text.utf8.count)
            offsets += String(repeating: "0", count: 10 - offset.count) + offset + " 00000 n \n"
            text += "\(index + 1) 0 obj\n\(object)\nendobj\n"
        }
        let start = text.utf8.count
        text += "xref\n0 \(objects.count + 1)\n\(offsets)"
        return Array(
            (text + "trailer<</Size \(objects.count + 1)/Root 1 0 R>>\nstartxref\n\(start)\n%%EOF\n").utf8)
    }
}
