export interface Match {
  readonly params: Readonly<Record<string, string>>
  /** Literal segments, so that `/buckets/new` wins over `/buckets/:name`. */
  readonly rank: number
}

/** Matches a path with a pattern such as `/buckets/:name`. An escape that cannot be decoded matches nothing. */
export function matchPath(pattern: string, path: string): Match | undefined {
  const wanted = segmentsOf(pattern)
  const given = segmentsOf(path)
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  let rank = 0
  for (const [at, part] of wanted.entries()) {
    const text = decode(given[at] ?? '')
    if (text === undefined) return undefined
    if (part.startsWith(':')) params[part.slice(1)] = text
    else if (part === text) rank += 1
    else return undefined
  }
  return { params, rank }
}

/** The address of a page: `hrefOf('/buckets/:name', { name }, { prefix: 'a/' })`. Empty values are left out of the query. */
export function hrefOf(
  pattern: string,
  params: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string | undefined>> = {},
): string {
  const path = pattern.replace(/:([a-zA-Z0-9_-]+)/g, (_part, name: string) => encodeURIComponent(params[name] ?? ''))
  const search = new URLSearchParams(Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : [])))
  const text = search.toString()
  return text === '' ? path : `${path}?${text}`
}

const segmentsOf = (path: string): readonly string[] =>
  path
    .split('/')
    .slice(1)
    .filter((part, at, all) => part !== '' || at < all.length - 1)

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
