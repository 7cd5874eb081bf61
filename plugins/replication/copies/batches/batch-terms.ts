/** @walk copies 8: signs the addition of parked pieces */
import { newNonce, signAddPieces } from '../../chain/typed-data.ts'
import type { DataSet } from '../../datasets/data-set-store.ts'
import type { Pipeline } from '../../pipeline.ts'

type Pieces = readonly { readonly pieceCid: string; readonly length: number }[]

/** A new nonce and the signed bytes that add exactly these pieces in this order. Not recorded yet. */
export async function signBatch({ signer, chain }: Pick<Pipeline, 'chain' | 'signer'>, dataSet: DataSet, pieces: Pieces) {
  const nonce = newNonce()
  const domain = { chainId: chain.network.chainId, fwss: chain.network.contracts.fwss }
  const extraData = await signAddPieces({ account: signer, domain, clientDataSetId: dataSet.clientDataSetId, nonce, pieces })
  return { nonce, extraData }
}
