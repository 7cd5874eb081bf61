/** A service in place of `fetch`: answers by route, in the order of the requests. */
import { vi } from 'vitest'

interface Request {
  readonly route: string
  readonly csrf: string | null
  readonly priceList: string | null
  readonly signal: AbortSignal
  readonly answer: (body: unknown, status?: number) => Promise<void>
  /** No answer arrives. */
  readonly lose: () => Promise<void>
}

/** Lets everything run that waits for an answer which is there. */
export const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve()
}

/** Requests wait in `requests` until the test answers them; `answers` answers the routes it knows at once. */
export function stubService(answers: Readonly<Record<string, (csrf: string | null) => readonly [status: number, body: unknown]>> = {}) {
  const requests: Request[] = []
  vi.stubGlobal('fetch', (path: string, { method, headers, signal }: { method: string; headers: Headers; signal: AbortSignal }) => {
    const route = `${method} ${path.replace('/api/v1', '')}`
    const csrf = headers.get('x-svc-csrf')
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    const give = (status: number, body: unknown) =>
      resolve({ ok: status < 300, status, headers: new Headers(), text: async () => JSON.stringify(body) } as Response)
    signal.addEventListener('abort', () => reject(signal.reason))
    const known = answers[route]?.(csrf)
    if (known) give(...known)
    requests.push({
      route,
      csrf,
      priceList: headers.get('svc-price-list'),
      signal,
      answer: (body, status = 200) => {
        give(status, body)
        return settle()
      },
      lose: () => {
        reject(new TypeError('fetch failed'))
        return settle()
      },
    })
    return promise
  })
  return { requests, routes: () => requests.map(({ route }) => route) }
}
