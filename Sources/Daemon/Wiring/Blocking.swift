// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Runs asynchronous work and blocks until it ends. Must not be called by a task.
func blocking(_ work: @escaping @Sendable () async -> Void) {
    let done = DispatchSemaphore(value: 0)
    Task {
        await work()
        done.signal()
    }
    done.wait()
}
