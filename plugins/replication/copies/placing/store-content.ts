/** @walk copies 2: plans one copy for each replica slot */
import { defineProbe, done, type Outcome } from '#kernel'
import { findDataSet } from '../../datasets/data-set-store.ts'
import { pausedUntilMs } from '../../datasets/refusal-store.ts'
import { type Pipeline, PipelineFault, waitFor } from '../../pipeline.ts'
import { awaitParking } from '../ingress/await-parking.ts'
import { doneWhenPlanned, held, type Ingress, listIngresses, recheckEpochs, takeTurn } from '../ingress/ingress.ts'
import { type ProvePieceDeps, provePiece } from '../ingress/prove-piece.ts'
import { type UploadToFirstDeps, uploadToFirst } from '../ingress/upload-to-first.ts'
import { type Copy, copiesOf, findPipelineContent, type PipelineContent, pullSetbacksMax } from '../records/copy-store.ts'
import { readableCopies } from '../records/placement-store.ts'
import { contentsWithoutSource } from '../records/pull-source-store.ts'
import { planDataSets } from './plan-data-sets.ts'

type StoreContentDeps = UploadToFirstDeps & ProvePieceDeps

const planned = defineProbe('storage.store.planned')
const endedMessage = 'the data sets of the bucket have ended on chain; it needs other providers'

/** Plans the content's copies, and uploads its bytes to one provider unless one has them already. */
export async function storeContent(deps: StoreContentDeps, contentId: number, signal: AbortSignal): Promise<Outcome> {
  const { database, clock, pace } = deps
  const content = await findPipelineContent(database.read, contentId)
  if (!content?.isLive) return done()
  const unproven = await provePiece(deps, content, signal)
  if (unproven) return unproven
  const dataSets = await planDataSets(deps, content)
  const slotsWithCopy = new Set((await copiesOf(database.read, contentId)).map(({ slot }) => slot))
  // Slots with a copy first: a slot that became usable later must not add a copy above the target.
  const places = dataSets
    .toSorted((a, b) => Number(slotsWithCopy.has(b.slot)) - Number(slotsWithCopy.has(a.slot)))
    .slice(0, content.targetCopies)
  const dataSetIds = places.map(({ id }) => id)
  await database.write((tx) => deps.states.copies.plan(tx, { contentId, pieceId: content.pieceId, dataSetIds }))
  await planned()
  const copies = await copiesOf(database.read, contentId)
  const recheckMs = pace.epochMs * recheckEpochs
  // A copy in a batch is being pulled: only that batch may change it (I-25).
  const open = copies.find((copy) => copy.state === 'transferring' && copy.batchId === null)
  if (open) return resume(deps, content, open, signal)
  const choices = await listIngresses(deps, copies)
  const due = choices.filter(({ copy }) => copy.nextAttemptAtMs <= clock.now())
  if ((await readableCopies(database.read, contentId)).length > 0) {
    const stranded = await findStranded(deps, contentId, choices)
    if (stranded && (await deps.cached.locate(contentId))) return uploadToFirst(deps, { content, due: [stranded] }, signal)
    await enqueuePulls(deps, copies)
    return doneWhenPlanned(deps, content, copies)
  }
  if (due.length > 0) return uploadToFirst(deps, { content, due }, signal)
  if (copies.length === 0)
    return waitFor(clock, 'provider', recheckMs, `no provider that takes a piece of ${content.size} bytes is available`)
  if (choices.length === 0) {
    const isPlanned = copies.some((copy) => copy.state === 'planned')
    return waitFor(clock, 'data_set', recheckMs, isPlanned ? 'the data set is being created' : endedMessage)
  }
  const nextAtMs = Math.min(...choices.map(({ copy }) => copy.nextAttemptAtMs))
  return waitFor(clock, 'provider', nextAtMs - clock.now(), 'no provider of this bucket takes the bytes now')
}

/**
 * A copy that is uploaded from the cache: no provider can serve it, or its pull failed repeatedly. Then this task runs before the next pull,
 * whose retry time is later.
 */
async function findStranded(
  { database, clock }: StoreContentDeps,
  contentId: number,
  choices: readonly Ingress[],
): Promise<Ingress | undefined> {
  for (const choice of choices) {
    const { copy, dataSet } = choice
    if (copy.setbacks < pullSetbacksMax && (await contentsWithoutSource(database.read, dataSet.id, [contentId])).length === 0) continue
    if ((await pausedUntilMs(database.read, dataSet.id)) <= clock.now()) return choice
  }
  return undefined
}

/** Continues a transfer of an earlier run. When all bytes were accepted, the piece is only looked up at the provider. */
async function resume(deps: StoreContentDeps, content: PipelineContent, copy: Copy, signal: AbortSignal): Promise<Outcome> {
  const dataSet = await findDataSet(deps.database.read, copy.dataSetId)
  const { pieceCid } = content
  const isSent = copy.uploadedAtMs !== null
  if (!dataSet || (isSent && pieceCid === null))
    throw new PipelineFault('transfer_without_piece', `copy ${copy.id} is being transferred without a piece or data set`)
  if (isSent && pieceCid !== null) {
    using turn = takeTurn(deps, content.contentId, { copy, dataSet })
    return await awaitParking(deps, { ...content, pieceCid }, { copy, dataSet, turn }, signal)
  }
  // The upload did not end: upload sessions are disposable, so another one is safe.
  const why = { code: 'interrupted', message: 'the upload was interrupted' }
  await deps.database.write((tx) => deps.states.copies.apply(tx, 'upload_failed', held(copy), why))
  return waitFor(deps.clock, 'interrupted', 0)
}

async function enqueuePulls({ database, schedule }: Pick<Pipeline, 'database' | 'schedule'>, copies: readonly Copy[]): Promise<void> {
  const lacking = copies.filter((copy) => copy.state === 'planned')
  if (lacking.length === 0) return
  await database.write(async (tx) => {
    for (const { dataSetId } of lacking) await schedule.pull(tx, dataSetId)
  })
}
