// SPDX-License-Identifier: Apache-2.0

import Glibc
import Monitoring
import Operator

/// Prints what became of each picture, and on a terminal the progress of the run.
struct WarmProgress {
    private let total: Int
    private let printsJSON: Bool
    /// True if the list has source URLs, false if it has URLs of Pictor itself.
    private let hasQuery: Bool
    private let status = StatusLine()
    private var asked = 0
    private var good: [String: Int] = [:]
    private(set) var failed = 0
    /// URLs that the daemon answered with 404 `not_found`, because their path leads to no endpoint.
    private var unknownPaths = 0

    init(of total: Int, asJSON: Bool, hasQuery: Bool) {
        (self.total, printsJSON, self.hasQuery) = (total, asJSON, hasQuery)
    }

    /// Notes a URL that is refused without a request.
    mutating func refuse(_ url: String, _ reason: String) {
        failed += 1
        say("Error: \(url.debugDescription): \(reason)\n")
    }

    mutating func tell(_ result: WarmService.Result) {
        asked += 1
        if result.isGood { good[result.word, default: 0] += 1 } else { failed += 1 }
        if (result.status, result.word) == (404, "not_found") { unknownPaths += 1 }
        if printsJSON {
            status.clear()
            print(result.json)
            fflush(nil)
        } else if !result.isGood {
            say("Error: \(result.line)\n")
        }
        status.show(bar)
    }

    private var bar: String {
        let width = 30
        let filled = width * asked / max(1, total)
        let line = String(repeating: "#", count: filled) + String(repeating: ".", count: width - filled)
        return "[\(line)] \(asked) of \(total), \(failed) failed"
    }

    func finish(doneBefore: Int, relative: Int) {
        let counts = good.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }.joined(separator: ", ")
        var words = [
            "\(good.values.reduce(0, +)) there" + (counts.isEmpty ? "" : " (\(counts))"), "\(failed) failed",
        ]
        if doneBefore > 0 { words.append("\(doneBefore) done before") }
        if relative > 0 { words.append("\(relative) relative URLs left out, for want of --base") }
        say(words.joined(separator: ", ") + "\n")
        if unknownPaths > 0, !hasQuery {
            say(
                "\(unknownPaths) are no URLs of Pictor's: where the list is of sources, say by --query "
                    + "what is made of each\n")
        }
    }

    private func say(_ text: String) {
        status.clear()
        StandardError.write(text)
    }
}
