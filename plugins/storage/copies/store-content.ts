import { defineProbe, done, fail, type Outcome } from '#kernel'
import { fileBody, UploadSourceFailed } from '../chain/upload-body.ts'
import { type DataSet, findDataSet } from '../datasets/data-set-store.ts'
import { planDataSets } from '../datasets/plan-data-sets.ts'
import { pausedUntilMs } from '../datasets/refusal-store.ts'
import { type Pipeline, PipelineFault, waitFor } from '../pipeline.ts'
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
  const dataSets = await planDataSets(doors, content.bucketId, content.targetCopies)
  await database.write((tx) => {
    const isNew = planCopies(tx, content, dataSets.slice(0, content.targetCopies), clock.now())
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
    if (stranded && (await doors.locateCached(contentId))) return upload(doors, { content, ...stranded }, signal)
    await wakePulls(doors, copies)
    return doneWhenPlanned(doors, content, copies)
  }
  const [ingress] = due
  if (ingress) return upload(doors, { content, ...ingress }, signal)
  if (copies.length === 0) return waitFor(clock, 'provider', lookAgainMs, 'no provider is available')
  if (choices.length === 0) {
    const isPlanned = copies.some((copy) => copy.state === 'planned')
    return waitFor(clock, 'data_set', lookAgainMs, isPlanned ? 'the data set is being created' : endedMessage)
  }
  const nextAtMs = Math.min(...choices.map(({ copy }) => copy.nextAttemptAtMs))
  return waitFor(clock, 'provider', nextAtMs - clock.now(), 'no provider of this bucket takes the bytes now')
}

/** The other copies are pulled; as long as some have no provider, the search goes on. */
function doneWhenPlanned({ clock, pace }: Pipeline, { targetCopies }: PipelineContent, { length }: readonly Copy[]): Outcome {
  if (length >= targetCopies) return done()
  const message = `${length} of ${targetCopies} copies have a provider; more providers are needed`
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

async function upload(doors: Pipeline, work: Ingress & { readonly content: PipelineContent }, signal: AbortSignal): Promise<Outcome> {
  const { database, clock, providers, uploads } = doors
  const { content, copy, dataSet } = work
  const file = await doors.locateCached(content.contentId)
  if (!file) return fail('content_missing', 'the cached bytes of this content are gone and no provider has them', { retryable: true })
  const pieceCid = content.pieceCid ?? (await computePieceCid(doors, content, file.path, signal))
  if (!(await database.write((tx) => beginUpload(tx, copy.id, clock.now())))) return waitFor(clock, 'data_set', 0)
  await began()
  uploads.begin(content.contentId, { attempt: copy.setbacks + 1, totalBytes: content.size })
  let isDone = false
  try {
    const answer = await providers.client(dataSet.serviceUrl).upload({
      pieceCid,
      body: fileBody(file.path, { size: content.size }),
      signal,
      onProgress: (sentBytes) => uploads.set(content.contentId, sentBytes),
    })
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
  return awaitParking(doors, { ...content, pieceCid }, { copy, dataSet }, signal)
}

async function computePieceCid(
  { pieces, database }: Pipeline,
  content: PipelineContent,
  path: string,
  signal: AbortSignal,
): Promise<string> {
  const pieceCid = await pieces.calculate({ path, length: content.size, signal })
  await database.write((tx) => setPieceCid(tx, content.pieceId, pieceCid))
  await hashed()
  return pieceCid
}

/** A transfer was begun by an earlier run. When all bytes had been accepted, the provider is only asked for the piece. */
async function resume(doors: Pipeline, content: PipelineContent, copy: Copy, signal: AbortSignal): Promise<Outcome> {
  const dataSet = findDataSet(doors.database.read, copy.dataSetId)
  if (!dataSet || content.pieceCid === null)
    throw new PipelineFault('transfer_without_piece', `copy ${copy.id} is being transferred without a piece or data set`)
  const isSent = copy.uploadedAtMs !== null
  if (isSent) return awaitParking(doors, { ...content, pieceCid: content.pieceCid }, { copy, dataSet }, signal)
  // The upload did not end: sessions are disposable, so another one does no harm.
  await doors.database.write((tx) =>
    returnToPlanned(tx, held(copy), { code: 'interrupted', message: 'the upload was interrupted', nowMs: doors.clock.now() }),
  )
  return waitFor(doors.clock, 'interrupted', 0)
}

async function awaitParking(
  doors: Pipeline,
  content: PipelineContent & { readonly pieceCid: string },
  ingress: Ingress,
  signal: AbortSignal,
): Promise<Outcome> {
  const { database, clock, pace, providers } = doors
  const answer = await providers.client(ingress.dataSet.serviceUrl).findPiece(content.pieceCid, { signal })
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
  const others = listIngresses(doors, copiesOf(database.read, copy.contentId))
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
