// SPDX-License-Identifier: Apache-2.0

/// The request for which a task works, as the log names it. Work that several requests share is logged under the first of them.
package enum CurrentRequest {
    /// The request's name, as in the access log; nil outside of any request.
    @TaskLocal package static var id: String?
}
