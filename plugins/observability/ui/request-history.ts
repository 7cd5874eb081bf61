/** S3 operations seen in this browser tab. */
import { Observable } from '@svc/ui-kit'
import { addCounts, type RequestSample, readRequestCounts } from './request-rates-policy.ts'

export const requestHistory = new Observable<readonly RequestSample[]>([])

const readMs = 15_000

/** Reads the metrics page, which is text for Prometheus and outside of `/api/v1`. */
export async function recordRequests(signal: AbortSignal): Promise<void> {
  const answer = await fetch('/metrics', { credentials: 'same-origin', signal: AbortSignal.any([signal, AbortSignal.timeout(readMs)]) })
  if (!answer.ok) throw new Error(`The metrics page answered with status ${answer.status}.`)
  const counts = readRequestCounts(await answer.text())
  if (counts) requestHistory.value = addCounts(requestHistory.value, counts, Date.now())
}
