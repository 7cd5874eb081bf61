/** Completes an unfinished command line for the shells. */

import type { FlagSpec } from '#kernel'
import type { Command } from '#kernel/host'
import { anyFlags, globalFlags, globalFlagsOf, takesValue, typedName } from './command-flags.ts'
import { sharedFlags, summariseGroup } from './command-groups.ts'
import { parseLine } from './parse-line.ts'

interface Candidate {
  readonly text: string
  readonly meaning: string
}

/** @param line up to the cursor, beginning with the name of the program; quotes are not parsed */
export async function completeLine(line: string, commands: readonly Command[]): Promise<readonly Candidate[]> {
  const [, ...before] = line.trimStart().split(/\s+/)
  const typed = before.pop() ?? ''
  const { words } = await parseLine(before, anyFlags([{ flags: globalFlags }, ...commands]))
  const fitting = commands.filter(({ name }) => beginsAlike(name.split(' '), words))
  const flagsOf = ({ flags }: Command): Flags => ({ ...globalFlags, ...flags })
  const open = commands.map((command) => nameOf(before.at(-1) ?? '', flagsOf(command))).find((name) => name !== undefined)
  const found = (): readonly Candidate[] => {
    if (open !== undefined) return fitting.flatMap((command) => valuesOf(flagsOf(command), open))
    const [only, ...others] = fitting
    const ofEvery = only && others.length === 0 ? globalFlagsOf(only) : globalFlags
    if (typed.startsWith('-')) return flagCandidates({ ...sharedFlags(fitting), ...ofEvery })
    return fitting.flatMap((command) => nextWord(command, words.length, commands))
  }
  const byText = new Map(found().map((candidate) => [candidate.text, candidate]))
  return [...byText.values()].filter(({ text }) => text.startsWith(typed))
}

type Flags = Readonly<Record<string, FlagSpec>>

/** The name of the typed flag, if it takes a value. */
const nameOf = (word: string, flags: Flags): string | undefined =>
  Object.entries(flags).find(([name, spec]) => takesValue(spec) && (word === `--${typedName(name)}` || word === `-${spec.short}`))?.[0]

const valuesOf = (flags: Flags, name: string): readonly Candidate[] => {
  const { type, description = '' } = flags[name] ?? {}
  return Array.isArray(type) ? type.map((text: string) => ({ text, meaning: description })) : []
}

const flagCandidates = (flags: Flags): readonly Candidate[] =>
  Object.entries(flags).map(([name, { description }]) => ({ text: `--${typedName(name)}`, meaning: description }))

function nextWord({ name, summary }: Command, at: number, commands: readonly Command[]): readonly Candidate[] {
  const words = name.split(' ')
  const text = words[at]
  if (text === undefined) return []
  return [{ text, meaning: words.length === at + 1 ? summary : summariseGroup(words.slice(0, at + 1).join(' '), commands) }]
}

const beginsAlike = (one: readonly string[], other: readonly string[]): boolean =>
  one.slice(0, other.length).every((word, at) => word === other[at])
