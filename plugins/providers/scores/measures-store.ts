import { type Params, type Reader, statementsOver, type TablesOf, type Tx } from '#kernel'
import type { MeasuredKind } from '../contract/providers.ts'
import { addMeasures, type Measures } from './measure-policy.ts'
import type { measuresEntity } from './measures-entity.ts'

export type MeasuresByKind = ReadonlyMap<MeasuredKind, Measures>

interface Key {
  readonly providerId: string
  readonly kind: MeasuredKind
}

type Stored = Key & Measures

const statement = statementsOver<TablesOf<typeof measuresEntity>>()

const columns = [
  'provider_id as providerId',
  'kind',
  'calls',
  'failed',
  'since as sinceMs',
  'last_at as lastAtMs',
  'weighed_at as weighedAtMs',
  'weight',
  'ok_weight as okWeight',
  'bytes',
  'ms',
  'failed_at as failedAtMs',
  'failure_call as failureCall',
  'failure_reason as failureReason',
] as const

const listAll = statement((db) => db.selectFrom('provider_measures').select(columns))

const find = statement((db, { providerId, kind }: Params<Key>) =>
  db.selectFrom('provider_measures').select(columns).where('provider_id', '=', providerId).where('kind', '=', kind).forUpdate(),
)

const listIds = statement((db) => db.selectFrom('provider_measures').select('provider_id as providerId').distinct())

const remove = statement((db, { providerIds }: Params<{ providerIds: readonly string[] }>) =>
  db.deleteFrom('provider_measures').where('provider_id', 'in', providerIds),
)

const put = statement((db, row: Params<{ [K in keyof Stored]: Stored[K] }>) => {
  const sums = {
    calls: row.calls,
    failed: row.failed,
    since: row.sinceMs,
    last_at: row.lastAtMs,
    weighed_at: row.weighedAtMs,
    weight: row.weight,
    ok_weight: row.okWeight,
    bytes: row.bytes,
    ms: row.ms,
    failed_at: row.failedAtMs,
    failure_call: row.failureCall,
    failure_reason: row.failureReason,
  }
  return db
    .insertInto('provider_measures')
    .values({ provider_id: row.providerId, kind: row.kind, ...sums })
    .onConflict((conflict) => conflict.columns(['provider_id', 'kind']).doUpdateSet(sums))
})

/** Weights are stored in thousandths. */
const weightScale = 1000

export async function listMeasures(reader: Reader): Promise<ReadonlyMap<string, MeasuresByKind>> {
  const byProvider = Map.groupBy(await reader.all(listAll), ({ providerId }) => providerId)
  return new Map([...byProvider].map(([id, rows]) => [id, new Map(rows.map((row) => [row.kind, fromRow(row)]))]))
}

/** Adds to the stored measures; returns the sum. */
export async function storeMeasures(tx: Tx, key: Key, measures: Measures): Promise<Measures> {
  const row = await tx.get(find, { ...key })
  const sum = addMeasures(row && fromRow(row), measures)
  const weights = { weight: Math.round(sum.weight * weightScale), okWeight: Math.round(sum.okWeight * weightScale) }
  await tx.run(put, { ...key, ...sum, ...weights, bytes: Math.round(sum.bytes), ms: Math.round(sum.ms) })
  return sum
}

/** Removes the measures of providers that left the registry. */
export async function keepMeasuresOf(tx: Tx, registered: ReadonlySet<string>): Promise<void> {
  const gone = (await tx.all(listIds)).map(({ providerId }) => providerId).filter((id) => !registered.has(id))
  if (gone.length > 0) await tx.run(remove, { providerIds: gone })
}

const fromRow = ({ providerId: _, kind: __, ...row }: Stored): Measures => ({
  ...row,
  weight: row.weight / weightScale,
  okWeight: row.okWeight / weightScale,
})
