import { setImmediate } from 'node:timers/promises'
import { type Clock, type Database, defineProbe, done, type Outcome, SvcError, wait } from '#kernel'
import type { Buckets, Objects, Versions } from '#plugins/storage'
import { advanceBulkAction, type BulkAction, endBulkAction, findBulkAction, restartBulkAction } from './bulk-action-store.ts'
import { nextDeleted, nextKeys, type Page } from './bulk-page.ts'
import { type Counts, deletePermanently, moveToTrash, restoreFromTrash } from './bulk-steps.ts'
import { emptyBucket } from './empty-bucket.ts'

export interface BulkDeps {
  readonly clock: Clock
  readonly database: Database
  readonly buckets: Pick<Buckets, 'delete' | 'require'>
  readonly objects: Pick<Objects, 'listKeys'>
  readonly versions: Versions
  progressed(): void
}

/** Pause before objects whose copies are being made are tried again. */
const busyMs = 15_000

const pageChanged = defineProbe('bulk.page')

/** Changes the objects page by page. A page that was changed but not recorded is looked at again, and has nothing left to change. */
export async function runBulkAction(deps: BulkDeps, id: number, signal: AbortSignal): Promise<Outcome> {
  for (;;) {
    signal.throwIfAborted()
    const action = await findBulkAction(deps.database.read, id)
    if (action?.status !== 'running') return done()
    const ended = await (action.action === 'delete_bucket' ? deleteNext(deps, action) : changeNext(deps, action, signal))
    if (ended) return ended
    deps.progressed()
    await setImmediate()
  }
}

/** Returns the outcome of the run at its end. */
async function changeNext(deps: BulkDeps, action: BulkAction, signal: AbortSignal): Promise<Outcome | undefined> {
  let page: (Page<unknown> & { readonly counts: Counts }) | undefined
  try {
    page = await changePage({ ...deps, signal }, action)
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'bucket_not_found') throw error
    return end(deps, action, 'incomplete', 'The bucket was deleted.')
  }
  if (page) {
    await pageChanged()
    await record(deps, { id: action.id, targetAt: page.targetAt, afterKey: page.afterKey }, page.counts)
    return undefined
  }
  if (action.busy === 0) return end(deps, action, 'completed', null)
  const nowMs = deps.clock.now()
  await deps.database.write((tx) => restartBulkAction(tx, action.id, nowMs))
  return wait('storage_busy', nowMs + busyMs, `Copies of ${action.busy} of the objects are being made; they are deleted after that.`)
}

interface PageDeps extends BulkDeps {
  readonly signal: AbortSignal
}

async function changePage(deps: PageDeps, action: BulkAction): Promise<(Page<unknown> & { readonly counts: Counts }) | undefined> {
  if (action.action === 'move_to_trash') {
    const page = await nextKeys(deps, action)
    return page && { ...page, counts: await moveToTrash(deps, action, page.items) }
  }
  const page = await nextDeleted(deps, action)
  const change = action.action === 'restore' ? restoreFromTrash : deletePermanently
  return page && { ...page, counts: await change(deps, action, page.items) }
}

async function deleteNext(deps: BulkDeps, action: BulkAction): Promise<Outcome | undefined> {
  const emptied = await emptyBucket(deps, action)
  await pageChanged()
  if (emptied.kind === 'deleted') return end(deps, action, 'completed', null)
  if (emptied.kind === 'written') {
    return end(deps, action, 'incomplete', 'Objects were written after the request. They and the bucket stay; request the deletion again.')
  }
  await record(deps, { id: action.id, targetAt: 0, afterKey: '' }, { done: emptied.done, skipped: 0, busy: 0 })
  return undefined
}

async function record(
  { clock, database }: BulkDeps,
  place: { readonly id: number; readonly targetAt: number; readonly afterKey: string },
  counts: Counts,
): Promise<void> {
  await database.write((tx) => advanceBulkAction(tx, { ...place, ...counts, nowMs: clock.now() }))
}

async function end(
  { clock, database }: BulkDeps,
  { id }: BulkAction,
  status: 'completed' | 'incomplete',
  problem: string | null,
): Promise<Outcome> {
  await database.write((tx) => endBulkAction(tx, { id, status, problem, nowMs: clock.now() }))
  return done()
}
