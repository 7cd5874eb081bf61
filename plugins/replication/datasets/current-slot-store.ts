import type { Params, Reader, Tx } from '#kernel'
import { statement } from '../tables.ts'

const findSlot = statement((db, { id }: Params<{ id: number }>) =>
  db.selectFrom('replica_slots').select('slot').where('current_data_set_id', '=', id).forUpdate(),
)

const change = statement((db, { from, to }: Params<{ from: number; to: number }>) =>
  db
    .updateTable('replica_slots')
    .set({ current_data_set_id: to })
    .where('current_data_set_id', '=', from)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('data_sets as d')
          .select('d.id')
          .where('d.id', '=', to)
          .whereRef('d.bucket_id', '=', 'replica_slots.bucket_id')
          .whereRef('d.slot', '=', 'replica_slots.slot'),
      ),
    ),
)

const moveCopies = statement((db, { from, to, nowMs }: Params<{ from: number; to: number; nowMs: number }>) =>
  db.updateTable('copies').set({ data_set_id: to, updated_at: nowMs }).where('data_set_id', '=', from).where('state', '=', 'planned'),
)

/** Whether the data set is the current one of its slot. In a transaction it stays so until the commit. */
export const isCurrent = async (read: Reader, id: number): Promise<boolean> => (await read.get(findSlot, { id })) !== undefined

/** I-48: a slot passes from one generation to another only if it still has the first: the caller that commits first wins. */
export const switchSlot = async (tx: Tx, from: number, to: number): Promise<boolean> => (await tx.run(change, { from, to })).changes === 1

/** The slot passes to another generation together with the planned copies: nothing was sent for them. */
export async function replaceInSlot(tx: Tx, { from, to }: { readonly from: number; readonly to: number }, nowMs: number): Promise<void> {
  if (await switchSlot(tx, from, to)) await tx.run(moveCopies, { from, to, nowMs })
}
