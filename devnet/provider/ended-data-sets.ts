// Settles, deletes and cleans up a data set some proving periods after its end.
import { encodeFunctionData } from 'viem'
import { payAbi, verifierAbi, warmStorageAbi } from '../chain/abis.ts'
import { listPieces } from './chain-reads.ts'
import type { ProviderContext } from './context.ts'

const CLEANUP_PIECES_MAX = 500

interface Ended {
  readonly dataSetId: number
  readonly endEpoch: bigint
  readonly railId: bigint
}

/** Resolves with true when the data set is deleted from the chain. */
export async function removeEnded(context: ProviderContext, { dataSetId, endEpoch, railId }: Ended): Promise<boolean> {
  const { chain, settings, signer, log } = context
  const { pdpVerifier, warmStorage, filecoinPay } = chain.contracts
  const [period] = await chain.reader.readContract({ address: warmStorage, abi: warmStorageAbi, functionName: 'getPDPConfig' })
  if (chain.head.epoch <= endEpoch + period * BigInt(settings.keepEndedPeriods)) return false
  const { length: pieceCount } = await listPieces(chain, dataSetId)
  await signer
    .execute({ to: filecoinPay, data: encodeFunctionData({ abi: payAbi, functionName: 'settleRail', args: [railId, endEpoch] }) })
    // The payer may have settled the rail, which then does not exist; deletion fails when it is not settled.
    .catch((error) => log(`rail ${railId} not settled: ${String(error).split('\n', 1)[0]}`))
  const args = [BigInt(dataSetId)] as const
  await signer.execute({
    to: pdpVerifier,
    data: encodeFunctionData({ abi: verifierAbi, functionName: 'deleteDataSet', args: [...args, '0x'] }),
  })
  for (let cleaned = 0; cleaned < pieceCount; cleaned += CLEANUP_PIECES_MAX) {
    const cleanup = encodeFunctionData({ abi: verifierAbi, functionName: 'cleanupPieces', args: [...args, BigInt(CLEANUP_PIECES_MAX)] })
    await signer.execute({ to: pdpVerifier, data: cleanup })
  }
  return true
}
