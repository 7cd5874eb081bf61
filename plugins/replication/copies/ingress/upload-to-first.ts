/** @walk copies 4: computes the piece CID in the read that verifies the bytes, and uploads them to one provider */
import { defineProbe, type Outcome, type Tx } from '#kernel'
import { type ProviderPieces, type Refusal, type Turn, UploadSourceFailed, waitForTurn } from '#plugins/providers'
import type { CachedFile } from '#plugins/storage'
import type { CalculatedPiece } from '../../pieces/piece-calculation.ts'
import { type Pipeline, PipelineFault, waitFor } from '../../pipeline.ts'
import { judgeRefusal } from '../../submissions/setback-policy.ts'
import { keepChunkRoots } from '../records/chunk-roots-store.ts'
import { type Copy, copiesOf, type PipelineContent, recordUpload, setPieceCid } from '../records/copy-store.ts'
import { readableCopies } from '../records/placement-store.ts'
import { type AwaitParkingDeps, awaitParking, waitForParking } from './await-parking.ts'
import { cachedBody, calculatePiece, failUnlessDeleted, settleSourceFault } from './cached-file.ts'
import { held, type Ingress, listIngresses, takeTurn } from './ingress.ts'
import { type PreparedUpload, prepareUpload } from './prepare-upload.ts'

export type UploadToFirstDeps = AwaitParkingDeps & Pick<Pipeline, 'schedule' | 'pieces' | 'uploads' | 'notifyStore' | 'cached'>

const began = defineProbe('storage.store.began')
const named = defineProbe('storage.store.named')
const uploaded = defineProbe('storage.store.uploaded')

/** Uploads to the first provider that can be called now. Unresponsive or busy ones delay nothing and hold no slot (I-32, I-08). */
export async function uploadToFirst(
  deps: UploadToFirstDeps,
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

const missingContent = {
  code: 'content_missing',
  message: 'the cached bytes are missing and no provider has the content; upload the object again',
}
const damagedContent = {
  code: 'content_damaged',
  message: 'cached bytes are damaged and no provider has the content; restore the file that svc doctor names, or upload the object again',
}

type Answer = Awaited<ReturnType<ProviderPieces['upload']>>
type Work = Ingress & { readonly content: PipelineContent; readonly turn: Turn }

async function upload(deps: UploadToFirstDeps, work: Work, signal: AbortSignal): Promise<Outcome> {
  const { contentId } = work.content
  const file = await deps.cached.locate(contentId)
  if (!file) return await failUnlessDeleted(deps, contentId, (await deps.cached.isDamaged(contentId)) ? damagedContent : missingContent)
  try {
    return await uploadFile(deps, { ...work, file }, signal)
  } catch (error) {
    return settleSourceFault(deps, { contentId, file }, error)
  }
}

async function uploadFile(deps: UploadToFirstDeps, work: Work & { readonly file: CachedFile }, signal: AbortSignal): Promise<Outcome> {
  const { database, clock, states, uploads } = deps
  const { content, copy, dataSet, turn, file } = work
  const prepared = await prepareUpload(deps, { file, pieceCid: content.pieceCid }, signal)
  const hasBegun = await database.write(async (tx) => {
    if (prepared.piece) await recordPiece(tx, content, prepared.piece)
    return (await states.copies.apply(tx, 'upload_begun', { ids: [copy.id] })).length > 0
  })
  if (!hasBegun) return waitFor(clock, 'data_set', 0)
  await began()
  uploads.begin(content.contentId, { attempt: copy.setbacks + 1, totalBytes: prepared.body.size })
  let isDone = false
  let isStored = false
  try {
    const answer = await send(deps, work, prepared, signal)
    if (answer.kind !== 'ok') return await returnUpload(deps, work, answer)
    isDone = true
    isStored = answer.value.alreadyStored
  } catch (error) {
    await returnAfterError(deps, copy, error)
    throw error
  } finally {
    uploads.end(content.contentId, { isDone })
  }
  const uploadedAtMs = clock.now()
  await database.write(async (tx) => {
    await recordUpload(tx, copy.id, uploadedAtMs)
    await deps.schedule.park(tx, dataSet.id, uploadedAtMs + deps.pace.parkingMs)
  })
  await uploaded()
  if (!isStored || prepared.pieceCid === null) return waitForParking(deps, uploadedAtMs)
  return awaitParking(deps, { ...content, pieceCid: prepared.pieceCid }, { copy, dataSet, turn }, signal)
}

/** Sends the bytes. A piece CID that is computed during the upload is recorded before the provider gets it: after a crash, the next run looks up the piece. */
async function send(
  deps: UploadToFirstDeps,
  { content, turn, file }: Work & { readonly file: CachedFile },
  prepared: PreparedUpload,
  signal: AbortSignal,
): Promise<Answer> {
  const { database, uploads } = deps
  const provider = turn.client
  const onProgress = (sentBytes: number) => uploads.set(content.contentId, sentBytes)
  const record = async (piece: CalculatedPiece) => {
    await database.write((tx) => recordPiece(tx, content, piece))
    await named()
    return piece.pieceCid
  }
  if (prepared.pieceCid !== null) return provider.upload({ pieceCid: prepared.pieceCid, body: prepared.body, signal, onProgress })
  const nameOf = async () => {
    const piece = prepared.sentPiece()
    return piece && record(piece)
  }
  const answer = await provider.uploadThenName({ body: prepared.body, nameOf, signal, onProgress })
  if (answer.kind !== 'not_sent' || answer.cause.reason !== 'unsupported') return answer
  const pieceCid = await record(await calculatePiece(deps, file, signal))
  return provider.upload({ pieceCid, body: cachedBody(file), signal, onProgress })
}

async function recordPiece(tx: Tx, content: PipelineContent, { pieceCid, chunkRoots }: CalculatedPiece): Promise<void> {
  await setPieceCid(tx, content.pieceId, pieceCid)
  await keepChunkRoots(tx, content, chunkRoots)
}

/** The upload failed: the copy is planned again, and another slot's provider may be next. */
async function returnUpload(
  deps: Pick<Pipeline, 'clock' | 'database' | 'pace' | 'states'>,
  { copy, dataSet }: Ingress,
  answer: Exclude<Answer, { readonly kind: 'ok' }>,
): Promise<Outcome> {
  const { database, clock, pace, states } = deps
  const setback = answer.kind === 'not_sent' ? judgeRefusal(answer.cause, pace) : undefined
  const message = setback?.message ?? answer.cause.detail
  const nowMs = clock.now()
  const pauseMs = setback?.kind === 'wait' ? setback.forMs : pace.providerMs
  // A wait counts as a setback too, so that the next run prefers another provider.
  const why = { code: answer.cause.reason, message, retryAtMs: nowMs + pauseMs }
  await database.write((tx) => states.copies.apply(tx, 'upload_failed', held(copy), why))
  // When a provider already has the bytes, the others pull: no other upload is due, and this one waits for its pause.
  const others =
    (await readableCopies(database.read, copy.contentId)).length > 0
      ? []
      : await listIngresses(deps, await copiesOf(database.read, copy.contentId))
  const waitMs = others.some((other) => other.copy.nextAttemptAtMs <= nowMs) ? 0 : pauseMs
  if (setback?.kind === 'wait') return waitFor(clock, setback.reason, waitMs, message)
  if (answer.kind === 'uncertain') return waitFor(clock, 'provider', waitMs, message)
  throw new PipelineFault(
    setback?.kind === 'fault' ? setback.code : 'upload_refused',
    `provider ${dataSet.providerId} refused the bytes: ${message}`,
  )
}

async function returnAfterError({ database, states }: Pick<Pipeline, 'database' | 'states'>, copy: Copy, error: unknown): Promise<void> {
  const code = error instanceof UploadSourceFailed ? error.code : 'interrupted'
  await database.write((tx) => states.copies.apply(tx, 'upload_failed', held(copy), { code, message: (error as Error).message }))
}
