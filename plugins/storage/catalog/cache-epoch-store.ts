import type { Params, Reader, Tx } from '#kernel'
import { statement } from './tables.ts'

const lastEpoch = statement((db) => db.selectFrom('cache_epochs').select(({ fn }) => fn.max('epoch').as('epoch')))

const addEpoch = statement((db, { epoch }: Params<{ epoch: number }>) => db.insertInto('cache_epochs').values({ epoch }))

const unsweptBefore = statement((db, { before }: Params<{ before: number }>) =>
  db.selectFrom('cache_epochs').select('epoch').where('swept_at', 'is', null).where('epoch', '<', before).orderBy('epoch'),
)

const setSwept = statement((db, { epoch, nowMs }: Params<{ epoch: number; nowMs: number }>) =>
  db.updateTable('cache_epochs').set({ swept_at: nowMs }).where('epoch', '=', epoch),
)

/** Inserts the epoch of this start: `nowMs`, or one more than the last epoch if the clock went back. */
export async function openEpoch(tx: Tx, nowMs: number): Promise<number> {
  const epoch = Math.max(nowMs, ((await tx.get(lastEpoch))?.epoch ?? 0) + 1)
  await tx.run(addEpoch, { epoch })
  return epoch
}

export async function unsweptEpochs(read: Reader, before: number): Promise<number[]> {
  return (await read.all(unsweptBefore, { before })).map(({ epoch }) => epoch)
}

export async function markSwept(tx: Tx, epoch: number, nowMs: number): Promise<void> {
  await tx.run(setSwept, { epoch, nowMs })
}

/** The epoch of this start, after it was inserted. */
export async function currentEpoch(read: Reader): Promise<number> {
  return (await read.get(lastEpoch))?.epoch ?? 0
}
