import { flushCompileCache } from 'node:module'
import { type CommandCall, type Log, log } from '#kernel'
import { modeForOthers, type PreparedKernel, prepareKernel, type RunningKernel, restartExitCode, startKernel } from '#kernel/host'
import { envName } from '#kernel/system'
import { builtinPlugins } from '../../plugins/index.ts'
import { findPlace } from '../command-settings.ts'
import { watchStopSignals } from '../stop-signal.ts'
import { refuseUnusable } from '../unusable-config.ts'
import { usageError } from '../usage.ts'

/** Longest orderly stop of a requested restart; after it the process ends anyway, as the supervisor waits for its end. */
const restartStopMs = 60_000
/** Node keeps compiled code at the end of the process, which then ends half a second later. Once for each version it takes 0.2 s: after the start. */
const keepCompiledMs = 10_000

/** Serves until a stop signal or a requested restart. Writes only the log. */
export async function run(call: CommandCall<unknown, { set: readonly string[]; wait: number }>): Promise<number | undefined> {
  using stop = watchStopSignals()
  const flags = readOverrides(call.flags.set)
  const prepared = await prepareKernel({ plugins: builtinPlugins, ...findPlace(call), env: call.env, flags })
  refuseSecretFlags(prepared, flags)
  refuseUnusable(prepared, call)
  const kernel = await startKernel(prepared, { lockWait: { ms: call.flags.wait, signal: stop.signal } })
  const lines = kernel.get(log)
  const mode = modeForOthers(prepared.config.path)
  if (mode !== undefined) lines.warn('other users may access the configuration file; run chmod 600', { file: prepared.config.path, mode })
  const advice = adviseSetup(prepared, kernel.adminUrl)
  if (advice) lines.warn(advice)
  // Not an orderly stop: until its end the listeners would serve users and rights that may have been changed.
  void kernel.stale.then((error) => {
    lines.error('ending: the data in memory may be stale', { error })
    process.exit(1)
  })
  const keeping = setTimeout(flushCompileCache, keepCompiledMs).unref()
  const name = await Promise.race([stop.received, kernel.restartRequested])
  clearTimeout(keeping)
  lines.info('stopping', name === undefined ? { reason: 'restart requested' } : { signal: name })
  await (name === undefined ? stopInTime(kernel, lines) : kernel.stop())
  lines.info('stopped')
  // A stop signal during the stop ends the service.
  return name === undefined && !stop.signal.aborted ? restartExitCode : undefined
}

async function stopInTime(kernel: RunningKernel, lines: Log): Promise<void> {
  const timer = setTimeout(() => {
    lines.error('the stop before the restart takes too long: the process ends', { limitMs: restartStopMs })
    process.exit(restartExitCode)
  }, restartStopMs)
  try {
    await kernel.stop()
  } catch (error) {
    lines.error('the stop before the restart failed', { error })
  } finally {
    clearTimeout(timer)
  }
}

/** `key=value` pairs by dotted path. */
function readOverrides(pairs: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw usageError(`--set takes key=value, such as logging.level=debug; got "${pair}"`)
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

/** Every user of the machine can read the arguments of a running process. */
function refuseSecretFlags({ sections }: PreparedKernel, flags: Readonly<Record<string, string>>): void {
  for (const { path, keys } of sections) {
    for (const [key, setting] of Object.entries(keys)) {
      const field = `${path}.${key}`
      const value = Object.hasOwn(flags, field) ? flags[field] : undefined
      // Part of the value may be secret, such as the token in a URL.
      if (value === undefined || setting.secretParts(value).length === 0) continue
      throw usageError(
        `--set takes no secret, because the process list shows it: set ${field} in the configuration file or ${envName(field)}`,
      )
    }
  }
}

/** Says in setup mode what is missing and where to set it. */
function adviseSetup({ config, decision }: PreparedKernel, adminUrl: string): string | undefined {
  if (decision.mode !== 'setup') return undefined
  const missing = decision.missing.map(({ field, message }) => `${field} ${message.replace(/\.$/, '')}`).join('; ')
  return `setup mode, only the settings are served: ${missing}. Set it in ${config.path}, in the environment or through ${adminUrl}, then restart.`
}
