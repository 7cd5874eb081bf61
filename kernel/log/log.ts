import type * as pinoPackage from 'pino'
import { defineService } from '../core/service.ts'
import { lazyPackage } from '../process/lazy-package.ts'

/** Writes log lines: a message and fields. Lines contain no secrets (I-10). */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** A logger that adds the name to its lines. With its own level it writes lines of that level also below the level of the log. */
  child(name: string, level?: LogLevel): Log
}

export type LogFields = Readonly<Record<string, unknown>>
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'
export type LogFormat = 'json' | 'text'

export const log = defineService<Log>('kernel.log')

const secretNames = new Set([
  'authorization',
  'cookie',
  'password',
  'password_hash',
  'private_key',
  'secret',
  'secret_key',
  'session_secret',
  'token',
])
/** Depth to which fields are searched for secret names. */
const secretDepth = 3
const redacted = '(hidden)'

interface LogOptions {
  readonly level: LogLevel
  readonly format: LogFormat
  /** Values that must not appear in any message or field. */
  readonly secrets: readonly string[]
  readonly write: (line: string) => void
}

const loadPino = lazyPackage<typeof pinoPackage>('pino')

export function createLog({ level, format, secrets, write }: LogOptions): Log {
  const { pino } = loadPino()
  // Short values would hide ordinary words; real secrets are long.
  const hidden = secrets.filter((value) => value.length >= 8)
  const destination = {
    write(line: string) {
      // I-10
      let safe = line
      for (const value of hidden) if (safe.includes(value)) safe = safe.replaceAll(value, redacted)
      write(format === 'json' ? safe : renderText(safe))
    },
  }
  const options = {
    level,
    base: null,
    serializers: { error: describeError },
    formatters: {
      level: (label: string) => ({ level: label }),
      log: (fields: Record<string, unknown>) => hideSecrets(fields, secretDepth),
    },
    timestamp: pino.stdTimeFunctions.isoTime,
  }
  return wrap(pino(options, destination))
}

/** The same fields without the values of secret names (I-10). Done here, because pino's redaction takes longer than the rest of a line. */
function hideSecrets<T extends object>(fields: T, depth: number): T {
  const safe = Object.entries(fields).flatMap(([name, value]) => {
    const shown = secretNames.has(name) ? redacted : depth > 1 && isStructure(value) ? hideSecrets(value, depth - 1) : value
    return shown === value ? [] : [[name, shown] as const]
  })
  if (safe.length === 0) return fields
  const copy: T = Array.isArray(fields) ? (fields.slice() as object as T) : { ...fields }
  return Object.assign(copy, Object.fromEntries(safe))
}

/** Errors have their own serializer, and bytes have no names. */
const isStructure = (value: unknown): value is object =>
  value !== null && typeof value === 'object' && !(value instanceof Error) && !ArrayBuffer.isView(value)

function wrap(logger: pinoPackage.Logger): Log {
  return {
    debug: (message, fields = {}) => logger.debug(fields, message),
    info: (message, fields = {}) => logger.info(fields, message),
    warn: (message, fields = {}) => logger.warn(fields, message),
    error: (message, fields = {}) => logger.error(fields, message),
    child: (name, level) => wrap(logger.child({ in: name }, level && { level })),
  }
}

/** Message, code and causes, with the stack of the innermost error, the origin of the fault. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const causes: string[] = []
  let at: unknown = error
  let stack = error.stack
  for (let depth = 0; at instanceof Error && depth < 8; depth++, at = at.cause) {
    causes.push(at.message)
    stack = at.stack ?? stack
  }
  return { code: 'code' in error ? error.code : undefined, message: causes.join(' <- '), stack }
}

function renderText(line: string): string {
  const { time, level, msg, in: name, ...fields } = JSON.parse(line) as Record<string, unknown>
  const where = name === undefined ? '' : `${String(name)}: `
  const rest = Object.entries(fields).map(([key, value]) => ` ${key}=${renderValue(value)}`)
  return `${String(time)} ${String(level).toUpperCase().padEnd(5)} ${where}${String(msg)}${rest.join('')}\n`
}

function renderValue(value: unknown): string {
  if (value !== null && typeof value === 'object' && 'message' in value) {
    const { message, stack } = value as { message: string; stack?: string }
    return stack ? `${message}\n${stack}` : message
  }
  if (typeof value === 'string') return /[\s"=\p{Cc}]/u.test(value) ? quote(value) : value
  return escapeControls(JSON.stringify(value))
}

/** Escapes control characters that JSON keeps: a terminal would execute those in a client's object key. */
function quote(text: string): string {
  return escapeControls(JSON.stringify(text))
}

const escapeControls = (json: string): string => json.replace(/\p{Cc}/gu, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)

/** Discards everything. For tests and short commands. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silentLog }
