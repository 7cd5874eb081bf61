import type { Events, Outcome, TaskQueue } from '#kernel'
import type { PublishedEvent, TaskChanges } from '#kernel/system'
import { createFakeClock, type FakeClock, silentLog } from '#kernel/testing'
import type { AvailableProvider, NonceOutcome, ProviderClient, WarmStorageReads } from '#plugins/providers'
import type { CachedFile } from '#plugins/storage'
import type { FundingVerdict, NamedPrices } from '#plugins/wallet'
import { createProviderTurns } from '../../providers/testing/index.ts'
import { unknownTransaction } from '../chain/testing/unknown-transaction.ts'
import { storeNotifier } from '../copies/placing/store-notifier.ts'
import { sha256Of } from '../copies/records/placement-store.ts'
import { createUploadEvents } from '../copies/views/upload-events.ts'
import { createPace } from '../pace.ts'
import type { Pipeline } from '../pipeline.ts'
import { createPaidCallCounts } from '../spending/paid-call-counts.ts'
import { createUploadMeter } from '../upload-meter.ts'
import { rowContents } from './piece-keeper.ts'
import { rowsNowMs, type StorageRows } from './storage-rows.ts'
import { statesOver } from './test-states.ts'

export const testEpochMs = 1000
export const testSlots = { store: 8, lookup: 4, mutation: 4, removal: 2 }
const signature = `0x${'5'.repeat(130)}`

/** A queue in which every task is open. */
export const allOpen: Pick<TaskQueue, 'openKeys'> = { openKeys: async (_reader, keys) => new Set(keys) }

export const testPrices: NamedPrices = { fingerprint: 'today', list: '{}' }

/** Answers of chain, wallet, providers and cache, which a test can change at any time. */
interface World {
  /** Client of every provider; other methods are undefined. */
  client: Partial<ProviderClient>
  available: readonly AvailableProvider[]
  funding: FundingVerdict
  prices: NamedPrices | undefined
  additionLimits: Awaited<ReturnType<WarmStorageReads['additionLimits']>>
  /** Outcome of every nonce on chain. */
  nonce: NonceOutcome
  /** The outcome at the finalized epoch; undefined: the same. */
  finalizedNonce: NonceOutcome | undefined
  /** The final epoch (head minus confirmations); the finalized epoch is 0. */
  epoch: bigint
  /** Transaction counts of every provider's sender. */
  sent: { readonly pooled: number; readonly final: number }
  /** Transactions that the chain node knows. */
  readonly knownHashes: Set<string>
  isLive: boolean
  /** Whether a client follows the events. */
  isWatched: boolean
  /** The cached file of every content, or its files with their SHA-256. */
  cached: { readonly path: string; readonly size: number; readonly segments?: CachedFile['segments'] } | undefined
  /** The files were found damaged and are kept. */
  isDamaged: boolean
  /** A second look at the files finds the right bytes. */
  isTransient: boolean
  /** Number of calls of `progressed`. */
  progress: number
}

export interface TestPipeline extends Pipeline {
  readonly clock: FakeClock
  readonly world: World
  /** Published events. */
  readonly published: PublishedEvent[]
  /** Does not use changes. */
  readonly taskChanges: TaskChanges
  /** Enqueued tasks, such as `commit 1`. */
  readonly scheduled: string[]
}

/** A Pipeline on a real database; chain, wallet and providers answer as set in `world`. */
export function createTestPipeline({ database }: Pick<StorageRows, 'database'>): TestPipeline {
  const clock = createFakeClock(rowsNowMs)
  const scheduled: string[] = []
  const record = (what: string) => (_tx: unknown, id: number) => {
    scheduled.push(`${what} ${id}`)
    return 1
  }
  const world: World = {
    client: {},
    available: [],
    funding: { isCovered: true },
    prices: testPrices,
    additionLimits: { piecesMax: 404, omitsMetadata: true },
    nonce: { landed: false },
    finalizedNonce: undefined,
    epoch: 1n,
    sent: { pooled: 0, final: 0 },
    knownHashes: new Set(),
    isLive: true,
    isWatched: true,
    cached: undefined,
    isDamaged: false,
    isTransient: false,
    progress: 0,
  }
  const published: PublishedEvent[] = []
  const events: Events = {
    publish: ({ topic }, payload) => void published.push({ topic, payload }),
    isWatched: () => world.isWatched,
    skip: () => void published.push({ topic: 'skipped', payload: {} }),
    subscribe: () => () => {},
  }
  const taskChanges: TaskChanges = { subscribe: () => () => {} }
  const uploadEvents = createUploadEvents({ database, clock, events, taskChanges, log: silentLog, queue: allOpen })
  const pipeline: object = {
    database,
    clock,
    world,
    scheduled,
    log: silentLog,
    events,
    taskChanges,
    published,
    uploadEvents,
    schedule: {
      store: record('store'),
      ensure: record('ensure'),
      pull: record('pull'),
      commit: record('commit'),
      park: record('park'),
      endStores: (_tx: unknown, contentIds: readonly number[]) => void scheduled.push(`end stores ${contentIds.join(' ')}`),
      cleanup: record('cleanup'),
      end: record('end'),
      standing: record('standing'),
      verifyLandings: () => void scheduled.push('verify landings'),
    },
    chain: {
      network: { chainId: 31415926, epochSeconds: testEpochMs / 1000, contracts: { fwss: `0x${'f'.repeat(40)}` } },
      contractVersions: async () => ({ fwss: '1.4.0', pdpVerifier: '3.5.0' }),
      finalEpoch: async () => world.epoch,
      finalizedEpoch: async () => 0n,
      unconfirmedEpochs: 0,
      publicClient: {
        getTransactionCount: async ({ blockTag }: { readonly blockTag?: string }) => (blockTag ? world.sent.pooled : world.sent.final),
        getTransaction: async ({ hash }: { readonly hash: `0x${string}` }) => {
          if (!world.knownHashes.has(hash)) throw unknownTransaction(hash)
        },
      },
    },
    reads: {
      additionLimits: async () => world.additionLimits,
      addedPieces: async () => 0n,
      nonceOutcome: async () => world.nonce,
      nonceAt: async (_payer: string, _nonce: bigint, epoch: bigint) =>
        epoch === 0n ? (world.finalizedNonce ?? world.nonce) : world.nonce,
      liveness: async () => (world.isLive ? { live: true } : { live: false, reason: 'terminated' }),
    },
    signer: { address: `0x${'a'.repeat(40)}`, sign: async () => signature, signTypedData: async () => signature },
    funds: { canPay: async () => world.funding, prices: async () => world.prices, forget: () => undefined },
    settings: {},
    calls: createPaidCallCounts({ database, clock }),
    providers: {
      client: () => world.client,
      report: () => undefined,
      listAvailable: async () => world.available,
      turns: createProviderTurns({
        clock,
        epochMs: testEpochMs,
        slots: testSlots,
        client: (serviceUrl: string): ProviderClient => (pipeline as TestPipeline).providers.client(serviceUrl),
      }),
    },
    pieces: {},
    uploads: createUploadMeter(clock, uploadEvents.progressed),
    pace: createPace(testEpochMs),
    notifyStore: (contentId: number) => storeNotifier(pipeline as TestPipeline)(contentId),
    progressed: () => {
      world.progress += 1
    },
    contents: rowContents,
    cached: {
      async locate(contentId: number) {
        if (!world.cached) return undefined
        const { path, size, segments } = world.cached
        return { size, segments: segments ?? [{ path, size, sha256: await sha256Of(database.read, contentId) }], blobId: path }
      },
      isDamaged: async () => world.isDamaged,
      async settle(contentId: number) {
        scheduled.push(`settle ${contentId}`)
        if (world.isTransient) return
        world.isDamaged = world.cached !== undefined
        world.cached = undefined
      },
      reconcileCapacity: () => void scheduled.push('reconcile capacity'),
    },
  }
  return Object.assign(pipeline, { states: statesOver(pipeline) }) as unknown as TestPipeline
}

/** Reason and duration of a wait. Throws for any other outcome. */
export function waitOf(outcome: Outcome, clock: FakeClock): { readonly reason: string; readonly forMs: number } {
  if (outcome.kind !== 'wait') throw new Error(`the step returned '${outcome.kind}' instead of a wait`)
  return { reason: outcome.reason, forMs: outcome.untilMs - clock.now() }
}
