/** @walk replacement 1: takes the step that the state asks for */
import { done, type Outcome, wait } from '#kernel'
import { removeItems } from '../records/item-store.ts'
import { findReplacement, type ReplacementRow, removeReplacement } from '../records/replacement-store.ts'
import { endedStatuses } from '../states/replacement-transitions-policy.ts'
import { type Engine, findWork } from './engine.ts'
import { migrate } from './migrate.ts'
import { prepare } from './prepare.ts'
import { retire } from './retire.ts'

/** Items of an ended replacement that one transaction deletes. */
const removedPerPage = 2000

/** One step of a replacement. Safe to repeat from any point: the state is in the rows. */
export async function drive(deps: Engine, id: number, signal: AbortSignal): Promise<Outcome> {
  const { database, states } = deps
  const replacement = await findReplacement(database.read, id)
  if (!replacement) return done()
  if (endedStatuses.includes(replacement.status)) return clear(deps, replacement)
  const work = await findWork(deps, replacement)
  if (!work) {
    await database.write((tx) => states.apply(tx, 'bucket_deleted', id))
    return wait('removal', deps.clock.now())
  }
  if (replacement.status === 'failed') return done()
  switch (replacement.phase) {
    case 'prepare':
      return prepare(deps, work, signal)
    case 'migrate':
      return migrate(deps, work, signal)
    case 'retire': {
      const outcome = await retire(deps, work)
      return outcome.kind === 'done' && (await isEnded(deps, id)) ? wait('removal', deps.clock.now()) : outcome
    }
    case 'none':
      return done()
  }
}

const isEnded = async ({ database }: Engine, id: number): Promise<boolean> => {
  const row = await findReplacement(database.read, id)
  return row !== undefined && endedStatuses.includes(row.status)
}

/** The counts are in the row: the items are deleted, and with a deleted bucket the row too. */
async function clear({ database, clock }: Engine, { id, status, supersededById }: ReplacementRow): Promise<Outcome> {
  const removed = await database.write((tx) => removeItems(tx, id, removedPerPage), { rows: removedPerPage })
  if (removed === removedPerPage) return wait('removal', clock.now())
  if (status === 'superseded' && supersededById === null) await database.write((tx) => removeReplacement(tx, id))
  return done()
}
