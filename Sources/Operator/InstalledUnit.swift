// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The things that systemd hands to the installed service alone, for commands that root gives by hand: the folder of its
/// cache, its secrets, and its admin listener's socket.
package enum InstalledUnit {
    /// Takes them into this process's environment, as far as they can be read and nothing else was said.
    /// - Parameters:
    ///   - isMeant: false if the command names another daemon's settings or admin listener; then the socket is not taken.
    ///   - root: the file system's.
    package static func adopt(isMeant: Bool, root: String = "") {
        if getenv("XDG_CACHE_HOME") == nil { adopt("CACHE_DIRECTORY", root + "/var/cache/pictor") }
        // There while the service runs.
        adopt("CREDENTIALS_DIRECTORY", root + "/run/credentials/pictor.service")
        if isMeant { adopt("RUNTIME_DIRECTORY", root + "/run/pictor") }
    }

    private static func adopt(_ variable: String, _ folder: String) {
        guard access(folder, R_OK | X_OK) == 0 else { return }
        setenv(variable, folder, 0)
    }
}
