/** Completes an unfinished command line for the shells. */

import type { FlagSpec } from '#kernel'
import type { Command } from '#kernel/host'
import { takesValue, typedName } from './command-flags.ts'
import { sharedFlags, summariseGroup } from './command-groups.ts'
import { flagsFor } from './render-help.ts'

interface Candidate {
  readonly text: string
  readonly meaning: string
}

interface Completable {
  readonly commands: readonly Command[]
  /** Flags of every command. */
  readonly globalFlags: Readonly<Record<string, FlagSpec>>
}

/** @param line up to the cursor, beginning with the name of the program; quotes are not parsed */
export function completeLine(line: string, { commands, globalFlags }: Completable): readonly Candidate[] {
  const [, ...before] = line.trimStart().split(/\s+/)
  const typed = before.pop() ?? ''
  const { words, openFlag } = readWords(before, [globalFlags, ...commands.map(({ flags }) => flags ?? {})])
  const fitting = commands.filter(({ name }) => beginsAlike(name.split(' '), words))
  const found = (): readonly Candidate[] => {
    if (openFlag !== undefined) return fitting.flatMap(({ flags }) => valuesOf(flags ?? {}, openFlag))
    if (typed.startsWith('-')) return flagCandidates({ ...sharedFlags(fitting), ...globalFlagsOf(fitting, globalFlags) })
    return fitting.flatMap((command) => nextWord(command, words.length, commands))
  }
  const byText = new Map(found().map((candidate) => [candidate.text, candidate]))
  return [...byText.values()].filter(({ text }) => text.startsWith(typed))
}

type Flags = Readonly<Record<string, FlagSpec>>

const globalFlagsOf = (fitting: readonly Command[], globalFlags: Flags): Flags =>
  fitting.length === 1 && fitting[0] ? flagsFor(fitting[0], globalFlags) : globalFlags

/** The words of the command, and the flag whose value the cursor is at. */
function readWords(before: readonly string[], known: readonly Flags[]): { readonly words: readonly string[]; readonly openFlag?: string } {
  const words: string[] = []
  let openFlag: string | undefined
  for (const word of before) {
    if (openFlag !== undefined) openFlag = undefined
    else if (!word.startsWith('-')) words.push(word)
    else openFlag = known.map((flags) => nameOf(word, flags)).find((name) => name !== undefined)
  }
  return openFlag === undefined ? { words } : { words, openFlag }
}

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
