import { defineRecovery, defineTask, done, type TaskSchedule } from '#kernel'
import { type } from '#kernel/schema'
import { engine } from './engine.ts'
import { resumeReplacements } from './resume.ts'

/** Enqueues the tasks of replacements that have none. */
export const resumeReplacementsTask = defineTask({
  kind: 'storage_replacement_resume',
  label: 'Continue replacements',
  args: type({}),
  uses: { engine },
  isRecurring: true,
  subject: () => ({ type: 'system', key: 'replacements' }),
  run: async ({ services, fence, signal }) => {
    await resumeReplacements({ ...services.engine, database: fence(services.engine.database) }, signal)
    return done()
  },
})

export const resumeSchedule: TaskSchedule = { name: 'replacements', cron: '* * * * *', kind: resumeReplacementsTask, args: {} }

export const resumeRecovery = defineRecovery({
  name: 'replacements',
  uses: { engine },
  run: async ({ engine }) => void (await resumeReplacements(engine, new AbortController().signal)),
})
