/** Endpoints of packs. Times are RFC 3339 in UTC, in whole seconds. */
import { defineEndpoint, documented } from '#kernel'
import { type } from '#kernel/schema'

export const packPageSizes = { usual: 100, max: 1000 } as const
/** Members of a pack that are shown with it. */
export const shownMembersMax = 100

const id = type('string.integer.parse').to('1 <= number.integer <= 9007199254740991')
const bucketName = type('string > 0').narrow(documented({ maxLength: 63 }))
const packing = "'off' | 'small'" as const

const pack = {
  id: 'number.integer',
  bucket: 'string',
  size: 'number.integer',
  /** `stored`: it has all its copies. */
  state: "'unstored' | 'storing' | 'failed' | 'stored' | 'lost'",
  durable_copies: 'number.integer',
  target_copies: 'number.integer',
  members: 'number.integer',
  /** Bytes of the members that are left. The other bytes are those of deleted objects, and of the format. */
  living_bytes: 'number.integer',
  /** Bytes of deleted objects that the providers still have, roughly. */
  dead_bytes: 'number.integer',
  versions: 'number.integer',
  created_at: 'string',
  /** Amounts in 10^-18 USDFC: what a replacement without dead bytes costs at once, and saves in these months. Absent while the prices cannot be read. */
  'compaction?': { fees: 'string', saved: 'string', months: 'number.integer' },
} as const

const shownPack = type(pack)

/** Bytes of deleted objects leave the providers within so many days, also when that does not pay; 0: off. */
const eraseWithinDays = '0 <= number.integer <= 3650' as const

const bucketPacks = type({
  bucket: 'string',
  packing,
  erase_within_days: 'number.integer',
  /** Contents that wait for a pack. */
  waiting: { contents: 'number.integer', bytes: 'number.integer', 'oldest_at?': 'string', 'message?': 'string' },
})

export const listPacks = defineEndpoint({
  method: 'GET',
  path: '/api/v1/packs',
  summary: 'List packs, newest first, and what waits for a pack',
  query: type({
    'bucket?': bucketName,
    /** The last id of the page before. */
    'before?': id,
    'limit?': type('string.integer.parse').to(`1 <= number.integer <= ${packPageSizes.max}`),
  }),
  answer: type({ buckets: bucketPacks.array(), packs: shownPack.array(), has_more: 'boolean' }),
  refusals: ['bucket_not_found'],
})

export const showPack = defineEndpoint({
  method: 'GET',
  path: '/api/v1/packs/:id',
  summary: 'Show a pack with its first members',
  params: type({ id }),
  answer: type({
    ...pack,
    first_members: type({ content_id: 'number.integer', offset: 'number.integer', length: 'number.integer', key: 'string' }).array(),
  }),
  refusals: ['pack_not_found'],
})

export const sealPacks = defineEndpoint({
  method: 'POST',
  path: '/api/v1/packs/seal',
  role: 'operator',
  summary: 'Seal what waits for a pack in a bucket now',
  audit: ['bucket'],
  body: type({ bucket: bucketName }),
  answer: type({ bucket: 'string', contents: 'number.integer' }),
  refusals: ['bucket_not_found'],
})

export const changePacking = defineEndpoint({
  method: 'PUT',
  path: '/api/v1/packs/policy',
  role: 'operator',
  summary: 'Change whether small objects of a bucket are packed from now on, and when the bytes of deleted ones are erased',
  audit: ['bucket', 'packing', 'erase_within_days'],
  body: type({ bucket: bucketName, packing, 'erase_within_days?': eraseWithinDays }),
  answer: type({ bucket: 'string', packing, erase_within_days: 'number.integer' }),
  refusals: ['bucket_not_found'],
})

export const compactPack = defineEndpoint({
  method: 'POST',
  path: '/api/v1/packs/:id/compact',
  role: 'operator',
  summary: 'Replace a pack by one without the bytes of deleted objects, also when it does not pay',
  audit: [],
  params: type({ id }),
  answer: type({ id: 'number.integer', status: "'asked'" }),
  refusals: ['pack_not_found'],
})

export type ShownPack = typeof shownPack.infer
export type BucketPacks = typeof bucketPacks.infer
