// SPDX-License-Identifier: Apache-2.0

extension LastingFile {
    /// The files in the cache's folder that do not belong to the cache itself. The cache makes them unreadable for other users,
    /// like its own files.
    package enum Name: String, CaseIterable {
        /// Written by the daemon.
        case originRules = "origin-rules"
        /// Written by a node of a fleet.
        case fleetNews = "fleet-news"
        case fleetOutbox = "fleet-outbox"
        /// Written by the shared store.
        case sharedPurges = "shared-purges"

        package func path(in folder: String) -> String { "\(folder)/\(rawValue)" }

        /// The name of the file, and the name of the new file that is about to replace it.
        package var names: [String] { [rawValue, rawValue + LastingFile.suffix] }
    }
}
