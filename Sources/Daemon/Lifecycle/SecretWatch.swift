// SPDX-License-Identifier: Apache-2.0

internal import Settings

/// Reloads the settings when a file of keys, or the token's, has changed.
enum SecretWatch {
    private static let interval = Duration.seconds(2)

    static func start(_ reloader: Reloader) -> Task<Void, Never> {
        Task(priority: .background) {
            var known = SecretFiles(await reloader.settings)
            while !Task.isCancelled {
                try? await Task.sleep(for: interval)
                let now = SecretFiles(await reloader.settings)
                guard now != known else { continue }
                known = now
                // A file that is still being written has mistakes, and changes once more.
                _ = try? await reloader.reload()
            }
        }
    }
}
