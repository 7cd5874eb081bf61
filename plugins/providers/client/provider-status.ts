/** Provider's status of submitted transactions, reduced to the states we use. For information only: the nonce on chain decides. */
import { type } from '#kernel/schema'
import { type Answered, ok, type ProviderAnswer, readJson, unreadable } from './provider-answer.ts'

/**
 * `pending`: not mined, mined but not processed, or removed by a reorganisation; poll again.
 * `failed`: according to the provider the transaction reverted or was lost; confirm with the nonce on chain.
 */
export type CreationStatus =
  | { readonly state: 'pending' | 'failed' }
  | { readonly state: 'created'; readonly dataSetId: bigint; readonly txHash: `0x${string}` | undefined }

export type AdditionStatus =
  | { readonly state: 'pending' | 'failed' }
  /** `pieceIds`: in the signed order, equal CIDs once; undefined if the provider does not report them. */
  | { readonly state: 'added'; readonly pieceIds: readonly bigint[] | undefined; readonly txHash: `0x${string}` | undefined }

export type TerminationStatus =
  /** Never requested, discarded after a failed relay (may be requested again), or the data set is fully cleaned up. */
  | { readonly state: 'absent' }
  | { readonly state: 'queued' }
  | { readonly state: 'sent'; readonly txHash: `0x${string}` }
  | { readonly state: 'terminated'; readonly endEpoch: bigint | null; readonly txHash: `0x${string}` | undefined }

const id = 'number.integer >= 0'
const progress = type({ txStatus: 'string', 'confirmedTxHash?': 'string | null' })
const creationShape = progress.and({ dataSetCreated: 'boolean', 'ok?': 'boolean | null', 'dataSetId?': `${id} | null` })
const additionShape = progress.and({
  piecesAdded: 'boolean',
  'addMessageOk?': 'boolean | null',
  'confirmedPieceIds?': type(id).array().or('null'),
})
const terminationShape = type({
  terminationTxHash: 'string',
  'confirmedTxHash?': 'string | null',
  'fwssTerminated?': 'boolean | null',
  'serviceTerminationEpoch?': 'number.integer | null',
})

export function creationAnswer(answer: Answered): ProviderAnswer<CreationStatus> {
  const status = readJson(answer, creationShape)
  if (status.kind !== 'ok') return status
  const { dataSetCreated, dataSetId, ok: isOk, txStatus, confirmedTxHash } = status.value
  if (!dataSetCreated) return ok({ state: hasFailed(isOk, txStatus) ? 'failed' : 'pending' })
  if (dataSetId == null) return unreadable(answer, 'a created data set without an id')
  return ok({ state: 'created', dataSetId: BigInt(dataSetId), txHash: hashOf(confirmedTxHash) })
}

export function additionAnswer(answer: Answered): ProviderAnswer<AdditionStatus> {
  const status = readJson(answer, additionShape)
  if (status.kind !== 'ok') return status
  const { piecesAdded, confirmedPieceIds, addMessageOk, txStatus, confirmedTxHash } = status.value
  if (!piecesAdded) return ok({ state: hasFailed(addMessageOk, txStatus) ? 'failed' : 'pending' })
  return ok({ state: 'added', pieceIds: confirmedPieceIds?.map(BigInt), txHash: hashOf(confirmedTxHash) })
}

export function terminationAnswer(answer: Answered): ProviderAnswer<TerminationStatus> {
  const status = readJson(answer, terminationShape)
  if (status.kind !== 'ok') return status
  const { fwssTerminated, serviceTerminationEpoch, terminationTxHash, confirmedTxHash } = status.value
  const txHash = hashOf(confirmedTxHash) ?? hashOf(terminationTxHash)
  if (fwssTerminated === true) {
    return ok({ state: 'terminated', endEpoch: serviceTerminationEpoch == null ? null : BigInt(serviceTerminationEpoch), txHash })
  }
  return ok(txHash === undefined ? { state: 'queued' } : { state: 'sent', txHash })
}

/** `reorged` is not a failure: the transaction returns to the mempool. */
function hasFailed(isOk: boolean | null | undefined, txStatus: string): boolean {
  return isOk === false || txStatus === 'failed'
}

function hashOf(text: string | null | undefined): `0x${string}` | undefined {
  return text != null && /^0x[0-9a-fA-F]{64}$/.test(text) ? (text.toLowerCase() as `0x${string}`) : undefined
}
