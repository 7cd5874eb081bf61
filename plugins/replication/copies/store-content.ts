import { defineProbe, done, type Outcome } from '#kernel'
import type { CachedFile } from '#plugins/storage'
import { UploadSourceFailed } from '../chain/upload-body.ts'
import { type DataSet, findDataSet } from '../datasets/data-set-store.ts'
import { type Refusal, type Turn, waitForTurn } from '../datasets/provider-turns.ts'
import { pausedUntilMs } from '../datasets/refusal-store.ts'
import { recountContent } from '../holdings/recount-content.ts'
import { type Pipeline, PipelineFault, waitFor } from '../pipeline.ts'
import { judgeRefusal } from '../submissions/setback-policy.ts'
import { cachedBody, calculatePiece, failUnlessDeleted, settleSourceFault } from './cached-file.ts'
import { keepChunkRoots } from './chunk-roots-store.ts'
import {
  beginUpload,
  type Copy,
  copiesOf,
  findPipelineContent,
  markParked,
  type PipelineContent,
  planCopies,
  pullSetbacksMax,
  recordUpload,
  returnToPlanned,
  setPieceCid,
} from './copy-store.ts'
import { readableCopies } from './placement-store.ts'
import { planDataSets } from './plan-data-sets.ts'
import { provePiece } from './prove-piece.ts'

const planned = defineProbe('storage.store.planned')
const hashed = defineProbe('storage.store.hashed')
const began = defineProbe('storage.store.began')
const uploaded = defineProbe('storage.store.uploaded')
const parked = defineProbe('storage.store.parked')

/** Poll interval while a store waits for a data set or a provider; a new data set notifies it earlier. */
const recheckEpochs = 4
const endedMessage = 'the data sets of the bucket have ended on chain; it needs other providers'

/** Plans the content's copies, and uploads its bytes to one provider unless one has them already. */
export async function storeContent(deps: Pipeline, contentId: number, signal: AbortSignal): Promise<Outcome> {
  const { database, clock, pace } = deps
  const content = findPipelineContent(database.read, contentId)
  if (!content?.isLive) return done()
  const unproven = await provePiece(deps, content, signal)
  if (unproven) return unproven
  const dataSets = await planDataSets(deps, content)
  const slotsWithCopy = new Set(copiesOf(database.read, contentId).map(({ slot }) => slot))
  // Slots with a copy first: a slot that became usable later must not add a copy above the target.
  const places = dataSets
    .toSorted((a, b) => Number(slotsWithCopy.has(b.slot)) - Number(slotsWithCopy.has(a.slot)))
    .slice(0, content.targetCopies)
  await database.write((tx) => {
    const isNew = planCopies(tx, content, places, clock.now()) && deps.contents.markStoring(tx, contentId, clock.now())
    if (isNew) deps.uploadEvents.changed(tx, contentId)
  })
  await planned()
  const copies = copiesOf(database.read, contentId)
  const recheckMs = pace.epochMs * recheckEpochs
  // A copy in a batch is being pulled: only that batch may change it (I-25).
  const open = copies.find((copy) => copy.state === 'transferring' && copy.batchId === null)
  if (open) return resume(deps, content, open, signal)
  const choices = listIngresses(deps, copies)
  const due = choices.filter(({ copy }) => copy.nextAttemptAtMs <= clock.now())
  if (readableCopies(database.read, contentId).length > 0) {
    // After repeated pull failures, upload from the cache. This task runs before the next pull, whose retry time is later.
    const stranded = choices.find(
      ({ copy, dataSet }) => copy.setbacks >= pullSetbacksMax && pausedUntilMs(database.read, dataSet.id) <= clock.now(),
    )
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

/** The other copies are pulled. While some have no provider, the task keeps polling for one. */
function doneWhenPlanned({ clock, pace }: Pipeline, { targetCopies, size }: PipelineContent, { length }: readonly Copy[]): Outcome {
  if (length >= targetCopies) return done()
  const message = `${length} of ${targetCopies} copies have a provider; more providers that take a piece of ${size} bytes are needed`
  return waitFor(clock, 'provider', pace.epochMs * recheckEpochs, message)
}

/** The store task only changes copies outside batches. */
const held = (copy: Copy) => ({ copyId: copy.id, batchId: null })

interface Ingress {
  readonly copy: Copy
  readonly dataSet: DataSet
}

/** Copies whose data set takes writes, fewest setbacks first. The pause of a refused data set delays its copies. */
function listIngresses({ database }: Pipeline, copies: readonly Copy[]): readonly Ingress[] {
  const ready = copies.flatMap((copy) => {
    const dataSet = findDataSet(database.read, copy.dataSetId)
    if (dataSet?.state !== 'ready' || copy.state !== 'planned') return []
    return [{ copy: { ...copy, nextAttemptAtMs: Math.max(copy.nextAttemptAtMs, pausedUntilMs(database.read, dataSet.id)) }, dataSet }]
  })
  return ready.sort((a, b) => a.copy.setbacks - b.copy.setbacks || a.copy.slot - b.copy.slot)
}

/** Uploads to the first provider that can be called now. Unresponsive or busy ones delay nothing and hold no slot (I-32, I-08). */
async function uploadToFirst(
  deps: Pipeline,
  { content, due }: { readonly content: PipelineContent; readonly due: readonly Ingress[] },
  signal: AbortSignal,
): Promise<Outcome> {
  const { clock } = deps
  const refusals: Refusal[] = []
  for (const ingress of due) {
    using turn = takeTurn(deps, content.contentId, ingress)
    if (!turn.refusal) return await upload(deps, { content, turn, ...ingress }, signal)
    refusals.push(turn.refusal)
  }
  const [soonest] = refusals.sort((a, b) => a.untilMs - b.untilMs)
  return soonest ? waitForTurn(soonest) : waitFor(clock, 'provider', 0)
}

/** When all slots are in use, the next free one notifies the task. */
function takeTurn({ providers, notifyStore }: Pipeline, contentId: number, { dataSet }: Ingress): Turn {
  return providers.turns.take(dataSet.serviceUrl, 'store', { id: contentId, notify: () => notifyStore(contentId) })
}

type Work = Ingress & { readonly content: PipelineContent; readonly turn: Turn }

async function upload(deps: Pipeline, work: Work, signal: AbortSignal): Promise<Outcome> {
  const { contentId } = work.content
  const file = await deps.cached.locate(contentId)
  if (!file)
    return failUnlessDeleted(deps, contentId, {
      code: 'content_missing',
      message: 'the cached bytes are missing and no provider has the content; upload the object again',
    })
  try {
    return await uploadFile(deps, { ...work, file }, signal)
  } catch (error) {
    return settleSourceFault(deps, { contentId, file }, error)
  }
}

async function uploadFile(deps: Pipeline, work: Work & { readonly file: CachedFile }, signal: AbortSignal): Promise<Outcome> {
  const { database, clock, providers, uploads } = deps
  const { content, copy, dataSet, turn, file } = work
  const pieceCid = content.pieceCid ?? (await computePieceCid(deps, content, file, signal))
  if (!(await database.write((tx) => beginUpload(tx, copy.id, clock.now())))) return waitFor(clock, 'data_set', 0)
  await began()
  uploads.begin(content.contentId, { attempt: copy.setbacks + 1, totalBytes: content.size })
  let isDone = false
  try {
    const answer = turn.record(
      await providers.client(dataSet.serviceUrl).upload({
        pieceCid,
        body: cachedBody(file),
        signal,
        onProgress: (sentBytes) => uploads.set(content.contentId, sentBytes),
      }),
    )
    if (answer.kind !== 'ok') return await returnUpload(deps, work, answer)
    isDone = true
  } catch (error) {
    await returnAfterError(deps, copy, error)
    throw error
  } finally {
    uploads.end(content.contentId, { isDone })
  }
  await database.write((tx) => recordUpload(tx, copy.id, clock.now()))
  await uploaded()
  return awaitParking(deps, { ...content, pieceCid }, { copy, dataSet, turn }, signal)
}

async function computePieceCid(deps: Pipeline, content: PipelineContent, file: CachedFile, signal: AbortSignal): Promise<string> {
  const { pieceCid, chunkRoots } = await calculatePiece(deps, file, signal)
  await deps.database.write((tx) => {
    setPieceCid(tx, content.pieceId, pieceCid)
    keepChunkRoots(tx, content, chunkRoots)
  })
  await hashed()
  return pieceCid
}

/** Continues a transfer of an earlier run. When all bytes were accepted, the piece is only looked up at the provider. */
async function resume(deps: Pipeline, content: PipelineContent, copy: Copy, signal: AbortSignal): Promise<Outcome> {
  const dataSet = findDataSet(deps.database.read, copy.dataSetId)
  if (!dataSet || content.pieceCid === null)
    throw new PipelineFault('transfer_without_piece', `copy ${copy.id} is being transferred without a piece or data set`)
  const isSent = copy.uploadedAtMs !== null
  if (isSent) {
    using turn = takeTurn(deps, content.contentId, { copy, dataSet })
    return await awaitParking(deps, { ...content, pieceCid: content.pieceCid }, { copy, dataSet, turn }, signal)
  }
  // The upload did not end: upload sessions are disposable, so another one is safe.
  await deps.database.write((tx) =>
    returnToPlanned(tx, held(copy), { code: 'interrupted', message: 'the upload was interrupted', nowMs: deps.clock.now() }),
  )
  return waitFor(deps.clock, 'interrupted', 0)
}

/** A provider that may not be called now counts as one that does not answer. */
const notCalled = { kind: 'not_called' } as const

async function awaitParking(
  deps: Pipeline,
  content: PipelineContent & { readonly pieceCid: string },
  ingress: Ingress & { readonly turn: Turn },
  signal: AbortSignal,
): Promise<Outcome> {
  const { database, clock, pace, providers } = deps
  const { turn } = ingress
  if (turn.refusal?.reason === 'provider_busy') return waitForTurn(turn.refusal)
  const client = providers.client(ingress.dataSet.serviceUrl)
  const answer = turn.refusal ? notCalled : turn.record(await client.findPiece(content.pieceCid, { signal }))
  if (answer.kind === 'ok' && answer.value.isFound) {
    await park(deps, content, ingress)
    return doneWhenPlanned(deps, content, copiesOf(database.read, content.contentId))
  }
  const sinceMs = clock.now() - (ingress.copy.uploadedAtMs ?? clock.now())
  const noAnswer = 'the provider does not answer'
  if (sinceMs <= pace.parkingLimitMs)
    return answer.kind === 'ok' ? waitFor(clock, 'provider_storing', pace.parkingMs) : waitFor(clock, 'provider', pace.providerMs, noAnswer)
  // Another provider may get the bytes: do not wait longer for this one.
  const [code, message] =
    answer.kind === 'ok' ? ['never_parked', 'the provider never stored the bytes it accepted'] : ['unreachable', noAnswer]
  const nowMs = clock.now()
  await database.write((tx) => returnToPlanned(tx, held(ingress.copy), { code, message, nowMs, retryAtMs: nowMs + pace.providerMs }))
  if (answer.kind !== 'ok') return waitFor(clock, 'provider', 0, message)
  throw new PipelineFault(code, `provider ${ingress.dataSet.providerId}: ${message}`)
}

async function park(deps: Pipeline, content: PipelineContent, { copy, dataSet }: Ingress): Promise<void> {
  const { database, clock, pace, schedule } = deps
  const copies = copiesOf(database.read, content.contentId)
  const soonMs = clock.now() + pace.batchingWindowMs
  await database.write((tx) => {
    markParked(tx, held(copy), clock.now())
    recountContent(deps, tx, content.contentId, clock.now())
    schedule.commit(tx, dataSet.id, soonMs)
    for (const other of copies) if (other.id !== copy.id && other.state === 'planned') schedule.pull(tx, other.dataSetId, soonMs)
  })
  deps.progressed()
  await parked()
}

async function enqueuePulls({ database, schedule }: Pipeline, copies: readonly Copy[]): Promise<void> {
  const lacking = copies.filter((copy) => copy.state === 'planned')
  if (lacking.length === 0) return
  await database.write((tx) => {
    for (const { dataSetId } of lacking) schedule.pull(tx, dataSetId)
  })
}

/** The upload failed: the copy is planned again, and another slot's provider may be next. */
async function returnUpload(
  deps: Pipeline,
  { copy, dataSet }: Ingress,
  answer: Exclude<Awaited<ReturnType<ReturnType<Pipeline['providers']['client']>['upload']>>, { readonly kind: 'ok' }>,
): Promise<Outcome> {
  const { database, clock, pace } = deps
  const setback = answer.kind === 'not_sent' ? judgeRefusal(answer.cause, pace) : undefined
  const message = setback?.message ?? answer.cause.detail
  const nowMs = clock.now()
  const pauseMs = setback?.kind === 'wait' ? setback.forMs : pace.providerMs
  // A wait counts as a setback too, so that the next run prefers another provider.
  await database.write((tx) => returnToPlanned(tx, held(copy), { code: answer.cause.reason, message, nowMs, retryAtMs: nowMs + pauseMs }))
  // When a provider already has the bytes, the others pull: no other upload is due, and this one waits for its pause.
  const others =
    readableCopies(database.read, copy.contentId).length > 0 ? [] : listIngresses(deps, copiesOf(database.read, copy.contentId))
  const waitMs = others.some((other) => other.copy.nextAttemptAtMs <= nowMs) ? 0 : pauseMs
  if (setback?.kind === 'wait') return waitFor(clock, setback.reason, waitMs, message)
  if (answer.kind === 'uncertain') return waitFor(clock, 'provider', waitMs, message)
  throw new PipelineFault(
    setback?.kind === 'fault' ? setback.code : 'upload_refused',
    `provider ${dataSet.providerId} refused the bytes: ${message}`,
  )
}

async function returnAfterError({ database, clock }: Pipeline, copy: Copy, error: unknown): Promise<void> {
  const code = error instanceof UploadSourceFailed ? error.code : 'interrupted'
  await database.write((tx) => returnToPlanned(tx, held(copy), { code, message: (error as Error).message, nowMs: clock.now() }))
}
