import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { postgresName } from '../../config/database-path.ts'
import { isLoopbackHost } from '../../config/loopback.ts'
import type { ServerProblem } from './server-policy.ts'

interface ServerOptions {
  /** What of the connection is not safe. */
  readonly warning: ServerProblem | undefined
  /** The URL does not choose `sslmode`, so that the certificate of the server is verified. */
  readonly verifiesByDefault: boolean
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
  const params = readParams(at < 0 ? '' : dsn.slice(at + 1), fail)
  const port = params.get('port')
  if (port !== undefined && !/^\d{1,5}$/.test(port)) fail("its parameter 'port' is not a port number")
  const isLocal = isLocalServer(params.get('host') ?? hostOf(dsn))
  const ssl = sslOf(params, isLocal ? 'disable' : 'verify-full', fail)
  return {
    warning: ssl === false && !isLocal ? plainConnection : undefined,
    verifiesByDefault: !params.has('sslmode') && !isLocal,
    clientUrl: at < 0 ? dsn : dsn.slice(0, at),
    given: {
      ...Object.fromEntries([...params].filter(([key]) => plain.has(key))),
      ...(port !== undefined && { port: Number(port) }),
      ssl,
    },
  }
}

function readParams(query: string, fail: Fail): ReadonlyMap<string, string> {
  const params = new Map<string, string>()
  for (const [key, value] of pairsOf(query, fail)) {
    if (!known.includes(key)) fail(`its parameter '${key}' is not supported, only ${known.join(', ')}`)
    if (params.has(key)) fail(`its parameter '${key}' is given twice`)
    params.set(key, value)
  }
  return params
}

const plainConnection: ServerProblem = {
  problem: 'the connection to the server, on another host, is not encrypted',
  repair: 'set sslmode=verify-full in database.dsn',
}

/** Returns the host that `pg` chooses. */
const hostOf = (dsn: string): string => decodeURIComponent(URL.parse(dsn)?.hostname || (process.env.PGHOST ?? 'localhost'))

/** Whether the connection stays on this machine: a Unix socket or a loopback address. */
const isLocalServer = (host: string): boolean => host.startsWith('/') || isLoopbackHost(host)

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

function sslOf(params: ReadonlyMap<string, string>, modeByDefault: string, fail: Fail): false | ConnectionOptions {
  const [ca, cert, key] = files.map((name) => {
    const path = params.get(name)
    return path === undefined ? undefined : read(name, path, fail)
  })
  const given = { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) }
  const mode = params.get('sslmode') ?? modeByDefault
  if (!params.has('sslmode') && files.some((name) => params.has(name))) return fail('it has a certificate but no sslmode')
  switch (mode) {
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
