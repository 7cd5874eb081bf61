/** S3 operations seen in this browser tab. */
import { Observable, onSignOut } from '@svc/ui-kit'
import { addReading, type RequestSample, readRequests } from './request-rates-policy.ts'

export const requestHistory = new Observable<readonly RequestSample[]>([])

const readMs = 15_000

/** Reads the metrics page, which is text for Prometheus and outside of `/api/v1`. */
export async function recordRequests(signal: AbortSignal): Promise<void> {
  const answer = await fetch('/metrics', { credentials: 'same-origin', signal: AbortSignal.any([signal, AbortSignal.timeout(readMs)]) })
  if (!answer.ok) throw new Error(`The metrics page answered with status ${answer.status}.`)
  const reading = readRequests(await answer.text())
  if (reading && !signal.aborted) requestHistory.value = addReading(requestHistory.value, reading, Date.now())
}

onSignOut(() => {
  requestHistory.value = []
})
