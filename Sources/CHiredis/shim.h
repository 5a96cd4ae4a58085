// SPDX-License-Identifier: Apache-2.0
// hiredis's reader of RESP with bounds: it allocates for an array whatever its header says, and from 1.0 on reads arrays in
// arrays to any depth, which is a stack that freeReplyObject goes down.
#pragma once
#include <hiredis/hiredis.h>
#include <stdlib.h>

/// Arrays in arrays. XREAD needs five.
#define PICTOR_REDIS_DEPTH 7
/// Elements of one array; 128 entries of a stream are one of 128.
#define PICTOR_REDIS_ELEMENTS 4096

#if HIREDIS_MAJOR > 0
typedef size_t pictor_redis_count;
#else
typedef int pictor_redis_count;
#endif

struct pictor_redis_reader {
    redisReader *reader;
    redisReplyObjectFunctions *usual;
    redisReplyObjectFunctions bounded;
};

static inline void *pictor_redis_make_array(const redisReadTask *task, pictor_redis_count elements) {
    const struct pictor_redis_reader *own = task->privdata;
    if (elements > PICTOR_REDIS_ELEMENTS) return NULL;
    int depth = 0;
    for (const redisReadTask *outer = task; outer; outer = outer->parent)
        if (++depth > PICTOR_REDIS_DEPTH) return NULL;
    return own->usual->createArray(task, elements);
}

/// NULL without memory.
static inline struct pictor_redis_reader *pictor_redis_reader_make(void) {
    struct pictor_redis_reader *own = calloc(1, sizeof *own);
    if (!own) return NULL;
    own->reader = redisReaderCreate();
    if (!own->reader) {
        free(own);
        return NULL;
    }
    own->usual = own->reader->fn;
    own->bounded = *own->usual;
    own->bounded.createArray = pictor_redis_make_array;
    own->reader->fn = &own->bounded;
    own->reader->privdata = own;
    return own;
}

static inline void pictor_redis_reader_free(struct pictor_redis_reader *own) {
    redisReaderFree(own->reader);
    free(own);
}

/// REDIS_OK, or an error after which the reader is of no more use.
static inline int pictor_redis_reader_feed(struct pictor_redis_reader *own, const void *bytes, size_t count) {
    return redisReaderFeed(own->reader, bytes, count);
}

/// The next reply, to be freed by freeReplyObject; NULL if it is not complete.
static inline int pictor_redis_reader_next(struct pictor_redis_reader *own, redisReply **reply) {
    void *object = NULL;
    int code = redisReaderGetReply(own->reader, &object);
    *reply = object;
    return code;
}
