// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// Its tests run on threads of their own, because they wait for daemons.
struct EndToEnd: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(BlockingThreads.shared) { try await function() }
    }
}

extension Trait where Self == EndToEnd {
    static var endToEnd: Self { EndToEnd() }
}
