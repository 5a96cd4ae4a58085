// SPDX-License-Identifier: Apache-2.0

internal import Endpoints

/// Looks at the daemon each second, for the history and for event streams.
enum LiveWatch {
    static func start(_ live: LiveRoutes) -> Task<Void, Never> {
        Task(priority: .background) {
            while !Task.isCancelled {
                live.look()
                try? await Task.sleep(for: .seconds(1), tolerance: .milliseconds(50))
            }
        }
    }
}
