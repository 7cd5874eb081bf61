import type { Params, Tx } from '#kernel'
import { statement } from '../tables.ts'

const useInSlot = statement((db, { from, to }: Params<{ from: number; to: number }>) =>
  db.updateTable('replica_slots').set({ current_data_set_id: to }).where('current_data_set_id', '=', from),
)

const moveCopies = statement((db, { from, to, nowMs }: Params<{ from: number; to: number; nowMs: number }>) =>
  db.updateTable('copies').set({ data_set_id: to, updated_at: nowMs }).where('data_set_id', '=', from).where('state', '=', 'planned'),
)

/** The slot of the data set gets another generation, with the planned copies. */
export async function replaceInSlot(tx: Tx, change: { readonly from: number; readonly to: number }, nowMs: number): Promise<void> {
  await tx.run(useInSlot, change)
  await tx.run(moveCopies, { ...change, nowMs })
}
