/** The paid attempt that ends a data set. */
import { sql } from 'kysely'
import type { Params, Reader, Tx } from '#kernel'
import type { States } from '../states/states.ts'
import { ofEach } from '../states/tables/transition.ts'
import { endingStates, stepOf } from '../submissions/row-states-policy.ts'
import { statement } from '../tables.ts'
import type { EndingPath, EndingState } from './ending-entity.ts'

export interface Ending {
  readonly dataSetId: number
  readonly state: EndingState
  readonly path: EndingPath
  readonly extraData: string | null
  readonly startedAtMs: number | null
  /** Nonce of the provider's sender after its handling time for the attempt. */
  readonly senderNonce: number | null
  /** Recorded attempts by the current path. */
  readonly attempts: number
  readonly checks: number
  readonly lastError: string | null
  readonly requestedAtMs: number
  /** Since when the provider can be asked to end the service. */
  readonly retiringAtMs: number | null
}

const find = statement((db, { dataSetId }: Params<{ dataSetId: number }>) =>
  db
    .selectFrom('data_set_endings')
    .select(['data_set_id as dataSetId', 'state', 'path', 'extra_data as extraData', 'started_at as startedAtMs', 'attempts', 'checks'])
    .select(['sender_nonce as senderNonce', 'last_error as lastError', 'requested_at as requestedAtMs', 'retiring_at as retiringAtMs'])
    .where('data_set_id', '=', dataSetId),
)

/** What an event of the attempt needs to know besides the data set. */
interface EndingDetails {
  readonly nowMs: number
  /** The bytes that will be sent; null: the wallet keeps those of its own transactions. */
  readonly extraData?: string | null
  readonly priceList?: string | null
  readonly message?: string
  /** The service is paid up to this epoch; null: the data set is no longer on chain. */
  readonly endEpoch?: bigint | null
}

interface Given {
  readonly dataSetId: number
  readonly nowMs: number
  readonly extraData: string | null
  readonly priceList: string | null
  readonly message: string | null
  readonly endEpoch: string | null
}
type Columns = (given: Params<Given>) => object

const explain: Columns = ({ message }) => ({ last_error: message })
const restart: Columns = ({ nowMs }) => ({ started_at: nowMs, sender_nonce: null, checks: 0 })

/** Columns by event of the paid attempt. */
const columnsOf = {
  /** The bytes are recorded before they are sent (I-04). */
  record: (given) => ({ ...restart(given), extra_data: given.extraData, price_list: given.priceList, attempts: sql`attempts + 1` }),
  answered_ok: () => ({}),
  /** The answer was lost: the chain decides, and nothing is sent before that (I-05). */
  answered_uncertain: explain,
  reopened: explain,
  landed: ({ endEpoch }) => ({ end_epoch: endEpoch, checks: 0, last_error: null }),
  rolled_back: (given) => ({ ...restart(given), end_epoch: null }),
  /** Nothing is sent any more: the data set has ended finally, or was never created. */
  ended: () => ({}),
} as const satisfies Readonly<Record<string, Columns>>

type EndingEvent = keyof typeof columnsOf

const changeBy = (event: EndingEvent) =>
  statement((db, given: Params<Given>) => {
    const { from, to } = stepOf(endingStates, event)
    return db
      .updateTable('data_set_endings')
      .set({ ...columnsOf[event](given), ...(to && { state: to }), updated_at: given.nowMs })
      .where('data_set_id', '=', given.dataSetId)
      .where('state', 'in', from)
  })
const changes = ofEach(columnsOf, changeBy)

const retire = statement((db, { dataSetId, nowMs }: Params<{ dataSetId: number; nowMs: number }>) =>
  db.updateTable('data_set_endings').set({ retiring_at: nowMs, updated_at: nowMs }).where('data_set_id', '=', dataSetId),
)

const forgive = statement((db, { dataSetId }: Params<{ dataSetId: number }>) =>
  db
    .updateTable('data_set_endings')
    .set((row) => ({ attempts: row('attempts', '-', 1) }))
    .where('data_set_id', '=', dataSetId)
    .where('state', '=', endingStates.ready)
    .where('attempts', '>', 0),
)

const choosePayer = statement((db, { dataSetId, message, nowMs }: Params<{ dataSetId: number; message: string; nowMs: number }>) =>
  db
    .updateTable('data_set_endings')
    .set({ path: 'payer', attempts: 0, last_error: message, updated_at: nowMs })
    .where('data_set_id', '=', dataSetId)
    .where('state', '=', endingStates.ready)
    .where('path', '=', 'relay'),
)

const look = statement((db, { dataSetId, senderNonce }: Params<{ dataSetId: number; senderNonce: number | null }>) =>
  db
    .updateTable('data_set_endings')
    .set((row) => ({ checks: row('checks', '+', 1), sender_nonce: row.fn.coalesce(row.val(senderNonce), 'sender_nonce') }))
    .where('data_set_id', '=', dataSetId),
)

export async function findEnding(read: Reader, dataSetId: number): Promise<Ending | undefined> {
  return read.get(find, { dataSetId })
}

/** False, without changes, when the state does not take the event. */
export async function changeEnding(
  tx: Tx,
  event: EndingEvent,
  dataSetId: number,
  { nowMs, extraData = null, priceList = null, message, endEpoch }: EndingDetails,
): Promise<boolean> {
  const given = { dataSetId, nowMs, extraData, priceList, message: message ?? null, endEpoch: endEpoch?.toString() ?? null }
  return (await tx.run(changes[event], given)).changes === 1
}

/** The provider can be asked to end the service. */
export async function beginRetiring({ dataSets }: Pick<States, 'dataSets'>, tx: Tx, dataSetId: number, nowMs: number): Promise<void> {
  await tx.run(retire, { dataSetId, nowMs })
  // A lost data set stays lost until its end is final.
  await dataSets.apply(tx, 'retiring', dataSetId)
}

/** The provider could not be reached or was busy: the attempt does not count. */
export async function forgiveAttempt(tx: Tx, dataSetId: number): Promise<void> {
  await tx.run(forgive, { dataSetId })
}

/** The provider does not relay the termination: the wallet sends it. Only while no attempt is open. */
export async function endByPayer(tx: Tx, dataSetId: number, why: { readonly message: string; readonly nowMs: number }): Promise<void> {
  await tx.run(choosePayer, { dataSetId, ...why })
}

/** `observe`: nonce of the sender to record. */
export async function countLook(tx: Tx, dataSetId: number, observe: number | undefined): Promise<void> {
  await tx.run(look, { dataSetId, senderNonce: observe ?? null })
}
