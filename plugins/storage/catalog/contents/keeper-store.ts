import type { Params, Reader, Tx } from '#kernel'
import { statement } from '../entities/tables.ts'

const selectNames = statement((db) => db.selectFrom('copy_keepers').select('name'))

const addKeeper = statement((db, { name }: Params<{ name: string }>) =>
  db
    .insertInto('copy_keepers')
    .values({ name })
    .onConflict((conflict) => conflict.column('name').doNothing()),
)

type Names = Params<{ names: readonly string[] }>

const markAbsent = statement((db, { names }: Names) => db.updateTable('copy_keepers').set({ was_absent: 1 }).where('name', 'not in', names))
const returned = statement((db, { names }: Names) =>
  db.selectFrom('copy_keepers').select('name').where('was_absent', '=', 1).where('name', 'in', names),
)
const markPresent = statement((db, { names }: Names) => db.updateTable('copy_keepers').set({ was_absent: 0 }).where('name', 'in', names))

/** Names of all keepers that were ever attached. */
export async function knownKeepers(read: Reader): Promise<readonly string[]> {
  return (await read.all(selectNames)).map(({ name }) => name)
}

/**
 * Records the keepers of this start: those that are not attached miss the changes from now on. Returns the attached ones that missed
 * changes of earlier starts.
 */
export async function recordKeepers(tx: Tx, attached: readonly string[]): Promise<readonly string[]> {
  for (const name of attached) await tx.run(addKeeper, { name })
  await tx.run(markAbsent, { names: attached })
  return (await tx.all(returned, { names: attached })).map(({ name }) => name)
}

/** The keepers know all contents again. */
export async function markCaughtUp(tx: Tx, names: readonly string[]): Promise<void> {
  await tx.run(markPresent, { names })
}
