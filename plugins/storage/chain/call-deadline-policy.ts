/** How long a call to a provider may take as a whole, and how long an upload may wait for its next progress. Pure. */
import type { TimeLimits } from './provider-limits.ts'

export type CallLimit = 'ping' | 'session' | 'read' | 'submit' | 'upload'

const bytesPerAnswerSecond = 8 * 1024 * 1024

/** Name, TCP and TLS together. */
export function connectBudgetMs(limit: CallLimit, limits: TimeLimits): number {
  return limit === 'upload' ? limits.connect : Math.min(limits.connect, limits[limit])
}

/** From the call to its settlement, whatever the provider does meanwhile. */
export function callDeadlineMs(limit: CallLimit, uploadBytes: number, limits: TimeLimits): number {
  switch (limit) {
    case 'ping':
    case 'session':
      return limits[limit]
    case 'upload':
      return 2 * limits.connect + uploadMsMax(uploadBytes, limits) + uploadAnswerMs(uploadBytes, limits)
    default:
      // Name and connection have a limit each.
      return 2 * limits.connect + limits[limit]
  }
}

/** Until the next block must be handed over: an upload may stand still for a while, and be slow only at first. */
export function progressBudgetMs(upload: { readonly sentBytes: number; readonly elapsedMs: number }, limits: TimeLimits): number {
  return Math.max(0, Math.min(limits.transferIdle, uploadMsMax(upload.sentBytes, limits) - upload.elapsedMs))
}

/** After the last byte: the provider hashes and stores what it got. */
export function uploadAnswerMs(uploadBytes: number, limits: TimeLimits): number {
  return limits.uploadAnswer + (uploadBytes / bytesPerAnswerSecond) * 1000
}

function uploadMsMax(bytes: number, limits: TimeLimits): number {
  return limits.uploadBase + (bytes / limits.uploadBytesPerSecond) * 1000
}
