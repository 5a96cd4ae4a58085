// SPDX-License-Identifier: Apache-2.0

/// The request for which a task works, for the lines of the log. Work that several requests share works for the first.
package enum CurrentRequest {
    /// The request's name, as in the access log; nil outside of any request.
    @TaskLocal package static var id: String?
}
