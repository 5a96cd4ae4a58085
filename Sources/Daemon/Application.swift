// SPDX-License-Identifier: Apache-2.0

/// The daemon as a process: from settings to serving, until a signal ends it.
package enum Application {
    package static func run(_ settings: Settings) async throws {}
}
