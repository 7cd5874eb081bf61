// A chain with healthy data sets, and the plugin that shows their rows.
import { setTimeout as pause } from 'node:timers/promises'
import { database, dbSchemas, definePlugin, provide } from '#kernel'
import { warmStorageReads } from '#plugins/providers'
import { standings } from '#plugins/replication'
import { chainClient, signer } from '#plugins/wallet'
import { openDataSetObserver } from '../../providers/chain/observed-data-sets.ts'
import { listFacts, listMoving } from '../../replication/standing/data-set-facts-store.ts'
import { replicationSchema } from '../../replication/testing/schemas.ts'
import { storageMigrations } from '../../storage/testing/rows.ts'

const address = `0x${'a'.repeat(40)}` as const
/** Ids on chain, providers and buckets of the rows that `addDataSets` inserts, at up to 1,000 providers. */
const firstChainId = 100n
const epoch = 200_000n
const periodEpochs = 2880n
/** Delays each request, as a near node does. */
const answerMs = 20

const answers: Readonly<Record<string, (id: bigint) => unknown>> = {
  getLastBlockHash: () => address,
  getPDPConfig: () => [periodEpochs, 60n, 5n, 4000n],
  accounts: () => [10n, 0n, 0n, 10n],
  getDataSet: (dataSetId) => ({
    pdpRailId: 3n,
    dataSetId,
    providerId: ((dataSetId - firstChainId) % 1000n) + 1n,
    pdpEndEpoch: 0n,
    pendingOneTimePayments: 0n,
    lifecycleReserveBalance: 1n,
  }),
  clientNonces: () => 1n,
  dataSetLive: () => true,
  provingActivationEpoch: () => epoch - 40n * periodEpochs - 10n,
  provingDeadline: () => epoch + 2870n,
  provenThisPeriod: () => true,
  getDataSetListener: () => address,
  getDataSetLastProvenEpoch: () => epoch - 5n,
  getDataSetLeafCount: () => 12n,
  getNextPieceId: () => 3n,
  getActivePieceCount: () => 0n,
  provenPeriods: () => true,
  getAllDataSetMetadata: (id) => [
    ['bucket', 'source'],
    [`bucket-${(id - firstChainId) / 8n + 1n}`, 'svc'],
  ],
}

/** The reads of one turn of the event loop are answered together, as those of a multicall are. */
function startChain() {
  let answer: Promise<void> | undefined
  const read = async ({ functionName, args = [] }: { functionName: string; args?: readonly bigint[] }) => {
    if (answer === undefined) {
      answer = pause(answerMs)
      setImmediate(() => {
        answer = undefined
      })
    }
    await answer
    return answers[functionName]?.(args[0] ?? 0n)
  }
  const contracts = { fwss: address, pdpVerifier: address, filecoinPay: address, usdfc: address, multicall3: address }
  const network = { chainId: 7, epochSeconds: 30, contracts }
  return { network, readAt: () => read, warmStorageView: async () => address, finalEpoch: async () => epoch }
}

const chain = startChain() as never

/** The tables of storage and replication, with the real list of data sets over them. */
export const dataSetPlugin = definePlugin({
  id: 'replication',
  provides: [
    provide(chainClient, {}, () => chain),
    provide(signer, {}, () => ({ address }) as never),
    provide(warmStorageReads, {}, () => ({ observer: (payer: never, at: bigint) => openDataSetObserver(chain, payer, at) }) as never),
    provide(standings, { database }, ({ database }) => ({
      listDataSets: (filter) => listFacts(database.read, filter),
      movingPieces: () => listMoving(database.read),
      reportDataSets: async () => {},
      copiesOf: async () => [],
    })),
  ],
  contributes: [
    dbSchemas.with({ name: 'storage', load: async () => ({ migrations: storageMigrations }) }),
    dbSchemas.with({ name: 'replication', load: async () => ({ migrations: replicationSchema.migrations }) }),
  ],
})
