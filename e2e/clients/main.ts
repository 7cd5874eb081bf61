/** `npm run test:clients -- [--sizes default|any] [name...]`: the whole round of each installed client. Exit code 1 when one fails, or a named one is missing. */
import { parseArgs } from 'node:util'
import { startDev } from '../fixtures/gateways/dev-process.ts'
import type { Client } from './client.ts'
import { clients } from './clients.ts'
import { findDownloadProblem } from './find-download.ts'
import { type FoundProgram, findProgram } from './find-program.ts'
import { hostNameSettings } from './host-names.ts'
import { runRound } from './run-round.ts'

const usage = `npm run test:clients -- [--sizes default|any (both)] [name...]\n\nNames: ${clients.map(({ name }) => name).join(', ')}\n`
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { sizes: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
})
const write = (line: string) => void process.stdout.write(`${line}\n`)

interface Present extends FoundProgram {
  readonly client: Client
}

if (values.help) write(usage)
else process.exitCode = (await testClients()) ? 0 : 1

async function testClients(): Promise<boolean> {
  const unknown = positionals.filter((name) => !clients.some((client) => client.name === name))
  if (unknown.length > 0) throw new Error(`no client is called ${unknown.join(' or ')}\n${usage}`)
  const chosen = clients.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const present: Present[] = []
  for (const client of chosen) {
    const found = findProgram(client.program)
    const problem = found === undefined ? 'not installed' : await findDownloadProblem(client, found.dir)
    if (found === undefined || problem !== undefined) write(`skipped  ${client.name}: ${problem}`)
    else present.push({ client, ...found })
  }
  let failed = 0
  for (const isAnySize of readSizes()) failed += await testAll(present, isAnySize)
  write(`${present.length} clients tested, ${chosen.length - present.length} skipped, ${failed} rounds failed`)
  return failed === 0 && (positionals.length === 0 || present.length === chosen.length)
}

/** Returns the number of failed rounds. */
async function testAll(present: readonly Present[], isAnySize: boolean): Promise<number> {
  if (present.length === 0) return 0
  await using dev = await startDev({ isAnySize, settings: hostNameSettings })
  const gateway = { s3Url: dev.ready.s3_url, user: dev.ready.s3, isAnySize }
  const sizes = isAnySize ? 'objects of any size' : 'default sizes'
  let failed = 0
  for (const { client, dir, version } of present) {
    if (!isAnySize && client.needsAnySize !== undefined) {
      write(`skipped  ${client.name}, ${sizes}: ${client.needsAnySize}`)
      continue
    }
    const { passed, failure } = await runRound(client, dir, gateway)
    const missing = Object.entries(client.notOffered ?? {}).map(([step, reason]) => `\n           not offered: ${step} (${reason})`)
    write(
      `${failure === undefined ? 'passed ' : 'FAILED '}  ${client.name} (${version}), ${sizes}: ${passed.length} steps${missing.join('')}`,
    )
    if (failure !== undefined) write(`           ${failure.replaceAll('\n', '\n           ')}`)
    if (failure !== undefined) failed += 1
  }
  return failed
}

function readSizes(): readonly boolean[] {
  const { sizes } = values
  if (sizes !== undefined && sizes !== 'default' && sizes !== 'any') throw new Error(`--sizes must be default or any, got ${sizes}`)
  return sizes === undefined ? [false, true] : [sizes === 'any']
}
