export interface Credentials {
  readonly username: string
  readonly password: string
}

/** Reads an `Authorization: Basic` header. A malformed one counts as absent. */
export function readBasic(header: string | undefined): Credentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0) return undefined
  return { username: text.slice(0, colon), password: text.slice(colon + 1) }
}
