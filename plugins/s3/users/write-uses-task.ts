import { defineTask, done, type TaskSchedule } from '#kernel'
import { type } from '#kernel/schema'
import { userDirectory } from './user-directory.ts'

/** Writes when users last signed a request, which is in memory until then. A crash loses at most ten minutes of it. */
export const writeUsesTask = defineTask({
  kind: 's3_user_uses_write',
  label: 'Write the last use of S3 users',
  args: type({}),
  uses: { users: userDirectory },
  attempts: 5,
  isRecurring: true,
  subject: () => ({ type: 'system', key: 's3-users' }),
  run: async ({ services: { users } }) => {
    await users.writeUses()
    return done()
  },
})

export const writeUsesSchedule: TaskSchedule = { name: 's3-user-uses', cron: '*/10 * * * *', kind: writeUsesTask, args: {} }
