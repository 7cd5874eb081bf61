/** @walk copies 8: signs the addition of parked pieces */
import { additionPiecesMax } from '#plugins/providers'
import { newNonce, signAddPieces } from '../../chain/typed-data.ts'
import { nextCallPieces } from '../../datasets/call-limit-store.ts'
import type { DataSet } from '../../datasets/data-set-store.ts'
import type { Pipeline } from '../../pipeline.ts'

/** The largest number of pieces of the provider's next addition, as far as that depends on the provider. */
export function piecesOfNextAddition({ database, clock }: Pick<Pipeline, 'database' | 'clock'>, { providerId }: DataSet): Promise<number> {
  return nextCallPieces(database.read, { providerId, call: 'addition' }, { max: additionPiecesMax, nowMs: clock.now() })
}

interface SignedBatch<P> {
  readonly nonce: bigint
  readonly extraData: `0x${string}`
  /** The first of the pieces that one addition has room for. */
  readonly items: readonly P[]
}

/** A new nonce and the signed bytes that add exactly `items` in this order. Not recorded yet. */
export async function signBatch<P extends { readonly pieceCid: string }>(
  { signer, chain, reads }: Pick<Pipeline, 'chain' | 'reads' | 'signer'>,
  { chainId, clientDataSetId }: DataSet,
  pieces: readonly P[],
): Promise<SignedBatch<P>> {
  const { piecesMax, omitsMetadata } = await reads.additionLimits(chainId)
  const items = pieces.slice(0, piecesMax)
  const nonce = newNonce()
  const domain = { chainId: chain.network.chainId, fwss: chain.network.contracts.fwss }
  const extraData = await signAddPieces({ account: signer, domain, clientDataSetId, nonce, pieces: items, omitsMetadata })
  return { nonce, extraData, items }
}
