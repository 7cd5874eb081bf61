/** Replacements whose task was lost, and what only the chain decides. */
import { drivenReplacements, type ReplacementRow, stoppedReplacements, unclearedReplacements } from '../records/replacement-store.ts'
import { driveKey, scheduleDrive } from './drive-task.ts'
import { type Engine, findWork } from './engine.ts'

const replacementsPerPage = 200

/**
 * I-43: each replacement that is not finished has a task, or waits for an operator. The end of a service that waits for an operator may come
 * by itself, such as after a deposit: then the replacement is completed. Returns how many tasks were enqueued.
 */
export async function resumeReplacements(deps: Engine, signal: AbortSignal): Promise<number> {
  const { database, log } = deps
  let resumed = 0
  for (let after = 0; ; ) {
    signal.throwIfAborted()
    const ids = await drivenReplacements(database.read, { after, limit: replacementsPerPage })
    resumed += await enqueue(deps, ids)
    const last = ids.at(-1)
    if (last === undefined || ids.length < replacementsPerPage) break
    after = last
  }
  resumed += await enqueue(deps, await unclearedReplacements(database.read, replacementsPerPage))
  for (let after = 0; ; ) {
    const page = await stoppedReplacements(database.read, { after, limit: replacementsPerPage })
    for (const stopped of page) {
      signal.throwIfAborted()
      if (await hasMovedOn(deps, stopped)) resumed += await enqueue(deps, [stopped.id])
    }
    const last = page.at(-1)
    if (last === undefined || page.length < replacementsPerPage) break
    after = last.id
  }
  if (resumed > 0) log.info('replacements without a task were continued', { replacements: resumed })
  return resumed
}

/** What an operator was called for has happened: the old services ended, or the bucket was deleted. */
async function hasMovedOn(deps: Engine, stopped: ReplacementRow): Promise<boolean> {
  const work = await findWork(deps, stopped)
  return work === undefined || (stopped.status === 'cleanup_attention' && work.sources.length === 0)
}

async function enqueue({ database, queue }: Pick<Engine, 'database' | 'queue'>, ids: readonly number[]): Promise<number> {
  const open = await queue.openKeys(database.read, ids.map(driveKey))
  const lost = ids.filter((id) => !open.has(driveKey(id)))
  if (lost.length === 0) return 0
  await database.write(async (tx) => {
    for (const id of lost) await scheduleDrive(queue, tx, id)
  })
  return lost.length
}
