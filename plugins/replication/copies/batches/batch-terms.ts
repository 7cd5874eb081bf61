/** @walk copies 8: signs the addition of parked pieces */
import type { FundingVerdict } from '#plugins/wallet'
import { additionPiecesMax, readAdditionLimits } from '../../chain/addition-limits.ts'
import { newNonce, signAddPieces } from '../../chain/typed-data.ts'
import { nextCallPieces } from '../../datasets/call-limit-store.ts'
import type { DataSet } from '../../datasets/data-set-store.ts'
import { holdsPieces } from '../../datasets/load-store.ts'
import type { Pipeline } from '../../pipeline.ts'

type Pieces = readonly { readonly pieceCid: string; readonly length: number }[]

/** Whether the payment account covers adding these pieces to the data set now. */
export async function canAfford(
  { funds, database }: Pick<Pipeline, 'database' | 'funds'>,
  dataSet: DataSet,
  pieces: Pieces,
): Promise<FundingVerdict> {
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0)
  return funds.canPay({ dataSets: 0, pieces: pieces.length, bytes, heldBytes: (await holdsPieces(database.read, dataSet.id)) ? 1 : 0 })
}

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
export async function signBatch<P extends Pieces[number]>(
  { signer, chain }: Pick<Pipeline, 'chain' | 'signer'>,
  { chainId, clientDataSetId }: DataSet,
  pieces: readonly P[],
): Promise<SignedBatch<P>> {
  const { piecesMax, omitsMetadata } = await readAdditionLimits(chain, chainId)
  const items = pieces.slice(0, piecesMax)
  const nonce = newNonce()
  const domain = { chainId: chain.network.chainId, fwss: chain.network.contracts.fwss }
  const extraData = await signAddPieces({ account: signer, domain, clientDataSetId, nonce, pieces: items, omitsMetadata })
  return { nonce, extraData, items }
}
