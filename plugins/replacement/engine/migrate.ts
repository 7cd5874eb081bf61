/** Copies the contents of the old data sets to the new one, and asks for their end when all can be read there. */
import { defineProbe, done, type Outcome } from '#kernel'
import { countItems, pageOfItems } from '../records/item-store.ts'
import { copyingBesides, findReplacement, lockReplacement, recordSeeding } from '../records/replacement-store.ts'
import { again, carryOn, type Engine, failTarget, isAlive, pause, type Work } from './engine.ts'
import { seed } from './seed.ts'
import { failuresMax, sweepItems } from './sweep.ts'
import { reasonOfCopying } from './wait-reason-policy.ts'

const endRequested = defineProbe('replacement.end_requested')

/** Pages are read one after the other for this long; then other tasks get the worker. */
const runMs = 2000

/** One step after the takeover. */
export async function migrate(deps: Engine, work: Work, signal: AbortSignal): Promise<Outcome> {
  const { clock, database, settings } = deps
  const { replacement, target } = work
  if (target.state === 'creating')
    return pause(deps, replacement, {
      phase: 'migrate',
      reason: 'target_creating',
      message: 'a reorganisation removed the creation of the new data set; it is looked up again',
    })
  if (!isAlive(target)) return failTarget(deps, work, 'migration_failed')
  const isBegun = replacement.isSeeded === 1 || replacement.seedingId !== null
  if (!isBegun && (await copyingBesides(database.read, replacement.id)) >= settings.copying_at_once) {
    const message = `${settings.copying_at_once} replicas are being copied, as replacement.copying_at_once allows`
    return pause(deps, replacement, { phase: 'migrate', reason: 'turn', message })
  }
  const endMs = clock.now() + runMs
  if (replacement.isSeeded === 0) return seedFor(deps, work, { endMs, signal })
  const swept = await sweepRound(deps, replacement.id, { isFull: false, endMs, signal })
  return swept === undefined ? again(deps, 'copying') : judge(deps, work, { ...swept, signal })
}

interface Run {
  readonly endMs: number
  readonly signal: AbortSignal
}

async function seedFor(deps: Engine, work: Work, { endMs, signal }: Run): Promise<Outcome> {
  await carryOn(deps, work.replacement, 'migrate')
  for (let replacement = work.replacement; replacement.isSeeded === 0; ) {
    signal.throwIfAborted()
    await seed(deps, { ...work, replacement })
    const read = await findReplacement(deps.database.read, replacement.id)
    if (!read || deps.clock.now() >= endMs) break
    replacement = read
  }
  return again(deps, 'copying')
}

/** What a whole round found. */
interface Round {
  readonly hasChanged: boolean
  /** Copies that some task makes. */
  readonly inFlight: number
}

/** A round over the items, page by page, or the part of it that fits into the run. Undefined: it is not over. */
async function sweepRound(
  deps: Engine,
  id: number,
  { isFull, endMs, signal }: Run & { readonly isFull: boolean },
): Promise<Round | undefined> {
  let inFlight = 0
  let failed = 0
  let hasChanged = false
  for (;;) {
    signal.throwIfAborted()
    const replacement = await findReplacement(deps.database.read, id)
    if (!replacement) return undefined
    const swept = await sweepItems(deps, replacement, { isFull, inFlight, failed }, signal)
    inFlight = swept.inFlight
    failed = swept.failed
    hasChanged ||= swept.hasChanged
    if (swept.isLast) return { hasChanged, inFlight }
    if (!isFull && deps.clock.now() >= endMs) return undefined
  }
}

async function judge(deps: Engine, work: Work, { hasChanged, inFlight, signal }: Round & Pick<Run, 'signal'>): Promise<Outcome> {
  const { database, slots, states } = deps
  const { replacement, target } = work
  const counts = await countItems(database.read, replacement.id)
  const n = (...of: readonly Parameters<typeof counts.get>[0][]) => of.reduce((sum, state) => sum + (counts.get(state) ?? 0), 0)
  const [failed, unsourced, inWork] = [n('failed'), n('waiting_source'), n('pending', 'active', 'retrying', 'attention')]
  if (failed + unsourced + inWork === 0) return finish(deps, work, signal)
  const isGivenUp = failed >= failuresMax && inFlight === 0 && !hasChanged
  if (isGivenUp || (inWork === 0 && unsourced === 0)) {
    const message = `${failed} contents could not be copied: ${await whyFailed(deps, work)}`
    await database.write((tx) => states.apply(tx, 'migration_failed', replacement.id, { failure: 'items_failed', message }))
    return done()
  }
  if (inWork === 0) {
    const message = `${unsourced} contents are neither in the cache nor at another provider of the bucket; they are copied when they are read through svc`
    return pause(deps, replacement, { phase: 'migrate', reason: 'source', message })
  }
  const making = await slots.work(database.read, target.id)
  const reason = hasChanged ? undefined : reasonOfCopying(making)
  if (reason) return pause(deps, replacement, { phase: 'migrate', reason, message: making.message ?? 'no copy can be made now' })
  // A wait for funds or the provider ends when something moves again.
  const isOver = hasChanged || replacement.waitReason === 'source' || replacement.waitReason === 'retirement'
  if (isOver) await carryOn(deps, replacement, 'migrate')
  return again(deps, 'copying')
}

async function whyFailed({ database, slots }: Engine, { replacement: { id }, target }: Work): Promise<string> {
  const contentIds = (await pageOfItems(database.read, { id, after: 0, states: ['failed'], limit: 1 })).map(({ contentId }) => contentId)
  const [found] = (await slots.workOn(database.read, { dataSetId: target.id, contentIds })).values()
  return found?.lastError ?? 'their tasks failed'
}

/** All contents were copied: the old services end when nothing can need them any more. */
async function finish(deps: Engine, work: Work, signal: AbortSignal): Promise<Outcome> {
  const { clock, database, slots, states } = deps
  const { replacement, sources } = work
  const { id } = replacement
  for (const source of sources) {
    const blocked = await slots.endBlockedBy(database.read, source.id)
    if (blocked === undefined) continue
    // A copied piece may have been lost since: then it is copied again.
    const round = await sweepRound(deps, id, { isFull: true, endMs: clock.now() + runMs, signal })
    if (round?.hasChanged !== true && (await hasUnlisted(deps, work, source.id)))
      await database.write((tx) => recordSeeding(tx, { id, seedingId: null, seededTo: 0, isSeeded: false }))
    return pause(deps, replacement, { phase: 'migrate', reason: 'retirement', message: `the old service is not ended yet: ${blocked}` })
  }
  const isRequested = await database.write(async (tx) => {
    const row = await lockReplacement(tx, id)
    if (row?.phase !== 'migrate') return false
    for (const source of sources) await slots.requestEnd(tx, { dataSetId: source.id, cause: 'replaced' })
    return states.apply(tx, 'end_requested', id)
  })
  if (isRequested) await endRequested()
  return again(deps, 'retirement')
}

/** Contents that must move and are no items: none is known to appear, but the old service would be paid for ever. */
async function hasUnlisted({ slots }: Engine, { replacement: { targetId: to } }: Work, from: number): Promise<boolean> {
  const { total, copied, active, attention } = await slots.progress({ from, to })
  return total > copied + active + attention
}
