import type { Reader, Tx } from '#kernel'

/** Names of all keepers that were ever attached. */
export const knownKeepers = async (read: Reader): Promise<readonly string[]> =>
  read.all<{ name: string }>('select name from copy_keepers').map(({ name }) => name)

/**
 * Records the keepers of this start: those that are not attached miss the changes from now on. Returns the attached ones that missed
 * changes of earlier starts.
 */
export async function recordKeepers(tx: Tx, attached: readonly string[]): Promise<readonly string[]> {
  for (const name of attached) tx.run('insert into copy_keepers (name) values (?) on conflict (name) do nothing', name)
  const names = JSON.stringify(attached)
  tx.run('update copy_keepers set was_absent = 1 where name not in (select value from json_each(?))', names)
  return tx
    .all<{ name: string }>('select name from copy_keepers where was_absent = 1 and name in (select value from json_each(?))', names)
    .map(({ name }) => name)
}

/** The keepers know all contents again. */
export async function markCaughtUp(tx: Tx, names: readonly string[]): Promise<void> {
  tx.run('update copy_keepers set was_absent = 0 where name in (select value from json_each(?))', JSON.stringify(names))
}
