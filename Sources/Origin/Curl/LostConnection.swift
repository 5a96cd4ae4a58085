// SPDX-License-Identifier: Apache-2.0

internal import CCurl

extension CURLcode {
    /// True if the connection ended before the answer did.
    ///
    /// libcurl itself repeats a request if a kept connection turns out to be dead. But before 8.17 it counts these repetitions
    /// over the life of a handle, and fails at every sixth. Over HTTP/2 it repeats a request whose stream was refused, but not
    /// one whose connection has ended, with or without GOAWAY.
    var tellsLostConnection: Bool {
        switch self {
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_PARTIAL_FILE: true
        default: false
        }
    }
}
