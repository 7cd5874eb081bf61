import type { Database, TaskQueue } from '#kernel'
import type { Packs } from '#plugins/storage'
import { enqueueSeal } from '../sealing/seal-pack-task.ts'
import { enqueuePackStored } from '../stored/pack-stored-task.ts'
import { bucketsToPack } from '../stored/stored-store.ts'
import { bucketsThatWait, membersOfLostPacks, storedPacks } from './pack-file-store.ts'

const perPage = 100

interface KeepDeps {
  readonly database: Pick<Database, 'read'>
  /** The database of the run. */
  readonly fenced: Database
  readonly packs: Pick<Packs, 'releaseFile' | 'waitAgain'>
  readonly queue: Pick<TaskQueue, 'add'>
}

/** Enqueues the task of each bucket in which contents wait. */
export async function enqueueSeals(database: Database, queue: Pick<TaskQueue, 'add'>): Promise<void> {
  for (const bucket of await bucketsThatWait(database.read)) await database.write((tx) => enqueueSeal(tx, queue, bucket))
}

export async function keepPacks({ database, fenced, packs, queue }: KeepDeps, signal: AbortSignal): Promise<void> {
  await inPages(storedPacks, async (page) => {
    for (const packId of page) {
      signal.throwIfAborted()
      await packs.releaseFile(packId)
    }
  })
  await inPages(membersOfLostPacks, (page) => fenced.write((tx) => packs.waitAgain(tx, page), { rows: page.length }))
  await enqueueSeals(fenced, queue)
  for (const bucket of await bucketsToPack(database.read)) await fenced.write((tx) => enqueuePackStored(tx, queue, bucket))

  async function inPages(find: typeof storedPacks, handle: (page: readonly number[]) => Promise<void>): Promise<void> {
    for (let after = 0; ; ) {
      signal.throwIfAborted()
      const page = await find(database.read, { after, limit: perPage })
      const last = page.at(-1)
      if (last === undefined) return
      await handle(page)
      after = last
    }
  }
}
