import { type Logger, type ScheduledTask, schedule } from 'node-cron'
import type { Database } from '../../db/database.ts'
import type { Log } from '../../log/log.ts'
import type { TaskQueue } from '../queue.ts'
import type { TaskSchedule } from '../task.ts'
import type { KnownKinds } from './known-kinds.ts'

export interface RunningSchedules {
  stop(): Promise<void>
}

interface ScheduleDeps {
  readonly database: Database
  readonly queue: TaskQueue
  readonly log: Log
  readonly kinds: KnownKinds
}

/** A tick only enqueues, with the schedule's deduplication key: no second task while the last one is pending or running. */
export function startSchedules(schedules: readonly TaskSchedule[], deps: ScheduleDeps): RunningSchedules {
  const running: ScheduledTask[] = []
  const stop = async () => {
    for (const task of running.splice(0)) await task.destroy()
  }
  try {
    for (const item of schedules) running.push(startTicking(item, deps))
  } catch (error) {
    // Stop the schedules that were already started, without waiting for them.
    void stop()
    throw error
  }
  return { stop }
}

function startTicking(item: TaskSchedule, { database, queue, log, kinds }: ScheduleDeps): ScheduledTask {
  const { name, cron, kind, args } = item
  if (!kinds.has(kind.kind)) throw new Error(`the schedule '${name}' enqueues '${kind.kind}', a task kind that no enabled plugin provides`)
  const tick = async () => {
    try {
      await database.write((tx) => queue.add(tx, kind, args, { key: `${kind.kind}@${name}` }))
    } catch (error) {
      // The next tick tries again.
      log.error('a scheduled task could not be enqueued', { schedule: name, error })
    }
  }
  try {
    // Skip missed ticks: the next one does the same work.
    return schedule(cron, tick, { name, timezone: 'Etc/UTC', logger: adaptLog(log), suppressMissedWarning: true })
  } catch (cause) {
    throw new Error(`the schedule '${name}' has the cron expression '${cron}', which cannot be used`, { cause })
  }
}

/** Replaces node-cron's logger, which writes to the console. */
function adaptLog(log: Log): Logger {
  return {
    info: (message) => log.debug(message),
    warn: (message) => log.warn(message),
    error: (message, error) => log.error(String(message), error === undefined ? {} : { error }),
    debug: (message) => log.debug(String(message)),
  }
}
