/** The text of `--help`: of the program, of a group of commands, and of one command. */

import type { FlagSpec } from '#kernel'
import type { Command } from '#kernel/host'
import { version } from '#kernel/system'
import { localCommands } from '../commands/local-commands.ts'
import { globalFlags, globalFlagsOf, typedName } from './command-flags.ts'
import type { CommandGroup } from './command-groups.ts'
import type { TextStyle } from './text-style.ts'

const notes = [
  'Exit code: 0 success and help, 2 usage error, 1 any other error.',
  'Flags may precede, separate or follow the words of a command; words after -- are never flags.',
  'With --json the result is alone on standard output; notes and errors go to standard error.',
  'NODE_DEBUG=svc adds the stack of an error.',
]

const examples: Command['examples'] = [
  ['svc dev', 'Try everything on this machine, without money'],
  ['svc init', 'Create a runtime directory'],
  ['svc serve', 'Start the gateway'],
  ['svc admin status', 'Show health, cache and workers'],
]

/** Help of a command, of a group, or of the program. */
export function renderHelp(named: Command | CommandGroup | undefined, commands: readonly Command[], style: TextStyle): string {
  const body = named ? namedSections(named, commands, style) : programSections(commands, style)
  return `${body.filter((text) => text !== '').join('\n\n')}\n`
}

const programSections = (commands: readonly Command[], style: TextStyle): readonly string[] => [
  headerOf('', 'S3 gateway to Filecoin storage', style),
  section('Usage', [`$ svc ${style('faint', '<command>')} ${style('faint', '[flags]')}`], style),
  section('Global Flags', flagTable(globalFlags, style), style),
  section('Commands', commandList(commands, style), style),
  section('Examples', exampleTable(examples), style),
  section('Notes', notes, style),
]

function namedSections(named: Command | CommandGroup, commands: readonly Command[], style: TextStyle): readonly string[] {
  const { name, summary, flags = {} } = named
  const isCommand = 'load' in named
  const parameters = (isCommand && named.parameters) || []
  const members = isCommand ? [] : commands.filter((command) => command.name.startsWith(`${name} `))
  return [
    headerOf(name, summary, style),
    section('Usage', [usageOf(name, isCommand ? parameters : ['<command>'], style)], style),
    section('Parameters', parameterTable(parameters, style), style),
    section('Flags', flagTable(flags, style), style),
    section('Global Flags', flagTable(globalFlagsOf(isCommand ? named : {}), style), style),
    section('Subcommands', summaryTable(members, name.length + 1, style), style),
    section('Examples', exampleTable(named.examples), style),
  ]
}

const section = (title: string, lines: readonly string[], style: TextStyle): string =>
  lines.length === 0 ? '' : [style('title', title), ...lines.map((line) => (line === '' ? '' : `  ${line}`))].join('\n')

const headerOf = (name: string, summary: string, style: TextStyle): string =>
  `${style('name', name === '' ? 'svc' : `svc ${name}`)} v${version.version} - ${summary}`

const usageOf = (name: string, parameters: readonly string[], style: TextStyle): string =>
  `$ svc ${[name, ...parameters].join(' ')} ${style('faint', '[flags]')}`

/** Sorts by the first word of the name; single words of the program come first, those of plugins last. */
function commandList(commands: readonly Command[], style: TextStyle): readonly string[] {
  const byGroup = Map.groupBy(commands, groupOf)
  const alone = byGroup.get('') ?? []
  const grouped = [...byGroup].filter(([title]) => title !== '')
  return [
    ...summaryTable(alone, 0, style),
    ...grouped.flatMap(([title, members]) => ['', style('faint', title), ...summaryTable(members, 0, style).map((line) => `  ${line}`)]),
  ]
}

function groupOf(command: Command): string {
  const [first = '', ...rest] = command.name.split(' ')
  if (rest.length > 0) return first.charAt(0).toUpperCase() + first.slice(1).replaceAll('-', ' ')
  return localCommands.includes(command) ? '' : 'Added by plugins'
}

const summaryTable = (commands: readonly Command[], hidden: number, style: TextStyle): readonly string[] =>
  columns(
    commands.map(({ name, summary }) => [name.slice(hidden), summary]),
    [(text) => style('name', text)],
  )

const parameterTable = (parameters: readonly string[], style: TextStyle): readonly string[] =>
  columns(
    parameters.map((key) => [key, key.includes('...') ? 'text, repeatable' : 'text']),
    [(text) => style('name', text), (text) => style('faint', text)],
  )

const flagTable = (flags: Readonly<Record<string, FlagSpec>>, style: TextStyle): readonly string[] =>
  columns(
    Object.entries(flags).map(([name, spec]) => [
      `--${typedName(name)}${spec.short ? `, -${spec.short}` : ''}`,
      typeOf(spec),
      spec.required ? `${spec.description} (required)` : spec.description,
      defaultOf(spec),
    ]),
    [(text) => style('name', text), (text) => style('faint', text), undefined, (text) => style('faint', text)],
  )

function typeOf({ type }: FlagSpec): string {
  if (typeof type !== 'string') return type.join(' | ')
  return type === 'list' ? 'text, repeatable' : type
}

function defaultOf({ type, default: fallback }: FlagSpec): string {
  if (type === 'switch') return '[default: false]'
  if (type === 'list') return '[default: none]'
  if (fallback === undefined) return ''
  return `[default: ${type === 'duration' ? String(fallback) : JSON.stringify(fallback)}]`
}

const exampleTable = (lines: Command['examples']): readonly string[] => columns(lines.map(([line, meaning]) => [line, `-  ${meaning}`]))

type Cell = (text: string) => string

/** Columns two spaces apart. Styled after padding, because colour codes have no width. */
function columns(rows: readonly (readonly string[])[], styles: readonly (Cell | undefined)[] = []): readonly string[] {
  const count = Math.max(0, ...rows.map((row) => row.length))
  const widths = Array.from({ length: count }, (_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  return rows.map((row) => {
    const cells = row.map((text, column) => {
      const padding = ' '.repeat((widths[column] ?? 0) - text.length)
      return (styles[column]?.(text) ?? text) + padding
    })
    return cells.join('  ').trimEnd()
  })
}
