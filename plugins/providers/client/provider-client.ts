/** The provider's PDP API as typed calls. Answers report what is known; callers decide what to do next. */
import { type } from '#kernel/schema'
import { additionPiecesMax } from '../chain/addition-limits-policy.ts'
import {
  type Answered,
  failureOf,
  hashInLocation,
  notSent,
  ok,
  type ProviderAnswer,
  plainFailureOf,
  readJson,
  type SubmissionAnswer,
} from './provider-answer.ts'
import { openProviderHttp, type ProviderHttp, type ProviderOptions, type ProviderRequest } from './provider-http.ts'
import { pulledPiecesMax, removalsPerCallMax } from './provider-limits.ts'
import { openProviderPieces, type ProviderPieces } from './provider-pieces.ts'
import {
  type AdditionStatus,
  additionAnswer,
  type CreationStatus,
  creationAnswer,
  type TerminationStatus,
  terminationAnswer,
} from './provider-status.ts'

interface CallOptions {
  readonly signal?: AbortSignal | undefined
}

/** The provider sent a transaction. Its hash identifies the status; the transaction on chain may have another hash (replaced by fee). */
export interface Submitted {
  readonly txHash: `0x${string}`
}

export interface PieceSource {
  readonly pieceCid: string
  /** URL to pull the bytes from: another provider's `pieceUrl`. */
  readonly sourceUrl: string
}

export interface PullStatus {
  /** `complete` means that all pieces ended and at least one succeeded: check each piece. */
  readonly status: PullState
  /** Pieces in the provider's order; match by CID. */
  readonly pieces: readonly { readonly pieceCid: string; readonly status: PullState }[]
}

export type PullState = 'pending' | 'inProgress' | 'retrying' | 'complete' | 'failed'

export interface CreateDataSetCall {
  /** The FWSS proxy. */
  readonly recordKeeper: string
  /** Made by `signCreateDataSet`; committed to the database before the call. */
  readonly extraData: `0x${string}`
}

export interface AddPiecesCall {
  readonly dataSetId: bigint
  /** CIDs in the signed order, each once. */
  readonly pieces: readonly string[]
  readonly extraData: `0x${string}`
}

export interface PullCall extends CreateDataSetCall {
  /** Absent if the same extraData will create the data set. */
  readonly dataSetId?: bigint | undefined
  readonly pieces: readonly PieceSource[]
}

interface DeletePiecesCall {
  readonly dataSetId: bigint
  readonly pieceIds: readonly bigint[]
  readonly extraData: `0x${string}`
}

export type TerminationAccepted =
  /** Queued now or by an earlier request; poll `terminationStatus`. */
  | { readonly state: 'queued' }
  /** The service had already ended on chain. */
  | { readonly state: 'terminated'; readonly endEpoch: bigint | null }

export interface ProviderClient extends ProviderPieces {
  readonly serviceUrl: string
  /** Checks that the provider answers, and measures its latency. */
  ping(call?: CallOptions): Promise<ProviderAnswer<{ readonly elapsedMs: number }>>
  /** Paid. Resolve an uncertain outcome by its nonce; never repeat the call with another nonce. */
  createDataSet(create: CreateDataSetCall, call?: CallOptions): Promise<SubmissionAnswer<Submitted>>
  /** Status of a creation. `not_found`: the provider does not know the transaction. */
  creationStatus(txHash: `0x${string}`, call?: CallOptions): Promise<ProviderAnswer<CreationStatus>>
  /** Paid. `data_set_gone`: the provider has also discarded the uploaded bytes. `invalid`: it may have lost the bytes; check with `findPiece`. */
  addPieces(add: AddPiecesCall, call?: CallOptions): Promise<SubmissionAnswer<Submitted>>
  additionStatus(
    addition: { readonly dataSetId: bigint; readonly txHash: `0x${string}` },
    call?: CallOptions,
  ): Promise<ProviderAnswer<AdditionStatus>>
  /** Starts a pull, or reports its status when called again with the same arguments. Changes nothing on chain. */
  pull(pull: PullCall, call?: CallOptions): Promise<SubmissionAnswer<PullStatus>>
  /** Paid. `throttled`: the provider limits the removals that are queued until the next proving period. */
  deletePieces(removal: DeletePiecesCall, call?: CallOptions): Promise<ProviderAnswer<Submitted>>
  /** Paid. Asks the provider to relay a signed termination. */
  terminate(
    termination: { readonly dataSetId: bigint; readonly extraData: `0x${string}` },
    call?: CallOptions,
  ): Promise<ProviderAnswer<TerminationAccepted>>
  terminationStatus(dataSetId: bigint, call?: CallOptions): Promise<ProviderAnswer<TerminationStatus>>
  /** Closes idle connections. */
  close(): void
}

const pullState = "'pending' | 'inProgress' | 'retrying' | 'complete' | 'failed'"
const pullShape = type({ status: pullState, pieces: type({ pieceCid: 'string', status: pullState }).array() })
const removalShape = type({ txHash: /^0x[0-9a-fA-F]{64}$/ })
const conflictShape = type({ code: '0 | 1', serviceTerminationEpoch: 'number.integer | null' })

/**
 * Opens a client for one provider; sends nothing.
 * @param serviceUrl from the registry; may carry a base path
 * @throws Error when `serviceUrl` is not a URL
 */
export function openProviderClient(serviceUrl: string, options: ProviderOptions): ProviderClient {
  const http = openProviderHttp(serviceUrl, options)
  return {
    serviceUrl: http.baseUrl.href,
    ...openProviderPieces(http),
    ...dataSetCalls(http),
    ...terminationCalls(http),
    ping: pingCall(http),
    close: http.close,
  }
}

function pingCall(http: ProviderHttp): ProviderClient['ping'] {
  return async ({ signal } = {}) => {
    const startedAt = performance.now()
    const exchange = await http.exchange({ method: 'GET', path: 'pdp/ping', limit: 'ping', signal })
    if (exchange.kind === 'answered' && exchange.status === 200) return ok({ elapsedMs: Math.round(performance.now() - startedAt) })
    return plainFailureOf(exchange)
  }
}

function dataSetCalls(
  http: ProviderHttp,
): Pick<ProviderClient, 'createDataSet' | 'addPieces' | 'pull' | 'deletePieces' | 'creationStatus' | 'additionStatus'> {
  return {
    createDataSet: ({ recordKeeper, extraData }, { signal } = {}) =>
      submit(http, { path: 'pdp/data-sets', json: { recordKeeper, extraData }, signal }),
    async creationStatus(txHash, { signal } = {}) {
      const exchange = await http.exchange({ ...readRequest(`pdp/data-sets/created/${txHash}`), signal })
      return exchange.kind === 'answered' && exchange.status === 200 ? creationAnswer(exchange) : plainFailureOf(exchange)
    },
    async addPieces({ dataSetId, pieces, extraData }, { signal } = {}) {
      const refused = overLimit(pieces.length, additionPiecesMax, 'pieces')
      return (
        refused ??
        (await submit(
          http,
          { path: `pdp/data-sets/${dataSetId}/pieces`, json: { pieces: pieces.map(wholePiece), extraData }, signal },
          true,
        ))
      )
    },
    async additionStatus({ dataSetId, txHash }, { signal } = {}) {
      const exchange = await http.exchange({ ...readRequest(`pdp/data-sets/${dataSetId}/pieces/added/${txHash}`), signal })
      return exchange.kind === 'answered' && exchange.status === 200 ? additionAnswer(exchange) : plainFailureOf(exchange)
    },
    async pull({ dataSetId, recordKeeper, extraData, pieces }, { signal } = {}) {
      const refused = overLimit(pieces.length, pulledPiecesMax, 'pieces')
      if (refused !== undefined) return refused
      const json = { extraData, recordKeeper, ...(dataSetId === undefined ? {} : { dataSetId: wireId(dataSetId) }), pieces }
      const exchange = await http.exchange({ method: 'POST', path: 'pdp/piece/pull', json, limit: 'read', signal })
      if (exchange.kind === 'answered' && exchange.status === 200) return readJson(exchange, pullShape)
      return failureOf(exchange, { onDataSet: dataSetId !== undefined })
    },
    async deletePieces({ dataSetId, pieceIds, extraData }, { signal } = {}) {
      const refused = overLimit(pieceIds.length, removalsPerCallMax, 'removals')
      if (refused !== undefined) return refused
      const json = { extraData, pieceIds: pieceIds.map(wireId) }
      const path = `pdp/data-sets/${dataSetId}/pieces/${pieceIds[0]}`
      const exchange = await http.exchange({ method: 'DELETE', path, json, limit: 'submit', isSentOnce: true, signal })
      if (exchange.kind !== 'answered' || exchange.status !== 200) return plainFailureOf(exchange)
      const answer = readJson(exchange, removalShape)
      return answer.kind === 'ok' ? ok({ txHash: answer.value.txHash.toLowerCase() as `0x${string}` }) : answer
    },
  }
}

function terminationCalls(http: ProviderHttp): Pick<ProviderClient, 'terminate' | 'terminationStatus'> {
  return {
    async terminate({ dataSetId, extraData }, { signal } = {}) {
      const path = `pdp/data-sets/${dataSetId}/terminate`
      const exchange = await http.exchange({ method: 'POST', path, json: { extraData }, limit: 'submit', isSentOnce: true, signal })
      if (exchange.kind === 'answered' && exchange.status === 202) return ok({ state: 'queued' })
      if (exchange.kind === 'answered' && exchange.status === 409) return terminationConflict(exchange)
      return plainFailureOf(exchange, { onDataSet: true, unsupportedOn: [503] })
    },
    async terminationStatus(dataSetId, { signal } = {}) {
      const exchange = await http.exchange({ ...readRequest(`pdp/data-sets/${dataSetId}/terminate`), signal })
      if (exchange.kind !== 'answered') return exchange
      if (exchange.status === 404) return ok({ state: 'absent' })
      return exchange.status === 200 ? terminationAnswer(exchange) : plainFailureOf(exchange)
    },
  }
}

/** Sends a paid POST. Success is 201 with the transaction hash at the end of the Location header. */
async function submit(
  http: ProviderHttp,
  call: Pick<ProviderRequest, 'path' | 'json' | 'signal'>,
  onDataSet = false,
): Promise<SubmissionAnswer<Submitted>> {
  const exchange = await http.exchange({ method: 'POST', limit: 'submit', isSentOnce: true, ...call })
  if (exchange.kind !== 'answered' || exchange.status !== 201) return failureOf(exchange, { onDataSet })
  const hash = hashInLocation(exchange)
  return hash.kind === 'ok' ? ok({ txHash: hash.value }) : hash
}

function terminationConflict(answer: Answered): ProviderAnswer<TerminationAccepted> {
  const conflict = readJson(answer, conflictShape)
  if (conflict.kind !== 'ok') return conflict
  const { code, serviceTerminationEpoch } = conflict.value
  if (code === 1) return ok({ state: 'queued' })
  return ok({ state: 'terminated', endEpoch: serviceTerminationEpoch === null ? null : BigInt(serviceTerminationEpoch) })
}

function readRequest(path: string) {
  return { method: 'GET', path, limit: 'read' } as const
}

/** The wire format of a piece without sub-pieces: it lists itself as the only one. */
function wholePiece(pieceCid: string) {
  return { pieceCid, subPieces: [{ subPieceCid: pieceCid }] }
}

function overLimit(count: number, max: number, what: string) {
  return count >= 1 && count <= max
    ? undefined
    : notSent({ reason: 'over_limit', detail: `${count} ${what} in one call; 1 to ${max} are allowed` })
}

/** Converts an id to a JSON number. @throws RangeError above 2^53−1, which no data set or piece id reaches */
function wireId(id: bigint): number {
  const number = Number(id)
  if (!Number.isSafeInteger(number)) throw new RangeError(`id ${id} does not fit the provider's number format`)
  return number
}
