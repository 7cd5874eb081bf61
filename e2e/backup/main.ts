/** `node tools/run.mjs e2e/backup/main.ts --moments 20`: backups at random moments under load, each restored and read. */
import { parseArgs } from 'node:util'
import { backUpUnderLoad } from './load.ts'

const { values } = parseArgs({ options: { moments: { type: 'string', default: '20' } } })
const started = performance.now()
const { lost, checked } = await backUpUnderLoad({ moments: Number(values.moments) })
process.stdout.write(
  `${values.moments} backups, ${checked} versions read, ${lost.length} lost, ${Math.round((performance.now() - started) / 1000)} s\n`,
)
for (const line of lost) process.stdout.write(`${line}\n`)
process.exitCode = lost.length === 0 ? 0 : 1
