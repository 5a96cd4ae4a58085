// SPDX-License-Identifier: Apache-2.0

extension LastingFile {
    /// The files in the cache's folder that do not belong to the cache itself. It closes them to other users, like its own.
    package enum Name: String, CaseIterable {
        /// Of the daemon.
        case originRules = "origin-rules"
        /// Of a fleet's node.
        case fleetNews = "fleet-news"
        case fleetOutbox = "fleet-outbox"
        /// Of the shared store.
        case sharedPurges = "shared-purges"

        package func path(in folder: String) -> String { "\(folder)/\(rawValue)" }

        /// The file's, and that of the one which is about to take its place.
        package var names: [String] { [rawValue, rawValue + LastingFile.suffix] }
    }
}
