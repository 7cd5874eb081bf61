// Pulls pieces from other providers at the request of a client.
import { createHash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { type Hex, hexToBytes, parseEther, zeroAddress } from 'viem'
import { type } from '#kernel/schema'
import { isOwnDataSet } from './chain-reads.ts'
import type { ProviderContext } from './context.ts'
import { encodeAddition, requireCount, requireHex, requireRecordKeeper } from './data-set-requests.ts'
import { named, type RouteGroup, readJson } from './http-server.ts'
import type { PulledPiece, PullStatus } from './ledger.ts'
import { chainCid, PIECE_BYTES_MAX, PIECE_BYTES_MIN, requirePieceCid } from './piece-names.ts'
import { PieceTooLargeError } from './piece-store.ts'
import { refusal } from './refusal.ts'
import { describeRevert, revertDataOf } from './transactions.ts'

const CLEANUP_DEPOSIT = parseEther('0.1')
const RETRY_AFTER_SECONDS = 60
const FETCH_TIMEOUT_MS = 600_000

const pullShape = type({
  extraData: 'string',
  'recordKeeper?': 'string',
  'dataSetId?': 'number.integer >= 0',
  pieces: type({ pieceCid: 'string', sourceUrl: 'string' }).array().atLeastLength(1),
})

type PullBody = typeof pullShape.infer

/** A retry would fail too. */
class PermanentPullError extends Error {
  override readonly name = 'PermanentPullError'
}

export interface Puller extends AsyncDisposable {
  readonly routes: RouteGroup
  /** Continues the pulls that a stop interrupted. */
  resume(): void
}

export function createPuller(context: ProviderContext): Puller {
  const { ledger, counters } = context
  const { pulls } = ledger.state
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()

  function start(pieces: readonly PulledPiece[]): void {
    for (const piece of pieces) {
      if (isFinal(piece.status)) continue
      const run = pullPiece(context, piece, stopping.signal).finally(() => running.delete(run))
      running.add(run)
    }
  }

  async function answerPull(json: unknown) {
    const body = pullShape(json)
    if (body instanceof type.errors) throw refusal(400, `Validation error: ${body.summary.replaceAll('\n', '; ')}`)
    const extraData = requireHex(body.extraData)
    if (extraData === '0x') throw refusal(400, 'extraData is required')
    const key = idempotencyKey(body, extraData)
    const known = pulls[key]
    if (known) return describePull(known)

    const pieces = mergeSources(body)
    requireCount(pieces.length, context.settings.piecesPerAddition, 'pull')
    await admit(context, body, extraData)
    const busy = Object.values(pulls)
      .flat()
      .filter((piece) => !isFinal(piece.status)).length
    if (busy + pieces.length > context.settings.pullPiecesMax) {
      throw refusal(429, 'pull queue backpressure', { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } })
    }
    pulls[key] = pieces
    counters.pullsStarted++
    ledger.changed()
    start(pieces)
    return describePull(pieces)
  }

  return {
    routes: (app) => {
      app.post('/pdp/piece/pull', named('pull'), async (request, reply) => reply.send(await answerPull(await readJson(request))))
    },
    resume() {
      for (const pieces of Object.values(pulls)) start(pieces)
    },
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await Promise.allSettled(running)
    },
  }
}

const isFinal = (status: PullStatus) => status === 'complete' || status === 'failed'

/** A repeated request returns the status; a failed pull stays failed under its key. */
function idempotencyKey({ dataSetId = 0, recordKeeper = '' }: PullBody, extraData: Hex): string {
  return `${createHash('sha256').update(hexToBytes(extraData)).digest('hex')}:${dataSetId}:${recordKeeper.toLowerCase()}`
}

function mergeSources({ pieces }: PullBody): PulledPiece[] {
  const sources = new Map<string, string[]>()
  for (const [index, { pieceCid, sourceUrl }] of pieces.entries()) {
    const { rawSize } = requirePieceCid(pieceCid, `Invalid pieceCid[${index}]`)
    if (rawSize < PIECE_BYTES_MIN) throw refusal(400, `pieceCid[${index}]: size ${rawSize} is below minimum ${PIECE_BYTES_MIN}`)
    if (rawSize > PIECE_BYTES_MAX) throw refusal(400, `pieceCid[${index}]: size ${rawSize} exceeds maximum ${PIECE_BYTES_MAX}`)
    if (!URL.canParse(sourceUrl)) throw refusal(400, `Validation error: pieces[${index}]: invalid sourceUrl`)
    const known = sources.get(pieceCid) ?? []
    if (known.includes(sourceUrl)) throw refusal(400, `Validation error: pieces[${index}]: duplicate piece and source`)
    sources.set(pieceCid, [...known, sourceUrl])
  }
  return [...sources].map(([pieceCid, sourceUrls]) => ({ pieceCid, sourceUrls, status: 'pending' }))
}

/** Simulates addPieces with this extraData, which does not use the nonce. @throws Refusal 400 when it reverts */
async function admit(context: ProviderContext, body: PullBody, extraData: Hex): Promise<void> {
  const { chain, signer } = context
  const { dataSetId = 0, recordKeeper = '', pieces } = body
  const isNew = dataSetId === 0
  if (!isNew && !(await isOwnDataSet(chain, signer.address, dataSetId))) throw refusal(404, 'Data set not found')
  const listener = isNew ? requireRecordKeeper(context, recordKeeper) : zeroAddress
  const pieceCids = [...new Set(pieces.map((piece) => piece.pieceCid))]
  try {
    await chain.reader.call({
      account: signer.address,
      to: chain.contracts.pdpVerifier,
      value: isNew ? CLEANUP_DEPOSIT : 0n,
      data: encodeAddition([BigInt(dataSetId), listener, pieceCids.map(chainCid), extraData]),
    })
  } catch (cause) {
    const data = revertDataOf(cause)
    if (data === undefined) throw cause
    throw refusal(400, `extraData validation failed: addPieces validation failed: ${describeRevert(data)}`, { cause })
  }
}

function describePull(pieces: readonly PulledPiece[]) {
  const statuses = new Set(pieces.map((piece) => piece.status))
  const open = (['retrying', 'inProgress', 'pending'] as const).find((status) => statuses.has(status))
  // Curio's rule: complete when one piece is complete and none is open.
  const status = open ?? (statuses.has('complete') ? 'complete' : 'failed')
  return { status, pieces: pieces.map((piece) => ({ pieceCid: piece.pieceCid, status: piece.status })) }
}

async function pullPiece(context: ProviderContext, piece: PulledPiece, stopping: AbortSignal): Promise<void> {
  const { ledger, settings, faults, log } = context
  const move = (status: PullStatus) => {
    piece.status = status
    ledger.changed()
  }
  move('inProgress')
  if (faults.take('pull_stuck', 'pull')) return
  if (faults.take('pull_failed', 'pull')) return move('failed')
  for (const waitMs of [...settings.pullRetryMs, undefined]) {
    try {
      await fetchPiece(context, piece, stopping)
      return move('complete')
    } catch (error) {
      // `resume` tries again after a stop.
      if (stopping.aborted) return
      log(`pull of ${piece.pieceCid} failed: ${error}`)
      if (error instanceof PermanentPullError || waitMs === undefined) return move('failed')
      move('retrying')
      await delay(waitMs, undefined, { signal: stopping }).catch(() => undefined)
      if (stopping.aborted) return
      move('inProgress')
    }
  }
}

/** Tries the sources in turn. @throws PermanentPullError when all failed permanently */
async function fetchPiece(context: ProviderContext, { pieceCid, sourceUrls }: PulledPiece, stopping: AbortSignal): Promise<void> {
  const { pieces, counters } = context
  if (pieces.find(pieceCid)) return
  const errors: unknown[] = []
  for (const sourceUrl of sourceUrls) {
    const arrival = `pull-${randomUUID()}`
    try {
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(FETCH_TIMEOUT_MS)])
      const response = await fetch(sourceUrl, { signal, redirect: 'error' })
      if (!response.ok || !response.body) throw describeBadSource(response)
      const received = await pieces.receive(arrival, Readable.fromWeb(response.body), {
        bytesMax: requirePieceCid(pieceCid, 'pull').rawSize,
        onBytes: (count) => {
          counters.pulledBytes += count
        },
      })
      if (received.pieceCid !== pieceCid) throw new PermanentPullError(`${sourceUrl} sent other bytes (${received.pieceCid})`)
      pieces.park(arrival, pieceCid, 0)
      return
    } catch (error) {
      pieces.discardArrival(arrival)
      errors.push(error instanceof PieceTooLargeError ? new PermanentPullError(`${sourceUrl} sent too much`, { cause: error }) : error)
    }
  }
  throw errors.find((error) => !(error instanceof PermanentPullError)) ?? errors[0]
}

function describeBadSource(response: Response): Error {
  const text = `${response.url} answered ${response.status}`
  return response.status === 404 || response.status === 410 ? new PermanentPullError(text) : new Error(text)
}
