/** What a bulk action would change: counts over the rows of storage, in pages between which other work runs. */
import { setImmediate } from 'node:timers/promises'
import { type Reader, sqlStatement } from '#kernel'
import type { Versions } from '#plugins/storage'
import type { BulkActionName } from './bulk-action-entity.ts'
import type { BulkTarget } from './bulk-action-store.ts'

interface BulkSum {
  readonly objects: number
  /** Delete markers do not count. */
  readonly versions: number
  readonly bytes: bigint
}

interface PageRow {
  readonly objects: number
  readonly versions: number
  readonly bytes: string
  readonly last: string | null
}

/** Keys that are read between two turns of the event loop. */
const keysPerPage = 1000

type PageQuery = { bucketId: number; low: string; high: string; limit: number }

const keys = (table: string, where = '') =>
  `select k.key from ${table} k where k.bucket_id = :bucketId and k.key >= :low and k.key < :high ${where} order by k.key limit :limit`

/** Deleted keys with all their versions. */
const trashPage = sqlStatement<PageQuery, PageRow>(
  `with page as (${keys('object_tombstones', 'and k.is_restorable = 1')})
   select (select count(*) from page) as objects, count(v.version_id) as versions, cast(coalesce(sum(v.size), 0) as text) as bytes, (select max(key) from page) as last
   from page p left join object_versions v on v.bucket_id = :bucketId and v.key = p.key and v.is_delete_marker = 0`,
)
/** Current versions. */
const currentPage = sqlStatement<PageQuery, PageRow>(
  `with page as (${keys('object_heads').replace('select k.key', 'select k.key, k.size')})
   select count(*) as objects, count(*) as versions, cast(coalesce(sum(size), 0) as text) as bytes, max(key) as last from page`,
)
const bucketStats = sqlStatement<{ bucketId: number }, { objects: number; versions: number; bytes: string }>(
  `select live_objects as objects, versions, cast(version_bytes as text) as bytes from bucket_stats where bucket_id = :bucketId`,
)

interface SumDeps {
  readonly read: Reader
  readonly versions: Pick<Versions, 'rangeOf'>
}

interface SumLimits {
  readonly signal: AbortSignal
  /** Ends the count once it has as many. */
  readonly objectsMax?: number
}

/** Sums what the action would change now. A key that two targets name counts twice. */
export async function sumTargets(
  deps: SumDeps,
  bucketId: number,
  { action, targets }: { readonly action: BulkActionName; readonly targets: readonly BulkTarget[] },
  limits: SumLimits,
): Promise<BulkSum> {
  if (action === 'delete_bucket') {
    const { objects = 0, versions = 0, bytes = '0' } = (await deps.read.get(bucketStats, { bucketId })) ?? {}
    return { objects, versions, bytes: BigInt(bytes) }
  }
  const statement = action === 'move_to_trash' ? currentPage : trashPage
  let sum: BulkSum = { objects: 0, versions: 0, bytes: 0n }
  for (const target of targets) {
    for await (const page of pagesOf(deps, statement, { bucketId, ...target })) {
      limits.signal.throwIfAborted()
      sum = { objects: sum.objects + page.objects, versions: sum.versions + page.versions, bytes: sum.bytes + BigInt(page.bytes) }
      if (sum.objects >= (limits.objectsMax ?? Infinity)) return sum
      await setImmediate()
    }
  }
  return sum
}

/** Each page begins behind the last key of the page before. */
async function* pagesOf(
  { read, versions }: SumDeps,
  statement: typeof trashPage,
  range: { readonly bucketId: number; readonly key?: string; readonly prefix?: string },
): AsyncGenerator<PageRow> {
  const { bucketId } = range
  const { after, high } = await versions.rangeOf(range)
  for (let low = after.key; ; ) {
    const page = await read.get(statement, { bucketId, low, high, limit: keysPerPage })
    if (!page) return
    yield page
    if (page.last === null || page.objects < keysPerPage) return
    low = (await versions.rangeOf({ bucketId, key: page.last })).high
  }
}
