import { defineTask, done, type TaskSchedule } from '#kernel'
import { type } from '#kernel/schema'
import { uploads } from '#plugins/storage'
import { s3Section } from '../settings.ts'

const dayMs = 86_400_000

/** Aborts multipart uploads without a new part for `s3.multipart_expiry_days`. Each abort checks in its transaction that it is still due. */
export const expireUploadsTask = defineTask({
  kind: 's3_uploads_expire',
  label: 'Abort idle multipart uploads',
  args: type({}),
  uses: { uploads, settings: s3Section.settings },
  attempts: 5,
  isRecurring: true,
  subject: () => ({ type: 'system', key: 'uploads' }),
  run: async ({ services: { uploads, settings }, signal, nowMs }) => {
    await uploads.expire(nowMs - settings.multipart_expiry_days * dayMs, signal)
    return done()
  },
})

export const expireUploadsSchedule: TaskSchedule = { name: 'uploads', cron: '7 * * * *', kind: expireUploadsTask, args: {} }
