// SPDX-License-Identifier: Apache-2.0

import SourceURLs
import TestSupport

extension DaemonUnderTest {
    /// The answer to a picture that takes its decoder or inspector longer than it may. A process that the machine gave no time
    /// meanwhile tells nothing of its picture, and the answer is 503: then it is asked for again.
    /// - Parameter first: the answer to a request that was made before.
    /// - Returns: also how many jobs were too late.
    func late(
        _ source: SourceURL, _ options: String, first: Connection.Reply? = nil
    ) throws -> (reply: Connection.Reply, jobs: Int) {
        var (reply, jobs) = (try first ?? get(source, options), 1)
        _ = try Patience.until {
            if reply.status != 503 { return true }
            reply = try get(source, options)
            jobs += 1
            return false
        }
        return (reply, jobs)
    }
}
