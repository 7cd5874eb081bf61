/** Writes docs/reference/commands.md: every command with its flags and examples, as the commands declare them. */
import type { Command, FlagSpec } from '#kernel'
import { typedName } from '../cli/command-flags.ts'

const head = `# Commands

Every command of \`svc\`, as \`svc <command> --help\` shows it. Flags may stand before, between or after the words of a command; \`--help\`
(\`-h\`) and \`--config\` (\`-c\`) belong to every command unless it says otherwise. Without the latter the configuration is the file that the variable
\`SVC_CONFIG\` names, else \`~/.svc/config.toml\`. Exit code: 0 success, 2 usage error, 1 any other error, which is one line on standard error that begins
with \`fatal:\`. With \`--json\` standard output holds one JSON value; after an error it is empty. This page is written by \`npm run docs\`.
`

export function writeCommandsPage(commands: readonly Command[]): string {
  return [head, ...commands.map(writeCommand)].join('\n')
}

function writeCommand({ name, summary, parameters = [], flags = {}, noConfig, examples }: Command): string {
  const width = Math.max(...examples.map(([line]) => line.length))
  const lines = examples.map(([line, meaning]) => `${line.padEnd(width)}  # ${meaning}`)
  const rows = Object.entries(flags).map(([flag, spec]) => writeRow(flag, spec))
  const table = rows.length === 0 ? '' : `| Flag | Takes | Default | Meaning |\n|---|---|---|---|\n${rows.join('\n')}\n\n`
  return `## ${['svc', name, ...parameters].join(' ')}\n\n${summary}.${noConfig ? ` It takes no \`--config\`: ${noConfig}.` : ''}\n\n${table}\`\`\`\n${lines.join('\n')}\n\`\`\`\n`
}

function writeRow(name: string, { type, default: fallback, description, required }: FlagSpec): string {
  const meaning = required ? `${description} (required)` : description
  return `| \`--${typedName(name)}\` | ${writeType(type)} | ${fallback ?? '–'} | ${meaning} |`
}

function writeType(type: FlagSpec['type']): string {
  if (typeof type !== 'string') return type.join(', ')
  if (type === 'switch') return '–'
  return type === 'list' ? 'text, repeatable' : type
}
