/** `npm run chaos -- [--seeds N] [--seed FIRST] [--kills N] [--parallel N] [--sizes any|packed] [--moves]`: seeded chaos runs, one line of JSON each. Exit code 1 when a run found a problem. */
import { parseArgs } from 'node:util'
import { startFundedDevnet } from '../fixtures/gateways/funded-devnet.ts'
import { readCount } from '../fixtures/read-count.ts'
import { type ChaosOptions, type ChaosReport, movedProviders, runChaos } from './chaos-run.ts'
import { type SizeChoice, sizeChoices } from './sizes.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    kills: { type: 'string', default: '3' },
    parallel: { type: 'string', default: '1' },
    sizes: { type: 'string', default: 'default' },
    moves: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
})

/** A run that throws reports only its seed and the error. */
type SeedReport = Pick<ChaosReport, 'seed' | 'problems'> & Partial<ChaosReport>

const usage =
  'npm run chaos -- [--seeds N (10)] [--seed FIRST (1)] [--kills N (3)] [--parallel N (1)] [--sizes default|any|packed] [--moves]\n'
if (values.help) process.stdout.write(usage)
else await runAll()

async function runAll(): Promise<void> {
  const first = readCount('--seed', values.seed)
  const left = Array.from({ length: readCount('--seeds', values.seeds) }, (_, index) => first + index)
  const kills = readCount('--kills', values.kills)
  const parallel = readCount('--parallel', values.parallel)
  const sizes = readSizes(values.sizes)
  const reports: SeedReport[] = []
  const takeTurns = async () => {
    for (let seed = left.shift(); seed !== undefined; seed = left.shift()) {
      const report = await runSeed({ seed, kills, sizes, hasMoves: values.moves })
      reports.push(report)
      process.stdout.write(`${JSON.stringify(report)}\n`)
    }
  }
  await Promise.all(Array.from({ length: parallel }, takeTurns))
  const failed = reports.filter(({ problems }) => problems.length > 0)
  process.stdout.write(
    `${reports.length} seeds, ${failed.length} with problems${failed.length > 0 ? `: ${failed.map(({ seed }) => seed).join(' ')}` : ''}\n`,
  )
  process.exitCode = failed.length > 0 ? 1 : 0
}

/** Each seed has its own network, so that its faults do not affect other seeds. */
async function runSeed(options: Omit<ChaosOptions, 'network'>): Promise<SeedReport> {
  try {
    await using network = await startFundedDevnet({ providers: options.hasMoves ? movedProviders : 4 })
    return await runChaos({ ...options, network })
  } catch (error) {
    return { seed: options.seed, problems: [`the run failed: ${(error as Error).stack}`] }
  }
}

function readSizes(text: string): SizeChoice {
  const sizes = sizeChoices.find((choice) => choice === text)
  if (sizes === undefined) throw new Error(`--sizes is '${text}'; expected ${sizeChoices.join(' or ')}`)
  return sizes
}
