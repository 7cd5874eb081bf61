// Reads the data sets of a provider, and their pieces, from the chain.
import type { Address } from 'viem'
import { verifierAbi } from '../chain/abis.ts'
import type { ProviderChain } from './context.ts'
import { pieceCidFromChain } from './piece-names.ts'

const PIECES_PER_READ = 200n

interface ListedPiece {
  readonly pieceId: number
  readonly pieceCid: string
}

type ReadableChain = Pick<ProviderChain, 'reader' | 'contracts'>

/** Whether the data set is live and of this provider. */
export async function isOwnDataSet({ reader, contracts }: ReadableChain, provider: Address, dataSetId: number): Promise<boolean> {
  const call = { address: contracts.pdpVerifier, abi: verifierAbi, args: [BigInt(dataSetId)] } as const
  if (!(await reader.readContract({ ...call, functionName: 'dataSetLive' }))) return false
  const [owner] = await reader.readContract({ ...call, functionName: 'getDataSetStorageProvider' })
  return owner.toLowerCase() === provider.toLowerCase()
}

/** Ids of the provider's live data sets from `firstId` on, and the `firstId` of the next call. */
export async function listOwnDataSets(
  chain: ReadableChain,
  provider: Address,
  firstId: number,
): Promise<{ readonly dataSetIds: number[]; readonly nextId: number }> {
  const nextId = Number(
    await chain.reader.readContract({ address: chain.contracts.pdpVerifier, abi: verifierAbi, functionName: 'getNextDataSetId' }),
  )
  const dataSetIds: number[] = []
  for (let id = firstId; id < nextId; id++) if (await isOwnDataSet(chain, provider, id)) dataSetIds.push(id)
  return { dataSetIds, nextId }
}

/** The live pieces of a live data set, in id order. */
export async function listPieces({ reader, contracts }: ReadableChain, dataSetId: number): Promise<ListedPiece[]> {
  const listed: ListedPiece[] = []
  for (let from = 0n, more = true; more; ) {
    const [cids, ids, hasMore] = await reader.readContract({
      address: contracts.pdpVerifier,
      abi: verifierAbi,
      functionName: 'getActivePiecesByCursor',
      args: [BigInt(dataSetId), from, PIECES_PER_READ],
    })
    ids.forEach((pieceId, index) => {
      const pieceCid = pieceCidFromChain(cids[index]?.data ?? '0x')
      if (pieceCid !== undefined) listed.push({ pieceId: Number(pieceId), pieceCid })
    })
    from = (ids.at(-1) ?? 0n) + 1n
    more = hasMore
  }
  return listed
}
