/** @walk ending 8: deletes the rows of the data set, and with the last one those of the bucket */
import { defineProbe, done, type Outcome } from '#kernel'
import type { DataSet } from '../datasets/data-set-store.ts'
import { type Pipeline, waitFor } from '../pipeline.ts'
import { keepPastCalls } from '../spending/paid-calls-store.ts'
import { committedCopies, forgetDataSet, forgetRecords, hasContents, isOfDeletedBucket } from './forget-data-set-store.ts'
import { hasOpenWork } from './open-work-store.ts'

export type ForgetDataSetDeps = Pick<Pipeline, 'database' | 'states' | 'clock' | 'pace' | 'contents'>

const forgotten = defineProbe('storage.end.forgotten')
const copiesEnded = defineProbe('storage.end.copies_ended')

/** Rows of each table per transaction. */
const recordsPerPage = 500
/** Poll interval while contents of the bucket are being removed from other data sets. */
const contentsEpochs = 4

/** Deletes the rows of an ended data set whose bucket was deleted, and with the last of them the row of the bucket. Those of others are kept. */
export async function forgetEnded(deps: ForgetDataSetDeps, dataSet: DataSet): Promise<Outcome> {
  const { database, clock, pace, contents } = deps
  const { id, bucketId } = dataSet
  if (!(await isOfDeletedBucket(database.read, bucketId))) return endCopies(deps, dataSet)
  if ((await hasContents(database.read, bucketId)) || (await hasOpenWork(database.read, id)))
    return waitFor(clock, 'removal', pace.epochMs * contentsEpochs, 'the contents of the bucket are still being removed')
  const isLast = await database.write(async (tx) => {
    await keepPastCalls(tx, id)
    if (!(await forgetRecords(tx, id, recordsPerPage))) return false
    await forgetDataSet(tx, id)
    await contents.forgetBucketIfReleased(tx, bucketId)
    return true
  })
  if (!isLast) return waitFor(clock, 'removal', 0)
  await forgotten()
  return done()
}

/** The end of the service has removed the pieces: the contents have them on the next data set of the slot. */
async function endCopies({ database, clock, states }: ForgetDataSetDeps, { id }: DataSet): Promise<Outcome> {
  const ids = await committedCopies(database.read, id, recordsPerPage)
  if (ids.length > 0) await database.write((tx) => states.copies.apply(tx, 'retired', { ids }))
  await copiesEnded()
  return ids.length < recordsPerPage ? done() : waitFor(clock, 'retirement', 0)
}
