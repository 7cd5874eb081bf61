import type { ChainPort } from './chain-port.ts'
import { revertNameOf } from './chain-port.ts'
import { pdpAbi } from './pdp-abi.ts'

/** Number of pieces that were ever added to the data set: the ids are below it. 0 if the data set is not live. Final. */
export async function countAddedPieces(chain: ChainPort, dataSetId: bigint): Promise<bigint> {
  try {
    const address = chain.network.contracts.pdpVerifier
    return await chain.readFinal({ address, abi: pdpAbi, functionName: 'getNextPieceId', args: [dataSetId] })
  } catch (error) {
    if (['DataSetNotLive', 'DataSetNotFound'].includes(revertNameOf(error) ?? '')) return 0n
    throw error
  }
}
