/** The spellings of one request's path. Guards look at every spelling, so that none slips past that the router would understand. */
export interface RequestPath {
  /** As the client sent it, without the query. */
  readonly raw: string
  /** The raw path, its percent-decoded form, and both with dot segments and repeated slashes removed. */
  readonly spellings: readonly string[]
}

/** The router accepts `GET http://host/path` too and looks only at the path. */
const originForm = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i

export function readRequestPath(url: string): RequestPath {
  const raw = url.replace(originForm, '').split(/[?#]/, 1)[0] || '/'
  const decoded = decode(raw)
  return { raw, spellings: [...new Set([raw, decoded, clean(raw), clean(decoded)])] }
}

/** Needs an operator: the API, everything under /admin, and the metrics. `route` is the pattern the router chose. */
export function isProtectedPath(path: RequestPath, route: string | undefined): boolean {
  return [...path.spellings, route ?? ''].some((at) => at === '/metrics' || isUnder(at, '/api/v1') || isUnder(at, '/admin'))
}

/** Answers under these paths must not be kept by any cache. */
export function isUncachedPath(path: RequestPath): boolean {
  return path.spellings.some((at) => at === '/metrics' || at === '/healthz' || isUnder(at, '/api') || isUnder(at, '/admin'))
}

/** True when every spelling is the same, so that nothing hides behind it. */
export function isPlainPath(path: RequestPath): boolean {
  return path.spellings.length === 1
}

const isUnder = (path: string, parent: string): boolean => path === parent || path.startsWith(`${parent}/`)

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // Malformed escapes: the router refuses them, and the raw spelling is judged anyway.
    return path
  }
}

function clean(path: string): string {
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  return `/${kept.join('/')}`
}
