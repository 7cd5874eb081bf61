/** Endpoints that change many objects of a bucket, or delete it, by one task with progress. */
import { defineEndpoint } from '#kernel'
import { type } from '#kernel/schema'
import { plainText } from '#kernel/system'
import { keyBytesMax } from '#plugins/storage'
import { bucketPath, bucketRefusals } from '../buckets/bucket-api.ts'
import { objectKey } from '../objects/object-api.ts'
import type { BulkActionName } from './bulk-action-entity.ts'
import type { BulkTarget } from './bulk-action-store.ts'

const count = 'number.integer'
const actionName = "'move_to_trash' | 'restore' | 'delete_permanently' | 'delete_bucket'"

/** Most keys and prefixes of one request. */
export const bulkTargetsMax = 500

const isKey = (key: string): boolean => Buffer.byteLength(key) <= keyBytesMax && !key.includes('\0')

/** One object, or all objects with a prefix; the empty prefix is the whole bucket. */
export const bulkTargets = type({ key: objectKey.narrow((key, context) => isKey(key) || context.mustBe('a key of at most 1,024 bytes')) })
  .or({ prefix: plainText })
  .array()
  .atLeastLength(1)
  .atMostLength(bulkTargetsMax)
/** 500 keys of 1,024 bytes. */
const bytesMax = 1024 * 1024

const wanted = { action: actionName, targets: bulkTargets } as const
interface Wanted {
  readonly action: BulkActionName
  readonly targets: readonly BulkTarget[]
}

/** A narrower range would look like its limit, and the whole bucket would be deleted. */
function isWhole({ action, targets: [first, ...others] }: Wanted, context: { mustBe(expected: string): false }): boolean {
  if (action !== 'delete_bucket') return true
  const isBucket = first !== undefined && 'prefix' in first && first.prefix === '' && others.length === 0
  return isBucket || context.mustBe('with the targets [{"prefix": ""}], because delete_bucket deletes all objects')
}

/** Whole numbers of bytes may be above what JSON numbers hold. */
const sums = { objects: count, versions: count, bytes: 'string' } as const

const bulkAction = type({
  id: count,
  bucket: 'string',
  client_request_id: 'string',
  action: actionName,
  status: "'running' | 'completed' | 'stopped' | 'incomplete'",
  /** Objects, and versions for `delete_bucket`: counted at the request, done, and skipped because they changed since. */
  total: count,
  done: count,
  skipped: count,
  /** Objects whose copies are being made: they are tried again. */
  busy: count,
  /** Why the rest is not done. */
  'problem?': 'string',
  created_at: 'string',
  updated_at: 'string',
  'finished_at?': 'string',
})

const bucketBulkPath = '/api/v1/buckets/:name/bulk-actions'

export const listBulkActions = defineEndpoint({
  method: 'GET',
  path: bucketBulkPath,
  summary: 'List the newest bulk actions of a bucket',
  params: bucketPath,
  answer: type({ actions: bulkAction.array() }),
  refusals: bucketRefusals,
})

export const previewBulkAction = defineEndpoint({
  method: 'POST',
  path: `${bucketBulkPath}/preview`,
  role: 'read-only',
  summary: 'Count what a bulk action would change; changes nothing',
  isLook: true,
  params: bucketPath,
  body: type(wanted).narrow(isWhole),
  bytesMax,
  answer: type({ ...sums, open_uploads: count, open_uploads_exceed: 'boolean' }),
  deadlineMs: 120_000,
  refusals: bucketRefusals,
})

export const startBulkAction = defineEndpoint({
  method: 'POST',
  path: bucketBulkPath,
  role: 'operator',
  summary: 'Move objects to the trash, restore them, delete them permanently, or delete the bucket, by a task',
  audit: ['action', 'client_request_id'],
  params: bucketPath,
  body: type({
    ...wanted,
    client_request_id: type('0 < string <= 128'),
    /** The name of the bucket, for permanent deletions. */
    'confirm?': 'string',
  }).narrow(isWhole),
  bytesMax,
  answer: bulkAction,
  status: 202,
  deadlineMs: 120_000,
  refusals: [...bucketRefusals, 'bulk_action_unconfirmed', 'bulk_action_unfinished', 'bulk_action_idempotency_conflict'],
})

const actionPath = type({ id: type('string.integer.parse').to('1 <= number.integer <= 9007199254740991') })

export const showBulkAction = defineEndpoint({
  method: 'GET',
  path: '/api/v1/bulk-actions/:id',
  summary: 'Show a bulk action, also of a bucket that it deleted',
  params: actionPath,
  answer: bulkAction,
  refusals: ['bulk_action_not_found'],
})

export const stopBulkAction = defineEndpoint({
  method: 'POST',
  path: '/api/v1/bulk-actions/:id/stop',
  role: 'operator',
  summary: 'Stop a bulk action; what it did stays done',
  audit: [],
  params: actionPath,
  answer: bulkAction,
  refusals: ['bulk_action_not_found'],
})

export type BulkActionAnswer = typeof bulkAction.infer
