import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFakeClock, type FakeClock, insertRow, openTestDatabase, runSql, silentLog, type TestDatabase } from '#kernel/testing'
import type { StoredProvider } from '#plugins/providers'
import type { DataSetFacts } from '#plugins/replication'
import { replacementErrors } from '../errors.ts'
import { replacementMigrations } from '../migrations/all-migrations.ts'
import { type RepairDeps, repairRound } from './repair-round.ts'
import { listDecisions } from './repair-store.ts'

const hourMs = 3_600_000
const minuteMs = 60_000
const { signal } = new AbortController()
const usdfc = 10n ** 18n

let database: TestDatabase
let clock: FakeClock
let deps: RepairDeps
let dataSets: DataSetFacts[]
let down: Set<string>
let refusal: (() => Error) | undefined
let lost: { contents: number; versions: number; bytes: bigint }
let fee: bigint

const dataSet = (id: number, more: Partial<DataSetFacts> = {}): DataSetFacts => ({
  id,
  bucketId: id,
  bucketName: `bucket-${id}`,
  copyIndex: 0,
  generation: 1,
  isCurrent: true,
  providerId: String(id),
  serviceUrl: '',
  dataSetId: String(id),
  clientDataSetId: String(id),
  status: 'ready',
  committedCopies: 100,
  denied: null,
  missingCopies: 0,
  wrongCopies: 0,
  deniedCopies: 0,
  chosenReason: null,
  chosenDetail: null,
  ...more,
})

const prices = {
  storagePerTibPerMonth: 0n,
  dataSetFeePerMonth: 0n,
  createDataSetFee: 0n,
  addPiecesBaseFee: 0n,
  addPiecesPerPieceFee: 0n,
  schedulePieceRemovalsFee: 0n,
  lifecycleReserveTarget: 0n,
  replenishThreshold: 0n,
  lockupPeriodEpochs: 0n,
  cdnLockup: 0n,
}
const account = {
  funds: 0n,
  lockupCurrent: 0n,
  lockupRate: 0n,
  lockupLastSettledAt: 0n,
  epoch: 0n,
  available: 0n,
  debt: 0n,
  runwayEpochs: null,
}

beforeEach(async () => {
  database = await openTestDatabase([{ name: 'replacement', migrations: replacementMigrations }])
  // The beginning of a UTC day.
  clock = createFakeClock(1_700_006_400_000)
  dataSets = [dataSet(1), dataSet(2), dataSet(3)]
  down = new Set()
  refusal = undefined
  lost = { contents: 0, versions: 0, bytes: 0n }
  fee = usdfc
  const world: object = {
    clock,
    database,
    log: silentLog,
    buckets: { list: () => [1, 2, 3].map((id) => ({ id })) },
    chainSettings: { with_cdn: false },
    dependences: { lossesOf: async () => lost },
    funds: { view: async () => ({ account, prices: { ...prices, terminateFee: fee } }) },
    placements: { dataSetsOf: async () => [{ committedCopies: 100 }] },
    providers: {
      inventory: async () => ({
        providers: ['1', '2', '3', '4'].map(
          (providerId): Partial<StoredProvider> => ({
            providerId,
            pingedAtMs: clock.now(),
            pingFailure: down.has(providerId) ? 'connection refused' : null,
          }),
        ),
      }),
    },
    replacements: { confirm, list: listOpen },
    settings: { auto: true, daily_spend_limit: '5', provider_down_after: 24 * hourMs },
    standings: { listDataSets: async () => dataSets },
    pingKeptMs: 15 * minuteMs,
    holdLease: async () => {},
  }
  deps = world as RepairDeps
})
afterEach(() => database[Symbol.asyncDispose]())

const confirm: RepairDeps['replacements']['confirm'] = ({ bucketId, dataSetId, origin, clientRequestId }, record) =>
  database.write(async (tx) => {
    if (refusal) throw refusal()
    await runSql(tx, "update replacements set status = 'superseded' where bucket_id = ? and status = 'failed'", bucketId)
    const id = await addReplacement(tx, { bucketId, dataSetId, origin, clientRequestId })
    const replacement = { id, bucketId, slot: 0, origin, providerId: '4' }
    await record?.(tx, replacement as Parameters<NonNullable<typeof record>>[1])
    return { replacement: replacement as Parameters<NonNullable<typeof record>>[1], isRepeat: false }
  })

const addReplacement = (
  tx: Parameters<typeof insertRow>[0],
  { bucketId, dataSetId, origin, clientRequestId }: { bucketId: number; dataSetId: number; origin: string; clientRequestId: string },
) =>
  insertRow(
    tx,
    `insert into replacements (bucket_id, slot, origin, mode, client_request_id, source_id, target_id, provider_id, status, phase, created_at, updated_at)
     values (?, 0, ?, 'automatic', ?, ?, ?, '4', 'preparing_target', 'prepare', 0, 0)`,
    bucketId,
    origin,
    clientRequestId,
    dataSetId,
    dataSetId + 100,
  )

const listOpen = (async () =>
  (await database.read.all(openRows, {})).map((row) => ({ ...row, slot: 0 }))) as unknown as RepairDeps['replacements']['list']
const { sqlStatement } = await import('#kernel')
const openRows = sqlStatement<Record<never, never>, { id: number }>(
  `select id, bucket_id as "bucketId", origin, status, phase, failure_reason as "failureReason", last_error as "lastError" from replacements
   where status not in ('completed', 'superseded')`,
)

const round = () => repairRound(deps, signal)
/** Rounds every 20 minutes for this long. */
async function pass(ms: number) {
  for (let at = 0; at < ms; at += 20 * minuteMs) {
    await clock.advance(20 * minuteMs)
    await round()
  }
}
const decisions = async () =>
  (await listDecisions(database.read, { before: Number.MAX_SAFE_INTEGER, limit: 100 }))
    .toReversed()
    .map(({ action, reason, dataSetId }) => [action, reason, dataSetId])
const set = (settings: Partial<RepairDeps['settings']>) => {
  deps = { ...deps, settings: { ...deps.settings, ...settings } }
}

test('a replica moves when its provider did not answer for 24 hours, once, with a decision that says why', async () => {
  down.add('1')
  await pass(24 * hourMs)
  expect(await decisions()).toEqual([])
  await pass(20 * minuteMs)
  expect(await decisions()).toEqual([['replaced', 'provider_down', 1]])
  await pass(24 * hourMs)
  expect(await decisions()).toEqual([['replaced', 'provider_down', 1]])
  const [decision] = await listDecisions(database.read, { before: Number.MAX_SAFE_INTEGER, limit: 1 })
  expect(decision).toMatchObject({
    replacementId: 1,
    fee: usdfc,
    bucketName: 'bucket-1',
    message: 'moves to provider 4: its provider does not answer',
  })
})

test('flapping_provider_not_repaired: a provider that comes back before 24 hours is left alone, each time, and the list says so', async () => {
  for (let times = 0; times < 3; times++) {
    down.add('1')
    await pass(23 * hourMs)
    down.clear()
    await pass(20 * minuteMs)
  }
  expect(await decisions()).toEqual(Array.from({ length: 3 }, () => ['left_alone', 'recovered', 1]))
  // A short fault is not worth a line.
  down.add('1')
  await pass(40 * minuteMs)
  down.clear()
  await pass(20 * minuteMs)
  expect(await decisions()).toHaveLength(3)
})

test('nothing is decided while all providers are silent, because then our own network may be down, or after a gap', async () => {
  for (const id of ['1', '2', '3', '4']) down.add(id)
  await pass(48 * hourMs)
  down.delete('4')
  await pass(23 * hourMs)
  // The process did not look for a day: what was between is not known.
  await clock.advance(24 * hourMs)
  await pass(20 * minuteMs)
  expect(await decisions()).toEqual([])
})

test('spend_ceiling_stops: repairs stop at the limit of the day, say so once, and continue on the next day', async () => {
  set({ daily_spend_limit: '2.5' })
  dataSets = [1, 2, 3].map((id) => dataSet(id, { status: 'unavailable' }))
  await pass(8 * hourMs)
  expect(await decisions()).toEqual([
    ['replaced', 'data_set_lost', 1],
    ['replaced', 'data_set_lost', 2],
    ['refused', 'spend_ceiling', 3],
  ])
  const [{ message } = { message: '' }] = await listDecisions(database.read, { before: Number.MAX_SAFE_INTEGER, limit: 1 })
  expect(message).toBe('its estimated fees of 1 USDFC and the 2 of earlier repairs of the day are above repair.daily_spend_limit (2.5)')
  await pass(24 * hourMs)
  expect((await decisions()).at(-1)).toEqual(['replaced', 'data_set_lost', 3])
})

test('without a limit of its own nothing stops, and without prices nothing begins', async () => {
  set({ daily_spend_limit: '' })
  fee = 1_000_000n * usdfc
  dataSets = [dataSet(1, { status: 'unavailable' })]
  const { funds } = deps
  deps = { ...deps, funds: { view: async () => undefined } }
  await round()
  expect(await decisions()).toEqual([])
  deps = { ...deps, funds }
  await round()
  expect(await decisions()).toEqual([['replaced', 'data_set_lost', 1]])
})

test('repair_and_manual_replacement_exclusive: the slot of an unfinished replacement is left to it, and an operator is never superseded', async () => {
  dataSets = [dataSet(1, { status: 'draining' })]
  await database.write((tx) => addReplacement(tx, { bucketId: 1, dataSetId: 1, origin: 'operator', clientRequestId: 'mine' }))
  await round()
  expect(await decisions()).toEqual([])
  // It needs the operator: the repair does not take its place.
  await database.write((tx) => runSql(tx, "update replacements set status = 'failed', last_error = 'no funds'"))
  await round()
  expect(await decisions()).toEqual([['refused', 'replacement_failed', 1]])
  // An operator confirms between the look and the transaction of the repair.
  await database.write((tx) => runSql(tx, "update replacements set status = 'superseded', superseded_by_id = 2"))
  await clock.advance(hourMs)
  await round()
  expect((await decisions()).at(-1)).toEqual(['refused', 'replacement_active', 1])
  expect(await database.read.all(openRows, {})).toEqual([])
})

test('I-06: a round that lost its lease confirms and records nothing', async () => {
  dataSets = [dataSet(1, { status: 'draining' })]
  const lost = new Error('the lease was lost')
  deps = { ...deps, holdLease: () => Promise.reject(lost) }
  await expect(round()).rejects.toBe(lost)
  expect(await decisions()).toEqual([])
  expect(await database.read.all(openRows, {})).toEqual([])
})

test('a repair that failed before the takeover is tried again with another provider after an hour', async () => {
  dataSets = [dataSet(1, { status: 'draining' })]
  await round()
  await database.write((tx) => runSql(tx, "update replacements set status = 'failed'"))
  await clock.advance(hourMs - 1)
  await round()
  expect(await decisions()).toHaveLength(1)
  await clock.advance(1)
  await round()
  expect(await decisions()).toEqual(Array.from({ length: 2 }, () => ['replaced', 'service_ended', 1]))
})

test('a refusal is recorded once, with its code, and tried again every hour', async () => {
  dataSets = [dataSet(1, { status: 'unavailable' })]
  refusal = () => replacementErrors.replacement_no_eligible_provider()
  await pass(5 * hourMs)
  expect(await decisions()).toEqual([['refused', 'replacement_no_eligible_provider', 1]])
  refusal = undefined
  await pass(hourMs)
  expect((await decisions()).at(-1)).toEqual(['replaced', 'data_set_lost', 1])
  refusal = () => new Error('a defect')
  dataSets = [dataSet(2, { status: 'unavailable' })]
  await expect(round()).rejects.toThrow('a defect')
})

test('one round moves two replicas at most, and four at a time are moved', async () => {
  set({ daily_spend_limit: '' })
  const many = Array.from({ length: 6 }, (_, index) => dataSet(index + 1, { status: 'unavailable' }))
  dataSets = many
  deps = { ...deps, buckets: { list: () => many.map(({ id }) => ({ id })) as never } }
  await round()
  expect(await decisions()).toHaveLength(2)
  await pass(2 * hourMs)
  expect(await decisions()).toHaveLength(4)
})

test('last_copy_lost_reports_loss: a loss is reported with the first look, also while repairs are off, and again when it grows', async () => {
  set({ auto: false })
  dataSets = [dataSet(1, { status: 'unavailable' })]
  lost = { contents: 2, versions: 3, bytes: 500n }
  await round()
  const [loss] = await listDecisions(database.read, { before: Number.MAX_SAFE_INTEGER, limit: 1 })
  expect(loss).toMatchObject({ action: 'loss', reason: 'last_copy_lost', bucketName: 'bucket-1', lost, replacementId: null })
  await pass(5 * hourMs)
  expect(await decisions()).toHaveLength(1)
  lost = { contents: 3, versions: 4, bytes: 600n }
  await pass(hourMs + 20 * minuteMs)
  expect(await decisions()).toEqual([
    ['loss', 'last_copy_lost', 1],
    ['loss', 'last_copy_lost', 1],
  ])
})

const observed: readonly (readonly [string, Partial<DataSetFacts>, number, string | undefined])[] = [
  ['misses its proofs', { denied: { reason: 'proving_missed', sinceMs: 0 } }, 25 * hourMs, 'proving_missed'],
  ['is not on chain for one node', { denied: { reason: 'not_on_chain', sinceMs: 0 } }, 20 * minuteMs, undefined],
  ['was terminated', { status: 'draining' }, 20 * minuteMs, 'service_ended'],
  ['is being created', { status: 'creating' }, 25 * hourMs, undefined],
  ['has few denied copies', { missingCopies: 5, wrongCopies: 5 }, 25 * hourMs, undefined],
  ['has many denied copies', { missingCopies: 6, wrongCopies: 5 }, 25 * hourMs, 'copies_denied'],
  ['is not the current one of its slot', { status: 'draining', isCurrent: false }, 25 * hourMs, undefined],
  ['is of a deleted bucket', { status: 'draining', bucketId: 99 }, 25 * hourMs, undefined],
]
test.each(observed)('a data set that %s: %j after %d ms is repaired because of %s', async (_what, more, ms, reason) => {
  dataSets = [dataSet(1, more)]
  await pass(ms)
  expect((await decisions()).map(([, why]) => why)).toEqual(reason === undefined ? [] : [reason])
})
