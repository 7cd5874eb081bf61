/** Deadlines of calls to providers, and how long an upload may wait for its next progress. Times in milliseconds. */
import type { TimeLimits } from './provider-limits.ts'

export type CallLimit = 'ping' | 'session' | 'read' | 'submit' | 'upload'

const bytesPerAnswerSecond = 8 * 1024 * 1024

/** Limit of DNS, and of TCP and TLS. */
export function connectBudgetMs(limit: CallLimit, limits: TimeLimits): number {
  return limit === 'upload' ? limits.connect : Math.min(limits.connect, limits[limit])
}

/** Time from the call to its settlement, whatever the provider does. */
export function callDeadlineMs(limit: CallLimit, uploadBytes: number, limits: TimeLimits): number {
  switch (limit) {
    case 'ping':
    case 'session':
      return limits[limit]
    case 'upload':
      return 2 * limits.connect + uploadMsMax(uploadBytes, limits) + uploadAnswerMs(uploadBytes, limits)
    default:
      // DNS and connection have a limit each.
      return 2 * limits.connect + limits[limit]
  }
}

/** Time until the next block must be handed over: limits both stalls and a low mean rate. */
export function progressBudgetMs(upload: { readonly sentBytes: number; readonly elapsedMs: number }, limits: TimeLimits): number {
  return Math.max(0, Math.min(limits.transferIdle, uploadMsMax(upload.sentBytes, limits) - upload.elapsedMs))
}

/** Time for the answer after the last byte: the provider hashes and stores the piece. */
export function uploadAnswerMs(uploadBytes: number, limits: TimeLimits): number {
  return limits.uploadAnswer + (uploadBytes / bytesPerAnswerSecond) * 1000
}

function uploadMsMax(bytes: number, limits: TimeLimits): number {
  return limits.uploadBase + (bytes / limits.uploadBytesPerSecond) * 1000
}
