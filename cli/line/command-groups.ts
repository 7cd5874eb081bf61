/** Groups of commands, such as `admin` and `admin task`. A group alone shows its commands. */

import type { FlagSpec } from '#kernel'
import type { Command } from '#kernel/host'

const examplesMax = 4

export interface CommandGroup {
  readonly name: string
  readonly summary: string
  /** Flags of all its commands, which may follow the words of the group. */
  readonly flags: Readonly<Record<string, FlagSpec>>
  readonly examples: Command['examples']
}

export function groupsOf(commands: readonly Command[]): readonly CommandGroup[] {
  const names = new Set(commands.map(({ name }) => name))
  const prefixes = commands.flatMap(({ name }) => {
    const words = name.split(' ')
    return words.slice(1).map((_, count) => words.slice(0, count + 1).join(' '))
  })
  return [...new Set(prefixes)]
    .filter((prefix) => !names.has(prefix))
    .map((name) => {
      const members = membersOf(name, commands)
      const examples = [...members.values()].flatMap(([first]) => first?.examples.slice(0, 1) ?? []).slice(0, examplesMax)
      return { name, summary: summariseGroup(name, commands), flags: sharedFlags([...members.values()].flat()), examples }
    })
}

/** `Commands: list, stats, retry, acknowledge`. */
export const summariseGroup = (name: string, commands: readonly Command[]): string =>
  `Commands: ${[...membersOf(name, commands).keys()].join(', ')}`

/** The commands of the group by their next word. */
function membersOf(group: string, commands: readonly Command[]): ReadonlyMap<string, readonly Command[]> {
  const prefix = `${group} `
  const members = commands.filter(({ name }) => name.startsWith(prefix))
  return Map.groupBy(members, ({ name }) => name.slice(prefix.length).split(' ')[0] ?? '')
}

/** The flags that all the commands share. */
export function sharedFlags(commands: readonly Command[]): Readonly<Record<string, FlagSpec>> {
  const [first, ...others] = commands
  const shared = Object.entries(first?.flags ?? {}).filter(([name, spec]) => others.every(({ flags }) => flags?.[name] === spec))
  return Object.fromEntries(shared)
}
