// SPDX-License-Identifier: Apache-2.0

internal import Settings

/// Reloads the settings when a file with keys or the admin token has changed.
enum SecretWatch {
    private static let interval = Duration.seconds(2)
    /// So many looks make one minute.
    private static let looksBetweenTries = 30

    /// At first, the files are compared with their state before the start read them. That may be long ago, because a node of a fleet
    /// first carries out missed purges.
    static func start(_ reloader: Reloader) -> Task<Void, Never> {
        Task(priority: .background) {
            var files = WatchedState<SettingFiles>(looksBetweenTries: looksBetweenTries)
            while !Task.isCancelled {
                try? await Task.sleep(for: interval)
                let (settings, read) = await reloader.inForce()
                guard files.isDue(.secrets(of: settings), inForce: read) else { continue }
                // A file that is still being written has mistakes; it will change once more.
                _ = try? await reloader.reload()
            }
        }
    }
}

/// Watches files or a source: keeps the last state that was tried in vain. A state that failed is tried again after a while, because
/// the failure may come from a mistake elsewhere in the settings, and nothing else would report its repair.
struct WatchedState<State: Equatable> {
    private var failed: State?
    private var looks = 0
    private let looksBetweenTries: Int

    init(looksBetweenTries: Int) { self.looksBetweenTries = looksBetweenTries }

    /// True if the state is not the one in force, whoever has put that into force. For a state that failed, it is true again only
    /// after `looksBetweenTries` looks.
    mutating func isDue(_ now: State, inForce: State) -> Bool {
        guard now != inForce else {
            failed = nil
            return false
        }
        looks += 1
        if now == failed, looks < looksBetweenTries { return false }
        (failed, looks) = (now, 0)
        return true
    }
}
