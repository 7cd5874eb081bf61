export interface AnyInput {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

/** The address of a call: `GET /buckets/:name` with its parameters escaped, below `/api/v1`. `/healthz` keeps its place. */
export function apiPath(route: string, { params = {}, query = {} }: AnyInput = {}): string {
  const template = route.slice(route.indexOf(' ') + 1)
  const path = template.replace(/:([a-z_]+)/gi, (_part, name: string) => encodeURIComponent(String(params[name] ?? '')))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== null) search.set(name, String(value))
  const text = search.toString()
  return `${path === '/healthz' ? '' : '/api/v1'}${path}${text === '' ? '' : `?${text}`}`
}
