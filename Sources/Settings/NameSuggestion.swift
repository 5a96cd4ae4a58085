// SPDX-License-Identifier: Apache-2.0

/// Suggests an existing name for one that does not exist.
enum NameSuggestion {
    /// `; did you mean …?` if a name is close enough to the text; otherwise an empty text.
    static func words(for text: String, among names: [String]) -> String {
        let nearest = names.map { (name: $0, distance: distance(text, $0)) }.min { $0.distance < $1.distance }
        guard let nearest, nearest.distance <= max(2, text.count / 4) else { return "" }
        return "; did you mean \(nearest.name)?"
    }

    /// Levenshtein's edit distance.
    private static func distance(_ a: String, _ b: String) -> Int {
        let b = Array(b)
        var row = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, y) in b.enumerated() {
                let substituted = diagonal + (x == y ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substituted, row[j] + 1, diagonal + 1)
            }
        }
        return row[b.count]
    }
}
