/** docs/reference/commands.md says what the commands declare. `node tools/check-commands.ts --write` writes it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { typedName } from '../cli/command-flags.ts'
import { localCommands } from '../cli/local-commands.ts'
import { type Command, cliCommands, contributionsTo, type FlagSpec } from '../kernel/index.ts'
import { builtinPlugins } from '../plugins/index.ts'

const path = 'docs/reference/commands.md'
const file = fileURLToPath(new URL(`../${path}`, import.meta.url))

const intro = `# Commands

Every command of \`svc\`, as \`svc <command> --help\` shows it. Written from their declarations by \`node tools/check-commands.ts --write\`.

Flags may stand before, between or after the words of a command. \`--help\` (\`-h\`) and \`--config\` (\`-c\`) belong to every command. Without the latter the configuration is the file that the variable \`SVC_CONFIG\` names, else \`~/.svc/config.toml\`.

Exit code: 0 success, 2 wrong use, 1 any other error, which is one line on standard error that begins with \`fatal:\`. With \`--json\` standard output holds one JSON value; after an error it is empty.`

export async function checkCommands(): Promise<readonly string[]> {
  return readFileSync(file, 'utf8') === renderCommands()
    ? []
    : [`${path} is not what the commands declare: node tools/check-commands.ts --write`]
}

function renderCommands(): string {
  const commands = [...localCommands, ...contributionsTo(cliCommands, builtinPlugins).map(({ item }) => item)]
  return `${[intro, ...commands.map(renderCommand)].join('\n\n')}\n`
}

function renderCommand({ name, summary, parameters = [], flags = {}, examples }: Command): string {
  const usage = ['svc', name, ...parameters].join(' ')
  const width = Math.max(...examples.map(([line]) => line.length))
  const lines = examples.map(([line, meaning]) => `${line.padEnd(width)}  # ${meaning}`)
  const rows = Object.entries(flags).map(renderFlag)
  const table = rows.length === 0 ? [] : [`| Flag | Takes | Default | Meaning |\n|---|---|---|---|\n${rows.join('\n')}`]
  return [`## ${usage}`, `${summary}.`, ...table, `\`\`\`\n${lines.join('\n')}\n\`\`\``].join('\n\n')
}

function renderFlag([name, { type, default: fallback, description, required }]: [string, FlagSpec]): string {
  const takes = typeof type === 'string' ? ({ switch: '', list: 'text, repeatable' }[type as string] ?? type) : type.join(', ')
  return `| \`--${typedName(name)}\` | ${takes} | ${fallback ?? ''} | ${description}${required ? ' (required)' : ''} |`
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv.includes('--write')) writeFileSync(file, renderCommands())
