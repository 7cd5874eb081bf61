import { valueAt } from './dotted-path.ts'
import { readConfigFile } from './file.ts'
import { envName, type Section } from './section.ts'
import type { FileValue, Setting } from './setting.ts'
import { readSettingText } from './setting-text.ts'
import { suggest } from './suggest.ts'

export type Source = 'default' | 'file' | 'env' | 'flag'

export interface ConfigProblem {
  /** Dotted path, such as `chain.rpc_url`. */
  readonly field: string
  readonly message: string
  /** `setup`: the operator can fix it on the settings page, so the service starts in setup mode. `start`: it cannot start. */
  readonly blocks: 'setup' | 'start'
  /**
   * Where the value comes from when that is not the file: `SVC_CHAIN_RPC_URL`, or `--set chain.rpc_url`. Of a rule across keys, which the
   * file alone does not break: `with SVC_CACHE_HIGH, cache.low`.
   */
  readonly origin?: string
}

/** One line that names the place to correct. */
export const describeProblem = ({ field, message, origin }: ConfigProblem): string => `${origin ?? field} ${message}`

export interface LoadedConfig {
  readonly path: string
  readonly exists: boolean
  readonly dataDir: string
  /** Parsed values by section path. An invalid value is replaced by its default. */
  readonly values: ReadonlyMap<string, Readonly<Record<string, unknown>>>
  /** File form of each effective value, by dotted path. */
  readonly raw: ReadonlyMap<string, FileValue | undefined>
  readonly sources: ReadonlyMap<string, Source>
  readonly problems: readonly ConfigProblem[]
}

export interface ConfigRequest {
  readonly path: string
  readonly dataDir: string
  readonly sections: readonly Section[]
  readonly env: Readonly<Record<string, string | undefined>>
  /** Dotted path → text, from `--set` and other flags. */
  readonly flags?: Readonly<Record<string, string>>
  /** Dotted path → value, applied over the file, to check changes before they are saved. */
  readonly changes?: Readonly<Record<string, FileValue>>
}

/** Reads defaults < file < environment < flags and checks everything, collecting all problems. Throws only on an unreadable or malformed file. */
export function loadConfig(request: ConfigRequest): LoadedConfig {
  const file = readConfigFile(request.path)
  const problems: ConfigProblem[] = unknownKeys(file.tree, request.sections)
  const values = new Map<string, Readonly<Record<string, unknown>>>()
  const raw = new Map<string, FileValue | undefined>()
  const sources = new Map<string, Source>()
  for (const section of request.sections) {
    const read = readSection(section, file.tree, request)
    // Several plugins may have keys in one table.
    values.set(section.path, { ...values.get(section.path), ...read.values })
    problems.push(...read.problems)
    for (const [field, { value, source }] of read.picked) {
      raw.set(field, value as FileValue | undefined)
      sources.set(field, source)
    }
  }
  for (const flagPath of Object.keys(request.flags ?? {})) {
    if (!raw.has(flagPath)) problems.push(locate({ field: flagPath, message: 'is not a setting of this service', blocks: 'start' }, 'flag'))
  }
  return { path: request.path, exists: file.exists, dataDir: request.dataDir, values, raw, sources, problems }
}

interface Picked {
  readonly value: unknown
  readonly source: Source
}

function readSection(section: Section, tree: unknown, request: ConfigRequest) {
  const picked = new Map<string, Picked>()
  const values: Record<string, unknown> = {}
  const problems: ConfigProblem[] = []
  let isValid = true
  for (const [key, setting] of Object.entries(section.keys)) {
    const field = `${section.path}.${key}`
    const found = pick(field, setting, tree, request)
    const choice = { ...found, value: setting.normalize(found.value) }
    picked.set(field, choice)
    const problem = checkSetting(field, setting, choice.value)
    if (problem) problems.push(isAbsent(setting, choice.value) ? problem : locate(problem, choice.source))
    isValid &&= !problem || isAbsent(setting, choice.value)
    const usable = problem ? defaultOf(setting, request.dataDir) : choice.value
    values[key] = usable === undefined ? undefined : setting.parse(usable)
  }
  // Rules across keys need valid keys; a missing required key does not suspend them.
  if (isValid) problems.push(...checkAcross(section, { values, picked, tree, request }))
  return { picked, values, problems }
}

interface SectionContext {
  readonly values: Readonly<Record<string, unknown>>
  readonly picked: ReadonlyMap<string, Picked>
  readonly tree: unknown
  readonly request: ConfigRequest
}

/** The rules across keys. One that only values outside the file break is a problem of the environment, whichever key the rule names. */
function checkAcross(section: Section, { values, picked, tree, request }: SectionContext): readonly ConfigProblem[] {
  const broken = section.check(values as never)
  if (broken.length === 0) return []
  const sources = new Map([...picked].map(([field, { source }]) => [field, source]))
  const inFile = new Set(section.check(valuesOfFile(section, tree, request) as never).map(({ key }) => key))
  return broken.map((fault) => {
    const problem = toProblem(section, fault)
    return inFile.has(fault.key) ? problem : locateAcross(problem, sources)
  })
}

/** Names the values outside the file that a rule across keys reads. Without any, the problem is one of the file. */
export function locateAcross(problem: ConfigProblem, sources: ReadonlyMap<string, Source>): ConfigProblem {
  const origins = [...sources].flatMap(([field, source]) => originOf(field, source) ?? [])
  if (origins.length === 0) return problem
  const own = originOf(problem.field, sources.get(problem.field) ?? 'default')
  return { ...problem, blocks: 'start', origin: own ?? `with ${origins.join(' and ')}, ${problem.field}` }
}

const toProblem = ({ path, keys }: Section, { key, message }: { readonly key: string; readonly message: string }): ConfigProblem => ({
  field: `${path}.${key}`,
  message,
  blocks: blockedBy(keys[key]),
})

function valuesOfFile(section: Section, tree: unknown, { env: _env, flags: _flags, ...request }: ConfigRequest) {
  const entries = Object.entries(section.keys).map(([key, setting]) => {
    const value = setting.normalize(pick(`${section.path}.${key}`, setting, tree, { ...request, env: {} }).value)
    const usable = setting.rule.check(value) ? defaultOf(setting, request.dataDir) : value
    return [key, usable === undefined ? undefined : setting.parse(usable as FileValue)]
  })
  return Object.fromEntries(entries)
}

/** A value outside the file cannot be corrected on the settings page, so it stops the start. */
function locate(problem: ConfigProblem, source: Source): ConfigProblem {
  const origin = originOf(problem.field, source)
  return origin === undefined ? problem : { ...problem, blocks: 'start', origin }
}

function originOf(field: string, source: Source): string | undefined {
  if (source === 'env') return envName(field)
  return source === 'flag' ? `--set ${field}` : undefined
}

const blockedBy = (setting: Setting<unknown> | undefined): ConfigProblem['blocks'] =>
  setting?.editable || setting?.required ? 'setup' : 'start'

const isAbsent = ({ required }: Setting<unknown>, value: unknown): boolean => value === undefined || (required && value === '')

export function checkSetting(field: string, setting: Setting<unknown>, value: unknown): ConfigProblem | undefined {
  const blocks = blockedBy(setting)
  if (isAbsent(setting, value)) {
    return setting.required ? { field, message: `is required: ${setting.doc}`, blocks } : undefined
  }
  const mismatch = setting.rule.check(value)
  return mismatch && { field, message: `must be ${mismatch.mustBe} (was ${mismatch.was})`, blocks }
}

export function defaultOf(setting: Setting<unknown>, dataDir: string): FileValue | undefined {
  return typeof setting.fallback === 'function' ? setting.fallback({ dataDir }) : setting.fallback
}

function pick(field: string, setting: Setting<unknown>, tree: unknown, request: ConfigRequest): Picked {
  const flagText = request.flags?.[field]
  if (flagText !== undefined) return { value: readSettingText(setting, flagText), source: 'flag' }
  const envText = request.env[envName(field)]
  if (envText !== undefined) return { value: readSettingText(setting, envText), source: 'env' }
  const inFile = request.changes?.[field] ?? valueAt(tree, field)
  if (inFile !== undefined) return { value: inFile, source: 'file' }
  return { value: defaultOf(setting, request.dataDir), source: 'default' }
}

/** Reports mistyped keys: the operator believes that they are in effect. */
function unknownKeys(tree: unknown, sections: readonly Section[]): ConfigProblem[] {
  const known = new Set(sections.flatMap((section) => Object.keys(section.keys).map((key) => `${section.path}.${key}`)))
  const tables = new Set(sections.flatMap((section) => section.path.split('.').map((_, i, words) => words.slice(0, i + 1).join('.'))))
  const problems: ConfigProblem[] = []
  const walk = (at: object, path: string): void => {
    for (const [key, value] of Object.entries(at)) {
      const field = path ? `${path}.${key}` : key
      const isTable = value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date)
      if (isTable && tables.has(field)) walk(value, field)
      else if (!known.has(field))
        problems.push({ field, message: `is not a setting of this service${adviseKey(field, known)}`, blocks: 'start' })
    }
  }
  if (tree !== null && typeof tree === 'object') walk(tree, '')
  return problems
}

/** A typing error in a key of the same table, or a key of this very name that is in one other table only. */
function adviseKey(field: string, known: ReadonlySet<string>): string {
  const [table, key] = splitField(field)
  const near = suggest(
    key,
    [...known].flatMap((candidate) => (splitField(candidate)[0] === table ? [splitField(candidate)[1]] : [])),
  )
  const moved = [...known].filter((candidate) => splitField(candidate)[1] === key)
  const meant = near === undefined ? (moved.length === 1 ? moved[0] : undefined) : `${table}.${near}`
  return meant ? `; did you mean ${meant}?` : ''
}

function splitField(field: string): readonly [table: string, key: string] {
  const at = field.lastIndexOf('.')
  return [field.slice(0, Math.max(at, 0)), field.slice(at + 1)]
}
