import { join } from 'node:path'
import { expect } from 'vitest'
import type { Outcome } from '#kernel'
import { allRows, createFakeClock, type FakeClock, getRow, runSql, runsOnSqlite, silentLog } from '#kernel/testing'
import type { ProviderAnswer, ProviderClient, TerminationAccepted } from '#plugins/providers'
import type { FundingVerdict, OperationOutcome } from '#plugins/wallet'
import { createProviderTurns } from '../../providers/testing/index.ts'
import { endDataSetTask } from '../endings/end-data-set-task.ts'
import { createPace } from '../pace.ts'
import type { Pipeline } from '../pipeline.ts'
import { checkInvariants } from './check-invariants.ts'
import { openPieceStorage } from './piece-storage.ts'
import { testPrices, testSlots } from './test-pipeline.ts'
import { statesOver } from './test-states.ts'

const endedSetId = 1
let signatures = 0
/** Each signature differs, so that a second one is noticed. */
const account = { address: `0x${'a'.repeat(40)}`, signTypedData: async () => `0x${String(++signatures).padStart(130, '5')}` } as const
const finalityEpochs = 3n

/** What the provider does with a request to end the service. */
type RelayMode =
  /** Answers and sends the transaction. */
  | 'sends'
  /** Sends it, but its answer is lost. */
  | 'answer lost'
  /** Accepts the request and drops it. */
  | 'drops'
  /** Says for ever that the request is queued. */
  | 'lies'
  | 'unreachable'
  | 'unsupported'
  | 'busy'

/** The end of the bucket `photos` with one ready data set, on real rows, with models of the chain, its provider and the wallet. */
export async function openEndingScene({ copies = 0, state = 'ready', unconfirmedEpochs = 0 } = {}) {
  const clock = createFakeClock(1_700_000_000_000)
  const storage = await openPieceStorage({ clock })
  const { database } = storage
  const scheduled: string[] = []
  const scene = {
    relay: 'sends' as RelayMode,
    /** Head of the chain. A termination is in the block after it. */
    head: 100n,
    /** Epoch of the block with the termination, and the epoch in which the service ends. */
    endedIn: undefined as bigint | undefined,
    endEpoch: undefined as bigint | undefined,
    isOnChain: true,
    /** Id on chain of a data set whose creation was undecided. */
    createdAs: undefined as bigint | undefined,
    isUnreachable: false,
    verdict: { isCovered: true } as FundingVerdict,
    sender: { pooled: 5, final: 5 },
    /** Requests to the provider; operations of the wallet by id, and those whose transaction it sent. */
    relayed: [] as string[],
    requested: [] as string[],
    paid: [] as string[],
    followed: [] as string[],
    /** Is undefined when the wallet sends it. */
    outcome: undefined as OperationOutcome | undefined,
    isKnown: false,
    /** Throws after the request had its effect, like a kill. */
    isKilled: false,
    /** Transactions on chain that tried to end the service. */
    terminations: 0,
  }
  const end = (epochs: bigint) => {
    scene.terminations += 1
    if (scene.endEpoch !== undefined) return
    scene.endedIn = scene.head + 1n
    scene.endEpoch = scene.endedIn + epochs
  }
  const relay = (): ProviderAnswer<TerminationAccepted> => {
    const queued = { kind: 'ok', value: { state: 'queued' } } as const
    switch (scene.relay) {
      case 'unreachable':
        return { kind: 'not_sent', cause: { reason: 'unreachable', step: 'connect', detail: 'refused' } }
      case 'unsupported':
        return { kind: 'not_sent', cause: { reason: 'unsupported', detail: 'old contracts' } }
      case 'busy':
        return { kind: 'not_sent', cause: { reason: 'throttled', retryAfterMs: 600_000, detail: 'busy' } }
      case 'drops':
        return queued
      case 'lies':
        scene.isKnown = true
        return queued
      default:
        scene.isKnown = true
        end(0n)
        return scene.relay === 'sends' ? queued : { kind: 'uncertain', cause: { reason: 'timeout', detail: 'no answer' } }
    }
  }
  const client = {
    async terminate({ extraData }: { extraData: string }) {
      scene.relayed.push(extraData)
      const answer = relay()
      if (scene.isKilled) throw new Error('killed')
      return answer
    },
    terminationStatus: async () =>
      scene.relay === 'unreachable'
        ? { kind: 'uncertain', cause: { reason: 'timeout', detail: 'no answer' } }
        : { kind: 'ok', value: { state: scene.isKnown ? 'queued' : 'absent' } },
  } as unknown as ProviderClient
  const deps = {
    database,
    contents: storage.contents,
    clock,
    log: silentLog,
    events: { publish() {} },
    pace: createPace(30_000),
    schedule: {
      cleanup: async (_tx: unknown, id: number) => scheduled.push(`cleanup ${id}`),
      commit: async (_tx: unknown, id: number) => void scheduled.push(`commit ${id}`),
      ensure: async (_tx: unknown, id: number) => void scheduled.push(`ensure ${id}`),
      verifyLandings: async () => {},
      end: async (_tx: unknown, id: number) => void scheduled.push(`end ${id}`),
    },
    signer: account,
    funds: { forget() {}, prices: async () => testPrices, canTerminate: async () => scene.verdict },
    progressed() {},
    chain: {
      network: { chainId: 31337, contracts: { fwss: account.address } },
      finalEpoch: async () => scene.head,
      finalizedEpoch: async () => scene.head - finalityEpochs,
      unconfirmedEpochs,
      publicClient: {
        getTransactionCount: async ({ blockTag }: { blockTag?: string }) => (blockTag ? scene.sender.pooled : scene.sender.final),
      },
    },
    reads: {
      nonceOutcome: async () => (scene.createdAs === undefined ? { landed: false } : { landed: true, dataSetId: scene.createdAs }),
      dataSet: async (_id: bigint, epoch = scene.head) => {
        if (scene.isUnreachable) throw Object.assign(new Error('no answer'), { code: 'chain_unreachable' })
        if (!scene.isOnChain) return null
        const isEnded = scene.endedIn !== undefined && epoch >= scene.endedIn
        return { endEpoch: isEnded ? scene.endEpoch : 0n, reserve: { balance: 10n, pending: 0n } }
      },
    },
    walletOperations: {
      begin: async (_tx: unknown, { id }: { id: string }) => void scene.requested.push(id),
      async follow({ id }: { id: string }): Promise<OperationOutcome> {
        scene.followed.push(id)
        if (scene.outcome) return scene.outcome
        if (!scene.requested.includes(id)) return { kind: 'unsent' }
        if (!scene.paid.includes(id)) {
          scene.paid.push(id)
          end(86_400n)
        }
        if (scene.isKilled) throw new Error('killed')
        return { kind: 'open', reason: 'confirmation' }
      },
    },
    providers: {
      turns: createProviderTurns({ clock, epochMs: 30_000, slots: testSlots, client: () => client }),
      client: () => client,
    },
  } as unknown as Pipeline
  Object.assign(deps, { states: statesOver(deps) })
  const version = await storage.put('k', 'bytes')
  await storage.placeCopy(version, { dataSetId: endedSetId, state: 'committed', pieceId: 7 })
  await database.write((tx) =>
    runSql(tx, 'insert into replica_slots (bucket_id, slot, current_data_set_id) select bucket_id, slot, id from data_sets'),
  )
  await database.write((tx) => runSql(tx, 'update data_sets set landed_epoch = 50'))
  // The row was inserted with its id.
  if (!runsOnSqlite()) await database.write((tx) => runSql(tx, "select setval(pg_get_serial_sequence('data_sets', 'id'), 10)"))
  await storage.versions.delete({ bucket: 'photos', key: 'k', versionId: version.versionId })
  if (copies === 0) await removePieces()
  await database.write((tx) => runSql(tx, 'update data_sets set state = ?', state))

  /** Leaves the rows as the removal of all pieces does. */
  async function removePieces() {
    await database.write(async (tx) => {
      await runSql(tx, "update removals set state = 'removed'")
      await runSql(tx, "update copies set state = 'removed'")
      await storage.contents.forgetIfReleased(tx, version.contentId as number)
    })
  }

  const run = async (dataSetId = endedSetId): Promise<Outcome> => {
    const { signal } = new AbortController()
    const fence = (fenced: unknown) => fenced
    const args = { dataSetId }
    return endDataSetTask.run({ id: 1, args, services: { pipeline: deps }, signal, fence, progressed() {} } as never)
  }
  return {
    scene,
    storage,
    clock: clock as FakeClock,
    deps,
    scheduled,
    run,
    removePieces,
    /** Runs the task at its times, each step with a new block, until it is done or waits for one of the reasons. */
    async runUntil(...reasons: readonly string[]): Promise<Outcome> {
      for (let round = 0; round < 400; round++) {
        const outcome = await run()
        if (outcome.kind !== 'wait' || reasons.includes(outcome.reason)) return outcome
        await clock.advance(Math.max(1, outcome.untilMs - clock.now()))
        scene.head += 1n
      }
      throw new Error('the task did not end')
    },
    state: async () =>
      getRow<{ dataSet: string; ending: string; path: string }>(
        database.read,
        'select d.state as "dataSet", e.state as ending, e.path from data_sets d join data_set_endings e on e.data_set_id = d.id',
      ),
    count: async (table: string) => (await allRows(database.read, `select * from ${table}`)).length,
    async expectSound() {
      expect(await checkInvariants(database.read, { cacheDir: join(storage.dir, 'cache') })).toEqual([])
    },
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  }
}
