/** All spellings of a request's path. The guard checks each, so that no spelling that the router accepts bypasses it. */
export interface RequestPath {
  /** Sent by the client, without the query. */
  readonly raw: string
  /** The raw path, its percent-decoded form, and both with dot segments and repeated slashes removed. */
  readonly spellings: readonly string[]
}

/** The router also accepts `GET http://host/path` and uses only the path. */
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
    // The router refuses malformed escapes, and the raw spelling is checked anyway.
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
