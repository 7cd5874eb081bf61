/** @walk put 16: is told that a content needs copies */
/** What this plugin adds to storage: it keeps copies of contents, and reads contents that are not cached. */
import { clock, database, taskQueue } from '#kernel'
import { contents, defineByteSource, defineCopyDefaults, defineCopyKeeper, defineReleaseGuard } from '#plugins/storage'
import { chainSettings } from '#plugins/wallet'
import { moveCopies } from '../copies/ingress/piece-proof-store.ts'
import { storeWhenDue } from '../copies/placing/store-when-due.ts'
import { readableCopies } from '../copies/records/placement-store.ts'
import { requestEnds } from '../datasets/end-request-store.ts'
import { hasDataSets } from '../endings/forget-data-set-store.ts'
import { busyReason } from '../holdings/busy-reason.ts'
import { deleteCopies, isAnyCopyLeft } from '../holdings/forget-store.ts'
import { readHoldings } from '../holdings/holdings-store.ts'
import { createSchedule } from '../schedule.ts'
import { remoteReader, states, uploadMeter } from '../services.ts'
import { isCountStale } from '../standing/standing-store.ts'

export const pieceKeeper = defineCopyKeeper({
  name: 'replication',
  uses: { queue: taskQueue, contents, clock, states, uploads: uploadMeter },
  needed: ({ queue, contents }, tx, content) => storeWhenDue({ queue, contents }, tx, content),
  holdings: (_services, read, contentIds) => readHoldings(read, contentIds),
  busyReason: ({ queue }, read, contentId) => busyReason(read, queue, contentId),
  lastMovedMs: ({ uploads }) => uploads.lastMovedMs(),
  async releaseContent({ queue, states }, tx, contentId) {
    await createSchedule(queue).endStores(tx, [contentId])
    return states.copies.release(tx, [contentId])
  },
  async separateCopies({ states }, tx, moves) {
    for (const move of moves) await moveCopies(tx, move)
    await states.copies.recount(
      tx,
      moves.map(({ to }) => to),
    )
  },
  hasContent: (_services, read, contentId) => isAnyCopyLeft(read, contentId),
  deleteContent: (_services, tx, contentId) => deleteCopies(tx, contentId),
  async releaseBucket({ queue, clock }, tx, bucketId) {
    const schedule = createSchedule(queue)
    for (const dataSetId of await requestEnds(tx, bucketId, clock.now())) await schedule.end(tx, dataSetId)
  },
  hasBucket: (_services, read, bucketId) => hasDataSets(read, bucketId),
})

export const providerSource = defineByteSource({
  name: 'providers',
  uses: { database, remoteReader },
  open: async ({ database, remoteReader }, version, contentId) =>
    (await readableCopies(database.read, contentId)).length === 0 ? undefined : remoteReader.open(version, contentId),
})

/** Keeps cached bytes whose copies stopped to count and are not counted again yet (I-53). */
export const standingGuard = defineReleaseGuard({
  name: 'standing',
  uses: {},
  mayRelease: async (_services, tx, contentId) => !(await isCountStale(tx, contentId)),
})

export const chainCopyDefaults = defineCopyDefaults({
  name: 'chain',
  uses: { settings: chainSettings },
  read: ({ settings }) => ({ defaultCopies: settings.default_copies, minimumDurableCopies: settings.default_minimum_durable_copies }),
})
