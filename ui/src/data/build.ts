/** The build of the dashboard: that of this page, and that of the files which the service has now. */
import { Observable } from './observable.ts'

/** The service serves another build: pages that are not loaded yet may be missing, or fit another API. */
export const isOutdated = new Observable(false)

const path = '/build.json'
const deadlineMs = 10_000

/** Compares the build of the service with that of this page. A page of the development server has no build. */
export async function readServedBuild(): Promise<void> {
  const own = document.querySelector<HTMLMetaElement>('meta[name="svc-build"]')?.content
  if (own === undefined) return
  const served = await readHash()
  if (served !== undefined) isOutdated.value = served !== own
}

async function readHash(): Promise<string | undefined> {
  try {
    const headers = new Headers({ accept: 'application/json' })
    const response = await fetch(path, { method: 'GET', headers, cache: 'no-cache', signal: AbortSignal.timeout(deadlineMs) })
    return response.ok ? (JSON.parse(await response.text()) as { readonly hash?: string }).hash : undefined
  } catch {
    // Nothing is known without an answer, or with that of a proxy; the next stream asks again.
    return undefined
  }
}
