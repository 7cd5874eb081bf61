import { defineEvent } from '#kernel'

/** A bucket was created, or changed its owner or its number of copies. */
export const bucketUpdated = defineEvent<{ readonly bucket_name: string }>('bucket_updated')
