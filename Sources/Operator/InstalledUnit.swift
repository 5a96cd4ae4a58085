// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Gives commands that root runs by hand what systemd gives only to the installed service: the folder of its cache, its secrets,
/// and the folder of its admin listener's socket.
package enum InstalledUnit {
    /// Sets the environment variables of these three folders, as far as the folders can be read and the variables are not set.
    /// - Parameters:
    ///   - isMeant: false if the command names another daemon's settings or admin listener; then the folder of the socket is left
    ///     out.
    ///   - root: the root of the file system, for tests.
    package static func adopt(isMeant: Bool, root: String = "") {
        if getenv("XDG_CACHE_HOME") == nil { adopt("CACHE_DIRECTORY", root + "/var/cache/pictor") }
        // This folder exists while the service runs.
        adopt("CREDENTIALS_DIRECTORY", root + "/run/credentials/pictor.service")
        if isMeant { adopt("RUNTIME_DIRECTORY", root + "/run/pictor") }
    }

    private static func adopt(_ variable: String, _ folder: String) {
        guard access(folder, R_OK | X_OK) == 0 else { return }
        setenv(variable, folder, 0)
    }
}
