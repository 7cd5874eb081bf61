/** The only writer of `data_sets.state`. */
import { type ExpressionBuilder, sql } from 'kysely'
import type { Params, Tx } from '#kernel'
import type { ChosenBecause } from '#plugins/providers'
import { type ReplicationTables, statement } from '../tables.ts'
import { type DataSetEventName, dataSetEvent, dataSetEvents } from './tables/data-set-transitions-policy.ts'
import { ofEach } from './tables/transition.ts'

export interface PlannedDataSet {
  readonly bucketId: number
  readonly slot: number
  readonly providerId: string
  readonly providerAddress: string
  readonly payee: string
  readonly serviceUrl: string
  readonly clientDataSetId: bigint
  readonly pieceBytesMax: number
  /** Absent when an operator chose the provider. */
  readonly chosenBecause?: ChosenBecause | undefined
}

/** What an event needs to know besides the data set. */
export interface DataSetDetails {
  readonly code?: string
  readonly message?: string
  /** Signed bytes of the creation. */
  readonly extraData?: string
  /** Fingerprint of the price list of the creation. */
  readonly priceList?: string | null
  /** The provider may have the signed bytes of a creation that it refused. */
  readonly wasOffered?: boolean
  /** Its id on chain: the new one, or the one that it loses. */
  readonly chainId?: bigint
}

interface NewDataSet extends Omit<PlannedDataSet, 'clientDataSetId' | 'chosenBecause'> {
  readonly clientDataSetId: string
  readonly chosenReason: string | null
  readonly chosenDetail: string | null
  readonly nowMs: number
}

const insert = statement((db, plan: Params<NewDataSet>) =>
  db
    .insertInto('data_sets')
    .values({
      bucket_id: plan.bucketId,
      slot: plan.slot,
      generation: db
        .selectFrom('data_sets')
        .select(sql<number>`coalesce(max(generation), 0) + 1`.as('next'))
        .where('bucket_id', '=', plan.bucketId)
        .where('slot', '=', plan.slot),
      provider_id: plan.providerId,
      provider_address: plan.providerAddress,
      payee: plan.payee,
      service_url: plan.serviceUrl,
      client_data_set_id: plan.clientDataSetId,
      piece_bytes_max: plan.pieceBytesMax,
      chosen_reason: plan.chosenReason,
      chosen_detail: plan.chosenDetail,
      state: dataSetEvents.planned.to,
      created_at: plan.nowMs,
      updated_at: plan.nowMs,
    })
    .returning('id'),
)

interface Given {
  readonly id: number
  readonly nowMs: number
  readonly code: string | null
  readonly message: string | null
  readonly extraData: string | null
  readonly priceList: string | null
  readonly offeredAtMs: number | null
  readonly chainId: string | null
}
type Columns = (given: Params<Given>) => object

const attempt: Columns = ({ nowMs }) => ({ create_started_at: nowMs, create_sender_nonce: null })
const reopen: Columns = ({ offeredAtMs, code, message }) => ({
  create_tx: null,
  create_offered_at: sql`coalesce(create_offered_at, ${offeredAtMs})`,
  last_error_code: code,
  last_error: message,
})
/** Set until the contents are counted again. */
const end: Columns = ({ nowMs, message }) => ({ gone_seen_at: sql`coalesce(gone_seen_at, ${nowMs})`, last_error: message })
const settled: Columns = () => ({ gone_seen_at: null })

const columnsOf: Readonly<Partial<Record<DataSetEventName, Columns>>> = {
  replanned: ({ message }) => ({ last_error: message }),
  creation_recorded: (given) => ({ ...attempt(given), create_extra_data: given.extraData, create_price_list: given.priceList }),
  creation_refused: reopen,
  creation_not_landed: reopen,
  creation_followed: attempt,
  created: ({ chainId }) => ({ chain_id: chainId, last_error_code: null, last_error: null }),
  creation_rolled_back: (given) => ({
    ...attempt(given),
    chain_id: null,
    gone_seen_at: null,
    landed_epoch: null,
    final_at: null,
    looks: 0,
    last_error_code: 'reorganised',
    last_error: given.message,
  }),
  terminated: end,
  lost: end,
  retired: settled,
  never_created: settled,
}

type DataSets = ExpressionBuilder<ReplicationTables, 'data_sets'>
const isEnding = (row: DataSets, { id }: Params<Given>) =>
  row.exists(row.selectFrom('data_set_endings').select('state').where('data_set_id', '=', id))

const conditions = {
  not_ending: (row: DataSets, given: Params<Given>) => row.not(isEnding(row, given)),
  never_offered: (row: DataSets, given: Params<Given>) => row.and([row('create_offered_at', 'is', null), row.not(isEnding(row, given))]),
  ending_unknown: (row: DataSets, given: Params<Given>) => row.and([row('chain_id', 'is', null), isEnding(row, given)]),
  same_id: (row: DataSets, { chainId }: Params<Given>) => row('chain_id', '=', chainId),
} as const

const changeBy = (name: DataSetEventName) =>
  statement((db, given: Params<Given>) => {
    const { from, to, onlyIf } = dataSetEvent(name)
    return db
      .updateTable('data_sets')
      .set({ ...columnsOf[name]?.(given), state: to, updated_at: given.nowMs })
      .where('id', '=', given.id)
      .where('state', 'in', from)
      .where((row) => (onlyIf ? conditions[onlyIf](row, given) : row.lit(true)))
  })
const changes = ofEach(dataSetEvents, changeBy)

const freeSlotOf = statement((db, { id }: Params<{ id: number }>) => db.deleteFrom('replica_slots').where('current_data_set_id', '=', id))

/** It names the id that the chain no longer has. */
const dropSignedEnding = statement((db, { id }: Params<{ id: number }>) =>
  db.updateTable('data_set_endings').set({ extra_data: null }).where('data_set_id', '=', id),
)

/** Inserts the generation after the last one of the slot. */
export async function addDataSet(tx: Tx, { chosenBecause, ...plan }: PlannedDataSet, nowMs: number): Promise<number> {
  const chosen = { chosenReason: chosenBecause?.reason ?? null, chosenDetail: chosenBecause?.detail ?? null }
  const made = await tx.get(insert, { ...plan, ...chosen, clientDataSetId: plan.clientDataSetId.toString(), nowMs })
  if (!made) throw new Error(`no data set was inserted for slot ${plan.slot} of bucket ${plan.bucketId}`)
  return made.id
}

/** False, without changes, when the state does not take the event. */
export async function changeDataSet(
  tx: Tx,
  id: number,
  name: DataSetEventName,
  { nowMs, code, message, extraData, priceList, wasOffered = true, chainId }: DataSetDetails & { readonly nowMs: number },
): Promise<boolean> {
  // An event that inserts data sets changes none.
  if (dataSetEvent(name).from.length === 0) return false
  const given = { id, nowMs, code: code ?? null, message: message ?? null, extraData: extraData ?? null, priceList: priceList ?? null }
  const { changes: changed } = await tx.run(changes[name], {
    ...given,
    offeredAtMs: wasOffered ? nowMs : null,
    chainId: chainId?.toString() ?? null,
  })
  return changed === 1
}

export async function freeSlot(tx: Tx, id: number): Promise<void> {
  await tx.run(freeSlotOf, { id })
}

export async function forgetSignedEnding(tx: Tx, id: number): Promise<void> {
  await tx.run(dropSignedEnding, { id })
}
