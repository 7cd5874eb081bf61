import { type CommandCall, CommandError } from '#kernel'
import { describeProblem, type PreparedKernel } from '#kernel/host'
import { adviseInit } from './command-settings.ts'

/** Throws CommandError naming every problem that the settings page cannot correct, and the file or variable that has it. */
export function refuseUnusable({ config, decision }: PreparedKernel, { env }: Pick<CommandCall, 'env'>): void {
  if (decision.mode !== 'refused') return
  const [outside, inFile] = [decision.problems.filter(({ origin }) => origin), decision.problems.filter(({ origin }) => !origin)]
  const list = (problems: typeof outside): string => problems.map(describeProblem).join('; ')
  const faults: string[] = []
  if (outside.length > 0) faults.push(`${list(outside)}; correct or unset it`)
  if (inFile.length > 0) {
    const tables = new Set(inFile.map(({ field }) => tableOf(field)))
    const isConfigured = [...config.sources].some(([field, source]) => source === 'env' && tables.has(tableOf(field)))
    if (config.exists) faults.push(`${config.path} cannot be used: ${list(inFile)}`)
    else faults.push(`${adviseInit(config.path, env)}${isConfigured ? `, or set in the environment: ${list(inFile)}` : ''}`)
  }
  throw new CommandError(faults.join('; '))
}

const tableOf = (field: string): string => field.slice(0, field.lastIndexOf('.'))
