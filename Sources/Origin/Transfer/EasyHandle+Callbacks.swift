// SPDX-License-Identifier: Apache-2.0

internal import CCurl
internal import Clients
internal import Glibc
internal import Kernel

/// libcurl's calls during a transfer, passed on to the exchange.
extension EasyHandle {
    func setCallbacks() {
        ccurl_set_opensocket(raw) { pointer, purpose, address in
            guard let exchange = EasyHandle.exchange(at: pointer), let address,
                purpose == CURLSOCKTYPE_IPCXN
            else { return CURL_SOCKET_BAD }
            return EasyHandle.openSocket(address, for: exchange)
        }
        // `Connections` lives as long as the multi, which closes its remaining sockets when it ends.
        ccurl_set_closesocket(raw) { pointer, descriptor in
            guard let pointer else { return close(descriptor) }
            Unmanaged<Connections>.fromOpaque(pointer).takeUnretainedValue()
                .closed(descriptor, at: ExchangeContext.ticks)
            return 0
        }
        set(CURLOPT_VERBOSE, 1)
        ccurl_set_debug(raw) { _, type, text, count, pointer in
            guard type == CURLINFO_TEXT, let text,
                let notice = LibcurlNotice(UnsafeRawBufferPointer(start: text, count: count))
            else { return 0 }
            EasyHandle.exchange(at: pointer)?.take(notice)
            return 0
        }
        ccurl_set_resolver_start(raw) { _, _, pointer in
            EasyHandle.exchange(at: pointer)?.mayLookUp() ?? false ? 0 : 1
        }
        ccurl_set_prereq(raw) { pointer, address, _, port, localPort in
            let address = address.flatMap { IPAddress(String(cString: $0)) }
            let mayGoOn =
                EasyHandle.exchange(at: pointer)?.connected(
                    to: address, port: UInt16(exactly: port), from: UInt16(exactly: localPort)) ?? false
            return mayGoOn ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        ccurl_set_write(raw, CURLOPT_HEADERFUNCTION) { bytes, _, count, pointer in
            guard let exchange = EasyHandle.exchange(at: pointer) else { return 0 }
            return exchange.headLine(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
        }
        ccurl_set_write(raw, CURLOPT_WRITEFUNCTION) { bytes, _, count, pointer in
            guard let exchange = EasyHandle.exchange(at: pointer) else { return 0 }
            return exchange.bodyBytes(UnsafeRawBufferPointer(start: bytes, count: count)) ? count : 0
        }
    }

    /// libcurl calls this for each resolved address in turn, right before it dials; after a refusal it tries
    /// the next. The socket of a refused address is never made.
    private static func openSocket(
        _ address: UnsafeMutablePointer<curl_sockaddr>, for exchange: Exchange
    ) -> curl_socket_t {
        // `addr` is declared as the smallest kind of address; behind it lies as much as `addrlen` says.
        guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return CURL_SOCKET_BAD }
        let bytes = UnsafeRawBufferPointer(
            start: UnsafeRawPointer(address) + offset, count: Int(address.pointee.addrlen))
        guard exchange.mayDial(bytes) else { return CURL_SOCKET_BAD }
        let type = address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(address.pointee.family, type, address.pointee.protocol)
        if descriptor < 0 { exchange.noSocket(SystemError.last("socket")) }
        if ReservedDescriptors.contain(descriptor) {
            close(descriptor)
            exchange.noSocket(.reserved)
            return CURL_SOCKET_BAD
        }
        exchange.opened(descriptor)
        return descriptor
    }
}
