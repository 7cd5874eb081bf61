import type { Selectable } from 'kysely'
import { type Params, type Reader, sqlStatement, statementsOver, type TablesOf, type Tx } from '#kernel'
import type { checkRoundEntity } from './check-round-entity.ts'
import type { dataSetObservationEntity } from './data-set-observation-entity.ts'
import type { provingPeriodEntity } from './proving-period-entity.ts'

type Tables = TablesOf<typeof dataSetObservationEntity | typeof provingPeriodEntity | typeof checkRoundEntity>
type Row = Selectable<Tables['data_set_observations']>
const statement = statementsOver<Tables>()

/** The last look at a data set. Epochs are numbers. */
export interface DataSetObservation {
  readonly dataSetId: number
  readonly clientId: string
  readonly chainId: string
  readonly checkedAtMs: number
  readonly error: string | null
  readonly chainState: 'live' | 'terminated' | 'ended' | 'deleted' | 'absent' | 'unmanaged' | null
  readonly endEpoch: number | null
  readonly closedRounds: number
  readonly isInDebt: boolean
  readonly providerMatches: boolean
  readonly metadataMatches: boolean | null
  readonly piecesMatch: boolean
  readonly isUnreachable: boolean
  readonly pieceCount: number | null
  readonly hasPieces: boolean
  readonly activation: number
  readonly deadline: number | null
  readonly periodEpochs: number
  readonly proving: 'not_started' | 'proven' | 'due' | 'overdue' | null
  readonly lastProven: number | null
  readonly nextDue: number | null
  readonly owedSince: number | null
  readonly nextPeriod: number | null
  readonly observedPeriods: number
  readonly missedPeriods: number
  /** Proven periods after the last missed one; 0 without one. */
  readonly provenSinceMissed: number
}

export interface CheckRound {
  readonly startedAtMs: number
  readonly finishedAtMs: number
  readonly epoch: number
  readonly dataSets: number
  readonly chainCalls: number
  readonly chainRequests: number
}

/** An ended proving period. */
export interface ProvingPeriod {
  readonly period: number
  readonly endEpoch: number
  readonly isProven: boolean
}

/** The periods that ended in one day. */
export interface ProvingDay {
  /** 0: the 24 hours before the given epoch. */
  readonly daysAgo: number
  readonly periods: number
  readonly proven: number
}

const listAll = statement((db) => db.selectFrom('data_set_observations').selectAll())
const findSome = statement((db, { ids }: Params<{ ids: readonly number[] }>) =>
  db.selectFrom('data_set_observations').selectAll().where('data_set_id', 'in', ids),
)

type Stored = Omit<Row, 'observed_periods' | 'missed_periods' | 'proven_since_missed'>
const columns = [
  'client_id',
  'chain_id',
  'checked_at',
  'error',
  'chain_state',
  'end_epoch',
  'closed_rounds',
  'is_in_debt',
  'provider_matches',
  'metadata_matches',
  'pieces_match',
  'is_unreachable',
  'piece_count',
  'has_pieces',
  'activation_epoch',
  'deadline',
  'period_epochs',
  'proving',
  'last_proven_epoch',
  'next_due_epoch',
  'owed_since',
  'next_period',
] as const satisfies readonly (keyof Stored)[]
const upsert = sqlStatement<Stored>(
  `insert into data_set_observations (data_set_id, ${columns.join(', ')}) values (:data_set_id, ${columns.map((name) => `:${name}`).join(', ')})
   on conflict (data_set_id) do update set ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
)

const addPeriod = statement((db, row: Params<{ dataSetId: number; period: number; endEpoch: number; isProven: number }>) =>
  db
    .insertInto('proving_periods')
    .values({ data_set_id: row.dataSetId, period: row.period, end_epoch: row.endEpoch, is_proven: row.isProven })
    .onConflict((conflict) =>
      conflict.columns(['data_set_id', 'period']).doUpdateSet({ is_proven: row.isProven, end_epoch: row.endEpoch }),
    ),
)
const dropPeriods = statement((db, { dataSetId, before }: Params<{ dataSetId: number; before: number }>) =>
  db.deleteFrom('proving_periods').where('data_set_id', '=', dataSetId).where('period', '<', before),
)
const countPeriods = sqlStatement<{ dataSetId: number }>(
  `update data_set_observations set
     observed_periods = (select count(*) from proving_periods p where p.data_set_id = :dataSetId),
     missed_periods = (select count(*) from proving_periods p where p.data_set_id = :dataSetId and p.is_proven = 0),
     proven_since_missed = (select count(*) from proving_periods p where p.data_set_id = :dataSetId and p.is_proven = 1 and p.period >
       (select max(m.period) from proving_periods m where m.data_set_id = :dataSetId and m.is_proven = 0))
   where data_set_id = :dataSetId`,
)
const listPeriods = statement((db, { dataSetId }: Params<{ dataSetId: number }>) =>
  db
    .selectFrom('proving_periods')
    .select(['period', 'end_epoch as endEpoch', 'is_proven as isProven'])
    .where('data_set_id', '=', dataSetId)
    .orderBy('period', 'desc'),
)

/** An inner statement, so that the expression has its parameters once. Casts: PostgreSQL does not know their types. */
const countDays = sqlStatement<{ dataSetId: number; epoch: number; dayEpochs: number }, ProvingDay>(
  `select "daysAgo", count(*) as periods, cast(sum(is_proven) as bigint) as proven from (
     select (cast(:epoch as bigint) - end_epoch) / cast(:dayEpochs as bigint) as "daysAgo", is_proven from proving_periods
     where data_set_id = :dataSetId) days
   group by "daysAgo" order by "daysAgo"`,
)

const failAll = statement((db, { nowMs, error }: Params<{ nowMs: number; error: string }>) =>
  db.updateTable('data_set_observations').set({ checked_at: nowMs, error }),
)

const remove = statement((db, { dataSetId }: Params<{ dataSetId: number }>) =>
  db.deleteFrom('data_set_observations').where('data_set_id', '=', dataSetId),
)

const findRound = statement((db, { name }: Params<{ name: string }>) => db.selectFrom('check_rounds').selectAll().where('name', '=', name))
const recordRound = sqlStatement<CheckRound & { name: string }>(
  `insert into check_rounds (name, started_at, finished_at, epoch, data_sets, chain_calls, chain_requests)
   values (:name, :startedAtMs, :finishedAtMs, :epoch, :dataSets, :chainCalls, :chainRequests)
   on conflict (name) do update set started_at = excluded.started_at, finished_at = excluded.finished_at, epoch = excluded.epoch,
     data_sets = excluded.data_sets, chain_calls = excluded.chain_calls, chain_requests = excluded.chain_requests`,
)

/** Lists the looks by local id. */
export const listObservations = async (read: Reader): Promise<ReadonlyMap<number, DataSetObservation>> =>
  new Map((await read.all(listAll)).map((row) => [row.data_set_id, toObservation(row)]))

export const findObservations = async (read: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, DataSetObservation>> =>
  new Map((await read.all(findSome, { ids })).map((row) => [row.data_set_id, toObservation(row)]))

/** Writes the look, and the ended periods that it found; those before `keptFrom` are deleted. */
export async function recordObservation(
  tx: Tx,
  observation: DataSetObservation,
  { periods = [], keptFrom = 0 }: { readonly periods?: readonly ProvingPeriod[]; readonly keptFrom?: number } = {},
): Promise<void> {
  const { dataSetId } = observation
  await tx.run(upsert, fromObservation(observation))
  if (periods.length === 0) return
  for (const { isProven, ...period } of periods) await tx.run(addPeriod, { dataSetId, ...period, isProven: Number(isProven) })
  await tx.run(dropPeriods, { dataSetId, before: keptFrom })
  await tx.run(countPeriods, { dataSetId })
}

/** Newest first. */
export const periodsOf = async (read: Reader, dataSetId: number): Promise<readonly ProvingPeriod[]> =>
  (await read.all(listPeriods, { dataSetId })).map(({ isProven, ...period }) => ({ ...period, isProven: isProven === 1 }))

export const daysOf = (
  read: Reader,
  days: { readonly dataSetId: number; readonly epoch: number; readonly dayEpochs: number },
): Promise<readonly ProvingDay[]> => read.all(countDays, days)

/** The data set is another one, or gone. */
export async function forgetObservation(tx: Tx, dataSetId: number): Promise<void> {
  await tx.run(remove, { dataSetId })
}

/** Nothing could be read: the rows keep what the look before found. */
export async function recordSilence(tx: Tx, silence: { readonly nowMs: number; readonly error: string }): Promise<void> {
  await tx.run(failAll, silence)
}

const roundName = 'data-sets'

export async function findLastRound(read: Reader): Promise<CheckRound | undefined> {
  const row = await read.get(findRound, { name: roundName })
  return (
    row && {
      startedAtMs: row.started_at,
      finishedAtMs: row.finished_at,
      epoch: row.epoch,
      dataSets: row.data_sets,
      chainCalls: row.chain_calls,
      chainRequests: row.chain_requests,
    }
  )
}

export async function recordLastRound(tx: Tx, round: CheckRound): Promise<void> {
  await tx.run(recordRound, { ...round, name: roundName })
}

const toObservation = (row: Row): DataSetObservation => ({
  dataSetId: row.data_set_id,
  clientId: row.client_id,
  chainId: row.chain_id,
  checkedAtMs: row.checked_at,
  error: row.error,
  chainState: row.chain_state,
  endEpoch: row.end_epoch,
  closedRounds: row.closed_rounds,
  isInDebt: row.is_in_debt === 1,
  providerMatches: row.provider_matches === 1,
  metadataMatches: row.metadata_matches === null ? null : row.metadata_matches === 1,
  piecesMatch: row.pieces_match === 1,
  isUnreachable: row.is_unreachable === 1,
  pieceCount: row.piece_count,
  hasPieces: row.has_pieces === 1,
  activation: row.activation_epoch,
  deadline: row.deadline,
  periodEpochs: row.period_epochs,
  proving: row.proving,
  lastProven: row.last_proven_epoch,
  nextDue: row.next_due_epoch,
  owedSince: row.owed_since,
  nextPeriod: row.next_period,
  observedPeriods: row.observed_periods,
  missedPeriods: row.missed_periods,
  provenSinceMissed: row.proven_since_missed,
})

const fromObservation = (seen: DataSetObservation): Stored => ({
  data_set_id: seen.dataSetId,
  client_id: seen.clientId,
  chain_id: seen.chainId,
  checked_at: seen.checkedAtMs,
  error: seen.error,
  chain_state: seen.chainState,
  end_epoch: seen.endEpoch,
  closed_rounds: seen.closedRounds,
  is_in_debt: Number(seen.isInDebt),
  provider_matches: Number(seen.providerMatches),
  metadata_matches: seen.metadataMatches === null ? null : Number(seen.metadataMatches),
  pieces_match: Number(seen.piecesMatch),
  is_unreachable: Number(seen.isUnreachable),
  piece_count: seen.pieceCount,
  has_pieces: Number(seen.hasPieces),
  activation_epoch: seen.activation,
  deadline: seen.deadline,
  period_epochs: seen.periodEpochs,
  proving: seen.proving,
  last_proven_epoch: seen.lastProven,
  next_due_epoch: seen.nextDue,
  owed_since: seen.owedSince,
  next_period: seen.nextPeriod,
})
