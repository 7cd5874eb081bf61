import { clock, database, defineRoutes, formatTime, optional, serveEndpoint, taskQueue } from '#kernel'
import { type Bucket, buckets, packs } from '#plugins/storage'
import { funds, type PriceList, readPrices } from '#plugins/wallet'
import { enqueueCompaction } from '../compaction/compact-packs-task.ts'
import { compactionCosts, deadBytesOf } from '../compaction/compaction-policy.ts'
import { askToCompact } from '../compaction/compaction-store.ts'
import { packErrors } from '../errors.ts'
import { bucketsWithPacking, setSealAsked } from '../policies/packing-store.ts'
import { packLimits } from '../sealing/pack-limits.ts'
import { enqueueSeal } from '../sealing/seal-pack-task.ts'
import { packsSection } from '../settings.ts'
import { describePacking } from './describe-packing.ts'
import {
  type BucketPacks,
  compactPack,
  listPacks,
  packPageSizes,
  type ShownPack,
  sealPacks,
  shownMembersMax,
  showPack,
} from './pack-api.ts'
import { findPack, membersOf, type PackRow, pageOfPacks } from './pack-store.ts'

export const packRoutes = defineRoutes({
  name: 'packs',
  uses: { database, buckets, packs, limits: packLimits, queue: taskQueue, settings: packsSection.settings, funds: optional(funds), clock },
  endpoints: [listPacks, showPack, sealPacks, compactPack],
  register(app, { database, buckets, packs, limits, queue, settings, funds, clock }) {
    async function describeBucket({ id, name }: Pick<Bucket, 'id' | 'name'>): Promise<BucketPacks> {
      const { oldestMs, waiting, ...packing } = await describePacking({ packs, limits, clock }, database.read, id)
      const oldest = oldestMs === undefined ? {} : { oldest_at: formatTime(oldestMs) }
      return { bucket: name, ...packing, waiting: { ...waiting, ...oldest } }
    }

    serveEndpoint(app, listPacks, async ({ query }) => {
      const bucket = query.bucket === undefined ? undefined : buckets.require(query.bucket)
      const { read } = database
      const limit = query.limit ?? packPageSizes.usual
      const packed = await bucketsWithPacking(read)
      const shown = bucket
        ? [bucket]
        : buckets
            .list()
            .filter(({ id }) => packed.has(id))
            .slice(0, packPageSizes.max)
      const described: BucketPacks[] = []
      for (const one of shown) described.push(await describeBucket(one))
      const rows = await pageOfPacks(read, bucket?.id, { before: query.before ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 })
      const prices = await readPrices(funds, clock)
      const shownPacks = rows
        .slice(0, limit)
        .map((row) => ({ ...describePack(row), ...describeCompaction(row, settings.compaction_months, prices) }))
      return { buckets: described, packs: shownPacks, has_more: rows.length > limit }
    })

    serveEndpoint(app, showPack, async ({ params }) => {
      const found = await findPack(database.read, params.id)
      if (!found) throw packErrors.pack_not_found()
      const members = await membersOf(database.read, params.id, shownMembersMax)
      return {
        ...describePack(found),
        ...describeCompaction(found, settings.compaction_months, await readPrices(funds, clock)),
        first_members: members.map(({ contentId, ...member }) => ({ content_id: contentId, ...member })),
      }
    })

    serveEndpoint(app, sealPacks, async ({ body }) => {
      const { id: bucketId, name: bucket } = buckets.require(body.bucket)
      const contents = await database.write(async (tx) => {
        const sum = await packs.sumWaiting(tx, bucketId)
        if (sum.contents === 0) return 0
        await setSealAsked(tx, bucketId, true)
        await enqueueSeal(tx, queue, { bucketId, bucket })
        return sum.contents
      })
      return { bucket, contents }
    })

    serveEndpoint(app, compactPack, async ({ params }) => {
      const { id } = params
      const found = await findPack(database.read, id)
      const bucket = found && buckets.find(found.bucket)
      if (!bucket) throw packErrors.pack_not_found()
      await database.write(async (tx) => {
        await askToCompact(tx, id)
        await enqueueCompaction(tx, queue, { bucketId: bucket.id, bucket: bucket.name })
      })
      return { id, status: 'asked' } as const
    })
  },
})

function describeCompaction(row: PackRow, months: number, prices: PriceList | undefined) {
  if (!prices) return {}
  const { fees, saved } = compactionCosts([{ ...row, isAsked: true }], { prices, months })
  return { compaction: { fees: String(fees), saved: String(saved), months } }
}

const describePack = (row: PackRow): ShownPack => ({
  id: row.id,
  bucket: row.bucket,
  size: row.size,
  state: row.state,
  durable_copies: row.durableCopies,
  target_copies: row.targetCopies,
  members: row.members,
  living_bytes: row.livingBytes,
  dead_bytes: deadBytesOf(row),
  versions: row.versions,
  created_at: formatTime(row.createdAtMs),
})
