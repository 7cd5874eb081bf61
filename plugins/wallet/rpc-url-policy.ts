/** Path segments and query values of at least this length count as access tokens; shorter ones are words like `v1` or `calibration`. */
const tokenCharsMin = 16

/** Parts of an RPC URL that the log must hide: user, password, query, and segments that look like tokens (I-10). */
export function secretPartsOfRpcUrl(text: string): readonly string[] {
  if (!URL.canParse(text)) return []
  const url = new URL(text)
  const words = [...url.pathname.split('/'), ...url.search.slice(1).split(/[&=]/)]
  const written = [url.username, url.password, url.search.slice(1), ...words.filter(({ length }) => length >= tokenCharsMin)]
  return [...new Set(written.flatMap((part) => [part, decoded(part)]))].filter((part) => part !== '')
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    // Not percent-encoded: a stray %.
    return part
  }
}
