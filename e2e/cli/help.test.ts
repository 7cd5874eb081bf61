/** Somebody who never saw svc learns it from its help: complete, alike everywhere, and never without an example. */
import { describe, expect, test } from 'vitest'
import { cliCommands, loadContributions } from '#kernel'
import { localCommands } from '../../cli/local-commands.ts'
import { svcHome } from '../../cli/testing/run-svc.ts'
import { builtinPlugins } from '../../plugins/index.ts'
import { readCommandList, sectionOf } from './read-help.ts'

const commands = await readCommandList()
const names = commands.map(({ name }) => name)
const groups = [...new Set(names.flatMap((name) => name.split(' ').map((_, at, words) => words.slice(0, at).join(' '))))].filter(Boolean)

async function helpOf(name: string): Promise<string> {
  using home = svcHome()
  const { code, stdout, stderr } = await home.run([...name.split(' '), '--help'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout
}

test('svc --help lists every command of the program and of its plugins', async () => {
  const declared = [...localCommands, ...(await loadContributions(cliCommands, builtinPlugins)).map(({ item }) => item)]
  expect([...names].sort()).toEqual(declared.map(({ name }) => name).sort())
})

describe.each(commands)('svc $name --help', ({ name, summary }) => {
  test('says on standard output what the command does, which flags it takes and how it is used', async () => {
    const help = await helpOf(name)
    expect(help.split('\n')[0]).toMatch(new RegExp(`^svc ${name} v\\S+ - `))
    expect(help).toContain(summary)
    expect(sectionOf(help, 'Usage')[0]).toMatch(new RegExp(`^\\$ svc ${name} (\\S.*)?\\[flags\\]$`))
    // Name, kind, what it is for, and its default where it has one; nothing is left out and nothing looks like code.
    for (const line of [...sectionOf(help, 'Flags'), ...sectionOf(help, 'Global Flags')]) {
      expect(line).toMatch(/^--[a-z][a-z0-9-]*(, -[a-z])? {2,}\S+( \| \S+|, repeatable)* {2,}\S.*$/)
    }
    const examples = sectionOf(help, 'Examples')
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) {
      const [line = '', meaning] = example.split(/ +- {2}/)
      expect(meaning).toMatch(/\S/)
      const words = line.split(' ').filter((word) => !word.startsWith('-'))
      for (const word of ['svc', ...name.split(' ')]) expect(words).toContain(word)
    }
    expect(help).not.toMatch(/Array<|undefined|\[object|\[\]\]/)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what would colour a terminal
    expect(help).not.toMatch(/\u001b/)
  })
})

describe.each(groups)('svc %s', (group) => {
  test('alone, with --help, and after svc help shows its commands, the flags they share and examples', async () => {
    using home = svcHome()
    const words = group.split(' ')
    const [help, alone, word] = await Promise.all([helpOf(group), home.run(words), home.run(['help', ...words])])
    expect(alone).toEqual({ code: 0, stdout: help, stderr: '' })
    expect(word).toEqual(alone)
    const listed = sectionOf(help, 'Subcommands').map((line) => `${group} ${line.split(/ {2,}/)[0]}`)
    const members = names.filter((name) => name.startsWith(`${group} `))
    expect(listed.filter((name) => names.includes(name)).sort()).toEqual(members.sort())
    expect(sectionOf(help, 'Examples').length).toBeGreaterThan(0)
  })
})

test('svc admin --help shows the flags that may stand right after admin, with their defaults', async () => {
  const flags = sectionOf(await helpOf('admin'), 'Flags').join('\n')
  expect(flags).toMatch(/^--admin-url +text +Address of the Admin API; else admin\.addr of the configuration$/m)
  expect(flags).toMatch(/^--json +switch +.+\[default: false\]$/m)
  expect(flags).toMatch(/^--timeout +duration +.+\[default: 10s\]$/m)
})

test('svc provider list --help documents every flag of the specification with its default', async () => {
  const flags = sectionOf(await helpOf('provider list'), 'Flags').join('\n')
  for (const flag of ['--json', '--active', '--rpc-url', '--network', '--timeout', '--no-health']) expect(flags).toContain(flag)
  expect(flags).toMatch(/^--timeout +duration .+\[default: 5s\]$/m)
  expect(flags).toMatch(/^--network +calibration \| mainnet/m)
})
