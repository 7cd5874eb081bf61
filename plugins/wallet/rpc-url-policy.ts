/** Path segments and query values from this length on are taken for access tokens; shorter ones are words like `v1` or `calibration`. */
const tokenCharsMin = 16

/** What of an RPC URL no log line may carry: user and password, the query, and whatever looks like a token (I-10). */
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
    // A stray % stands for itself: there is no other way to write it.
    return part
  }
}
