import { clock, database, defineTask, done, type TaskSchedule } from '#kernel'
import { type } from '#kernel/schema'

const day = 24 * 3_600_000

export const auditLimits = {
  /** Age in ms at which a line is removed from the table. */
  ageMs: 90 * day,
  linesMax: 180_000,
  /** Lines that anybody can cause. */
  ofStrangersMax: 20_000,
  /** Lines that one transaction removes. */
  batch: 5_000,
} as const

/** Removes old lines of the audit table and of ended sessions. The log of the process is not touched. */
export const forgetAuditTask = defineTask({
  kind: 'access_forget_audit',
  label: 'Remove old audit lines',
  args: type({}),
  uses: { database, clock },
  isRecurring: true,
  subject: () => ({ type: 'system', key: 'audit' }),
  run: async ({ services: { database, clock }, fence, signal }) => {
    const { endsOf, removeLines } = await import('./audit-store.ts')
    const { forgetEnded } = await import('../sessions/ended-store.ts')
    const fenced = fence(database)
    const { ageMs, batch, ...kept } = auditLimits
    const nowMs = clock.now()
    const ends = await endsOf(database.read, kept)
    for (;;) {
      signal.throwIfAborted()
      const removed = await fenced.write((tx) => removeLines(tx, { ...ends, beforeMs: nowMs - ageMs, limit: batch }))
      if (removed < batch) break
    }
    await fenced.write((tx) => forgetEnded(tx, nowMs))
    return done()
  },
})

export const forgetAuditSchedule: TaskSchedule = { name: 'access.audit', cron: '17 * * * *', kind: forgetAuditTask, args: {} }
