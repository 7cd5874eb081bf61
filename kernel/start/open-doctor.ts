import type { OfflineOptions } from './offline-doctor.ts'
import type { PreparedKernel } from './prepare.ts'

/** Commands that need no doctor do not load it. */
export async function openDoctor(prepared: PreparedKernel, options: OfflineOptions) {
  const { openOfflineDoctor } = await import('./offline-doctor.ts')
  return openOfflineDoctor(prepared, options)
}

/** Whether the doctor could not be opened because another svc uses the data. */
export async function isDataInUse(error: unknown): Promise<boolean> {
  const { LockedError } = await import('../lock/file-lock.ts')
  const { isInUse } = await import('../db/postgres/postgres-error.ts')
  return (error instanceof Error && error.cause instanceof LockedError) || isInUse(error)
}
