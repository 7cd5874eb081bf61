import type { Tx } from '#kernel'
import { type DataSet, findDataSet, recordGoneSeen } from '../../datasets/data-set-store.ts'
import { holdsPieces } from '../../datasets/load-store.ts'
import { hasUnsent, unsentContents } from '../../datasets/refusal-store.ts'
import type { Pipeline } from '../../pipeline.ts'
import { takesPieces } from '../../states/tables/data-set-transitions-policy.ts'
import { affectedContents } from './affected-store.ts'

export type FinishDeps = Pick<Pipeline, 'clock' | 'database' | 'schedule' | 'states' | 'uploadEvents'>

/** Contents recounted per transaction. */
const recountPage = 500

/**
 * I-29: completes the end of a data set. Recounts its contents after a stop in between, and ends copies that did not land, or landed in
 * a lost data set.
 */
export async function finishEnd(deps: FinishDeps, { id }: Pick<DataSet, 'id'>): Promise<void> {
  const { database, clock, states } = deps
  const dataSet = await findDataSet(database.read, id)
  if (!dataSet || takesPieces(dataSet.state)) return
  if (dataSet.goneSeenAtMs === null && !(await hasUnsent(database.read, dataSet))) return
  if (await finishLate(deps, dataSet)) return
  await database.write(async (tx) => {
    await recordGoneSeen(tx, id, clock.now())
    await states.dataSets.endUnsent(tx, id)
    if (dataSet.state === 'lost') await states.dataSets.loseCommitted(tx, id)
  })
  await recountAll(deps, id)
}

/** Ends and recounts only copies that did not land after the end. False when all contents must be recounted, or for more than a page. */
async function finishLate(deps: FinishDeps, { id, state, goneSeenAtMs }: DataSet): Promise<boolean> {
  return deps.database.write(async (tx) => {
    const contents = await unsentContents(tx, id, recountPage + 1)
    if (goneSeenAtMs !== null || contents.length > recountPage || (state === 'lost' && (await holdsPieces(tx, id)))) return false
    await deps.states.dataSets.endUnsent(tx, id)
    await recount(deps, tx, contents)
    return true
  })
}

/** Page by page, so that other writers do not wait long: the cached bytes have been withheld before. */
async function recountAll(deps: FinishDeps, dataSetId: number): Promise<void> {
  const { database } = deps
  for (let after = 0; ; ) {
    const contents = await affectedContents(database.read, dataSetId, { after, limit: recountPage })
    if (contents.length === 0) break
    after = contents.at(-1) ?? after
    await database.write((tx) => recount(deps, tx, contents))
  }
  await database.write((tx) => recordGoneSeen(tx, dataSetId, null))
}

async function recount({ schedule, states, uploadEvents }: FinishDeps, tx: Tx, contents: readonly number[]): Promise<void> {
  await states.copies.recount(tx, contents)
  uploadEvents.changed(tx, contents)
  // The store task plans missing copies on other data sets.
  for (const contentId of contents) await schedule.store(tx, contentId)
}
