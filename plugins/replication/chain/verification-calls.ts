import { CID } from 'multiformats/cid'
import { toHex } from 'viem'
import type { ChainCall } from '../contract.ts'

interface Place {
  /** Addresses of the contracts; the view contract is read from the storage service, and undefined while the chain is silent. */
  readonly contracts: { readonly fwss: string; readonly pdpVerifier: string }
  readonly view: string | undefined
  readonly payer: string
  readonly dataSetId: string
  readonly pieceId: string
  readonly pieceCid: string
}

/** Reads of public contracts that show who pays for a piece, that it is in its data set, and when it was last proven. */
export function verificationCalls({ contracts, view, payer, dataSetId, pieceId, pieceCid }: Place): readonly ChainCall[] {
  const pdp = (shows: string, signature: string, args: readonly string[], expected?: string): ChainCall => ({
    shows,
    contract: contracts.pdpVerifier,
    signature,
    args,
    ...(expected !== undefined && { expected }),
  })
  const piece = [dataSetId, pieceId]
  return [
    pdp('the data set is live', 'dataSetLive(uint256)', [dataSetId], 'true'),
    pdp('the storage service manages it', 'getDataSetListener(uint256)', [dataSetId], contracts.fwss),
    pdp('the piece is in it', 'pieceLive(uint256,uint256)', piece, 'true'),
    pdp('the piece has these bytes: its piece CID', 'getPieceCid(uint256,uint256)', piece, toHex(CID.parse(pieceCid).bytes)),
    pdp('the epoch of the last proof', 'getDataSetLastProvenEpoch(uint256)', [dataSetId]),
    {
      shows: 'the view contract of the storage service',
      contract: contracts.fwss,
      signature: 'viewContractAddress()',
      args: [],
      ...(view && { expected: view }),
    },
    ...(view
      ? [
          {
            shows: `the data set with its payer, ${payer}, and its provider`,
            contract: view,
            signature: 'getDataSet(uint256)',
            args: [dataSetId],
          },
        ]
      : []),
  ]
}
