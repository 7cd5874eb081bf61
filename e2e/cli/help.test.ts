/** The help: complete, uniform, with examples, and in agreement with the parser. */
import { describe, expect, test } from 'vitest'
import { cliCommands } from '#kernel'
import { loadContributions } from '#kernel/host'
import { localCommands } from '../../cli/commands/local-commands.ts'
import { svcHome } from '../../cli/testing/run-svc.ts'
import { builtinPlugins } from '../../plugins/index.ts'
import { readCommandList, sectionOf } from './read-help.ts'

const commands = await readCommandList()
const names = commands.map(({ name }) => name)
/** A word such as `backup` may be a command and the beginning of others: then it has the help of a command. */
const groups = [...new Set(names.flatMap((name) => name.split(' ').map((_, at, words) => words.slice(0, at).join(' '))))].filter(
  (group) => group !== '' && !names.includes(group),
)

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
  test('prints summary, flags and examples on standard output', async () => {
    const help = await helpOf(name)
    expect(help.split('\n')[0]).toMatch(new RegExp(`^svc ${name} v\\S+ - `))
    expect(help).toContain(summary)
    expect(sectionOf(help, 'Usage')[0]).toMatch(new RegExp(`^\\$ svc ${name} (\\S.*)?\\[flags\\]$`))
    // Name, kind, description and default of every flag, without placeholders or code.
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
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes of a terminal
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

test('svc admin --help shows the flags that may follow admin directly, with their defaults', async () => {
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

const sampleOf = (type: string): readonly string[] => {
  if (type === 'switch') return []
  if (type === 'number') return ['1']
  return [type === 'duration' ? '5s' : (type.split(' ', 1)[0] ?? '')]
}

/** `--name value`, as the help shows the flag. */
const flagsIn = (help: string): readonly (readonly string[])[] =>
  [...sectionOf(help, 'Flags'), ...sectionOf(help, 'Global Flags')]
    .map((line) => line.split(/ {2,}/))
    .filter(([name]) => name !== '--help, -h')
    .map(([name = '', type = '']) => [name.split(',', 1)[0] ?? '', ...sampleOf(type)])

/** A word that no command takes: the run ends after the check of its flags. */
const tooMany = ['--', 'a', 'b', 'c', 'd']
const refusalOfFlag = /unknown flag|takes no --|is a switch|must be a number|must be a duration|must be one of|needs a value/

test.each(names)('svc %s accepts every flag that its help lists', async (name) => {
  using home = svcHome()
  const flags = flagsIn(await helpOf(name))
  expect(flags.length).toBeGreaterThan(0)
  for (const flag of flags) {
    const { code, stderr } = await home.run([...name.split(' '), ...flag, ...tooMany])
    expect({ flag, code, stderr }).toEqual({ flag, code: expect.toBeOneOf([1, 2]), stderr: expect.not.stringMatching(refusalOfFlag) })
  }
})

test.each(groups)('a flag in the help of svc %s is accepted directly after it, before each of its commands', async (group) => {
  using home = svcHome()
  for (const flag of flagsIn(await helpOf(group))) {
    for (const name of names.filter((candidate) => candidate.startsWith(`${group} `))) {
      const { stderr } = await home.run([...group.split(' '), ...flag, ...name.slice(group.length + 1).split(' '), ...tooMany])
      expect({ flag, name, stderr }).toEqual({ flag, name, stderr: expect.not.stringMatching(refusalOfFlag) })
    }
  }
})

test('a flag that a command refuses is not in its help', async () => {
  using home = svcHome()
  for (const name of ['init', 'dev']) {
    expect(flagsIn(await helpOf(name)).map(([flag]) => flag)).not.toContain('--config')
    expect((await home.run([name, '--config', 'x.toml'])).stderr).toMatch(/takes no --config: it /)
  }
})
