import type { PreparedKernel } from '../prepare.ts'
import type { OfflineOptions } from './offline.ts'

/** Commands that need no doctor do not load it. */
export async function openDoctor(prepared: PreparedKernel, options: OfflineOptions) {
  const { openOfflineDoctor } = await import('./offline.ts')
  return openOfflineDoctor(prepared, options)
}
