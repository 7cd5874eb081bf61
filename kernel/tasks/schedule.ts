import cron, { type ScheduledTask } from 'node-cron'
import type { Database } from '../db/database.ts'
import type { Log } from '../log.ts'
import type { TaskQueue } from './queue.ts'
import type { TaskSchedule } from './task.ts'

export interface RunningSchedules {
  stop(): Promise<void>
}

/** Ticks only enqueue, under the schedule's own key: a tick while the last task still waits or runs changes nothing of it. */
export function startSchedules(
  schedules: readonly TaskSchedule[],
  doors: { readonly database: Database; readonly queue: TaskQueue; readonly log: Log },
): RunningSchedules {
  const { database, queue, log } = doors
  const running: ScheduledTask[] = schedules.map(({ name, cron: expression, kind, args }) =>
    cron.schedule(
      expression,
      async () => {
        try {
          await database.write((tx) => queue.enqueue(tx, kind, args, { key: `schedule:${name}` }))
        } catch (error) {
          // The next tick enqueues what this one could not.
          log.error('a scheduled task could not be enqueued', { schedule: name, error })
        }
      },
      { name, timezone: 'Etc/UTC' },
    ),
  )
  return {
    async stop() {
      for (const task of running) await task.destroy()
    },
  }
}
