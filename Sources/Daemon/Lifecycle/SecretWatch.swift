// SPDX-License-Identifier: Apache-2.0

internal import Settings

/// Reloads the settings when a file with keys or the admin token has changed.
enum SecretWatch {
    private static let interval = Duration.seconds(2)
    /// So many looks make one minute.
    private static let looksBetweenTries = 30

    /// - Parameter read: the files' state before the start read them. That may be long ago, because a node of a fleet first
    ///   carries out missed purges.
    static func start(_ reloader: Reloader, since read: SettingFiles) -> Task<Void, Never> {
        Task(priority: .background) {
            var files = WatchedState(read, looksBetweenTries: looksBetweenTries)
            while !Task.isCancelled {
                try? await Task.sleep(for: interval)
                let now = SettingFiles.secrets(of: await reloader.settings)
                guard files.isDue(now) else { continue }
                // A file that is still being written has mistakes; it will change once more.
                if (try? await reloader.reload()) != nil { files.take(now) }
            }
        }
    }
}

/// Watches a file or a source: keeps the state in force and the last state that was tried in vain. A state that failed is tried
/// again after a while, because the failure may come from a mistake elsewhere in the settings, and nothing else would report its
/// repair.
struct WatchedState<State: Equatable> {
    private var known: State
    private var failed: State?
    private var looks = 0
    private let looksBetweenTries: Int

    init(_ known: State, looksBetweenTries: Int) {
        self.known = known
        self.looksBetweenTries = looksBetweenTries
    }

    /// True if the state is new. For a state that failed, it is true again only after `looksBetweenTries` looks.
    mutating func isDue(_ now: State) -> Bool {
        guard now != known else {
            failed = nil
            return false
        }
        looks += 1
        if now == failed, looks < looksBetweenTries { return false }
        (failed, looks) = (now, 0)
        return true
    }

    mutating func take(_ now: State) { (known, failed) = (now, nil) }
}
