/** What this browser tab has seen of the overview. The service keeps no history, so that of the tab starts when it is opened. */
import { type Answer, Observable, onSignOut } from '@svc/ui-kit'
import { addSample, type Sample } from './history-policy.ts'

export const overviewHistory = new Observable<readonly Sample[]>([])

export function recordOverview({ tasks, cache, objects }: Answer<'GET /overview'>, atMs: number): void {
  const { running, pending } = tasks.by_status
  overviewHistory.value = addSample(overviewHistory.value, {
    atMs,
    running,
    pending,
    cacheUsedBytes: cache.used_bytes,
    objects: objects.total,
    stored: objects.by_state.stored,
    bytes: objects.total_size_bytes,
  })
}

onSignOut(() => {
  overviewHistory.value = []
})
