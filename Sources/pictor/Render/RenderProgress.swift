// SPDX-License-Identifier: Apache-2.0

import Glibc
import Monitoring
import Operator

/// Prints what became of each file and of each folder that is not walked, and on a terminal the progress of the run.
struct RenderProgress {
    private let total: Int
    /// True if standard output has the picture, and nothing else.
    private let isPictureOutput: Bool
    private let status = StatusLine()
    private var made = 0
    private(set) var failed = 0

    init(of total: Int, besidesPicture isPictureOutput: Bool) {
        (self.total, self.isPictureOutput) = (total, isPictureOutput)
    }

    mutating func tell(_ result: RenderResult, asJSON: Bool) {
        if result.isFailure { failed += 1 } else { made += 1 }
        status.clear()
        if asJSON {
            say(result.json)
        } else if result.isFailure {
            StandardError.write("Error: \(result.line)\n")
        } else {
            say(result.line)
        }
        status.show("\(made + failed) of \(total), \(failed) failed")
    }

    private func say(_ line: String) {
        guard !isPictureOutput else { return StandardError.write("\(line)\n") }
        print(line)
        fflush(nil)
    }

    func finish(links: Int) {
        let left = links > 0 ? ", \(links) links left alone" : ""
        status.clear()
        StandardError.write("\(made) made, \(failed) failed\(left)\n")
    }
}
