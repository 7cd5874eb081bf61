/** Checks the configuration as `svc serve` would read it, and starts nothing. */

import { type CommandCall, SvcError } from '#kernel'
import { type ConfigProblem, describeProblem, PluginGraphError, type PreparedKernel, prepareKernel } from '#kernel/host'
import { builtinPlugins } from '../../plugins/index.ts'
import { adviseInit, findPlace } from '../command-settings.ts'

interface Fault {
  readonly message: string
  readonly field?: string
  /** `SVC_CHAIN_RPC_URL`, where the value comes from the environment. */
  readonly variable?: string
}

/** Exit code 1 when there is a problem, also one that `svc serve` would meet in setup mode. */
export async function run(call: CommandCall): Promise<number> {
  const { configPath } = findPlace(call)
  const { problems, lines } = await findFaults(call)
  const isValid = problems.length === 0
  const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
  const text = isValid ? `${configPath} and the environment are valid.` : `${count}:\n${lines.map((line) => `  ${line}`).join('\n')}`
  call.out.result({ valid: isValid, config: configPath, problems }, text)
  return isValid ? 0 : 1
}

async function findFaults(call: CommandCall): Promise<{ readonly problems: readonly Fault[]; readonly lines: readonly string[] }> {
  let prepared: PreparedKernel
  try {
    prepared = await prepareKernel({ plugins: builtinPlugins, ...findPlace(call), env: call.env })
  } catch (error) {
    if (!(error instanceof SvcError || error instanceof PluginGraphError)) throw error
    const messages = error instanceof PluginGraphError ? error.problems : [error.message]
    return { problems: messages.map((message) => ({ message })), lines: messages }
  }
  const { config } = prepared
  // Every required key would be listed as a problem if there is no file.
  if (!config.exists && config.problems.every(({ origin }) => !origin)) {
    const message = adviseInit(config.path, call.env)
    return { problems: [{ message }], lines: [message] }
  }
  return { problems: config.problems.map(toFault), lines: config.problems.map(describeProblem) }
}

const toFault = ({ field, message, origin = '' }: ConfigProblem): Fault =>
  // The origin of a rule across keys is a phrase.
  /^SVC_\w+$/.test(origin) ? { field, message, variable: origin } : { field, message }
