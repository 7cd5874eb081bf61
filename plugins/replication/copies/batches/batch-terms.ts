import type { FundingVerdict } from '#plugins/wallet'
import { newNonce, signAddPieces } from '../../chain/typed-data.ts'
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

/** A new nonce and the signed bytes that add exactly these pieces in this order. Not recorded yet. */
export async function signBatch({ signer, chain }: Pick<Pipeline, 'chain' | 'signer'>, dataSet: DataSet, pieces: Pieces) {
  const nonce = newNonce()
  const domain = { chainId: chain.network.chainId, fwss: chain.network.contracts.fwss }
  const extraData = await signAddPieces({ account: signer, domain, clientDataSetId: dataSet.clientDataSetId, nonce, pieces })
  return { nonce, extraData }
}
