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
