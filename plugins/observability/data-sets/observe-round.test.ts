import { expect, test } from 'vitest'
import { allRows, createFakeClock, describeOnEngines, silentLog } from '#kernel/testing'
import type { DataSetObserver, ObservedDataSet } from '#plugins/providers'
import type { DataSetFacts, DataSetFinding } from '#plugins/replication'
import { observabilityMigrations } from '../migrations/all-migrations.ts'
import { createDataSetObservers } from './data-set-observer.ts'
import { listObservations } from './observation-store.ts'
import type { RoundDeps } from './observe-round.ts'

const schemas = [{ name: 'observability', migrations: observabilityMigrations }]
const periodEpochs = 10

const factsOf = (id: number): DataSetFacts => ({
  id,
  bucketId: 1,
  bucketName: 'photos',
  copyIndex: 0,
  generation: 1,
  isCurrent: true,
  providerId: String((id % 5) + 1),
  serviceUrl: 'http://p',
  dataSetId: String(100 + id),
  clientDataSetId: String(1000 + id),
  status: 'ready',
  committedCopies: 3,
  denied: null,
  missingCopies: 0,
  wrongCopies: 0,
  deniedCopies: 0,
  chosenReason: null,
  chosenDetail: null,
})

/** A chain that a test changes between rounds. */
class World {
  epoch = 1000
  opened = 0
  isSilent = false
  /** Data sets whose look fails, by id on chain. */
  readonly broken = new Set<bigint>()
  /** Requests for the state of a group from this one on see another fork. */
  forkAt = Number.POSITIVE_INFINITY
  groups = 0
  lastProven = 995
  isProven = true

  observer(): DataSetObserver {
    this.opened += 1
    if (this.isSilent) throw Object.assign(new Error('no answer'), { code: 'chain_unreachable' })
    const { epoch } = this
    const start = epoch - (epoch % periodEpochs)
    const look = (): ObservedDataSet => ({
      state: 'live',
      isCreationKnown: true,
      providerId: null,
      endEpoch: null,
      isReserveShort: false,
      proving: {
        activationEpoch: 500n,
        deadline: BigInt(start + periodEpochs),
        isProvenThisPeriod: this.isProven,
        lastProvenEpoch: BigInt(this.lastProven),
      },
      addedPieces: 3n,
      leaves: 12n,
    })
    let isForked = false
    return {
      epoch: BigInt(epoch),
      periodEpochs: BigInt(periodEpochs),
      isInDebt: false,
      atOnceMax: 2,
      countedPiecesMax: 2000,
      calls: 0,
      requests: 0,
      observe: async (ids) => {
        this.groups += 1
        isForked = this.groups >= this.forkAt
        return ids.map(({ dataSetId }) => (this.broken.has(dataSetId) ? new Error('nonsense') : look()))
      },
      provenPeriods: async (periods) => periods.map(({ period }) => period !== 48n),
      activePieces: async (ids) => ids.map(() => 3n),
      metadata: async (ids) =>
        ids.map(
          () =>
            new Map([
              ['bucket', 'photos'],
              ['source', 'svc'],
            ]),
        ),
      async requireSameFork() {
        if (isForked) throw Object.assign(new Error('another fork'), { code: 'chain_unreachable' })
      },
    }
  }
}

await describeOnEngines('rounds of checks of data sets', ({ open }) => {
  async function scene(dataSets = 6) {
    const database = await open(schemas)
    const world = new World()
    const clock = createFakeClock()
    const findings: DataSetFinding[] = []
    const standings: Partial<RoundDeps['standings']> = {
      listDataSets: async () => Array.from({ length: dataSets }, (_, index) => factsOf(index + 1)),
      movingPieces: async () => new Map(),
      reportDataSets: async (found) => void findings.push(...found),
    }
    const observers = createDataSetObservers({
      database,
      clock,
      log: silentLog,
      chain: { finalEpoch: async () => BigInt(world.epoch), network: { epochSeconds: 30 } } as unknown as RoundDeps['chain'],
      reads: { observer: async () => world.observer() },
      signer: { address: '0x1' } as unknown as RoundDeps['signer'],
      standings: standings as RoundDeps['standings'],
      providers: { inventory: async () => ({ freshness: 'fresh', readAtMs: 0, failedAtMs: null, failure: null, providers: [] }) },
      concurrency: 2,
    })
    const seen = async () => [...(await listObservations(database.read)).values()].toSorted((a, b) => a.dataSetId - b.dataSetId)
    return { database, world, clock, findings, observers, seen, [Symbol.asyncDispose]: () => database[Symbol.asyncDispose]() }
  }

  test('a data set whose answers are nonsense is unknown with what was known, and all others are observed', async () => {
    await using it = await scene()
    await it.observers.refresh()
    const before = await it.seen()
    expect(before.map(({ error, proving }) => [error, proving])).toEqual(before.map(() => [null, 'proven']))
    it.world.broken.add(103n)
    it.world.epoch += 3
    it.findings.length = 0
    await it.clock.advance(1000)
    await it.observers.refresh()
    const after = await it.seen()
    expect(after.map(({ error }) => error)).toEqual([null, null, 'nonsense', null, null, null])
    expect(after[2]).toEqual({ ...before[2], checkedAtMs: it.clock.now(), error: 'nonsense' })
    // Nothing follows from a look that failed.
    expect(it.findings.map(({ dataSetId }) => dataSetId).toSorted()).toEqual([1, 2, 4, 5, 6])
  })

  test('a reorganisation during a round leaves what its later groups knew, and denies nothing', async () => {
    await using it = await scene()
    await it.observers.refresh()
    const periods = await allRows(it.database.read, 'select * from proving_periods order by data_set_id, period')
    // The first two groups are read at the same time.
    it.world.forkAt = it.world.groups + 3
    it.world.epoch += 200
    it.world.isProven = false
    it.findings.length = 0
    await it.observers.refresh()
    expect((await it.seen()).filter(({ error }) => error === 'another fork').length).toBe(2)
    expect(it.findings).toHaveLength(4)
    const kept = await allRows(it.database.read, 'select * from proving_periods where end_epoch <= 990 order by data_set_id, period')
    expect(kept).toEqual(periods)
    it.world.forkAt = Number.POSITIVE_INFINITY
    await it.observers.refresh()
    expect((await it.seen()).map(({ error }) => error)).toEqual([null, null, null, null, null, null])
  })

  test('a node that falls back to an older epoch deletes no history, and clears no missed proof', async () => {
    await using it = await scene(1)
    it.world.isProven = false
    it.world.lastProven = 960
    await it.observers.refresh()
    it.world.epoch = 1011
    await it.observers.refresh()
    const [owing] = await it.seen()
    const history = await it.observers.history(1)
    expect(owing?.missedPeriods).toBe(1)
    it.world.epoch = 900
    it.world.lastProven = 895
    await it.observers.refresh()
    expect(await it.observers.history(1)).toEqual(history)
    expect((await it.seen())[0]).toMatchObject({ missedPeriods: 1, provenSinceMissed: owing?.provenSinceMissed })
  })

  test('while the node is silent every row says so and keeps what it knew', async () => {
    await using it = await scene(2)
    await it.observers.refresh()
    const before = await it.seen()
    it.world.isSilent = true
    await it.clock.advance(5000)
    await expect(it.observers.refresh()).rejects.toMatchObject({ code: 'chain_unreachable' })
    expect(await it.seen()).toEqual(before.map((row) => ({ ...row, error: 'no answer', checkedAtMs: it.clock.now() })))
  })

  test('the periods since the last missed one are counted', async () => {
    await using it = await scene(1)
    await it.observers.refresh()
    expect((await it.seen())[0]).toMatchObject({ missedPeriods: 1, provenSinceMissed: 0, observedPeriods: 49 })
    expect((await it.observers.missedProofs()).get('2')).toMatchObject({ missedPeriods: 1, unsettledDataSets: 1 })
    it.world.epoch += 3 * periodEpochs
    it.world.lastProven = it.world.epoch - 1
    await it.observers.refresh()
    expect((await it.seen())[0]).toMatchObject({ missedPeriods: 1, provenSinceMissed: 3, observedPeriods: 52 })
    expect((await it.observers.missedProofs()).get('2')).toMatchObject({ missedPeriods: 1, unsettledDataSets: 0 })
  })

  test('1,000 refreshes at the same time are one round', async () => {
    await using it = await scene(2)
    await Promise.all(Array.from({ length: 1000 }, () => it.observers.refresh()))
    expect(it.world.opened).toBe(1)
  })
})
