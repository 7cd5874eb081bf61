import { type Events, type Outcome, type PublishedEvent, silentLog } from '#kernel'
import { createFakeClock, type FakeClock } from '#kernel/testing'
import type { FundingVerdict } from '#plugins/wallet'
import type { NonceOutcome } from '../chain/nonce-policy.ts'
import type { ProviderClient } from '../chain/provider-client.ts'
import { sha256Of } from '../copies/placement-store.ts'
import { storeNotifier } from '../copies/store-notifier.ts'
import { createUploadEvents } from '../copies/upload-events.ts'
import { createUploadMeter } from '../copies/upload-meter.ts'
import { createProviderTurns } from '../datasets/provider-turns.ts'
import type { AvailableProvider } from '../datasets/providers.ts'
import { createPace } from '../pace.ts'
import type { Pipeline } from '../pipeline.ts'
import { rowsNowMs, type StorageRows } from './storage-rows.ts'

export const testEpochMs = 1000

/** What a test decides about the world outside; read at every use. */
export interface World {
  /** Of every provider; a call that is not here fails the test. */
  client: Partial<ProviderClient>
  available: readonly AvailableProvider[]
  funding: FundingVerdict
  /** What the nonce book says of every nonce. */
  nonce: NonceOutcome
  /** What it says at the finalized epoch; absent: the same. */
  finalizedNonce: NonceOutcome | undefined
  /** Behind the confirmations; the finalized epoch is 0. */
  epoch: bigint
  /** Transactions of every provider's sender. */
  sent: { readonly pooled: number; readonly final: number }
  isLive: boolean
  /** The cached file of every content. */
  cached: { readonly path: string; readonly size: number } | undefined
  /** How often the steps reported progress. */
  progress: number
}

export interface TestPipeline extends Pipeline {
  readonly clock: FakeClock
  readonly world: World
  /** What watchers were told. */
  readonly published: PublishedEvent[]
  /** What was put on record, such as `commit 1`. */
  readonly scheduled: string[]
}

/** The steps' doors over a real database, with the chain and the providers played by the test. */
export function createTestPipeline({ database }: Pick<StorageRows, 'database'>): TestPipeline {
  const clock = createFakeClock(rowsNowMs)
  const scheduled: string[] = []
  const note = (what: string) => (_tx: unknown, id: number) => {
    scheduled.push(`${what} ${id}`)
    return 1
  }
  const world: World = {
    client: {},
    available: [],
    funding: { isCovered: true },
    nonce: { landed: false },
    finalizedNonce: undefined,
    epoch: 1n,
    sent: { pooled: 0, final: 0 },
    isLive: true,
    cached: undefined,
    progress: 0,
  }
  const published: PublishedEvent[] = []
  const events: Events = {
    publish: ({ topic }, payload) => void published.push({ topic, payload }),
    subscribe: () => () => {},
  }
  const uploadEvents = createUploadEvents({ database, clock, events, log: silentLog, queue: { isOpen: () => true } })
  const doors = {
    database,
    clock,
    world,
    scheduled,
    log: silentLog,
    events,
    published,
    uploadEvents,
    schedule: {
      store: note('store'),
      ensure: note('ensure'),
      pull: note('pull'),
      commit: note('commit'),
      cleanup: note('cleanup'),
      verifyLandings: () => void scheduled.push('verify landings'),
      makeRoom: () => void scheduled.push('make room'),
    },
    chain: {
      network: { chainId: 31415926, epochSeconds: testEpochMs / 1000, contracts: { fwss: `0x${'f'.repeat(40)}` } },
      finalEpoch: async () => world.epoch,
      finalizedEpoch: async () => 0n,
      publicClient: {
        getTransactionCount: async ({ blockTag }: { readonly blockTag?: string }) => (blockTag ? world.sent.pooled : world.sent.final),
      },
    },
    reads: {
      nonceOutcome: async () => world.nonce,
      nonceAt: async (_payer: string, _nonce: bigint, epoch: bigint) =>
        epoch === 0n ? (world.finalizedNonce ?? world.nonce) : world.nonce,
      liveness: async () => (world.isLive ? { live: true } : { live: false, reason: 'terminated' }),
    },
    signer: { address: `0x${'a'.repeat(40)}`, signTypedData: async () => `0x${'5'.repeat(130)}` },
    funds: { canPay: async () => world.funding, forget: () => undefined },
    settings: {},
    providers: {
      client: () => world.client,
      listAvailable: async () => world.available,
      forget: () => undefined,
      turns: createProviderTurns({ clock, epochMs: testEpochMs, slots: { store: 8, mutation: 4, removal: 2 } }),
    },
    pieces: {},
    uploads: createUploadMeter(clock, uploadEvents.progressed),
    pace: createPace(testEpochMs),
    notifyStore: (contentId: number) => storeNotifier(doors as unknown as TestPipeline)(contentId),
    progressed: () => {
      world.progress += 1
    },
    locateCached: async (contentId: number) =>
      world.cached && { ...world.cached, sha256: sha256Of(database.read, contentId), blobId: world.cached.path },
    forgetCached: async (contentId: number) => {
      scheduled.push(`forget ${contentId}`)
      world.cached = undefined
    },
  }
  return doors as unknown as TestPipeline
}

/** For steps that must end in a wait. */
export function waitOf(outcome: Outcome, clock: FakeClock): { readonly reason: string; readonly forMs: number } {
  if (outcome.kind !== 'wait') throw new Error(`the step came to '${outcome.kind}' instead of a wait`)
  return { reason: outcome.reason, forMs: outcome.untilMs - clock.now() }
}
