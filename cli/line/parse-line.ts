/**
 * The part of Clerc: it tells flags from words, and reads the values of flags by their types. The rest is read here, because Clerc finds a
 * command only before the first flag, does not count words after `--` as parameters, and accepts unknown flags.
 */
import { Clerc, type ClercFlagsDefinition } from '@clerc/core'
import type { CommandCall } from '#kernel'
import { version } from '#kernel/system'

export interface ParsedLine {
  /** Everything that is not a flag; after `--` nothing is one. */
  readonly words: readonly string[]
  readonly flags: CommandCall<unknown, Readonly<Record<string, unknown>>>['flags']
  readonly unknownFlags: readonly string[]
  readonly missingFlags: readonly string[]
}

/** Throws CommandError with exit code 2 for a value that its flag does not take. */
export async function parseLine(line: readonly string[], definition: ClercFlagsDefinition): Promise<ParsedLine> {
  let parsed: ParsedLine = { words: [], flags: {}, unknownFlags: [], missingFlags: [] }
  const cli = Clerc.create({ scriptName: 'svc', version: version.version }).interceptor(({ flags, rawParsed }) => {
    const { parameters, doubleDash, unknown, missingRequiredFlags } = rawParsed
    parsed = { words: [...parameters, ...doubleDash], flags, unknownFlags: Object.keys(unknown), missingFlags: missingRequiredFlags }
  })
  for (const [name, flag] of Object.entries(definition)) cli.globalFlag(name, flag)
  await cli.parse([...line])
  return parsed
}
