// SPDX-License-Identifier: Apache-2.0
// What Swift needs of libcurl: typed, non-variadic forms of curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt,
// which Swift cannot call. One function a type of argument, so that the compiler sees what libcurl would only
// trust.
#pragma once
#include <curl/curl.h>
#include <openssl/ssl.h>
#include <resolv.h>
#include <string.h>

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

/// libcurl copies the string. NULL resets the option to its default.
static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

/// libcurl does not copy the list: it must outlive the transfer.
static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *list) {
    return curl_easy_setopt(easy, option, list);
}

/// For CURLOPT_WRITEFUNCTION and CURLOPT_HEADERFUNCTION, which have the same signature.
static inline CURLcode ccurl_set_write(CURL *easy, CURLoption option, curl_write_callback callback) {
    return curl_easy_setopt(easy, option, callback);
}

static inline size_t ccurl_take_line(char *line, size_t size, size_t count, void *room) {
    (void)line;
    size_t *left = room;
    if (size * count > *left) return 0;
    *left -= size * count;
    return size * count;
}

/// Ends a transfer whose answer has more bytes of heads and trailers than `room` has at its beginning. libcurl keeps all of them
/// until its end (curl_easy_header(3)), and bounds the heads alone.
static inline void ccurl_bound_lines(CURL *easy, size_t *room) {
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, room);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, ccurl_take_line);
}

/// The callback is asked for a body that the options do not hold.
static inline CURLcode ccurl_set_read(CURL *easy, curl_read_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_READFUNCTION, callback);
}

/// The callback goes back in that body, where libcurl sends a request once more.
static inline CURLcode ccurl_set_seek(CURL *easy, curl_seek_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, callback);
}

static inline CURLcode ccurl_set_opensocket(CURL *easy, curl_opensocket_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
}

static inline CURLcode ccurl_set_resolver_start(CURL *easy, curl_resolver_start_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, callback);
}

static inline CURLcode ccurl_set_prereq(CURL *easy, curl_prereq_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
}

static inline CURLcode ccurl_set_closesocket(CURL *easy, curl_closesocket_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
}

static inline CURLcode ccurl_set_debug(CURL *easy, curl_debug_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, callback);
}

/// Called during a transfer, about once a second or more often; a number other than 0 ends it.
static inline CURLcode ccurl_set_progress(CURL *easy, curl_xferinfo_callback callback) {
    return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, callback);
}

/// The `SSL *` of the connection that a callback is about; NULL without TLS or with another library.
static inline void *ccurl_tls(CURL *easy) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return NULL;
    return session->backend == CURLSSLBACKEND_OPENSSL ? session->internals : NULL;
}

/// Whether OpenSSL has read bytes that nobody has taken from it yet. It reads no further for that.
static inline int ccurl_tls_holds_input(void *tls) {
    return SSL_has_pending((SSL *)tls);
}

/// Whether both ends have agreed on HTTP/2 (ALPN, RFC 7301).
static inline int ccurl_tls_multiplexes(void *tls) {
    const unsigned char *name = NULL;
    unsigned int length = 0;
    SSL_get0_alpn_selected((const SSL *)tls, &name, &length);
    return length == 2 && memcmp(name, "h2", 2) == 0;
}

static inline CURLcode ccurl_get_pointer(CURL *easy, CURLINFO info, char **value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode ccurl_get_socket(CURL *easy, curl_socket_t *value) {
    return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, value);
}

static inline CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

/// Whether this libcurl may take an answer over HTTP/2 for whole that has broken off and told no length: before 8.0 it sees no
/// RST_STREAM while another stream of the connection waits to be read.
static inline int ccurl_overlooks_resets(void) {
    return curl_version_info(CURLVERSION_NOW)->version_num < 0x080000;
}

/// Whether this libcurl takes the end of a connection for the end of TLS, of which an alert tells (close_notify, RFC 8446 §6.1).
/// Before 8.14.1 it hides the end of a connection from OpenSSL, which fails without an alert all the same from 3.2 on.
static inline int ccurl_overlooks_cuts(void) {
    return curl_version_info(CURLVERSION_NOW)->version_num < 0x080e01 && OpenSSL_version_num() < 0x30200000L;
}

/// The PEM file of certificate authorities that libcurl was built to read; NULL if it reads none.
static inline const char *ccurl_authorities(void) {
    return curl_version_info(CURLVERSION_NOW)->cainfo;
}

/// Seconds that glibc may take for the lookup of one name by resolv.conf(5): each server is asked so many times and waited for so
/// long, and once more for a name of the search list. 0 if that cannot be told.
static inline long ccurl_longest_lookup(void) {
    struct __res_state state;
    memset(&state, 0, sizeof state);
    if (res_ninit(&state) != 0) return 0;
    long names = state.dnsrch[0] && state.dnsrch[0][0] && strcmp(state.dnsrch[0], ".") ? 2 : 1;
    long seconds = (long)state.retrans * state.retry * state.nscount * names;
    res_nclose(&state);
    return seconds;
}
