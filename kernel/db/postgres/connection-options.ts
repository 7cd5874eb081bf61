import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { postgresName } from '../../config/database-path.ts'

interface ServerOptions {
  /** The URL without its parameters. */
  readonly clientUrl: string
  /** What the parameters say, as options of `pg`. */
  readonly given: Readonly<Record<string, unknown>> & { readonly options?: string }
}

const plain = new Set(['application_name', 'host', 'options', 'password', 'user'])
const files = ['sslrootcert', 'sslcert', 'sslkey'] as const
const known = [...plain, 'port', 'sslmode', ...files].sort()

/** The meaning that libpq gives to the parameters of a postgres: URL. Throws for others: an ignored one may be a missing protection. */
export function readConnectionOptions(dsn: string): ServerOptions {
  const fail = (problem: string): never => {
    throw new Error(`the database ${postgresName(dsn)}: ${problem}; correct database.dsn`)
  }
  const at = dsn.indexOf('?')
  const params = new Map<string, string>()
  for (const [key, value] of at < 0 ? [] : pairsOf(dsn.slice(at + 1), fail)) {
    if (!known.includes(key)) fail(`its parameter '${key}' is not supported, only ${known.join(', ')}`)
    if (params.has(key)) fail(`its parameter '${key}' is given twice`)
    params.set(key, value)
  }
  const port = params.get('port')
  if (port !== undefined && !/^\d{1,5}$/.test(port)) fail("its parameter 'port' is not a port number")
  const ssl = sslOf(params, fail)
  return {
    clientUrl: at < 0 ? dsn : dsn.slice(0, at),
    given: {
      ...Object.fromEntries([...params].filter(([key]) => plain.has(key))),
      ...(port !== undefined && { port: Number(port) }),
      ...(ssl !== undefined && { ssl }),
    },
  }
}

type Fail = (problem: string) => never

/** Unlike in a form, a plus sign is a plus sign. */
function pairsOf(query: string, fail: Fail): readonly (readonly [string, string])[] {
  const pairs = query.split('&').filter((pair) => pair !== '')
  try {
    return pairs.map((pair) => {
      const [key = '', ...value] = pair.split('=')
      return [decodeURIComponent(key), decodeURIComponent(value.join('='))]
    })
  } catch {
    return fail('its parameters are not percent-encoded correctly')
  }
}

function sslOf(params: ReadonlyMap<string, string>, fail: Fail): false | ConnectionOptions | undefined {
  const mode = params.get('sslmode')
  const [ca, cert, key] = files.map((name) => {
    const path = params.get(name)
    return path === undefined ? undefined : read(name, path, fail)
  })
  const given = { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) }
  switch (mode) {
    case undefined:
      return files.some((name) => params.has(name)) ? fail('it has a certificate but no sslmode') : undefined
    case 'disable':
      return false
    case 'require':
      return ca === undefined ? { ...given, rejectUnauthorized: false } : { ...given, checkServerIdentity: () => undefined }
    case 'verify-ca':
      if (ca === undefined) return fail('sslmode=verify-ca needs sslrootcert')
      return { ...given, checkServerIdentity: () => undefined }
    case 'verify-full':
      return given
    default:
      return fail(`sslmode=${mode} is not supported, only disable, require, verify-ca and verify-full`)
  }
}

function read(name: string, path: string, fail: Fail): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    return fail(`the file of ${name} cannot be read (${(error as Error).message})`)
  }
}
