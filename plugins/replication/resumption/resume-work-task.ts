import { clock, database, defineRecovery, defineTask, done, log, type TaskSchedule, taskQueue } from '#kernel'
import { type } from '#kernel/schema'
import { taskControl } from '#kernel/system'
import { recoverRemovals } from '../removals/recover-removals.ts'
import { createSchedule } from '../schedule.ts'
import { resumeWork } from './resume-work.ts'

/** Enqueues tasks that rows need and that do not exist, such as after a failure was dismissed. It sends and pays nothing itself. */
export const resumeWorkTask = defineTask({
  kind: 'storage_resume',
  label: 'Resume work without a task',
  args: type({}),
  uses: { database, queue: taskQueue, control: taskControl, clock, log },
  attempts: 5,
  isRecurring: true,
  subject: () => ({ type: 'system', key: 'storage' }),
  run: async ({ services: { queue, ...services }, fence, signal }) => {
    const deps = { ...services, queue, database: fence(services.database), schedule: createSchedule(queue) }
    await recoverRemovals(deps)
    await resumeWork(deps, signal)
    return done()
  },
})

export const resumeWorkSchedule: TaskSchedule = { name: 'storage', cron: '*/5 * * * *', kind: resumeWorkTask, args: {} }

/** Shares its deduplication key with the schedule. */
export const resumeWorkRecovery = defineRecovery({
  name: 'storage.resume',
  uses: { database, taskQueue },
  run: async ({ database, taskQueue }) => {
    await database.write((tx) => taskQueue.add(tx, resumeWorkTask, {}, { key: `${resumeWorkTask.kind}@${resumeWorkSchedule.name}` }))
  },
})
