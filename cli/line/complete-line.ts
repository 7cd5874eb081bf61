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
  const { words } = await parseLine(before, anyFlags(commands))
  const fitting = commands.filter(({ name }) => beginsAlike(name.split(' '), words))
  const isOpen = commands.some((command) => openFlag(command, before.at(-1)))
  const found = (): readonly Candidate[] => {
    if (isOpen) return fitting.flatMap((command) => valuesOf(openFlag(command, before.at(-1))))
    const [only, ...others] = fitting
    const ofEvery = only && others.length === 0 ? globalFlagsOf(only) : globalFlags
    if (typed.startsWith('-')) return flagCandidates({ ...sharedFlags(fitting), ...ofEvery })
    return fitting.flatMap((command) => nextWord(command, words.length, commands))
  }
  const byText = new Map(found().map((candidate) => [candidate.text, candidate]))
  return [...byText.values()].filter(({ text }) => text.startsWith(typed))
}

/** The flag of the word, if a value follows. */
const openFlag = ({ flags }: Command, word: string | undefined): FlagSpec | undefined =>
  Object.entries<FlagSpec>({ ...globalFlags, ...flags }).find(
    ([name, spec]) => takesValue(spec) && (word === `--${typedName(name)}` || word === `-${spec.short}`),
  )?.[1]

const valuesOf = ({ type, description }: Partial<FlagSpec> = {}): readonly Candidate[] =>
  Array.isArray(type) ? type.map((text: string) => ({ text, meaning: description ?? '' })) : []

const flagCandidates = (flags: Readonly<Record<string, FlagSpec>>): readonly Candidate[] =>
  Object.entries(flags).map(([name, { description }]) => ({ text: `--${typedName(name)}`, meaning: description }))

function nextWord({ name, summary }: Command, at: number, commands: readonly Command[]): readonly Candidate[] {
  const words = name.split(' ')
  const text = words[at]
  if (text === undefined) return []
  return [{ text, meaning: words.length === at + 1 ? summary : summariseGroup(words.slice(0, at + 1).join(' '), commands) }]
}

const beginsAlike = (one: readonly string[], other: readonly string[]): boolean =>
  one.slice(0, other.length).every((word, at) => word === other[at])
