// SPDX-License-Identifier: Apache-2.0

import ImageHeaders
import TestSupport
import Testing

/// The width and height of the picture in an answer, whose status must be 200.
func pictureSize(_ reply: Connection.Reply) throws -> [Int] {
    try #require(reply.status == 200, "\(reply.text)")
    let header = try ImageHeader.parse(reply.body)
    return [header.width, header.height]
}
