/** Reads the file of `--rules`. Mistakes are usage errors that name the line and the member. */
import { createReadStream } from 'node:fs'
import { resolve } from 'node:path'
import { onOneLine, usageError } from '#cli'
import { CommandError } from '#kernel'
import { checkSchema, type Type } from '#kernel/schema'
import { readLinedJson } from './lined-json-policy.ts'

/** The service accepts less; a file has spaces and line breaks too. */
const fileBytesMax = 1024 * 1024
const shownProblemsMax = 3

export interface RulesFlags {
  readonly rules: string | undefined
  readonly clear: boolean
}

interface RulesCall {
  readonly flags: RulesFlags
  readonly cwd?: string
}

interface RulesForm<T extends Type> {
  readonly schema: T
  /** Its help shows the form. */
  readonly command: string
}

/** Returns the body of the change; undefined without one. `--clear` is the change to no rules. */
export async function readRulesFlags<T extends Type<{ rules: unknown[] }>>(
  { flags: { rules: file, clear }, cwd = process.cwd() }: RulesCall,
  form: RulesForm<T>,
): Promise<T['infer'] | { rules: never[] } | undefined> {
  if (file !== undefined && clear) throw usageError('--rules and --clear exclude each other')
  if (clear) return { rules: [] }
  if (file === undefined) return undefined
  const name = file === '-' ? 'standard input' : resolve(cwd, file)
  const bytes = await readBounded(file === '-' ? process.stdin : createReadStream(name), name)
  return readRules({ name, text: decodeText(bytes, name) }, form)
}

/** @param name of the file, for messages */
export function readRules<T extends Type>(
  { name, text }: { readonly name: string; readonly text: string },
  { schema, command }: RulesForm<T>,
): T['infer'] {
  const refuse = (problems: string): never => {
    throw usageError(onOneLine(`${name}, ${problems}; see svc ${command} --help`))
  }
  const { value, lineOf } = readLinedJson(text, (line, problem) => refuse(`line ${line}: ${problem}`))
  const read = checkSchema(schema.onDeepUndeclaredKey('reject') as T, value)
  if (!read.errors) return read.value
  const shown = [...read.errors].slice(0, shownProblemsMax).map(({ path, code, expected }) => {
    const member = [...path].map(String)
    return `line ${lineOf(member)}: ${member.join('.') || 'the JSON'} ${problemOf(code, expected)}`
  })
  const hidden = read.errors.length - shown.length
  return refuse([...shown, ...(hidden > 0 ? [`and ${hidden} more`] : [])].join('; '))
}

/** Describes the expected value in the words of the Admin API. */
function problemOf(code: string, expected: string): string {
  if (expected === 'removed') return 'is not known here'
  return code === 'required' ? `is missing, it must be ${expected}` : `must be ${expected}`
}

async function readBounded(source: AsyncIterable<Uint8Array>, name: string): Promise<Buffer> {
  const parts: Uint8Array[] = []
  let bytes = 0
  try {
    for await (const part of source) {
      bytes += part.length
      if (bytes > fileBytesMax) break
      parts.push(part)
    }
  } catch (cause) {
    throw new CommandError(`${name} cannot be read: ${(cause as Error).message}`, { cause })
  }
  if (bytes > fileBytesMax) throw usageError(`${name} is larger than ${fileBytesMax / 1024} KiB; are these the rules?`)
  return Buffer.concat(parts)
}

function decodeText(bytes: Buffer, name: string): string {
  try {
    // Drops a byte order mark, which editors add.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new CommandError(`${name} is not UTF-8 text`, { exitCode: 2, cause })
  }
}
