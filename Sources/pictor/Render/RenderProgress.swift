// SPDX-License-Identifier: Apache-2.0

import Glibc
import Monitoring
import Operator

/// Tells what became of each file, and of each folder that is not walked; on a terminal also how far the run is.
struct RenderProgress {
    private let total: Int
    private let isTerminal = isatty(STDERR_FILENO) == 1
    private var made = 0
    private(set) var failed = 0

    init(of total: Int) { self.total = total }

    mutating func tell(_ result: RenderResult, asJSON: Bool) {
        if result.isFailure { failed += 1 } else { made += 1 }
        if asJSON {
            clear()
            print(result.json)
        } else if result.isFailure {
            say("Error: \(result.line)\n")
        } else {
            clear()
            print(result.line)
        }
        fflush(nil)
        if isTerminal { StandardError.write("\(made + failed) of \(total), \(failed) failed") }
    }

    func finish(links: Int) {
        let left = links > 0 ? ", \(links) links left alone" : ""
        say("\(made) made, \(failed) failed\(left)\n")
    }

    private func say(_ text: String) {
        clear()
        StandardError.write(text)
    }

    /// Takes the counter off the terminal's line.
    private func clear() { if isTerminal { StandardError.write("\r\u{1B}[K") } }
}
