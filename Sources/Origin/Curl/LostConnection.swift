// SPDX-License-Identifier: Apache-2.0

internal import CCurl

extension CURLcode {
    /// True if the connection ended before the answer did.
    ///
    /// libcurl asks again by itself where a kept connection turns out to be dead. But before 8.17 it counts over the life of a
    /// handle how often it did, and fails at every sixth. Over HTTP/2 it asks again for a stream that was refused, and not
    /// where the connection has ended, with GOAWAY or without.
    var tellsLostConnection: Bool {
        switch self {
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_HTTP2, CURLE_PARTIAL_FILE: true
        default: false
        }
    }
}
