import { allRows, createFakeClock, getRow, runSql, silentLog } from '#kernel/testing'
import type { Liveness, NonceOutcome, PieceState, ProviderAnswer, ProviderClient, Submitted } from '#plugins/providers'
import { createProviderTurns } from '../../providers/testing/index.ts'
import { createPace } from '../pace.ts'
import type { Pipeline } from '../pipeline.ts'
import { cleanupTask } from '../removals/cleanup-task.ts'
import { openPieceStorage } from './piece-storage.ts'
import { testPrices, testSlots } from './test-pipeline.ts'
import { statesOver } from './test-states.ts'

const dataSetId = 1
const account = { address: `0x${'a'.repeat(40)}`, signTypedData: async () => `0x${'5'.repeat(130)}` } as const
export const removalTxHash = `0x${'ab'.repeat(32)}` as const

/** A cleanup task on real rows, with a chain and a provider whose answers the test sets in `scene`. */
export async function openRemovalScene(pieces: number) {
  const clock = createFakeClock(1_700_000_000_000)
  const storage = await openPieceStorage({ clock })
  const scene = {
    contracts: { fwss: '1.4.0', pdpVerifier: '3.5.0' },
    /** An Error is thrown by the read. */
    liveness: { live: true } as Liveness | Error,
    /** State of a piece on chain; default live. */
    states: new Map<bigint, PieceState>(),
    queued: new Set<bigint>(),
    /** States at the finalized epoch; undefined: those of `states`. */
    finalizedStates: undefined as Map<bigint, PieceState> | undefined,
    /** Whether the node can read at the finalized epoch. */
    keepsOldStates: true,
    /** Piece CIDs on chain that differ from the recorded ones. */
    cids: new Map<bigint, string>(),
    /** Nonce outcome on chain at an epoch; undefined: as recorded. */
    nonceAt: (_nonce: bigint, _epoch: bigint): NonceOutcome | undefined => undefined,
    /** Transaction counts of the provider's sender. */
    sender: { pooled: 5, final: 5 },
    /** Called on each read of the transaction count. */
    onCount() {},
    answer: { kind: 'ok', value: { txHash: removalTxHash } } as ProviderAnswer<Submitted>,
    /** Piece ids of each request that reached the provider. */
    requests: [] as (readonly bigint[])[],
  }
  const { read } = storage.database
  /** Data sets whose commit task was enqueued. */
  const commits: number[] = []
  const recordedCid = async (piece: bigint) =>
    (
      await getRow<{ cid: string }>(
        read,
        'select p.piece_cid as cid from copies c join pieces p on p.id = c.piece_id where c.chain_piece_id = ?',
        String(piece),
      )
    )?.cid ?? null
  const recordedNonce = async (nonce: bigint): Promise<NonceOutcome> => {
    const batch = await getRow<{ next: string }>(read, 'select next_piece_id as next from commit_batches where nonce = ?', String(nonce))
    return batch ? { landed: true, dataSetId: BigInt(dataSetId), nextPieceId: BigInt(batch.next) } : { landed: false }
  }
  const client = {
    async deletePieces({ pieceIds }: { pieceIds: readonly bigint[] }) {
      scene.requests.push(pieceIds)
      return scene.answer
    },
  } as unknown as ProviderClient
  const deps = {
    database: storage.database,
    contents: storage.contents,
    clock,
    log: silentLog,
    pace: createPace(30_000),
    schedule: { commit: (_tx: unknown, id: number) => void commits.push(id), cleanup: () => 1 },
    events: { publish() {} },
    uploadEvents: { changed() {} },
    signer: account,
    funds: { forget() {}, prices: async () => testPrices },
    chain: {
      network: { chainId: 31337, contracts: { fwss: account.address } },
      contractVersions: async () => scene.contracts,
      finalEpoch: async () => 8n,
      finalizedEpoch: async () => 5n,
      unconfirmedEpochs: 0,
      publicClient: {
        getTransactionCount: async ({ blockTag }: { blockTag?: string }) => {
          scene.onCount()
          return blockTag === 'pending' ? scene.sender.pooled : scene.sender.final
        },
      },
    },
    reads: {
      liveness: async () => {
        if (scene.liveness instanceof Error) throw scene.liveness
        return scene.liveness
      },
      scheduledRemovals: async () => [...scene.queued],
      pieceState: async (_dataSet: bigint, piece: bigint, epoch?: bigint) => {
        if (epoch !== undefined && !scene.keepsOldStates) throw new Error('state pruned by the node')
        return (epoch === undefined ? undefined : scene.finalizedStates?.get(piece)) ?? scene.states.get(piece) ?? 'live'
      },
      pieceCidOf: async (_dataSet: bigint, piece: bigint) => scene.cids.get(piece) ?? (await recordedCid(piece)),
      nonceAt: async (_payer: string, nonce: bigint, epoch: bigint) => scene.nonceAt(nonce, epoch) ?? (await recordedNonce(nonce)),
    },
    providers: {
      turns: createProviderTurns({ clock, epochMs: 30_000, slots: testSlots, client: (url): ProviderClient => deps.providers.client(url) }),
      client: () => client,
    },
  } as unknown as Pipeline
  Object.assign(deps, { states: statesOver(deps) })
  for (let n = 0; n < pieces; n++) {
    const version = await storage.put(`k${n}`, `body ${n}`)
    await storage.placeCopy(version, { dataSetId, state: 'committed', pieceId: n })
    await storage.versions.delete({ bucket: 'photos', key: `k${n}`, versionId: version.versionId })
  }
  return {
    scene,
    storage,
    commits,
    clock,
    deps,
    /** The provider refused a larger removal just now. */
    limitTo: (max: number) =>
      storage.database.write((tx) =>
        runSql(tx, "insert into provider_call_limits select provider_id, 'removal', ?, ? from data_sets", max, clock.now()),
      ),
    run: (taskId = 1) => {
      const { signal } = new AbortController()
      const fence = (database: unknown) => database
      return cleanupTask.run({ id: taskId, args: { dataSetId }, services: { pipeline: deps }, signal, fence, progressed() {} } as never)
    },
    count: async () =>
      Object.fromEntries(
        (
          await allRows<{ state: string; n: number }>(
            storage.database.read,
            'select state, count(*) as n from removals group by state order by state',
          )
        ).map(({ state, n }) => [state, n]),
      ),
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  }
}
