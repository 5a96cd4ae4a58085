// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Runs a blocking call on a thread of its own, since Swift's threads must not block.
func onOwnThread<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: work()) }
    }
}
