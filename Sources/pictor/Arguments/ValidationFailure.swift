// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Printed as "Error: …" with the exit status 1, without a usage line: the command was right.
struct ValidationFailure: LocalizedError, CustomStringConvertible {
    let description: String
    var errorDescription: String? { description }
}
