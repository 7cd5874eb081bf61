import { defineProbe, done, type Outcome } from '#kernel'
import { UploadSourceFailed } from '../chain/upload-body.ts'
import { type DataSet, findDataSet } from '../datasets/data-set-store.ts'
import { planDataSets } from '../datasets/plan-data-sets.ts'
import { type Refusal, type Turn, waitForTurn } from '../datasets/provider-turns.ts'
import { pausedUntilMs } from '../datasets/refusal-store.ts'
import { type Pipeline, PipelineFault, waitFor } from '../pipeline.ts'
import { type CachedFile, cachedBody, calculatePiece, failUnlessDeleted, settleSourceFault } from './cached-file.ts'
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
  recountContent,
  returnToPlanned,
  setPieceCid,
} from './copy-store.ts'
import { readableCopies } from './placement-store.ts'
import { provePiece } from './prove-piece.ts'
import { judgeRefusal } from './setback-policy.ts'

const planned = defineProbe('storage.store.planned')
const hashed = defineProbe('storage.store.hashed')
const began = defineProbe('storage.store.began')
const uploaded = defineProbe('storage.store.uploaded')
const parked = defineProbe('storage.store.parked')

/** How long a store waits for a data set or a missing provider before it looks again; it is woken sooner by the event. */
const lookAgainEpochs = 4
const endedMessage = 'the data sets of the bucket have ended on chain; it needs other providers'

/** Plans the content's copies, and brings its bytes to one provider unless one has them already. */
export async function storeContent(doors: Pipeline, contentId: number, signal: AbortSignal): Promise<Outcome> {
  const { database, clock, pace } = doors
  const content = findPipelineContent(database.read, contentId)
  if (!content?.isLive) return done()
  const unproven = await provePiece(doors, content, signal)
  if (unproven) return unproven
  const dataSets = await planDataSets(doors, content)
  const slotsWithCopy = new Set(copiesOf(database.read, contentId).map(({ slot }) => slot))
  // Slots that have a copy come first: a slot that became usable later must not add one above the target.
  const places = dataSets
    .toSorted((a, b) => Number(slotsWithCopy.has(b.slot)) - Number(slotsWithCopy.has(a.slot)))
    .slice(0, content.targetCopies)
  await database.write((tx) => {
    const isNew = planCopies(tx, content, places, clock.now())
    if (isNew) doors.uploadEvents.moved(tx, contentId)
  })
  await planned()
  const copies = copiesOf(database.read, contentId)
  const lookAgainMs = pace.epochMs * lookAgainEpochs
  // A copy under a batch is being pulled, and is not ours to touch (I-25).
  const open = copies.find((copy) => copy.state === 'transferring' && copy.batchId === null)
  if (open) return resume(doors, content, open, signal)
  const choices = listIngresses(doors, copies)
  const due = choices.filter(({ copy }) => copy.nextAttemptAtMs <= clock.now())
  if (readableCopies(database.read, contentId).length > 0) {
    // Whoever has the bytes may be gone for good, so the cache helps out. Its turn is before the next pull, which waits for a while.
    const stranded = choices.find(
      ({ copy, dataSet }) => copy.setbacks >= pullSetbacksMax && pausedUntilMs(database.read, dataSet.id) <= clock.now(),
    )
    if (stranded && (await doors.locateCached(contentId))) return uploadToFirst(doors, { content, due: [stranded] }, signal)
    await wakePulls(doors, copies)
    return doneWhenPlanned(doors, content, copies)
  }
  if (due.length > 0) return uploadToFirst(doors, { content, due }, signal)
  if (copies.length === 0)
    return waitFor(clock, 'provider', lookAgainMs, `no provider that takes a piece of ${content.size} bytes is available`)
  if (choices.length === 0) {
    const isPlanned = copies.some((copy) => copy.state === 'planned')
    return waitFor(clock, 'data_set', lookAgainMs, isPlanned ? 'the data set is being created' : endedMessage)
  }
  const nextAtMs = Math.min(...choices.map(({ copy }) => copy.nextAttemptAtMs))
  return waitFor(clock, 'provider', nextAtMs - clock.now(), 'no provider of this bucket takes the bytes now')
}

/** The other copies are pulled; as long as some have no provider, the search goes on. */
function doneWhenPlanned({ clock, pace }: Pipeline, { targetCopies, size }: PipelineContent, { length }: readonly Copy[]): Outcome {
  if (length >= targetCopies) return done()
  const message = `${length} of ${targetCopies} copies have a provider; more providers that take a piece of ${size} bytes are needed`
  return waitFor(clock, 'provider', pace.epochMs * lookAgainEpochs, message)
}

/** The store task moves copies that no batch holds. */
const held = (copy: Copy) => ({ copyId: copy.id, batchId: null })

interface Ingress {
  readonly copy: Copy
  readonly dataSet: DataSet
}

/** Copies whose data set takes writes, fewest setbacks first: a failing provider loses its turn. One that refuses the data set has none. */
function listIngresses({ database }: Pipeline, copies: readonly Copy[]): readonly Ingress[] {
  const ready = copies.flatMap((copy) => {
    const dataSet = findDataSet(database.read, copy.dataSetId)
    if (dataSet?.state !== 'ready' || copy.state !== 'planned') return []
    return [{ copy: { ...copy, nextAttemptAtMs: Math.max(copy.nextAttemptAtMs, pausedUntilMs(database.read, dataSet.id)) }, dataSet }]
  })
  return ready.sort((a, b) => a.copy.setbacks - b.copy.setbacks || a.copy.slot - b.copy.slot)
}

/** The first provider that can be called now gets the bytes. A silent or busy one neither holds the content up nor a slot (I-32, I-08). */
async function uploadToFirst(
  doors: Pipeline,
  { content, due }: { readonly content: PipelineContent; readonly due: readonly Ingress[] },
  signal: AbortSignal,
): Promise<Outcome> {
  const { clock } = doors
  const refusals: Refusal[] = []
  for (const ingress of due) {
    using turn = takeTurn(doors, content.contentId, ingress)
    if (!turn.refusal) return await upload(doors, { content, turn, ...ingress }, signal)
    refusals.push(turn.refusal)
  }
  const [soonest] = refusals.sort((a, b) => a.untilMs - b.untilMs)
  return soonest ? waitForTurn(soonest) : waitFor(clock, 'provider', 0)
}

/** Where all its slots are in use, the task is woken by the next one that becomes free. */
function takeTurn({ providers, wakeStore }: Pipeline, contentId: number, { dataSet }: Ingress): Turn {
  return providers.turns.take(dataSet.serviceUrl, 'store', { id: contentId, wake: () => wakeStore(contentId) })
}

type Work = Ingress & { readonly content: PipelineContent; readonly turn: Turn }

async function upload(doors: Pipeline, work: Work, signal: AbortSignal): Promise<Outcome> {
  const { contentId } = work.content
  const file = await doors.locateCached(contentId)
  if (!file)
    return failUnlessDeleted(doors, contentId, {
      code: 'content_missing',
      message: 'the cached bytes of this content are gone and no provider has them',
    })
  try {
    return await uploadFile(doors, { ...work, file }, signal)
  } catch (error) {
    return settleSourceFault(doors, { contentId, file }, error)
  }
}

async function uploadFile(doors: Pipeline, work: Work & { readonly file: CachedFile }, signal: AbortSignal): Promise<Outcome> {
  const { database, clock, providers, uploads } = doors
  const { content, copy, dataSet, turn, file } = work
  const pieceCid = content.pieceCid ?? (await computePieceCid(doors, content, file, signal))
  if (!(await database.write((tx) => beginUpload(tx, copy.id, clock.now())))) return waitFor(clock, 'data_set', 0)
  await began()
  uploads.begin(content.contentId, { attempt: copy.setbacks + 1, totalBytes: content.size })
  let isDone = false
  try {
    const answer = turn.heard(
      await providers.client(dataSet.serviceUrl).upload({
        pieceCid,
        body: cachedBody(file),
        signal,
        onProgress: (sentBytes) => uploads.set(content.contentId, sentBytes),
      }),
    )
    if (answer.kind !== 'ok') return await giveBack(doors, work, answer)
    isDone = true
  } catch (error) {
    await giveBackAfter(doors, copy, error)
    throw error
  } finally {
    uploads.end(content.contentId, { isDone })
  }
  await database.write((tx) => recordUpload(tx, copy.id, clock.now()))
  await uploaded()
  return awaitParking(doors, { ...content, pieceCid }, { copy, dataSet, turn }, signal)
}

async function computePieceCid(doors: Pipeline, content: PipelineContent, file: CachedFile, signal: AbortSignal): Promise<string> {
  const { pieceCid, chunkRoots } = await calculatePiece(doors, file, signal)
  await doors.database.write((tx) => {
    setPieceCid(tx, content.pieceId, pieceCid)
    keepChunkRoots(tx, content, chunkRoots)
  })
  await hashed()
  return pieceCid
}

/** A transfer was begun by an earlier run. When all bytes had been accepted, the provider is only asked for the piece. */
async function resume(doors: Pipeline, content: PipelineContent, copy: Copy, signal: AbortSignal): Promise<Outcome> {
  const dataSet = findDataSet(doors.database.read, copy.dataSetId)
  if (!dataSet || content.pieceCid === null)
    throw new PipelineFault('transfer_without_piece', `copy ${copy.id} is being transferred without a piece or data set`)
  const isSent = copy.uploadedAtMs !== null
  if (isSent) {
    using turn = takeTurn(doors, content.contentId, { copy, dataSet })
    return await awaitParking(doors, { ...content, pieceCid: content.pieceCid }, { copy, dataSet, turn }, signal)
  }
  // The upload did not end: sessions are disposable, so another one does no harm.
  await doors.database.write((tx) =>
    returnToPlanned(tx, held(copy), { code: 'interrupted', message: 'the upload was interrupted', nowMs: doors.clock.now() }),
  )
  return waitFor(doors.clock, 'interrupted', 0)
}

/** A provider that is left alone for a while counts as one that does not answer. */
const unasked = { kind: 'not_asked' } as const

async function awaitParking(
  doors: Pipeline,
  content: PipelineContent & { readonly pieceCid: string },
  ingress: Ingress & { readonly turn: Turn },
  signal: AbortSignal,
): Promise<Outcome> {
  const { database, clock, pace, providers } = doors
  const { turn } = ingress
  if (turn.refusal?.reason === 'provider_busy') return waitForTurn(turn.refusal)
  const client = providers.client(ingress.dataSet.serviceUrl)
  const answer = turn.refusal ? unasked : turn.heard(await client.findPiece(content.pieceCid, { signal }))
  if (answer.kind === 'ok' && answer.value.isFound) {
    await park(doors, content, ingress)
    return doneWhenPlanned(doors, content, copiesOf(database.read, content.contentId))
  }
  const sinceMs = clock.now() - (ingress.copy.uploadedAtMs ?? clock.now())
  const silence = 'the provider does not answer'
  if (sinceMs <= pace.parkingLimitMs)
    return answer.kind === 'ok' ? waitFor(clock, 'provider_storing', pace.parkingMs) : waitFor(clock, 'provider', pace.providerMs, silence)
  // Another provider may take the turn: the bytes must not wait for one that is gone.
  const [code, message] =
    answer.kind === 'ok' ? ['never_parked', 'the provider never stored the bytes it accepted'] : ['unreachable', silence]
  const nowMs = clock.now()
  await database.write((tx) => returnToPlanned(tx, held(ingress.copy), { code, message, nowMs, retryAtMs: nowMs + pace.providerMs }))
  if (answer.kind !== 'ok') return waitFor(clock, 'provider', 0, message)
  throw new PipelineFault(code, `provider ${ingress.dataSet.providerId}: ${message}`)
}

async function park(doors: Pipeline, content: PipelineContent, { copy, dataSet }: Ingress): Promise<void> {
  const { database, clock, pace, schedule } = doors
  const copies = copiesOf(database.read, content.contentId)
  const soonMs = clock.now() + pace.lingerMs
  await database.write((tx) => {
    markParked(tx, held(copy), clock.now())
    recountContent(tx, content.contentId, clock.now())
    schedule.commit(tx, dataSet.id, soonMs)
    for (const other of copies) if (other.id !== copy.id && other.state === 'planned') schedule.pull(tx, other.dataSetId, soonMs)
  })
  doors.progressed()
  await parked()
}

async function wakePulls({ database, schedule }: Pipeline, copies: readonly Copy[]): Promise<void> {
  const lacking = copies.filter((copy) => copy.state === 'planned')
  if (lacking.length === 0) return
  await database.write((tx) => {
    for (const { dataSetId } of lacking) schedule.pull(tx, dataSetId)
  })
}

/** The upload had no usable end. Another slot's provider may take the next turn. */
async function giveBack(
  doors: Pipeline,
  { copy, dataSet }: Ingress,
  answer: Exclude<Awaited<ReturnType<ReturnType<Pipeline['providers']['client']>['upload']>>, { readonly kind: 'ok' }>,
): Promise<Outcome> {
  const { database, clock, pace } = doors
  const setback = answer.kind === 'not_sent' ? judgeRefusal(answer.cause, pace) : undefined
  const message = setback?.message ?? answer.cause.detail
  const nowMs = clock.now()
  const pauseMs = setback?.kind === 'wait' ? setback.forMs : pace.providerMs
  // Even a mere wait marks the copy, so that the next run prefers a provider without setbacks.
  await database.write((tx) => returnToPlanned(tx, held(copy), { code: answer.cause.reason, message, nowMs, retryAtMs: nowMs + pauseMs }))
  // Where the bytes are at a provider already, the others pull them: no other upload is due, and this one keeps its pause.
  const others =
    readableCopies(database.read, copy.contentId).length > 0 ? [] : listIngresses(doors, copiesOf(database.read, copy.contentId))
  const waitMs = others.some((other) => other.copy.nextAttemptAtMs <= nowMs) ? 0 : pauseMs
  if (setback?.kind === 'wait') return waitFor(clock, setback.reason, waitMs, message)
  if (answer.kind === 'uncertain') return waitFor(clock, 'provider', waitMs, message)
  throw new PipelineFault(
    setback?.kind === 'fault' ? setback.code : 'upload_refused',
    `provider ${dataSet.providerId} refused the bytes: ${message}`,
  )
}

async function giveBackAfter({ database, clock }: Pipeline, copy: Copy, error: unknown): Promise<void> {
  const code = error instanceof UploadSourceFailed ? error.code : 'interrupted'
  await database.write((tx) => returnToPlanned(tx, held(copy), { code, message: (error as Error).message, nowMs: clock.now() }))
}
