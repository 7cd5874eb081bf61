import { privateKeyToAccount } from 'viem/accounts'
import { expect, test } from 'vitest'
import { silentLog } from '#kernel'
import { createFakeClock } from '#kernel/testing'
import type { ProviderAnswer } from '../chain/provider-answer.ts'
import type { Submitted } from '../chain/provider-client.ts'
import type { Liveness, PieceState } from '../chain/warm-storage-reads.ts'
import { createProviderTurns } from '../datasets/provider-turns.ts'
import { createPace } from '../pace.ts'
import type { Pipeline } from '../pipeline.ts'
import { openVersionStorage } from '../testing/version-storage.ts'
import { cleanupTask } from './cleanup-task.ts'

const dataSetId = 1
const hourMs = 3_600_000
const account = privateKeyToAccount(`0x${'1'.repeat(64)}`)
const txHash = `0x${'ab'.repeat(32)}` as const

/** A chain and a provider by their words alone, over real rows. */
async function openScene(pieces: number) {
  const clock = createFakeClock(1_700_000_000_000)
  const storage = await openVersionStorage({ clock })
  const scene = {
    /** What is thrown instead when it is an error. */
    liveness: { live: true } as Liveness | Error,
    /** What the chain says of a piece; live when it is not here. */
    states: new Map<bigint, PieceState>(),
    queued: new Set<bigint>(),
    /** Transactions the provider has sent, in the pool and final. */
    sender: { pooled: 5, final: 5 },
    answer: { kind: 'ok', value: { txHash } } as ProviderAnswer<Submitted>,
    /** Piece ids of each request that reached the provider. */
    requests: [] as (readonly bigint[])[],
  }
  const doors = {
    database: storage.database,
    clock,
    log: silentLog,
    pace: createPace(30_000),
    signer: account,
    funds: { forget() {} },
    chain: {
      network: { chainId: 31337, contracts: { fwss: account.address } },
      finalEpoch: async () => 1n,
      publicClient: {
        getTransactionCount: async ({ blockTag }: { blockTag?: string }) =>
          blockTag === 'pending' ? scene.sender.pooled : scene.sender.final,
      },
    },
    reads: {
      liveness: async () => {
        if (scene.liveness instanceof Error) throw scene.liveness
        return scene.liveness
      },
      scheduledRemovals: async () => [...scene.queued],
      pieceState: async (_dataSet: bigint, piece: bigint) => scene.states.get(piece) ?? 'live',
    },
    providers: {
      turns: createProviderTurns({ clock, epochMs: 30_000, slots: { store: 8, mutation: 4, removal: 2 } }),
      client: () => ({
        async deletePieces({ pieceIds }: { pieceIds: readonly bigint[] }) {
          scene.requests.push(pieceIds)
          return scene.answer
        },
      }),
    },
  } as unknown as Pipeline
  for (let n = 0; n < pieces; n++) {
    const version = await storage.put(`k${n}`, `body ${n}`)
    await storage.placeCopy(version, { dataSetId, state: 'committed', pieceId: n })
    await storage.versions.delete({ bucket: 'photos', key: `k${n}`, versionId: version.versionId })
  }
  return {
    scene,
    storage,
    clock,
    doors,
    run: (taskId = 1) => {
      const { signal } = new AbortController()
      const fence = (database: unknown) => database
      return cleanupTask.run({ id: taskId, args: { dataSetId }, services: { pipeline: doors }, signal, fence, progressed() {} } as never)
    },
    count: () =>
      Object.fromEntries(
        storage.database.read
          .all<{ state: string; n: number }>('select state, count(*) as n from removals group by state order by state')
          .map(({ state, n }) => [state, n]),
      ),
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  }
}

test('a removal goes from its request over the queue of the chain to nothing left', async () => {
  await using removal = await openScene(2)
  const { scene, storage, run, count } = removal
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'confirmation' })
  expect(scene.requests).toEqual([[0n, 1n]])
  expect(count()).toEqual({ submitted: 2 })
  storage.expectSound()
  scene.queued = new Set([0n, 1n])
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'proving_period' })
  expect(count()).toEqual({ scheduled: 2 })
  scene.queued = new Set()
  scene.states = new Map([
    [0n, 'gone'],
    [1n, 'gone'],
  ])
  expect(await run()).toEqual({ kind: 'done' })
  expect(count()).toEqual({ removed: 2 })
  expect(storage.database.read.all('select id from contents')).toEqual([])
  expect(scene.requests).toHaveLength(1)
  storage.expectSound()
})

test('a request takes 35 pieces, and no other is made before its outcome is known and the queue has room', async () => {
  await using removal = await openScene(40)
  const { scene, run, count } = removal
  await run()
  await run()
  expect(scene.requests.map((ids) => ids.length)).toEqual([35])
  scene.queued = new Set(scene.requests[0])
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'proving_period' })
  expect(scene.requests).toHaveLength(1)
  scene.states = new Map([...scene.queued].map((id) => [id, 'gone']))
  scene.queued = new Set()
  await run()
  expect(scene.requests.map((ids) => ids.length)).toEqual([35, 5])
  expect(count()).toEqual({ removed: 35, submitted: 5 })
})

test('I-08: a provider that does not answer is asked for no removal before its probe', async () => {
  await using removal = await openScene(1)
  const { scene, clock, doors, run } = removal
  for (let call = 0; call < 3; call++) {
    using turn = doors.providers.turns.take('http://provider', 'removal')
    turn.heard({ kind: 'uncertain', cause: { reason: 'timeout', detail: 'late' } })
  }
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'provider', untilMs: clock.now() + 30_000 })
  expect(scene.requests).toEqual([])
  await clock.advance(30_000)
  await run()
  expect(scene.requests).toHaveLength(1)
})

test('what is gone or queued already is not asked for', async () => {
  await using removal = await openScene(3)
  const { scene, run, count } = removal
  scene.states = new Map([[0n, 'gone']])
  scene.queued = new Set([1n])
  await run()
  expect(scene.requests).toEqual([[2n]])
  expect(count()).toEqual({ removed: 1, scheduled: 1, submitted: 1 })
})

test('I-08: a full queue at the provider and a missing fee are waited for', async () => {
  await using removal = await openScene(1)
  const { scene, run, count } = removal
  scene.answer = { kind: 'not_sent', cause: { reason: 'throttled', retryAfterMs: 77_000, detail: '' } }
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'provider_busy', untilMs: removal.clock.now() + 77_000 })
  const revert = { contract: 'pay', errorName: 'InsufficientUnlockedFunds', selector: undefined, args: [] } as const
  scene.answer = { kind: 'not_sent', cause: { reason: 'reverted', revert, detail: '' } }
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'funding' })
  expect(count()).toEqual({ pending: 1 })
})

test('I-08: a chain node that does not answer is waited for and costs no attempt', async () => {
  await using removal = await openScene(1)
  const { scene, clock, run, count } = removal
  scene.liveness = Object.assign(new Error('Could not read getDataSet'), { code: 'chain_unreachable' })
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'chain' })
  scene.liveness = { live: true }
  await clock.advance(hourMs)
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'confirmation' })
  expect(count()).toEqual({ submitted: 1 })
})

test('a refusal counts as an attempt of the task, and the removal may be asked for again', async () => {
  await using removal = await openScene(1)
  const { scene, run, count } = removal
  scene.answer = { kind: 'not_sent', cause: { reason: 'invalid', status: 400, detail: 'no' } }
  await expect(run()).rejects.toMatchObject({ code: 'provider_invalid' })
  expect(count()).toEqual({ pending: 1 })
})

test('I-05: after a lost answer nothing is sent until every transaction that may have come of it is final', async () => {
  await using removal = await openScene(1)
  const { scene, clock, run, count } = removal
  scene.answer = { kind: 'uncertain', cause: { reason: 'timeout', detail: 'no answer' } }
  scene.sender = { pooled: 6, final: 5 }
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'confirmation' })
  expect(count()).toEqual({ uncertain: 1 })
  await clock.advance(hourMs)
  await run()
  await run()
  expect(scene.requests).toHaveLength(1)
  scene.sender = { pooled: 6, final: 6 }
  scene.answer = { kind: 'ok', value: { txHash } }
  await run()
  expect(scene.requests).toEqual([[0n], [0n]])
  expect(count()).toEqual({ submitted: 1 })
})

test('a transaction that was final and queued nothing is a fault of the attempt', async () => {
  await using removal = await openScene(1)
  const { clock, run, count } = removal
  await run()
  await clock.advance(hourMs)
  await run()
  await expect(run()).rejects.toMatchObject({ code: 'removal_reverted' })
  expect(count()).toEqual({ pending: 1 })
})

test('unconfirmed for 24 hours, the task fails; only its own retry looks again and then asks again', async () => {
  await using removal = await openScene(1)
  const { scene, clock, run, count } = removal
  scene.sender = { pooled: 6, final: 5 }
  await run(1)
  await clock.advance(hourMs)
  await run(1)
  await clock.advance(24 * hourMs)
  expect(await run(1)).toMatchObject({ kind: 'fail', code: 'removal_unconfirmed', retryable: true })
  // A task that another deletion brings touches nothing of it.
  expect(await run(2)).toEqual({ kind: 'done' })
  expect(scene.requests).toHaveLength(1)
  expect(await run(1)).toMatchObject({ kind: 'wait', reason: 'confirmation' })
  expect(scene.requests).toHaveLength(2)
  expect(count()).toEqual({ submitted: 1 })
})

test('a removal that waits for an operator holds up no other', async () => {
  await using removal = await openScene(36)
  const { scene, clock, run } = removal
  scene.sender = { pooled: 6, final: 5 }
  await run(1)
  await clock.advance(hourMs)
  await run(1)
  await clock.advance(24 * hourMs)
  expect(await run(1)).toMatchObject({ kind: 'fail' })
  // 35 may still be queued by the first request.
  expect(await run(2)).toMatchObject({ kind: 'wait', reason: 'proving_period' })
  expect(scene.requests).toHaveLength(1)
  scene.states = new Map([[0n, 'gone']])
  await run(2)
  expect(scene.requests.map((ids) => ids.length)).toEqual([35, 1])
})

test.each(['queued', 'gone'] as const)('a retry after 24 hours sends nothing when the piece is %s', async (found) => {
  await using removal = await openScene(1)
  const { scene, clock, run } = removal
  scene.sender = { pooled: 6, final: 5 }
  await run()
  await clock.advance(hourMs)
  await run()
  await clock.advance(24 * hourMs)
  expect(await run()).toMatchObject({ kind: 'fail' })
  if (found === 'queued') scene.queued = new Set([0n])
  else scene.states = new Map([[0n, 'gone']])
  expect(await run()).toMatchObject(found === 'queued' ? { kind: 'wait', reason: 'proving_period' } : { kind: 'done' })
  expect(scene.requests).toHaveLength(1)
})

test('while the data set is not active the task keeps checking, and asks for nothing', async () => {
  await using removal = await openScene(1)
  const { scene, run, count, storage } = removal
  scene.liveness = { live: false, reason: 'deleted' }
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'data_set' })
  scene.liveness = { live: false, reason: 'terminated', endEpoch: 9n }
  expect(await run()).toMatchObject({ kind: 'wait', reason: 'proving_period' })
  expect(scene.requests).toEqual([])
  expect(count()).toEqual({ pending: 1 })
  await storage.database.write((tx) => tx.run(`update data_sets set state = 'retired'`))
  expect(await run()).toEqual({ kind: 'done' })
  expect(count()).toEqual({ moot: 1 })
  storage.expectSound()
})
