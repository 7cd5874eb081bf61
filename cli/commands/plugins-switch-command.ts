/** Enables and disables plugins in the configuration file, after checking that the enabled ones can start. */
import { type CommandCall, CommandError } from '#kernel'
import { saveConfigFile } from '#kernel/system'
import { checkChoice, disabledKey, requireFileDecides, surveyPlugins } from './plugin-survey.ts'

type SwitchCall = CommandCall<{ ids: readonly string[] }>

export const enablePlugins = (call: SwitchCall): Promise<undefined> => switchPlugins(call, 'enabled')
export const disablePlugins = (call: SwitchCall): Promise<undefined> => switchPlugins(call, 'disabled')

async function switchPlugins(call: SwitchCall, state: 'enabled' | 'disabled'): Promise<undefined> {
  const ids = [...new Set(call.parameters.ids)]
  const configPath = requireFileDecides(call)
  const { plugins, disabled } = await surveyPlugins(call)
  // A disabled id that does not exist is a mistake in the file; enabling removes it.
  const known = new Set([...plugins.map(({ id }) => id), ...(state === 'enabled' ? disabled : [])])
  const unknown = ids.find((id) => !known.has(id))
  if (unknown !== undefined) throw new CommandError(`there is no plugin '${unknown}'; known plugins: ${[...known].join(', ') || 'none'}`)
  const changed = ids.filter((id) => disabled.includes(id) !== (state === 'disabled'))
  if (changed.length === 0) {
    call.out.result({ disabled, changed }, `Already ${state}: ${ids.join(', ')}`)
    return
  }
  const wanted = state === 'disabled' ? [...disabled, ...changed] : disabled.filter((id) => !changed.includes(id))
  await checkChoice(call, wanted)
  saveConfigFile(configPath, { [disabledKey]: wanted })
  const text = `Now ${state} in ${configPath}: ${changed.join(', ')}\nRestart the service for it to take effect.`
  call.out.result({ disabled: wanted, changed }, text)
}
