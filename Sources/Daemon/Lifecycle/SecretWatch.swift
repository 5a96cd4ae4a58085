// SPDX-License-Identifier: Apache-2.0

internal import Settings

/// Reloads the settings when a file of keys, or the token's, has changed.
enum SecretWatch {
    private static let interval = Duration.seconds(2)
    /// A minute.
    private static let looksBetweenTries = 30

    /// - Parameter read: the files as they were before the start read them, which may be long ago: a node of a fleet first
    ///   carries out what it has missed.
    static func start(_ reloader: Reloader, since read: SecretFiles) -> Task<Void, Never> {
        Task(priority: .background) {
            var files = WatchedState(read, looksBetweenTries: looksBetweenTries)
            while !Task.isCancelled {
                try? await Task.sleep(for: interval)
                let now = SecretFiles(await reloader.settings)
                guard files.isDue(now) else { continue }
                // A file that is still being written has mistakes, and changes once more.
                if (try? await reloader.reload()) != nil { files.take(now) }
            }
        }
    }
}

/// The last state in force of a file or a source that is looked at again and again, and the last one tried in vain: a
/// mistake elsewhere in the settings may be mended, and then nothing else tells that a new key waits.
struct WatchedState<State: Equatable> {
    private var known: State
    private var failed: State?
    private var looks = 0
    private let looksBetweenTries: Int

    init(_ known: State, looksBetweenTries: Int) {
        self.known = known
        self.looksBetweenTries = looksBetweenTries
    }

    /// True if this is new, and for the same again only after so many looks.
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

    /// Notes the state that is in force now.
    mutating func take(_ now: State) { (known, failed) = (now, nil) }
}
