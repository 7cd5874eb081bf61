import { clock, database, defineTask, done, type TaskSchedule, taskQueue, wait } from '#kernel'
import { type } from '#kernel/schema'
import { lifecycleRules } from '#plugins/s3'
import { buckets } from '#plugins/storage'
import { calendarOf, realDayMs } from '../rules/calendar-policy.ts'
import { lifecycleSection } from '../settings.ts'
import { actionCounts } from './action-counts.ts'

/** Looks every few minutes at the clock and, after midnight, for rules that are due. It deletes nothing itself. */
export const findRunsTask = defineTask({
  kind: 'lifecycle_find',
  label: 'Look for due lifecycle rules',
  args: type({}),
  uses: { clock, database, queue: taskQueue, buckets, lifecycleRules, settings: lifecycleSection.settings, actionCounts },
  attempts: 5,
  isRecurring: true,
  subject: () => ({ type: 'system', key: 'lifecycle' }),
  async run({ services, fence, signal, log }) {
    const { findRuns } = await import('./find-runs.ts')
    await findRuns({ ...services, database: fence(services.database), log }, signal)
    const { settings, clock } = services
    if (settings.day === realDayMs) return done()
    return wait('interval', clock.now() + calendarOf(settings.day).runMs)
  },
})

export const findRunsSchedule: TaskSchedule = { name: 'lifecycle', cron: '*/5 * * * *', kind: findRunsTask, args: {} }
